"""What an idle socket costs in memory: resident memory before and after many were opened."""

import asyncio
import json
import re

from bench.systems import System
from bench.websocket import WebSocket, connect

#: Opened first, so that what is imported or allocated once is not counted.
WARM = 50
_AT_ONCE = 10
_SETTLE_S = 2.0


def idle_kib(system: System, sockets: int) -> float:
    """KiB of resident memory per socket; the product's are signed in and read nothing."""
    return asyncio.run(_idle_kib(system, sockets))


async def _idle_kib(system: System, sockets: int) -> float:
    token = system.token()
    opened = await _open(system, token, WARM)
    before = await _settled(system)
    opened += await _open(system, token, sockets)
    after = await _settled(system)
    for socket in opened:
        socket.close()
    return (after - before) / sockets


async def _settled(system: System) -> float:
    await asyncio.sleep(_SETTLE_S)
    return system.rss_kib()


async def _open(system: System, token: str, count: int) -> list[WebSocket]:
    found: list[WebSocket] = []
    while len(found) < count:
        some = [_enter(system, token) for _ in range(min(_AT_ONCE, count - len(found)))]
        found += await asyncio.gather(*some)
    return found


async def _enter(system: System, token: str) -> WebSocket:
    """Signed in at the product; at the echo, the same frame comes back."""
    socket = await connect(system.url)
    answered = socket.next(re.compile(b"ai:authenticate"))
    socket.send(json.dumps({"type": "ai:authenticate", "_id": 0, "token": token}))
    await answered
    return socket
