"""Several web processes on one database: asking on one, watching on the other, and what a crash leaves behind."""

import signal
from pathlib import Path

import pytest

from chat.models import Message, Process, Run, RunStatus
from tests import checker
from tests.cast import PASSWORD
from tests.chat.engine.driving import until
from tests.flows.listener import Listener
from tests.site import Api, Site, site
from tests.vendors.scenarios import LONG_TEXT
from tests.web_process import WebProcess

pytestmark = [pytest.mark.processes, pytest.mark.faults, pytest.mark.django_db(transaction=True)]


def test_alice_asks_on_one_process_and_watches_on_the_other(two_processes: Site) -> None:
    here, there = (Listener(process) for process in two_processes.processes)
    accepted = here.ask("SCRIPT:long")
    there.follow(accepted["sessionId"])
    here.to_the_end()
    there.to_the_end()
    assert there.text == LONG_TEXT
    checker.check_run(two_processes, here, there)


def test_alice_goes_on_reading_where_the_first_connection_ended(two_processes: Site) -> None:
    here = Listener(two_processes.processes[0])
    accepted = here.ask('SCRIPT={"text": "one two three four five six seven", "delay_s": 0.1}')
    here.until(lambda frame: "three" in here.text)
    here.close()
    there = Listener(two_processes.processes[1])
    there.follow(accepted["sessionId"], after=here.last)
    there.to_the_end()
    assert here.text + there.text == "one two three four five six seven"
    assert [frame["sequence"] for frame in here.events + there.events] == list(range(1, there.last + 1))


def test_a_killed_process_leaves_an_answer_that_is_stored_as_it_was_shown_and_closed(two_processes: Site) -> None:
    first, second = two_processes.processes
    here = Listener(first)
    accepted = here.ask("SCRIPT:slow")
    here.until(lambda frame: "word10 " in here.text)
    driving = Run.objects.get().process
    there = Listener(second)
    there.follow(accepted["sessionId"])
    there.until(lambda frame: "word5 " in there.text)
    killed = _of(two_processes, str(driving))
    killed.kill()
    survivor = next(process for process in two_processes.processes if process is not killed)
    watching = Listener(survivor)
    watching.follow(accepted["sessionId"])
    end = watching.to_the_end()
    assert end["type"] == "ai:error"
    assert end["retryable"]
    stored = Message.objects.get(role="assistant")
    assert stored.content == watching.text
    assert watching.text.startswith(here.text)
    assert LONG_TEXT.startswith(watching.text)
    assert Run.objects.get().status == RunStatus.FAILED
    checker.check_run(two_processes, here, there, watching)
    again = Listener(survivor)
    again.send({"type": "ai:retry", "_id": 1, "sessionId": accepted["sessionId"]})
    again.until(lambda frame: frame["type"] == "ai:accepted")
    again.until(lambda frame: "word3 " in again.text)


def test_a_process_that_ends_in_peace_says_goodbye_and_finishes_its_answers(two_processes: Site) -> None:
    listeners = [Listener(process) for process in two_processes.processes]
    accepted = listeners[0].ask('SCRIPT={"text": "one two three four five six seven eight", "delay_s": 0.2}')
    listeners[1].follow(accepted["sessionId"])
    listeners[1].until(lambda frame: "two" in listeners[1].text)
    ending = _of(two_processes, str(Run.objects.get().process))
    place = two_processes.processes.index(ending)
    code = ending.terminate()
    assert listeners[place].until_closed() == 4012
    assert code == 0
    other = Listener(two_processes.processes[1 - place])
    other.follow(accepted["sessionId"])
    assert other.to_the_end()["type"] == "ai:complete"
    assert other.text == "one two three four five six seven eight"
    checker.check_run(two_processes, *listeners, other)


def test_a_frozen_process_writes_nothing_when_it_wakes(two_processes: Site) -> None:
    listener = Listener(two_processes.web)
    accepted = listener.ask("SCRIPT:slow")
    listener.until(lambda frame: "word5 " in listener.text)
    frozen = _of(two_processes, str(Run.objects.get().process))
    frozen.freeze()
    other = next(process for process in two_processes.processes if process is not frozen)
    watching = Listener(other)
    watching.follow(accepted["sessionId"])
    end = watching.to_the_end()
    frozen.thaw()
    until(lambda: frozen.process.poll() is not None or "taken over" in frozen.log())
    late = Listener(other)
    late.follow(accepted["sessionId"])
    late.to_the_end()
    assert late.last == end["sequence"]
    checker.check_run(two_processes, listener, watching, late)


def _of(site: Site, process_id: str) -> WebProcess:
    """The process that drives: its label in the database ends with its number."""
    label = Process.objects.get(pk=process_id).label
    return next(each for each in site.processes if label.endswith(f":{each.process.pid}"))


def test_a_process_told_to_end_while_it_starts_ends(cast: None) -> None:
    process = WebProcess({"LLM_PROVIDER": "demo"})
    try:
        until(lambda: "Python" in Path(f"/proc/{process.process.pid}/comm").read_text().capitalize())
        for _ in range(3):
            process.process.send_signal(signal.SIGTERM)
        assert process.process.wait(30) is not None
    finally:
        process.close()


def test_a_message_that_says_wait_is_only_a_message(cast: None) -> None:
    with site() as started:
        alice = Api(started.web.url, "alice", PASSWORD)
        answer = alice.post("/api/v1/chat/messages", {"message": "wait", "context": {"type": "graph", "id": "nba"}})
        assert answer["runId"]
        waited = alice.post("/api/v1/chat/messages", {"message": "SCRIPT:hello", "wait": True})
        assert waited["message"] == "Hello! This is a scripted answer."
