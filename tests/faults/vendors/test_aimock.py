"""aimock, a vendor that others wrote: three wires out of the same fixtures, cut, limited and broken in its own ways."""

import os
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.models import ModelCall, Run
from chat.providers import retrying
from graphs.models import Graph
from tests import checker
from tests.chat.engine.driving import Engine
from tests.faults.vendors.asking import WIRES, answered, results_of
from tests.vendors import aimock_server
from tests.vendors.aimock_server import Aimock

pytestmark = [
    pytest.mark.processes,
    pytest.mark.faults,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not aimock_server.is_installed(), reason=aimock_server.MISSING),
]

TEXT = "It fetches the games of the day, one page after the other, and hands them on."
CALLS = [
    {"name": "search_nodes", "arguments": {"query": "fetch"}},
    {"name": "read_node_detail", "arguments": {"nodeKey": "fetch-api"}},
    {"name": "list_node_edges", "arguments": {"nodeKey": "fetch-api"}},
]
LIMITED = {"error": {"message": "Rate limited", "type": "rate_limit_error"}, "status": 429, "retryAfter": 1}
OVERLOADED = {"error": {"message": "Overloaded", "type": "overloaded_error"}, "status": 529}
#: Each breaks the first request for its question; the second is answered as if nothing had been.
ONCE: dict[str, dict[str, Any]] = {
    "limited": {"response": LIMITED},
    "overloaded": {"response": OVERLOADED},
    "dropped": {"response": {"content": TEXT}, "chaos": {"dropRate": 1}},
    "malformed": {"response": {"content": TEXT}, "chaos": {"malformedRate": 1}},
    "disconnected": {"response": {"content": TEXT}, "chaos": {"disconnectRate": 1}},
    "gone": {"response": {"content": TEXT}, "latency": 50, "disconnectAfterMs": 300},
    **{f"cut {n}": {"response": {"content": TEXT}, "truncateAfterChunks": n, "latency": 5} for n in (1, 2, 3, 8)},
    **{f"cut call {n}": {"response": {"toolCalls": CALLS}, "truncateAfterChunks": n, "latency": 5} for n in (1, 3, 7)},
}

SOME = ("limited", "malformed", "cut 3", "cut call 3")


def fixtures() -> Iterator[dict[str, Any]]:
    for wire in WIRES:
        for name, broken in ONCE.items():
            yield {"match": {"userMessage": f"{wire}: {name}.", "sequenceIndex": 0}, **broken}
            yield {"match": {"userMessage": f"{wire}: {name}."}, "response": {"content": TEXT}}
        yield {"match": {"userMessage": f"{wire}: tools.", "hasToolResult": False}, "response": {"toolCalls": CALLS}}
        yield {"match": {"userMessage": f"{wire}: tools."}, "response": {"content": TEXT}}


@pytest.fixture(scope="module")
def server() -> Iterator[Aimock]:
    with aimock_server.aimock(list(fixtures())) as started:
        yield started


@pytest.fixture
def asked(server: Aimock, monkeypatch: pytest.MonkeyPatch) -> Aimock:
    """The vendor of every provider."""
    monkeypatch.setattr(retrying, "FIRST_DELAY_S", 0.01)
    for name, path in {"OPENAI": "/v1", "ANTHROPIC": ""}.items():
        monkeypatch.setenv(f"{name}_API_KEY", aimock_server.KEY)
        monkeypatch.setenv(f"{name}_BASE_URL", server.url + path)
    return server


def requests_of(vendor: Aimock, question: str) -> list[dict[str, Any]]:
    return [entry for entry in vendor.journal() if question in str(entry["body"])]


@pytest.mark.parametrize("wire", WIRES)
def test_it_gets_over_everything_that_happens_once(
    running: Engine, asked: Aimock, alice: User, nba: Graph, wire: str
) -> None:
    for name in ONCE if os.environ.get("FULL") else SOME:
        question = f"{wire}: {name}."
        *broken, whole = answered(alice, wire, question)
        assert (whole.outcome, whole.message.content) == ("finished", TEXT), name
        assert not [result for run in [*broken, whole] for result in results_of(run)], name
        check_journal(asked, question, [*broken, whole])
    checker.check_database()


@pytest.mark.parametrize("wire", WIRES)
def test_it_runs_three_calls_side_by_side(running: Engine, asked: Aimock, alice: User, nba: Graph, wire: str) -> None:
    question = f"{wire}: tools."
    (run,) = answered(alice, wire, question)
    assert (run.outcome, run.message.content) == ("finished", TEXT)
    results = results_of(run)
    assert len(results) == 3
    assert not any("error" in result for result in results)
    check_journal(asked, question, [run])


def check_journal(vendor: Aimock, question: str, runs: list[Run]) -> None:
    """What it says: two requests, each of them for a fixture of its, and each of them recorded with what it cost."""
    first, second = requests_of(vendor, question)
    assert all(entry["response"]["fixture"] for entry in (first, second)), question
    assert second["response"]["status"] == 200, question
    assert not second["response"].get("interrupted"), question
    assert ModelCall.objects.filter(run__in=runs).count() == 2, question
