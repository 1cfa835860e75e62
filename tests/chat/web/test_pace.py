"""Requests that come a byte at a time are closed; slow ones that go on coming are not."""

import pytest
from twisted.internet.task import Clock

from chat.web import pace
from tests.chat.web.test_request_size import Connection

HEAD = b"POST /api/ HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n"


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(pace, "reactor", clock)
    return clock


def dripped(clock: Clock, data: bytes, each: int, every_s: float, first: bytes = b"") -> tuple[Connection, float]:
    """A connection to which data comes in pieces, and for how long it was open."""
    connection = Connection()
    connection.send(first)
    for start in range(0, len(data), each):
        if connection.transport.disconnecting:
            break
        connection.send(data[start : start + each])
        clock.advance(every_s)
    return connection, clock.seconds()


@pytest.mark.parametrize(
    "first", [b"", b"POST /api/ HTTP/1.1\r\nHost: x\r\nX-More: ", HEAD % 500], ids=["a line", "headers", "a body"]
)
def test_a_byte_a_second_is_closed_within_30_seconds(clock: Clock, first: bytes) -> None:
    connection, open_s = dripped(clock, b"x" * 500, 1, 1.0, first)
    assert connection.transport.disconnecting
    assert open_s <= 30
    assert not connection.server.bodies


@pytest.mark.parametrize("before", [0, 1_000_000])
def test_a_body_that_slows_down_is_closed(clock: Clock, before: int) -> None:
    connection, open_s = dripped(clock, b"x" * 100_000, 50, 1.0, HEAD % 2_000_000 + b"x" * before)
    assert connection.transport.disconnecting
    assert open_s <= 2 * pace.WITHIN_S


def test_a_slow_line_that_goes_on_is_heard_to_the_end_even_after_a_stall(clock: Clock) -> None:
    body = b"x" * 2_000_000
    connection, open_s = dripped(clock, body[:1_000_000], 2_000, 1.5, HEAD % len(body))
    clock.advance(pace.WITHIN_S - 2)
    for start in range(1_000_000, len(body), 2_000):
        connection.send(body[start : start + 2_000])
        clock.advance(1.5)
    assert open_s > 700
    assert not connection.transport.disconnecting
    assert b"".join(connection.server.bodies) == body


def test_nothing_comes_for_ever(clock: Clock) -> None:
    connection, open_s = dripped(clock, b"x" * 10_000_000, 10_000, 10.0, HEAD % 20_000_000)
    assert connection.transport.disconnecting
    assert open_s <= pace.WHOLE_S + 2 * pace.WITHIN_S


def test_who_waits_for_an_answer_or_asks_nothing_is_not_closed(clock: Clock) -> None:
    waiting, silent = Connection(), Connection()
    waiting.send(HEAD % 3 + b"abc")
    clock.advance(100)
    assert not waiting.transport.disconnecting
    assert not silent.transport.disconnecting


def test_nothing_is_left_of_a_connection_that_is_lost(clock: Clock) -> None:
    for begun in (b"POST /", HEAD % 500):
        connection = Connection()
        connection.send(begun)
        connection.channel.connectionLost(None)
    assert clock.getDelayedCalls() == []
