"""The same breaks through a real web process: asked over HTTP, seen over the socket, its logs and its life watched."""

import uuid
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.models import ModelCall, Run, RunStatus
from graphs.models import Graph
from tests import checker
from tests.cast import PASSWORD
from tests.chat.engine.driving import until
from tests.faults.vendors.asking import MODELS, results_of
from tests.flows.listener import Listener
from tests.site import Api, Site
from tests.vendors import Script, VendorServer, recorded

pytestmark = [pytest.mark.processes, pytest.mark.faults, pytest.mark.django_db(transaction=True)]

PATIENCE_S = 90
LIVE = [RunStatus.QUEUED, RunStatus.RUNNING]
DONE = "Now it works."
ALSO = {"empty": Script(raw=()), "nothing but HTML": Script(raw=(b"<html>",), content_type="text/html")}


@pytest.fixture
def here(transactional_db: None, alice: User, nba: Graph) -> Iterator[Site]:
    """One web process, and a vendor of all three wires."""
    with VendorServer() as vendor:
        openai = {"OPENAI_API_KEY": "canary-key-of-the-vendor", "OPENAI_BASE_URL": vendor.openai_url}
        started = Site(vendor, {**openai, "STREAM_IDLE_TIMEOUT_S": "5"})
        try:
            started.start(1)
            yield started
        finally:
            started.close()


def broken(kind: str, way: str) -> Script:
    """Three calls, the first of them whole, broken within the second."""
    if way in ALSO:
        return ALSO[way]
    events = recorded.events(kind, "three_tools")
    begun = next(number for number, event in enumerate(events) if b"read_node_detail" in event)
    return recorded.BREAKS[way].script(kind, events[: begun + 2])


def ended(accepted: list[dict[str, Any]]) -> list[Run]:
    runs = Run.objects.select_related("message").filter(pk__in=[each["runId"] for each in accepted])
    until(lambda: runs.filter(status__in=LIVE).count() == 0, PATIENCE_S)
    found = runs.in_bulk()
    return [found[uuid.UUID(each["runId"])] for each in accepted]


def test_a_process_gets_over_every_break(here: Site) -> None:
    person = Api(here.web.url, "alice", PASSWORD)
    cases = list(product(recorded.KINDS, (*recorded.BREAKS, *ALSO)))
    accepted = []
    for kind, way in cases:
        question = f"What does fetch-api do? {kind} {way}."
        here.vendor.answers[question] = [broken(kind, way)]
        body = {"context": {"type": "graph", "id": "nba"}, "message": question, "model": MODELS[kind]}
        accepted.append(person.post("/api/v1/chat/messages", body))
    listener = Listener(here.web)
    listener.follow(accepted[0]["sessionId"])
    again = []
    for case, each, run in zip(cases, accepted, ended(accepted), strict=True):
        assert run.status == RunStatus.FAILED, case
        assert results_of(run) == [], case
        assert ModelCall.objects.filter(run=run).exists(), case
        assert run.error["retryable"] == (case[1] != "length"), case
        if run.error["retryable"]:
            again.append(each["sessionId"])
    here.vendor.answers = {"": [Script(text=DONE)]}
    retried = [person.post(f"/api/v1/chat/sessions/{session_id}/retry", {}) for session_id in again]
    assert {(run.status, run.message.content) for run in ended(retried)} == {(RunStatus.SUCCEEDED, DONE)}
    assert here.web.process.poll() is None
    listener.until(lambda frame: frame["type"] == "ai:complete" and "sequence" in frame)
    checker.check_run(here, listener)
