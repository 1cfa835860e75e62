"""A body that was taken apart is put together again exactly, and what two share is the same entries."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chat.sent_requests.layout import Layout, put_together, take_apart

MARK = {"type": "ephemeral"}
LONGER = {"type": "ephemeral", "ttl": "1h"}


def again(layout: Layout) -> dict[str, Any]:
    """As it comes out of the database."""
    parameters, marks = json.loads(json.dumps([layout.parameters, layout.marks]))
    tools = layout.tools.content if layout.tools else None
    return put_together(parameters, tools, [entry.content for entry in layout.entries], marks)


def block(text: str, mark: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"type": "text", "text": text, **({"cache_control": mark} if mark else {})}


@pytest.mark.parametrize(
    "body",
    [
        {"model": "m", "max_tokens": 3, "system": "whole", "messages": [{"role": "user", "content": "q"}]},
        {"system": [block("s", MARK), block("t")], "messages": [{"role": "user", "content": [block("q", LONGER)]}]},
        {"tools": [{"name": "a"}, {"name": "b", "cache_control": MARK}], "messages": []},
        {"tools": [], "input": [{"role": "user", "content": "q"}, {"type": "reasoning", "cache_control": MARK}]},
        {"messages": [{"role": "assistant", "content": None, "tool_calls": [{"id": "c"}]}], "tool_choice": "none"},
        {"messages": [{"role": "user", "content": "nul \x00, half a pair \ud800, é"}]},
        {},
    ],
)
def test_bodies_of_every_wire_come_back(body: dict[str, Any]) -> None:
    layout = take_apart(body)
    assert again(layout) == body
    for entry in (*layout.entries, *((layout.tools,) if layout.tools else ())):
        entry.content.encode()
        assert "\x00" not in entry.content


words = st.text(max_size=8)
contents = st.one_of(words, st.none(), st.lists(st.builds(block, words, st.sampled_from([None, MARK])), max_size=3))
messages = st.lists(st.fixed_dictionaries({"role": words, "content": contents}), max_size=5)


@settings(max_examples=50, deadline=None)
@given(st.fixed_dictionaries({"messages": messages}, optional={"system": contents, "model": words}))
def test_anything_comes_back(body: dict[str, Any]) -> None:
    assert again(take_apart(body)) == body


def test_what_two_requests_begin_with_is_the_same_although_the_breakpoint_moved() -> None:
    first = take_apart({"system": "s", "messages": [{"role": "user", "content": [block("a", MARK)]}]})
    longer = [{"role": "user", "content": [block("a")]}, {"role": "user", "content": [block("b", MARK)]}]
    second = take_apart({"system": "s", "messages": longer})
    other = take_apart({"system": "t", "messages": longer})
    digests = [[entry.digest for entry in each.entries] for each in (first, second, other)]
    assert digests[1][:2] == digests[0]
    assert not set(digests[2]) & set(digests[1])
