"""Frames that no honest client sends, clients that come and go: the process lives, stays small and serves others."""

import asyncio
import contextlib
import json
import os
import random
import time
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import redis
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection

from chat.actions.conversations import post_message
from graphs.models import Graph
from graphs.objects.refs import Ref
from graphs.site.access import member_of
from graphs.site.api import tokens
from tests.faults.raw_socket import BINARY, CONTINUED, PING, PONG, TEXT, RawSocket, frame, noise
from tests.faults.readers import Proof, SocketReader, sse
from tests.web_process import WebProcess, web_processes

pytestmark = [
    pytest.mark.processes,
    pytest.mark.faults,
    pytest.mark.timeout(1800),
    pytest.mark.django_db(transaction=True),
]

FULL = bool(os.environ.get("FULL"))
COMINGS, CANCELLED = (10_000, 1_000) if FULL else (150, 30)
#: What a coming and going may leave behind, and what a process that has just started still makes room for.
KIB_EACH, KIB_ONCE = 1, 8 * 1024
#: Connections by which the pools of a process may still grow: they keep what they needed at the busiest moment.
SPARE = 4
FLOOD_KIB = 24 * 1024


@pytest.fixture
def web(alice: User, bob: User, nba: Graph) -> Iterator[WebProcess]:
    with web_processes(1, LIMIT_SOCKETS="100") as [process]:
        yield process
        assert "Traceback" not in process.log()


def text(value: Any) -> bytes:
    return frame(TEXT, (value if isinstance(value, str) else json.dumps(value)).encode())


#: Frames that are answered with a refusal; the socket stays.
REFUSED = {
    "binary": frame(BINARY, b'{"type": "ai:subscribe"}'),
    "nothing": frame(TEXT),
    "no JSON": text("nonsense"),
    "unknown type": text({"type": "ai:become_admin", "_id": 1}),
    "unknown key": text({"type": "ai:subscribe", "_id": 1, "stream": "session_x", "role": "admin"}),
    "no object": text([1, 2, 3]),
    "deep lists": text("[" * 10_000 + "]" * 10_000),
    "deep objects": text('{"a":' * 10_000 + "1" + "}" * 10_000),
    "deep in a known frame": text('{"type": "ai:chat", "_id": 1, "message": ' + "[" * 10_000 + "]" * 10_000 + "}"),
    "huge integer": text('{"type": "ai:subscribe", "_id": 1, "stream": "s", "after": ' + "9" * 10_000 + "}"),
    "huge float": text('{"type": "ai:subscribe", "_id": 1, "stream": "s", "after": 1e999999}'),
    "not a number": text('{"type": "ai:subscribe", "_id": 1, "stream": "s", "after": NaN}'),
    "negative": text({"type": "ai:subscribe", "_id": 1, "stream": "s", "after": -1}),
    "NUL": text('{"type": "ai:subscribe", "_id": 1, "stream": "a\\u0000b"}'),
    "raw NUL": text('{"type": "ai:subscribe", "_id": 1, "stream": "a\x00b"}'),
    "half a surrogate pair": text('{"type": "ai:chat", "_id": 1, "message": "\\ud800"}'),
    "twice the same key": text('{"type": "ai:subscribe", "stream": "a", "stream": "b"}'),
    "the biggest": text("x" * 1_000_000),
}
#: Frames that end the connection, and with which code.
CLOSED = {
    "too big": (frame(TEXT, b"x" * 1_048_577), 1009),
    "too big in fragments": (
        frame(TEXT, b"x" * 600_000, final=False) + frame(CONTINUED, b"x" * 600_000, final=False),
        1009,
    ),
    "a size beyond everything": (b"\x81\xff" + b"\x7f" + b"\xff" * 7 + b"\0\0\0\0", 1009),
    "wrong UTF-8": (frame(TEXT, b'{"type": "\xff\xfe"}'), 1007),
    "wrong UTF-8 over fragments": (frame(TEXT, b"\xe2\x82", final=False) + frame(CONTINUED, b"\x28"), 1007),
    "half a surrogate pair in UTF-8": (frame(TEXT, b"\xed\xa0\x80"), 1007),
    "compressed without agreement": (frame(TEXT, zlib.compress(b"\0" * 10_000_000)[2:-4], rsv=4), 1002),
    "not masked": (frame(TEXT, b"{}", mask=False), 1002),
    "reserved opcode": (frame(3, b"x"), 1002),
    "reserved control opcode": (frame(11, b"x"), 1002),
    "continues nothing": (frame(CONTINUED, b"x"), 1002),
    "text within a message": (frame(TEXT, b"{", final=False) + frame(TEXT, b"}"), 1002),
    "ping in fragments": (frame(PING, b"x", final=False), 1002),
    "long ping": (frame(PING, b"x" * 126), 1002),
}


