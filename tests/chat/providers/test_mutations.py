"""Recorded answers with things wrong in them: read without surprise, and the same for any cut of the bytes."""

import json
import os
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chat.providers.pieces import Reply
from tests.chat.providers.reading import decode, request_of
from tests.chat.providers.test_any_split import split
from tests.chat.providers.test_recordings import DECODERS
from tests.vendors import recorded
from tests.vendors.mutations import HARMLESS, MUTATIONS, OF_BYTES, STRANGE_TEXTS, UNUSABLE_CALLS

every_kind = pytest.mark.parametrize("kind", recorded.KINDS)


def read(kind: str, chunks: list[bytes]) -> tuple[Reply, str]:
    return decode(DECODERS[kind](request_of()), chunks)


def mutated(kind: str, name: str, *what: str) -> bytes:
    events = recorded.events(kind, name)
    for each in sorted(what, key=OF_BYTES.__contains__):
        events = MUTATIONS[each](kind, events)
    return b"".join(events)


def check_safe(reply: Reply) -> None:
    """What every reply promises to those who store it and send it on."""
    words = [reply.text, reply.reasoning, *(call.arguments for call in reply.tool_calls)]
    assert not any(re.search("[\x00\ud800-\udfff]", text) for text in words)
    assert len({call.id for call in reply.tool_calls}) == len(reply.tool_calls)
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,40}", call.id) for call in reply.tool_calls)
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", call.name) for call in reply.tool_calls)
    if reply.usage is not None:
        assert 0 <= reply.usage.cached_tokens <= reply.usage.prompt_tokens <= 100_000_000
        assert 0 <= reply.usage.completion_tokens <= 100_000_000


@every_kind
@pytest.mark.parametrize("what", HARMLESS)
def test_what_is_said_stays_the_same(kind, what):
    assert (what == "nothing") == (mutated(kind, "three_tools", what) == mutated(kind, "three_tools"))
    for name in recorded.NAMES:
        reply, error = read(kind, [mutated(kind, name, what)])
        assert (error, reply.text, reply.reasoning) == ("", recorded.text_of(name), recorded.REASONING)
        assert reply.end == ("stop" if name == "text" else "tool_calls")
        assert tuple((call.name, json.loads(call.arguments)) for call in reply.tool_calls) == recorded.calls_of(name)
        assert reply.usage is not None
        assert reply.usage.estimated == what.startswith("usage")
        check_safe(reply)


@every_kind
@pytest.mark.parametrize("what", STRANGE_TEXTS)
def test_strange_characters_are_replaced(kind, what):
    reply, error = read(kind, [mutated(kind, "text", what)])
    assert error == ""
    assert "\ufffd" in reply.text
    check_safe(reply)


@every_kind
@pytest.mark.parametrize("what", UNUSABLE_CALLS)
def test_calls_that_nobody_can_run_are_passed_on_as_they_are(kind, what):
    reply, error = read(kind, [mutated(kind, "three_tools", what)])
    assert (error, len(reply.tool_calls)) == ("", 3)
    check_safe(reply)


@pytest.mark.faults
@pytest.mark.timeout(600)
@settings(
    max_examples=3000 if os.environ.get("FULL") else 100,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    deadline=None,
)
@given(
    kind=st.sampled_from(recorded.KINDS),
    name=st.sampled_from(recorded.NAMES),
    what=st.lists(st.sampled_from(sorted(MUTATIONS.keys() - {"arguments long", "arguments deep"})), max_size=4),
    cuts=st.lists(st.integers(0, 12_000), max_size=20),
)
def test_any_mixture_is_read_the_same_from_any_cut(kind, name, what, cuts):
    whole = mutated(kind, name, *what)
    reply, error = read(kind, [whole])
    assert (reply.end is None) == bool(error)
    check_safe(reply)
    assert read(kind, split(whole, cuts)) == (reply, error)
