"""The jobs of generations: bells of a worker, which may ring twice, or for nothing."""

import threading

import pytest
from django.contrib.auth.models import User
from django.db import connections

from chat import tasks
from chat.engine import generating, generation_worker
from chat.models import Proposal, Run
from graphs.models import ChangeSet, Origin
from tests.chat.engine.driving import rested
from tests.chat.engine.generating import OF_COMPANY, begun, form
from tests.graphs.records.portfolio import Portfolio, portfolio
from tests.vendors import Script, VendorServer

__all__ = ["portfolio"]
pytestmark = pytest.mark.django_db(transaction=True)


def test_a_job_that_comes_three_times_makes_one_result(vendor: VendorServer, alice: User, portfolio: Portfolio) -> None:
    tasks.take_over_generations()
    assert generation_worker._worker is None, "nothing waits"
    vendor.script(Script(tool_calls=(form("company_info", **OF_COMPANY | {"name": "Northwind"}),), delay_s=0.01))
    try:
        run = begun(alice, "company_info", "company", portfolio.company.pk)
        for _ in range(3):
            tasks.generate()
        tasks.take_over_generations()
        assert rested(run.pk).status == "succeeded"
    finally:
        generation_worker._end()
        connections.close_all()
    made = ChangeSet.objects.filter(origin=Origin.GENERATION)
    assert (Run.objects.get().attempts, Proposal.objects.count(), made.count()) == (1, 1, 1)


def test_a_bell_that_could_not_ring_lets_the_next_one(monkeypatch: pytest.MonkeyPatch) -> None:
    rung: list[threading.Thread] = []

    def no_room(thread: threading.Thread) -> None:
        rung.append(thread)
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", no_room)
    for _ in range(2):
        with pytest.raises(RuntimeError):
            generating._wake()
    assert len(rung) == 2