def signed_in(web: WebProcess, user: User) -> RawSocket:
    one = RawSocket(web)
    assert one.upgrade() == 101
    one.authenticate(tokens.issue(user).access)
    return one


def assert_served(beside: RawSocket) -> None:
    """Somebody else is still answered."""
    beside.send(text({"type": "ai:subscribe", "_id": "still there", "stream": "session_x"}))
    answer = beside.answer()
    assert (answer["_id"], answer["code"]) == ("still there", "not_found")


def test_frames_that_are_not_right_end_nothing_but_their_own_socket(web: WebProcess, alice: User, bob: User) -> None:
    with signed_in(web, bob) as beside:
        for name, data in REFUSED.items():
            with signed_in(web, alice) as one:
                one.send(data)
                assert one.answer()["code"] == "validation", name
                assert_served(one)
        for name, (data, code) in CLOSED.items():
            with signed_in(web, alice) as one:
                one.send(data)
                assert one.until_closed() == code, name
        assert_served(beside)
        send_noise(web)
        assert_served(beside)
        knock_wrongly(web)
        with RawSocket(web) as slow:
            slow.send(b"GET /ws/chat/ HTTP/1.1\r\nHost: 127.0.0.1\r\n")
            assert_served(beside)
        flood(web, beside)


def send_noise(web: WebProcess) -> None:
    """Bytes that are no frames, and frames of noise."""
    chance = random.Random(20261120)
    for _ in range(300 if FULL else 40):
        with RawSocket(web) as one:
            assert one.upgrade() == 101
            with contextlib.suppress(ConnectionError):
                one.send(noise(chance.randrange(1, 3_000)))
                one.send(frame(chance.randrange(16), noise(chance.randrange(100)), rsv=chance.randrange(8)))


def knock_wrongly(web: WebProcess) -> None:
    for name, (lines, statuses) in HANDSHAKES.items():
        with RawSocket(web) as one, contextlib.suppress(ConnectionError):
            assert one.upgrade(*lines) in statuses, (name, one.head)
            assert b"permessage-deflate" not in one.head


#: Header lines of a handshake, and the statuses it may get; 0: dropped without a word.
HANDSHAKES: dict[str, tuple[list[bytes], set[int]]] = {
    "two origins": ([b"Origin: http://127.0.0.1", b"Origin: http://evil.example"], {400, 403}),
    "two hosts": ([b"Host: evil.example"], {400, 403}),
    "thousands of headers": ([b"X-%d: y" % number for number in range(5_000)], {0, 400}),
    "the same header again and again": ([b"X-Same: y"] * 5_000, {0, 400}),
    "one header that does not end": ([b"X-Long: " + b"y" * 200_000], {0, 400}),
    "vertical tab": ([b"X-Odd: a\x0bb"], {0, 101, 400}),
    "form feed": ([b"X-Odd: a\x0cb"], {0, 101, 400}),
    "separators": ([b"X-Odd: a\x1c\x1d\x1eb"], {0, 101, 400}),
    "next line": ([b"X-Odd: a\x85b"], {0, 101, 400}),
    "NUL": ([b"X-Odd: a\x00b"], {0, 101, 400}),
    "a name that is not ASCII": ([b"X-\xc3\xa9: y"], {0, 101, 400, 500}),
    "an underscored name": ([b"X_Forwarded_Proto: https"], {101}),
    "a cookie of noise": ([b"Cookie: sessionid=\xff\xfe\x00; ; ;=;;"], {0, 101, 400}),
    "a long cookie": ([b"Cookie: sessionid=" + b"a" * 8_000], {101, 400}),
    "compression": ([b"Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits"], {101}),
}


