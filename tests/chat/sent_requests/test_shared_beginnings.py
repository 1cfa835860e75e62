"""What a request begins with as the one before it did is not hashed anew, and comes out the same byte for byte."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from hypothesis import given, settings
from hypothesis import strategies as st

from chat.models import RequestEntry, SentRequest
from chat.providers.model_request import ModelRequest, PromptMessage
from chat.providers.pieces import Usage
from chat.sent_requests import kept_requests
from chat.sent_requests.keeping import KeptRequest, LastRequest, rows_of
from chat.sent_requests.layout import Layout, is_same, take_apart
from graphs.models import Graph
from tests.chat.admin.talk import DEMO, called, talk

MARK = {"type": "ephemeral"}
#: Some that Python takes for equal although their JSON differs.
words = st.sampled_from(["", "a", "b", 0, 1, 1.0, True, False, None, 0.0, -0.0, "\ud800"])
objects = st.permutations(["x", "y"]).flatmap(lambda names: st.fixed_dictionaries(dict.fromkeys(names, words)))
values = st.one_of(words, objects, st.lists(words, max_size=2))
blocks = st.builds(
    lambda said, mark: {"text": said, **({"cache_control": MARK} if mark else {})}, values, st.booleans()
)
items = st.fixed_dictionaries({"role": words, "content": st.one_of(values, st.lists(blocks, max_size=2))})
bodies = st.fixed_dictionaries(
    {"messages": st.lists(items, max_size=4)}, optional={"system": values, "tools": st.lists(objects, max_size=2)}
)


def written(layout: Layout) -> list[Any]:
    entries = (*([layout.tools] if layout.tools else []), *layout.entries)
    said = [(entry.digest, entry.parent, entry.position, entry.content) for entry in entries]
    return [said, json.dumps(layout.parameters), json.dumps(layout.marks)]


@settings(max_examples=200, deadline=None)
@given(st.lists(bodies, min_size=2, max_size=4))
def test_it_makes_no_difference_what_was_sent_before(sent: list[dict[str, Any]]) -> None:
    before: Layout | None = None
    for body in sent:
        layout = take_apart(body, before)
        assert written(layout) == written(take_apart(body))
        before = layout


@settings(max_examples=200, deadline=None)
@given(values, values)
def test_what_is_the_same_is_written_the_same(one: Any, other: Any) -> None:
    if is_same(one, other):
        assert json.dumps(one) == json.dumps(other)
    assert is_same(one, json.loads(json.dumps(one))) or "0.0" in json.dumps(one) or "1.0" in json.dumps(one)


@pytest.mark.parametrize(
    "other",
    [
        {"content": "a", "role": "user"},
        {"role": "user", "content": "b"},
        {"role": "user", "content": "a", "name": ""},
        {"role": "user"},
        {"role": "user", "content": None},
        {"role": "user", "content": ["a"]},
        "user",
    ],
)
def test_a_plain_message_is_shared_only_with_its_like(other: Any) -> None:
    plain = {"role": "user", "content": "a"}
    for first, second in ((plain, other), (other, plain)):
        before = take_apart({"messages": [first]})
        again = take_apart({"messages": [second]}, before)
        assert again.shared == 0
        assert written(again) == written(take_apart({"messages": [second]}))
        assert take_apart({"messages": [json.loads(json.dumps(first))]}, before).shared == 1


def test_a_longer_conversation_shares_what_both_begin_with() -> None:
    first = take_apart({"messages": [{"role": "user", "content": "a"}, {"role": "user", "content": "b"}]})
    longer = [{"role": "user", "content": text} for text in ("a", "b", "c")]
    second = take_apart({"messages": longer}, first)
    assert second.shared == 2
    assert [mine is its for mine, its in zip(second.entries, first.entries, strict=False)] == [True, True]
    assert take_apart({"system": "s", "messages": longer}, second).shared == 0


def request(*texts: str) -> ModelRequest:
    said = [PromptMessage("assistant" if n % 2 else "user", text) for n, text in enumerate(texts)]
    return ModelRequest(tuple(said), (), "demo", 100)


@pytest.mark.django_db
def test_what_was_forgotten_meanwhile_is_stored_again(alice: User, nba: Graph) -> None:
    """In the database it is gone; this process still knows how it was taken apart."""
    told = talk(alice, nba.workspace)
    before = LastRequest()
    texts = ["One", "Two", "Three"]
    called(told.session, told.run, KeptRequest(DEMO, request(*texts), 0, before=before), Usage(1, 1))
    RequestEntry.objects.filter(session=told.session).delete()
    for n in range(2):
        texts += [f"Answer {n}", f"Question {n}"]
        sent = KeptRequest(DEMO, request(*texts), 0, before=before)
        called(told.session, told.run, sent, Usage(1, 1))
        (kept,) = SentRequest.objects.filter(pk=sent.id)
        assert [each["content"] for each in kept_requests.body_of(told.session.pk, kept)["messages"]] == texts
    assert RequestEntry.objects.filter(session=told.session).count() == len(texts), "each once"


def test_several_requests_that_are_stored_together_are_whole() -> None:
    """The second shares what the first began with, which is not stored yet."""
    before = LastRequest()
    first, second = ["One", "Two", "Three"], ["One", "Two", "Three", "Four", "Five"]
    rows = rows_of([KeptRequest(DEMO, request(*each), 0, before=before) for each in (first, second)])
    assert rows.older == ()
    assert [entry.position for entry in rows.entries] == [0, 1, 2, 3, 4]
    rows = rows_of([KeptRequest(DEMO, request(*second), 0, before=before)])
    assert [entry.position for entry in rows.older] == [0, 1, 2, 3]
    (last,) = rows.entries
    assert (rows.shows_older({last.digest}), rows.shows_older(set())) == (True, False)
