"""How long a reader waits for the first event of a replay, how fast it goes on, and how long the event timeline takes.

With ten million stored events beside a thousand; then the same again after `compact_events`.
"""

import asyncio
import json
import random
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import psycopg

from bench import systems
from bench.figures import median, ratio
from bench.long_log import OF_A_RUN
from bench.servers import Servers
from bench.systems import ROOT, System
from bench.table import Row
from bench.websocket import WebSocket, connect

SMALL = "small"


@dataclass(frozen=True)
class Scale:
    """How many events the long log has, how many a replay reads, and how often each is measured."""

    events: int = 10_000_000
    read: int = 100_000
    first_events: int = 30
    rounds: int = 3


QUICK = Scale(events=100_000, read=10_000, first_events=5, rounds=1)


@dataclass(frozen=True)
class Log:
    """A served database: its conversations by what they are called in the table, and their last numbers."""

    system: System
    variables: Mapping[str, str]
    conversations: Mapping[str, str]
    lasts: Mapping[str, int]


@dataclass(frozen=True)
class Measured:
    """Milliseconds from asking to the first event, and events a second from then on."""

    first_ms: float
    rate: float


def replay(log: Log, name: str, scale: Scale) -> Measured:
    """One socket: first events from random numbers on, then a replay from the beginning."""
    return asyncio.run(_replay(log.system, log.conversations[name], log.lasts[name], scale))


async def _replay(system: System, session: str, last: int, scale: Scale) -> Measured:
    socket = await connect(system.url)
    answered = socket.next(re.compile(b"ai:authenticated"))
    socket.send(json.dumps({"type": "ai:authenticate", "_id": 0, "token": system.token()}))
    await answered
    chance = random.Random(last)
    waits = [await _first_event(socket, session, chance.randrange(last)) for _ in range(scale.first_events)]
    socket.frames.clear()
    count = min(last, scale.read)
    began = await _ask(socket, session, 0)
    arrived, _text = await socket.next(_frame(count))
    socket.close()
    return Measured(median(waits), count / ((arrived - began) / 1e9))


async def _ask(socket: WebSocket, session: str, after: int) -> int:
    """When the first event arrived. Whatever came of the reading before is over by then."""
    found = socket.next(_frame(after + 1))
    socket.send(json.dumps({"type": "ai:subscribe", "_id": after, "sessionId": session, "after": after}))
    arrived, _text = await found
    return arrived


async def _first_event(socket: WebSocket, session: str, after: int) -> float:
    began = time.time_ns()
    arrived = await _ask(socket, session, after)
    socket.send(json.dumps({"type": "ai:unsubscribe", "_id": after, "sessionId": session}))
    await socket.next(re.compile(b"ai:unsubscribed"))
    return (arrived - began) / 1e6


def _frame(sequence: int) -> re.Pattern[bytes]:
    return re.compile(rb'"sequence":%d,"sessionId"' % sequence)


def rows(small: Log, large: Log, scale: Scale, state: str) -> Iterator[Row]:
    """The table for the events as they are now, `state`."""
    readings = {"beside": (small, "short"), "short": (large, "short"), "long": (large, "long")}
    found: dict[str, list[Measured]] = {name: [] for name in readings}
    for number in range(scale.rounds):
        for name, (log, conversation) in readings.items():
            measured = replay(log, conversation, scale)
            found[name].append(measured)
            print(
                f"{state}, round {number + 1}, {name}: {measured.first_ms:.1f} ms, {measured.rate:,.0f} events/s",
                flush=True,
            )
    first = {name: median(each.first_ms for each in found[name]) for name in found}
    rate = {name: median(each.rate for each in found[name]) for name in found}
    lasts = {"short": large.lasts["short"], "long": large.lasts["long"]}
    for name, last in lasts.items():
        what = f"{state}: first replayed event of {last:,}"
        yield Row(what, first["beside"], first[name], ratio(first[name], first["beside"]), 1.5, "ms")
    for name, last in lasts.items():
        what = f"{state}: events a second, replay of {min(last, scale.read):,} of {last:,}"
        yield Row(what, rate["beside"], rate[name], ratio(rate[name], rate["beside"]))
    ours, theirs = _timeline(large, "long"), _timeline(small, "short")
    for what in ours:
        yield Row(f"{state}: timeline, {what}", theirs[what], ours[what], ratio(ours[what], theirs[what]), None, "ms")


def _timeline(log: Log, name: str) -> dict[str, float]:
    arguments = ["bench.timeline", log.conversations[name], str(log.lasts[name])]
    return {what: median(times) for what, times in _process(log.variables, *arguments).items()}


def _process(variables: Mapping[str, str], module: str, *arguments: str) -> Any:
    """What a module says in its only line."""
    command = [sys.executable, "-m", module, *arguments]
    return json.loads(subprocess.run(command, cwd=ROOT, env=dict(variables), check=True, stdout=subprocess.PIPE).stdout)


@contextmanager
def _log(variables: Mapping[str, str], events: int) -> Iterator[Log]:
    """A database of its own with so many events, and a web process that serves it."""
    systems.prepare(variables)
    began = time.monotonic()
    ids = _process(variables, "bench.long_log", str(events))
    print(f"stored {events:,} events in {time.monotonic() - began:.0f} s", flush=True)
    conversations = dict(zip(("short", "long"), ids, strict=False))
    with psycopg.connect(variables["DATABASE_URL"]) as database:
        found = database.execute(
            "SELECT x.id::text, last_sequence FROM chat_session x JOIN chat_stream s ON s.id = stream_id"
        )
        numbers = dict(found.fetchall())
    with systems.product(variables) as product:
        yield Log(product, variables, conversations, {name: numbers[id_] for name, id_ in conversations.items()})


def compacted(log: Log) -> tuple[float, float]:
    """Bytes of table, indexes and TOAST for an event, before and after the deltas were folded."""
    with psycopg.connect(log.variables["DATABASE_URL"], autocommit=True) as database:
        before = _bytes(database)
        command = [sys.executable, "manage.py", "compact_events"]
        subprocess.run(command, cwd=ROOT, env=dict(log.variables), check=True)
        database.execute("VACUUM (FULL, ANALYZE) chat_streamevent")
        return before, _bytes(database)


def _bytes(database: psycopg.Connection) -> float:
    row = database.execute(
        "SELECT pg_total_relation_size('chat_streamevent') / (SELECT sum(last_sequence) FROM chat_stream)"
    ).fetchone()
    assert row is not None
    return float(row[0])


def measure(servers: Servers, scale: Scale) -> list[Row]:
    """A log of a thousand events as reference, a long one beside it, each with a web process; both states of both."""
    with psycopg.connect(servers.database_url, autocommit=True) as database:
        database.execute(f"CREATE DATABASE {SMALL}")
    large_variables = {**systems.environment(servers, "http://nobody.invalid"), "LIMIT_FRAMES": "999999/s"}
    small_url = urlsplit(servers.database_url)._replace(path=f"/{SMALL}").geturl()
    small_variables = {**large_variables, "DATABASE_URL": small_url, "REDIS_PREFIX": "bench-small"}
    with _log(small_variables, OF_A_RUN) as small, _log(large_variables, scale.events) as large:
        found = list(rows(small, large, scale, "new"))
        compacted(small)
        before, after = compacted(large)
        found += rows(small, large, scale, "folded")
        return [*found, Row("bytes for an event, new and folded", before, after, ratio(after, before), None, "B")]
