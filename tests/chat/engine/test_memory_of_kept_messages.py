"""What a process keeps of conversations takes no more memory than it counts, whatever tools said and people wrote."""

import gc
import json
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.engine import kept_messages
from chat.engine.claims import claimed
from chat.engine.enriching import store_system_prompt
from chat.engine.prompt_loading import load_prompt
from chat.models import Call, Message, Round
from chat.providers.model_request import ModelRequest
from chat.providers.provider import ProviderConfig, Wire
from chat.providers.turns import begun_and_ended_by_a_person
from chat.sent_requests.keeping import KeptRequest, rows_of
from chat.sent_requests.layout import take_apart
from graphs.models import Graph
from graphs.site.access import member_of
from tests.chat.admin.talk import talk

#: Only Anthropic's has arguments as JSON, and what a vendor wants back.
WHERE: tuple[tuple[str, Wire], ...] = (
    ("result", "openai-responses"),
    ("result of old", "openai"),
    ("arguments", "anthropic"),
    ("vendor's blocks", "anthropic"),
)
MESSAGES = 10


def nested(depth: int) -> list[Any]:
    inner: list[Any] = []
    for _ in range(depth):
        inner = [inner]
    return inner


#: Each as JSON, because what is read has no objects in common.
VALUES: dict[str, Any] = {
    "nothing": None,
    "rows of nodes": [
        {"key": f"node-{n}", "name": f"Node {n}", "x": n * 1.5, "y": n + 1000, "type": "prompt", "data": {}}
        for n in range(500)
    ],
    "numbers": list(range(1000, 9000)),
    "empty objects": [{} for _ in range(20_000)],
    "lists within lists": [nested(200) for _ in range(20)],
    "short texts": [f"é{n}" for n in range(3000)],
    "names that are all others": {f"😀{n}": n for n in range(3000)},
    "objects of one": [{f"name{n}": {"x": n}} for n in range(2000)],
    "a long text": "Words. " * 20_000,
    "a long text with an emoji": "😀" + "Words. " * 5_000,
}


@pytest.fixture(autouse=True)
def room(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    kept_messages.forget_all()
    monkeypatch.setattr(kept_messages, "MOST_BYTES", 10**9)
    gc.freeze()  # What is there before is no part of what is looked through, twice for each.
    yield
    gc.unfreeze()


def rounds_of(what: str, where: str) -> list[Round]:
    """A round that has the value as a result, as arguments, or as what a vendor wants back."""
    value = VALUES[what]
    text = json.dumps(value, ensure_ascii=False)
    match where:
        case "result":
            call = Call("c1", "search_nodes", {}, value, "ok", "{}", text)
        case "result of old":
            call = Call("c1", "search_nodes", {}, value, "ok", "{}")
        case _:
            call = Call("c1", "search_nodes", {"all": value}, {"n": 1}, "ok", f'{{"all": {text}}}', '{"n":1}')
    blocks = ({"type": "thinking", "thinking": value},) if where == "vendor's blocks" else ()
    return [Round("Said.", calls=(call,), vendor="anthropic", vendor_blocks=blocks, model="anthropic:m")]


def taken_and_counted(owner: User, graph: Graph, wire: Wire, rounds: list[Round], **question: str) -> tuple[int, int]:
    """Bytes that a conversation takes whose answers have these rounds, once its last question was sent, and counts."""
    told = talk(owner, graph.workspace)
    member = member_of(owner)
    store_system_prompt(told.session.pk, graph, member, is_new=True, flagged=False)
    first = told.run.message.sequence
    for n in range(1, MESSAGES, 2):
        said = {"content": "Said.", "rounds": rounds}
        Message.objects.create(session=told.session, sequence=first + n, role="user", content=f"{n}?", retrieved="R")
        Message.objects.create(session=told.session, sequence=first + n + 1, role="assistant", **said)
    position = first + MESSAGES + 1
    Message.objects.create(
        session=told.session, sequence=position, role="user", **{"content": "What?", "retrieved": "R", **question}
    )
    run = replace(claimed(told.run, member), position=position + 1)
    tracemalloc.start()
    try:
        for _ in range(2):  # as it is kept first, and beside the request that was kept then
            _send(load_prompt(run, member), wire)
        gc.collect()
        counted = sum(each.taken for each in kept_messages._kept.values())
        before = tracemalloc.get_traced_memory()[0]
        kept_messages.forget_all()
        gc.collect()
        return before - tracemalloc.get_traced_memory()[0], counted
    finally:
        tracemalloc.stop()


def _send(prompt: Any, wire: Wire) -> None:
    config = ProviderConfig(wire, wire, "", "m", 100, None)
    request = ModelRequest(begun_and_ended_by_a_person(prompt.messages), prompt.tools, "m", 100)
    rows_of([KeptRequest(config, request, 0, before=prompt.last_request)])


@pytest.mark.parametrize(("where", "wire"), WHERE)
@pytest.mark.parametrize("what", VALUES)
@pytest.mark.django_db
def test_what_tools_said_takes_no_more_than_is_counted(
    alice: User, nba: Graph, what: str, where: str, wire: Wire
) -> None:
    taken, counted = taken_and_counted(alice, nba, wire, rounds_of(what, where))
    assert taken <= counted, f"{counted / taken:.2f}"
    assert counted < 4 * taken + 200_000, f"{counted / taken:.2f}: others are forgotten for it"


@pytest.mark.parametrize("column", ["content", "retrieved", "records"])
@pytest.mark.django_db
def test_the_question_that_was_sent_last_is_counted(alice: User, nba: Graph, column: str) -> None:
    """It is in the request that was kept, and not yet among the messages."""
    taken, counted = taken_and_counted(alice, nba, "openai", [], **{column: "Was ist das für ein Wort? " * 40_000})
    assert 1_000_000 < taken <= counted


@pytest.mark.django_db
def test_what_was_sent_since_counts_when_the_next_one_asks(
    alice: User, nba: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_messages, "MOST_BYTES", 1_000_000)
    kept = kept_messages.KeptMessages(to=3)
    id_ = talk(alice, nba.workspace).session.pk
    kept_messages.put(id_, kept)
    body = {"role": "user", "content": "x" * 2_000_000}
    kept.last_request.layout = take_apart({"messages": [body]})
    assert kept_messages.get(id_, 4) is kept
    kept_messages.put(talk(alice, nba.workspace).session.pk, kept_messages.KeptMessages(to=3))
    assert kept_messages.get(id_, 4).to == -1
