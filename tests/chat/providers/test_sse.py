import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.providers.provider_error import ProviderError
from chat.providers.sse import MAX_EVENT_BYTES, EventStream, ServerSentEvent


def events(*chunks: bytes) -> list[ServerSentEvent]:
    stream = EventStream()
    read = [event for chunk in chunks for event in stream.feed(chunk)]
    return [*read, *stream.close()]


def test_it_reads_names_and_data():
    assert events(b"event: ping\ndata: {}\n\ndata: a\n\n") == [
        ServerSentEvent("ping", b"{}"),
        ServerSentEvent("", b"a"),
    ]


@pytest.mark.parametrize("newline", [b"\n", b"\r\n", b"\r"])
def test_it_takes_every_kind_of_line_end(newline):
    assert events(b"data: a" + newline + newline + b"data: b" + newline * 2) == [
        ServerSentEvent("", b"a"),
        ServerSentEvent("", b"b"),
    ]


def test_it_joins_lines_of_data():
    assert events(b"data: a\ndata: b\n\n") == [ServerSentEvent("", b"a\nb")]


def test_it_ignores_a_byte_order_mark_comments_and_unknown_fields():
    assert events(b"\xef\xbb\xbfdata: a\n: keep-alive\nid: 7\nretry: 5\nwhat\n\n") == [ServerSentEvent("", b"a")]


def test_it_removes_one_blank_after_the_colon_only():
    assert events(b"data:  a\ndata:b\n\n") == [ServerSentEvent("", b" a\nb")]


def test_it_gives_the_event_that_lacks_its_last_empty_line():
    assert events(b"data: [DONE]") == [ServerSentEvent("", b"[DONE]")]


def test_it_hands_over_an_event_at_its_empty_line_also_with_bare_carriage_returns():
    stream = EventStream()
    assert list(stream.feed(b"data: a\r\r")) == [ServerSentEvent("", b"a")]
    assert list(stream.feed(b"\ndata: b\r\r")) == [ServerSentEvent("", b"b")]


@pytest.mark.parametrize("size", [1, 7, MAX_EVENT_BYTES])
def test_it_refuses_a_line_without_end(size):
    with pytest.raises(ProviderError, match="longer"):
        events(*[b"x" * size] * (2 * MAX_EVENT_BYTES // size))


def test_it_refuses_an_event_of_too_many_lines():
    with pytest.raises(ProviderError, match="longer"):
        events(*[b"data: " + b"x" * 10_000 + b"\n"] * 200)


def test_it_refuses_an_event_of_too_many_empty_lines():
    with pytest.raises(ProviderError, match="longer"):
        events(*[b"data:\n" * 100_000] * 11)


@given(
    st.lists(st.sampled_from([b"data: \xc3\xa9", b"\r\n", b"\n", b"\r", b": c", b"event: e", b"\xef\xbb\xbf", b"x"])),
    st.data(),
)
def test_it_reads_the_same_from_any_cut_of_the_same_bytes(parts, data):
    whole = b"".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=12)))
    chunks = [whole[start:end] for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    assert events(*chunks) == events(whole)
