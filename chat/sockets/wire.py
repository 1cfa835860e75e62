"""The sending half of one socket: frames in order, no faster than the reader takes them, and the goodbye."""

import asyncio
import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from autobahn.exception import Disconnected

from chat.sockets.backpressure import Gate, mute, socket_gate

NOT_AUTHENTICATED, ACCESS_ENDED, NOT_THERE, TOO_SLOW, RESTARTING, TOO_MANY = 4401, 4403, 4404, 4408, 4012, 4429


class Closing(Exception):
    """The connection is to end with this code."""

    def __init__(self, code: int) -> None:
        super().__init__(str(code))
        self.code = code


class Wire:
    """`order` is held while an answer and what belongs to it is sent, so that no event comes between or before."""

    __slots__ = ("_send", "gate", "order", "prefix")

    def __init__(self, send: Any, prefix: str) -> None:
        """`prefix` is what the types of its frames begin with."""
        self._send = send
        self.prefix = prefix
        self.gate = Gate()
        self.order = asyncio.Lock()

    async def accept(self) -> None:
        await self._send({"type": "websocket.accept"})
        self.gate = socket_gate(self._send)

    async def close(self, code: int | None = None) -> None:
        """Says goodbye; without a code before the handshake is accepted, which is HTTP 403."""
        await self._send({"type": "websocket.close"} if code is None else {"type": "websocket.close", "code": code})
        mute(self._send)

    async def text(self, text: str) -> None:
        """Sends a frame; who is about to leave, which Daphne tells only later, gets nothing more."""
        with suppress(Disconnected):
            await self._send({"type": "websocket.send", "text": text})

    async def frame(self, frame: dict[str, Any]) -> None:
        await self.text(json.dumps(frame, ensure_ascii=False))

    async def refuse(
        self, own_id: int | str | None, code: str, text: str, details: Mapping[str, Any] | None = None
    ) -> None:
        await self.frame(
            {"type": f"{self.prefix}:error", "_id": own_id, "error": text, "code": code, **(details or {})}
        )
