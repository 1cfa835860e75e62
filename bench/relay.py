"""The reference: a bare relay on the product's Daphne server. A process of its own.

python -m bench.relay --fd N --vendor URL --database CONNINFO      stores every token before anyone sees it
python -m bench.relay --fd N --echo                                sends back what it gets, stores nothing

One writer takes whatever has queued while its last commit ran, stores it in one statement, and delivers it after the
commit: no sessions, no people, no JSON, no reconnecting. What the product costs beyond this is what its duties cost.
"""

import argparse
import asyncio
import itertools
import os
import socket
import sys
from collections.abc import Awaitable, Callable
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

import aiohttp
import django
import jiter
import psycopg

django.setup()

from chat.web.server import DrainingServer, reactor  # noqa: E402

Application = Callable[[dict[str, Any], Callable[[], Awaitable[Any]], Any], Awaitable[None]]

TABLE = (
    "CREATE TABLE IF NOT EXISTS relay_event (stream bigint, sequence bigint, data text NOT NULL, "
    "created_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (stream, sequence))"
)
_STORE = "INSERT INTO relay_event (stream, sequence, data) SELECT * FROM unnest(%s::bigint[], %s::bigint[], %s::text[])"


class Relay:
    """Each message of a client is a question for the vendor; the answer comes back as frames of `number token`."""

    def __init__(self, vendor: str, conninfo: str) -> None:
        self._vendor = vendor
        self._conninfo = conninfo
        self._streams = itertools.count(1)
        self._queue: list[tuple[int, int, str, Any]] = []
        self._work = asyncio.Event()
        self._answering: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        self._session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))
        self._connection = await psycopg.AsyncConnection.connect(self._conninfo, autocommit=True)
        await self._connection.execute(TABLE)
        cursor = await self._connection.execute("SELECT coalesce(max(stream), 0) FROM relay_event")
        row = await cursor.fetchone()
        assert row is not None
        self._streams = itertools.count(row[0] + 1)
        self._writing = asyncio.create_task(self._write_forever())

    async def application(self, scope: dict[str, Any], receive: Callable[[], Awaitable[Any]], send: Any) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        while (message := await receive())["type"] == "websocket.receive":
            task = asyncio.create_task(self._answer(message["text"], send))
            self._answering.add(task)
            task.add_done_callback(self._answering.discard)

    async def _answer(self, question: str, send: Any) -> None:
        stream, sequence = next(self._streams), 0
        body = {"model": "mock", "stream": True, "messages": [{"role": "user", "content": question}]}
        async with self._session.post(f"{self._vendor}/chat/completions", json=body) as response:
            rest = b""
            async for chunk in response.content.iter_any():
                *events, rest = (rest + chunk).split(b"\n\n")
                for event in events:
                    if token := _token(event):
                        sequence += 1
                        self._put(stream, sequence, token, send)
        self._put(stream, sequence + 1, "end", send)

    def _put(self, stream: int, sequence: int, text: str, send: Any) -> None:
        self._queue.append((stream, sequence, text, send))
        self._work.set()

    async def _write_forever(self) -> None:
        while True:
            await self._work.wait()
            self._work.clear()
            batch, self._queue = self._queue, []
            streams, sequences, texts, _ = map(list, zip(*batch, strict=True))
            await self._connection.execute(_STORE, [streams, sequences, texts])
            for _, sequence, text, send in batch:
                await send({"type": "websocket.send", "text": f"{sequence} {text}"})


def _token(event: bytes) -> str:
    if not event.startswith(b"data: {"):
        return ""
    choices = jiter.from_json(event[6:])["choices"]
    return choices[0]["delta"].get("content") or "" if choices else ""


async def echo(scope: dict[str, Any], receive: Callable[[], Awaitable[Any]], send: Any) -> None:
    await receive()
    await send({"type": "websocket.accept"})
    while (message := await receive())["type"] == "websocket.receive":
        await send({"type": "websocket.send", "text": message["text"]})


class BareServer(DrainingServer):
    """The product's server with another application and nothing beside it."""

    def __init__(self, listening: socket.socket, relay: Relay | None) -> None:
        super().__init__(listening, server_name="")
        self._relay = relay

    async def _start(self) -> None:
        self.application = echo if self._relay is None else self._relay.application
        if self._relay is not None:
            await self._relay.start()
        self._listening.setblocking(False)
        reactor.adoptStreamPort(self._listening.fileno(), self._listening.family, self.http_factory)
        reactor.callLater(1, self.application_checker)
        reactor.callLater(2, self.timeout_checker)

    async def _drain(self) -> None:
        reactor.stop()


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="bench.relay")
    parser.add_argument("--fd", type=int, required=True)
    parser.add_argument("--vendor", default="")
    parser.add_argument("--database", default="")
    parser.add_argument("--echo", action="store_true")
    options = parser.parse_args(arguments)
    relay = None if options.echo else Relay(options.vendor, options.database)
    BareServer(socket.socket(fileno=options.fd), relay).run()


if __name__ == "__main__":
    main(sys.argv[1:])
