"""Slowing a sender down to what its reader takes: nothing is buffered for a slow one, its events wait in the table."""

import asyncio
import socket
from functools import partial
from typing import Any

from twisted.internet.interfaces import IPushProducer
from zope.interface import implementer

#: A reader that takes nothing for so long is cut off (4408) and catches up later.
STALLED_AFTER_S = 10.0
#: The kernel alone would swallow megabytes for each stalled reader.
SEND_BUFFER_BYTES = 256 * 1024


class TooSlow(Exception):
    """The reader took nothing for `STALLED_AFTER_S`."""


@implementer(IPushProducer)
class Gate:
    """Open while the connection takes more; Twisted closes and opens it. Without a transport it is always open."""

    def __init__(self, transport: Any = None) -> None:
        self._transport = transport
        self._open = asyncio.Event()
        self._open.set()

    def pauseProducing(self) -> None:  # noqa: N802 - Twisted's name
        self._open.clear()

    def resumeProducing(self) -> None:  # noqa: N802 - Twisted's name
        self._open.set()

    stopProducing = resumeProducing  # noqa: N815 - Twisted's name

    async def passed(self) -> None:
        """Waits until the reader takes more; raises `TooSlow` when it does not."""
        if self._open.is_set():
            return
        try:
            async with asyncio.timeout(STALLED_AFTER_S):
                await self._open.wait()
        except TimeoutError:
            raise TooSlow from None

    def pause_reading(self) -> None:
        """Takes nothing more from the client: Daphne would keep everything it sends in memory."""
        if self._transport is not None:
            self._transport.pauseProducing()

    def resume_reading(self) -> None:
        if self._transport is not None:
            self._transport.resumeProducing()

    def cut(self) -> None:
        """Drops the connection with what it has not taken."""
        if self._transport is not None:
            self._transport.abortConnection()


def socket_gate(send: Any) -> Gate:
    """The gate of a WebSocket; always open where the server is not Daphne."""
    transport = getattr(_protocol(send), "transport", None)
    gate = Gate(transport)
    if transport is not None:
        _limit_buffer(transport)
        transport.unregisterProducer()
        transport.registerProducer(gate, True)
    return gate


def mute(send: Any) -> None:
    """Drops what a WebSocket still receives: Daphne would keep it for an application that reads no more."""
    protocol = _protocol(send)
    if protocol is not None:
        protocol.muted = True


def response_gate(send: Any) -> Gate:
    """The gate of a streamed HTTP response; always open where the server is not Daphne."""
    request = _protocol(send)
    channel = getattr(request, "channel", None)
    if channel is None:
        return Gate()
    gate = Gate(channel.transport)
    _limit_buffer(channel.transport)
    request.registerProducer(gate, True)
    return gate


def release_gate(send: Any) -> None:
    """Lets a response end that has a gate."""
    request = _protocol(send)
    if getattr(request, "channel", None) is not None:
        request.unregisterProducer()


def _protocol(send: Any) -> Any:
    """Daphne's protocol: it hands applications `partial(server.handle_reply, protocol)`."""
    return send.args[0] if isinstance(send, partial) and send.args else None


def _limit_buffer(transport: Any) -> None:
    try:
        handle = transport.getHandle()
    except AttributeError:  # Twisted takes the socket away where the client has left.
        return
    if isinstance(handle, socket.socket):
        handle.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
