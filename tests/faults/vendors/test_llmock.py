"""llmock, a vendor that others wrote: it breaks in its own ways, sees every attempt, and judges what we make of it.

Its verdict has to be green in strict mode: Retry-After kept, nothing refused asked again, no storm, a pause that grows,
no cut or corrupted stream accepted, no stall sat out. Where something was shown before the break it is the person who
tries again, as the widget offers.
"""

import os
from collections.abc import Callable
from itertools import product

import pytest
from django.contrib.auth.models import User
from llmock.pytest_plugin import LLMock
from pytest_django import Settings

from chat.models import ModelCall, Run, RunStatus
from chat.providers import retrying
from graphs.models import Graph
from tests import checker
from tests.chat.engine.driving import Engine
from tests.faults.vendors.asking import WIRES, answered, ask_once, results_of

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]

FULL = bool(os.environ.get("FULL"))
CUTS = range(1, 8) if FULL else (2,)
PASSING = (500, 502, 503, 504, 529) if FULL else (529,)
#: More chunks than the last cut; left to itself it varies its answers with the question, and some are shorter.
LONG = "The node that you ask about calls the interface and gives what it got to the next one."


@pytest.fixture
def brief(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pauses that are short and can still be told from none."""
    monkeypatch.setattr(retrying, "FIRST_DELAY_S", 0.1)


def recorded_calls(*runs: Run) -> int:
    return ModelCall.objects.filter(run__in=runs).count()


def test_it_waits_as_told(running: Engine, llmock: LLMock, alice: User, nba: Graph) -> None:
    for wire in WIRES:
        llmock.reset().tool_mode("off").rate_limit(times=2, retry_after=0.7)
        (run,) = answered(alice, wire)
        assert run.outcome == "finished", wire
        assert recorded_calls(run) == len(llmock.requests) == 3, wire
        llmock.assert_resilient(strict=True)


def test_it_gives_up_a_vendor_that_is_down(running: Engine, llmock: LLMock, alice: User, nba: Graph) -> None:
    for wire in WIRES:
        llmock.reset().outage()
        run = ask_once(alice, wire, "Hello?")
        assert (run.error["code"], run.error["retryable"]) == ("server_error", True), wire
        assert recorded_calls(run) == len(llmock.requests) == 3, wire
        llmock.assert_resilient(strict=True)


def test_it_asks_again_where_a_vendor_recovers(
    running: Engine, llmock: LLMock, alice: User, nba: Graph, brief: None
) -> None:
    for status, wire in product(PASSING, WIRES):
        llmock.reset().tool_mode("off").fail(status)
        assert [run.outcome for run in answered(alice, wire)] == ["finished"], (status, wire)
        assert len(llmock.requests) == 2, (status, wire)
        llmock.assert_resilient(strict=True)


def test_it_asks_nothing_again_that_was_refused(running: Engine, llmock: LLMock, alice: User, nba: Graph) -> None:
    for wire in WIRES:
        llmock.reset()
        for status in (400, 401, 403, 404, 413, 422):
            llmock.fail(status)
            (run,) = answered(alice, wire, f"What is {status}?")
            assert (run.status, run.error["retryable"]) == (RunStatus.FAILED, False), (wire, status)
        llmock.context_overflow()
        (run,) = answered(alice, wire)
        assert run.error["code"] == "context_length", wire
        assert len(llmock.requests) == 7, wire
        llmock.assert_resilient(strict=True)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("fault", [LLMock.disconnect, LLMock.truncate, LLMock.corrupt])
def test_it_accepts_no_stream_that_breaks(
    running: Engine, llmock: LLMock, alice: User, nba: Graph, brief: None, fault: Callable[..., LLMock]
) -> None:
    for after, wire in product(CUTS, WIRES):
        # At a pace that lets the server see that we hang up.
        fault(llmock.reset().tool_mode("off").pace(50).reply(LONG, times=None), after_chunks=after)
        *broken, whole = answered(alice, wire)
        assert whole.outcome == "finished", (after, wire)
        assert all(run.error["code"] in {"network", "server_error"} for run in broken), (after, wire)
        assert recorded_calls(*broken, whole) == len(llmock.requests) == 2, (after, wire)
        llmock.assert_resilient(strict=True)
    checker.check_database()


def test_it_runs_no_tool_of_a_stream_that_breaks(
    running: Engine, llmock: LLMock, alice: User, nba: Graph, brief: None
) -> None:
    for after, wire in product(CUTS[:4], WIRES):
        llmock.reset().call_tool("search_nodes", {"query": "fetch"}, times=2).truncate(after_chunks=after)
        *broken, whole = answered(alice, wire)
        assert not [result for run in broken for result in results_of(run)], (after, wire)
        assert (whole.outcome, len(results_of(whole))) == ("finished", 1), (after, wire)
        llmock.assert_resilient(strict=True)
    checker.check_database()


def test_it_sits_out_no_stall(
    running: Engine, llmock: LLMock, alice: User, nba: Graph, brief: None, settings: Settings
) -> None:
    settings.STREAM_IDLE_TIMEOUT_S = 2
    for wire in WIRES:
        llmock.reset().tool_mode("off").stall(after_chunks=2, seconds=30)
        *broken, whole = answered(alice, wire)
        assert whole.outcome == "finished", wire
        assert all(run.error["code"] == "timeout" for run in broken), wire
        llmock.assert_resilient(strict=True)


def test_it_waits_for_a_slow_first_token(running: Engine, llmock: LLMock, alice: User, nba: Graph) -> None:
    for wire in WIRES:
        llmock.reset().tool_mode("off").slow_first_token(0.7)
        assert [run.outcome for run in answered(alice, wire)] == ["finished"], wire
        assert len(llmock.requests) == 1, wire
        llmock.assert_resilient(strict=True)


def test_it_runs_the_tools_that_are_called(running: Engine, llmock: LLMock, alice: User, nba: Graph) -> None:
    for wire in WIRES:
        llmock.reset().call_tool("search_nodes", {"query": "fetch"})
        (run,) = answered(alice, wire)
        assert run.outcome == "finished", wire
        (result,) = results_of(run)
        assert "fetch-api" in str(result), wire
        llmock.assert_resilient(strict=True)


def test_it_tells_the_model_of_calls_that_nobody_can_run(
    running: Engine, llmock: LLMock, alice: User, nba: Graph
) -> None:
    for wire, kind in product(WIRES, ("malformed_arguments", "unknown_tool")):
        llmock.reset().call_tool("search_nodes", {"query": "fetch"}).break_tool_call(kind)
        (run,) = answered(alice, wire)
        assert run.outcome == "finished", (wire, kind)
        assert "error" in results_of(run)[0], (wire, kind)
        llmock.assert_resilient(strict=True)