#: What is sent again and again without an end.
FLOODS: dict[str, tuple[bytes, bytes]] = {
    "empty fragments": (frame(TEXT, b"", final=False), frame(CONTINUED, b"", final=False)),
    "tiny fragments": (frame(TEXT, b"", final=False), frame(CONTINUED, b"x", final=False)),
    "pings": (b"", frame(PING, b"x" * 125)),
    "pongs": (b"", frame(PONG, b"x" * 125)),
    "pings within a message": (frame(TEXT, b"{", final=False), frame(PING, b"")),
}


def flood(web: WebProcess, beside: RawSocket) -> None:
    """Floods are cut off and cost little."""
    before = web.resident_kib()
    for name, (first, again) in FLOODS.items():
        with RawSocket(web, receive_bytes=4096) as one:
            assert one.upgrade() == 101
            one.send(first)
            assert flooded(one, again), f"{name}: nobody stops it"
        assert_served(beside)
    assert web.resident_kib() - before < FLOOD_KIB
    assert web.log().count("a flood of") == len(FLOODS)


def flooded(one: RawSocket, again: bytes) -> bool:
    """Sends until it is cut off; False when everything was taken."""
    many = again * 10_000
    try:
        for _ in range(50):
            one.send(many)
    except (ConnectionError, TimeoutError):
        return True
    return False


@pytest.mark.skipif(not FULL, reason="takes as long as the server waits for a pong")
def test_a_connection_whose_other_end_is_gone_is_given_up(web: WebProcess, alice: User) -> None:
    with signed_in(web, alice) as silent:
        began = time.monotonic()
        while silent.receive()[0] is not None:
            assert time.monotonic() - began < 120
        assert silent.close_code in {None, 1002, 4401}


def test_coming_and_going_leaves_nothing_behind(web: WebProcess, alice: User) -> None:
    stream = post_message(member_of(alice), "Hello", context=Ref("graph", "nba")).stream
    proof = Proof(token=tokens.issue(alice).access)
    asyncio.run(come_and_go(web, proof, stream, max(COMINGS // 10, 150), CANCELLED // 2))
    base, held = web.resident_kib(), held_connections()
    asyncio.run(come_and_go(web, proof, stream, COMINGS, CANCELLED))
    more = web.resident_kib() - base
    print(f"\n{COMINGS} sockets and {CANCELLED} streams: {more} KiB more, connections {held} -> {held_connections()}")  # noqa: T201
    assert more < KIB_ONCE + KIB_EACH * (COMINGS + CANCELLED)
    until(lambda: all(now <= then + SPARE for now, then in zip(held_connections(), held, strict=True)))


async def come_and_go(web: WebProcess, proof: Proof, stream: str, sockets: int, streams: int) -> None:
    """That many sockets and server-sent events, ten at a time, each left at some moment."""
    chance = random.Random(7)
    at_once = asyncio.Semaphore(10)

    async def one(go: Callable[[], Any]) -> None:
        async with at_once:
            await go()

    async def socket() -> None:
        reader = SocketReader(web, proof)
        await reader.open()
        if chance.random() < 0.5:
            await reader.send("ai:subscribe", _id=1, stream=stream)
        await asyncio.sleep(chance.uniform(0, 0.02))
        await reader.close()

    async def cancelled() -> None:
        reader = await sse(web, proof, stream).open()
        await asyncio.sleep(chance.uniform(0, 0.05))
        await reader.close()

    await asyncio.gather(*[one(socket) for _ in range(sockets)], *[one(cancelled) for _ in range(streams)])


def held_connections() -> tuple[int, int]:
    """Connections to PostgreSQL and to Valkey, to this test's database of each."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")
        [database] = cursor.fetchone()
    client = redis.Redis.from_url(settings.REDIS_URL)
    try:
        own = str(client.connection_pool.connection_kwargs.get("db", 0))
        return database, sum(each["db"] == own for each in client.client_list())
    finally:
        client.close()


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.2)
