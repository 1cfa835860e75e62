"""Closes connections whose requests come a byte at a time: each holds a place for as long as its sender likes.

What is no request is answered like any other that is refused.
"""

from typing import Any

from twisted.internet import reactor as _installed_reactor
from twisted.internet.protocol import connectionDone
from twisted.python.failure import Failure
from twisted.web.http import HTTPChannel, HTTPFactory, _GenericHTTPChannelProtocol

from graphs.site.api import malformed
from graphs.site.api.problems import bad_request

#: Daphne installs the asyncio reactor; Twisted's types only know the interface of all reactors.
reactor: Any = _installed_reactor

#: Headers have to be there in so many seconds, and a whole request.
HEADERS_S = 25.0
WHOLE_S = 3_600.0
#: Of a body so many bytes have to come in so many seconds: a network may stall for a while.
LEAST_BYTES = 2_048
WITHIN_S = 25.0


class PacedChannel(HTTPChannel):
    """A connection with HTTP/1.1 on which requests keep coming once they begin, however they are cut."""

    _look: Any = None
    _began = 0.0
    _came = 0

    def dataReceived(self, data: bytes) -> None:  # noqa: N802 - Twisted's name.
        if self._look is None and not self._handlingRequest:
            self._began = reactor.seconds()
            self._look = reactor.callLater(HEADERS_S, self.loseConnection)
        self._came += len(data)
        super().dataReceived(data)

    def allHeadersReceived(self) -> None:  # noqa: N802 - Twisted's name.
        self._rest()
        self._wait()
        super().allHeadersReceived()

    def allContentReceived(self) -> None:  # noqa: N802 - Twisted's name.
        self._rest()
        super().allContentReceived()

    def connectionLost(self, reason: Failure = connectionDone) -> None:  # noqa: N802 - Twisted's name.
        self._rest()
        super().connectionLost(reason)

    def _respondToBadRequestAndDisconnect(self) -> None:  # noqa: N802 - Twisted's name.
        """Answers a request line, headers or chunks that are none; Twisted writes a status and nothing else."""
        transport: Any = self.transport
        transport.write(malformed.whole_answer(bad_request()))
        self.loseConnection()

    def lineLengthExceeded(self, line: bytes) -> None:  # noqa: N802 - Twisted's name.
        self._respondToBadRequestAndDisconnect()

    def _wait(self) -> None:
        self._came = 0
        self._look = reactor.callLater(WITHIN_S, self._close_unless_it_came)

    def _close_unless_it_came(self) -> None:
        self._look = None
        if self._came < LEAST_BYTES or reactor.seconds() - self._began > WHOLE_S:
            self.loseConnection()
        else:
            self._wait()

    def _rest(self) -> None:
        if self._look is not None and self._look.active():
            self._look.cancel()
        self._look = None


def paced(factory: HTTPFactory) -> _GenericHTTPChannelProtocol:
    """A new connection of a factory, as its class attribute `protocol`."""
    return _GenericHTTPChannelProtocol(PacedChannel())
