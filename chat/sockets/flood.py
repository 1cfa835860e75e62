"""Limits fragments and pings of a socket, which cost reading but never become a message that `pace` counts.

And takes and writes frames without what Autobahn does beside, however long those are that it writes, and refuses
handshakes as everything else is refused.
"""

import logging
import time
from typing import Any

from daphne.ws_protocol import WebSocketFactory, WebSocketProtocol

from chat.sockets.pace import Pace
from graphs.site.api import malformed

log = logging.getLogger("countersign.socket")

#: The biggest message in pieces of a quarter of a kilobyte.
MOST_FRAGMENTS = 4096


class LimitedSocket(WebSocketProtocol):
    """A socket that takes few fragments and pings; Daphne's takes any number, and keeps answers nobody reads."""

    _fragments = 0
    _pings: Pace | None = None
    maxMessagePayloadSize: int  # noqa: N815 - Autobahn's name.

    def onMessageBegin(self, isBinary: bool) -> None:  # noqa: N802, N803 - Autobahn's names.
        self._fragments = 0
        super().onMessageBegin(isBinary)

    def onMessageFrameBegin(self, length: int) -> None:  # noqa: N802 - Autobahn's name.
        self._fragments += 1
        if self._fragments > MOST_FRAGMENTS:
            self._drop("fragments")
        super().onMessageFrameBegin(length)

    def onPing(self, payload: bytes) -> None:  # noqa: N802 - Autobahn's name.
        if self._allowed() and not self.transport.producerPaused:
            super().onPing(payload)

    def onPong(self, payload: bytes) -> None:  # noqa: N802 - Autobahn's name.
        if self._allowed():
            super().onPong(payload)

    def dataReceived(self, data: bytes) -> None:  # noqa: N802 - Twisted's name.
        """Takes what came. Autobahn composes a coloured line of a log that is off for that, too."""
        self._dataReceived(data)

    def sendMessage(self, *message: Any, **how: Any) -> None:  # noqa: N802 - Autobahn's name.
        """Sends what the site has to say, however long: Autobahn has one limit for that and for what comes."""
        taken, self.maxMessagePayloadSize = self.maxMessagePayloadSize, 0
        try:
            super().sendMessage(*message, **how)
        finally:
            self.maxMessagePayloadSize = taken

    def sendData(self, data: bytes, sync: bool = False, chopsize: int | None = None) -> None:  # noqa: N802 - as above.
        """Writes at once where nothing waits: for each frame Autobahn composes a coloured line of a log that is off."""
        if sync or chopsize or self.send_queue:
            super().sendData(data, sync, chopsize)
        else:
            self.transport.write(data)

    def sendHttpErrorResponse(  # noqa: N802 - Autobahn's name.
        self,
        code: int,
        reason: str,
        responseHeaders: list[tuple[str, str]] | None = None,  # noqa: N803 - Autobahn's name.
    ) -> None:
        """Answers a handshake with a problem; Autobahn's line has what was sent, and no header that protects."""
        self.sendData(malformed.whole_answer(malformed.refused_handshake(code), responseHeaders or ()))

    def _allowed(self) -> bool:
        now = time.monotonic()
        if self._pings is None:
            self._pings = Pace(now)
        if self._pings.allows(0, now):
            return True
        self._drop("pings")
        return False

    def _drop(self, what: str) -> None:
        log.warning("socket dropped: a flood of %s", what)
        self.dropConnection(abort=True)


class LimitedSocketFactory(WebSocketFactory):
    """Builds sockets that are limited."""

    protocol: Any = LimitedSocket
