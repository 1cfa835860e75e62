"""Recorded answers of three wires that break off, through the engine into the database: no effect of a part."""

import os
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from chat.models import Message, RunStatus
from graphs.models import Graph
from tests import checker
from tests.chat.engine.driving import Engine, of_run
from tests.faults.vendors.asking import Asked, ask_all, batches, retry_all
from tests.vendors import Script, VendorServer, recorded

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]

FULL = bool(os.environ.get("FULL"))
#: Of all cuts between two events, every so many; of all cuts within one, every so many bytes.
EVERY, EVERY_BYTES = (1, 97) if FULL else (37, 2503)
#: Longer than a busy machine takes between two pieces of an answer that does not stall.
STALL_S = 3.0
DONE = "Both are read."


@dataclass(frozen=True)
class Cut:
    """Of a recording the first `length` bytes, and then `way`."""

    kind: str
    name: str
    way: str
    length: int

    @property
    def part(self) -> bytes:
        return b"".join(recorded.events(self.kind, self.name))[: self.length]

    @property
    def chunks(self) -> tuple[bytes, ...]:
        """The part as it would have come: event by event, the last one perhaps not whole."""
        *whole, rest = self.part.split(b"\n\n")
        return (*(event + b"\n\n" for event in whole), *filter(None, [rest]))

    @property
    def ended(self) -> bool:
        return recorded.says_the_end(self.kind, self.part)

    @property
    def script(self) -> Script:
        return recorded.BREAKS[self.way].script(self.kind, self.chunks)

    @property
    def code(self) -> str:
        """What has to come of it. Where not even one event came, it was no stream of events."""
        if self.way in {"clean", "html"} and b"\n\n" not in self.part and (self.part or self.way == "html"):
            return "server_error"
        return recorded.BREAKS[self.way].code


def cuts(ways: tuple[str, ...]) -> Iterator[Cut]:
    """At every boundary in every way; once the vendor said that the turn is over only in those that end all."""
    for kind in recorded.KINDS:
        for name in recorded.NAMES:
            length = 0
            for event in (*recorded.events(kind, name), b""):
                for way in ways:
                    cut = Cut(kind, name, way, length)
                    if not cut.ended or way in {"clean", "reset", "html", "stall"}:
                        yield cut
                length += len(event)


def cuts_within_events() -> Iterator[Cut]:
    """At bytes all over the recordings, in one way after the other."""
    ways = ("clean", "reset", "garbage", "error", "html")
    for kind in recorded.KINDS:
        for name in recorded.NAMES:
            whole = len(b"".join(recorded.events(kind, name)))
            for number, length in enumerate(range(1, whole, EVERY_BYTES)):
                cut = Cut(kind, name, ways[number % len(ways)], length)
                if not cut.ended:
                    yield cut


def check_failure(cut: Cut, asked: Asked, vendor: VendorServer) -> None:
    run, told = asked.run, of_run(asked.run.pk)
    assert run.status == RunStatus.FAILED, cut
    assert (run.error["code"], run.error["retryable"]) == (cut.code, cut.code != "context_length"), cut
    assert run.message.status == Message.Status.FAILED, cut
    assert not {event.type for event in told} & {"tool_call_start", "tool_call_result", "done"}, cut
    assert recorded.text_of(cut.name).startswith(run.message.content), cut
    requests, costs = asked.requests(vendor), asked.costs()
    assert 1 <= len(requests) == len(costs) <= 3, cut
    for cost in costs:
        # A reset may overtake what was sent before it: then the vendor never answered, as far as we can know.
        assert cost.prompt_tokens > 100 or (cut.way == "reset" and not cost.estimated), cut
        assert cost.estimated == (cut.way != "length" and cost.prompt_tokens > 0), cut
    if run.message.content:
        # Shown is what one attempt said, the last one; those before it were such resets.
        assert costs[-1].completion_tokens > 0, cut
        assert not any(cost.prompt_tokens for cost in costs[:-1]), cut


def check_success(cut: Cut, asked: Asked) -> None:
    """The vendor had said that the turn is over: it counts, whatever came then."""
    run = asked.run
    assert (run.status, run.outcome) == (RunStatus.SUCCEEDED, "finished"), (cut, run.error)
    results = [event for event in of_run(run.pk) if event.type == "tool_call_result"]
    assert len(results) == len(recorded.calls_of(cut.name)), cut
    assert run.message.content.startswith(recorded.text_of(cut.name)), cut
    costs = asked.costs()
    lost = [cost for cost in costs if cost.outcome == "network"]
    # A reset may be noticed only when the connection is used for the next call, which then never got to the vendor.
    assert not lost or (cut.way == "reset" and len(lost) == 1 and lost[0].prompt_tokens == 0), cut
    assert len(costs) - len(lost) == (2 if results else 1), cut


def check(cuts: list[Cut], user: User, vendor: VendorServer) -> None:
    asked = ask_all(user, vendor, [(cut.kind, [cut.script, Script(text=DONE)]) for cut in cuts])
    failed = []
    for cut, each in zip(cuts, asked, strict=True):
        lost = cut.way == "reset" and each.run.status == RunStatus.FAILED
        if cut.ended and not lost:
            check_success(cut, each)
        else:
            check_failure(cut, each, vendor)
        vendor.answers[each.question] = [Script(text=DONE)]
        if each.run.error and each.run.error["retryable"]:
            failed.append(each)
    for each in retry_all(user, failed):
        assert (each.run.status, each.run.message.content) == (RunStatus.SUCCEEDED, DONE)
    vendor.reset()


@pytest.mark.timeout(3000)
def test_an_answer_cut_between_two_events(running: Engine, vendor: VendorServer, alice: User, nba: Graph) -> None:
    ways = tuple(way for way in recorded.BREAKS if way != "stall")
    for batch in batches(list(cuts(ways))[::EVERY]):
        check(batch, alice, vendor)
    checker.check_database()


@pytest.mark.timeout(3000)
def test_an_answer_cut_within_an_event(running: Engine, vendor: VendorServer, alice: User, nba: Graph) -> None:
    for batch in batches(cuts_within_events()):
        check(batch, alice, vendor)
    checker.check_database()


@pytest.mark.timeout(3000)
def test_an_answer_that_stalls(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph, settings: Settings
) -> None:
    settings.STREAM_IDLE_TIMEOUT_S = STALL_S
    for batch in batches(list(cuts(("stall",)))[::EVERY]):
        check(batch, alice, vendor)
    checker.check_database()
