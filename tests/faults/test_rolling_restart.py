"""Web processes are restarted one after the other under load: whoever comes again loses nothing."""

import os
from collections.abc import Iterator

import pytest
from pytest_django import DjangoDbBlocker

from chat.models import Process
from tests import checker
from tests.chat.engine.driving import until
from tests.faults.crowd import Crowd, crowd
from tests.faults.outage import UNLIMITED, Outage
from tests.flows.listener import Listener
from tests.vendors import VendorServer
from tests.whole_site import WholeSite, whole_site

pytestmark = [pytest.mark.processes, pytest.mark.faults, pytest.mark.timeout(1800)]

FULL = bool(os.environ.get("FULL"))
ROLLS = 20 if FULL else 1
#: One more, and the supervisor would think that the processes cannot live.
ROLLS_UNDER_A_SUPERVISOR = 4
#: What a supervisor gives a process that was told to end.
DRAINED_WITHIN_S = 30
STARTED_WITHIN_S = 60


def assert_told_to_come_back(people: Crowd) -> None:
    assert {reason for reason in people.losses if reason.startswith("closed")} == {"closed with 4012"}


def test_nobody_loses_a_message(outage: Outage) -> None:
    with outage.crowd() as people:
        for place in [0, 1] * ROLLS:
            people.all_get_on()
            assert outage.processes[place].terminate(DRAINED_WITHIN_S) == 0
            outage.replace(place)
    assert_told_to_come_back(people)


@pytest.mark.skipif(not FULL, reason="waits as long as a process drains; the roll itself is tried")
def test_an_answer_that_takes_longer_is_closed_as_it_was_shown_and_can_be_asked_for_again(outage: Outage) -> None:
    here, there = (Listener(process) for process in outage.processes)
    session_id = here.ask("SCRIPT:slow")["sessionId"]
    there.follow(session_id)
    there.until(lambda frame: "word9 " in there.text)
    assert outage.processes[0].terminate(DRAINED_WITHIN_S) == 0
    assert here.until_closed() == 4012
    end = there.to_the_end()
    assert (end["type"], end["retryable"]) == ("ai:error", True)
    there.send({"type": "ai:retry", "_id": 1, "sessionId": session_id})
    there.until(lambda frame: frame["type"] == "ai:accepted")
    there.send({"type": "ai:interrupt", "_id": 2, "sessionId": session_id})
    assert there.to_the_end()["type"] == "ai:complete"
    outage.replace(0)
    there.close()
    checker.check_run(outage, here, there)


@pytest.fixture
def whole(django_db_blocker: DjangoDbBlocker, monkeypatch: pytest.MonkeyPatch) -> Iterator[WholeSite]:
    for name, value in UNLIMITED.items():
        monkeypatch.setenv(name, value)
    with django_db_blocker.unblock(), VendorServer() as vendor, whole_site(vendor) as site:
        yield site


def both_serve(site: WholeSite) -> bool:
    """The socket they share does not tell; what they note in the database when they begin does."""
    known = {int(label.rpartition(":")[2]) for label in Process.objects.values_list("label", flat=True)}
    return sum(child.pid in known for child in site.children("web")) == 2


@pytest.mark.skipif(not FULL, reason="starts everything for half a minute; the supervisor is tested by kills as well")
def test_nobody_loses_a_message_at_the_socket_that_processes_share(whole: WholeSite) -> None:
    with crowd(whole, [whole.url], {"finished"}) as people:
        for _ in range(ROLLS_UNDER_A_SUPERVISOR):
            for process in whole.children("web"):
                until(lambda: both_serve(whole), STARTED_WITHIN_S)
                people.all_get_on()
                process.terminate()
                process.wait(DRAINED_WITHIN_S)
    assert_told_to_come_back(people)
