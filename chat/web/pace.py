"""Closes connections whose requests come a byte at a time: each holds a place for as long as its sender likes."""

from typing import Any

from twisted.internet import reactor as _installed_reactor
from twisted.internet.protocol import connectionDone
from twisted.python.failure import Failure
from twisted.web.http import HTTPChannel, HTTPFactory, _GenericHTTPChannelProtocol

#: Daphne installs the asyncio reactor; Twisted's types only know the interface of all reactors.
reactor: Any = _installed_reactor

#: Of a request that is not all there so many bytes have to come in so many seconds.
LEAST_BYTES = 1_024
WITHIN_S = 10.0


class PacedChannel(HTTPChannel):
    """A connection with HTTP/1.1 on which requests keep coming once they begin, however they are cut."""

    _look: Any = None
    _came = 0

    def dataReceived(self, data: bytes) -> None:  # noqa: N802 - Twisted's name.
        if self._look is None and not self._handlingRequest:
            self._wait()
        self._came += len(data)
        super().dataReceived(data)

    def allContentReceived(self) -> None:  # noqa: N802 - Twisted's name.
        self._rest()
        super().allContentReceived()

    def connectionLost(self, reason: Failure = connectionDone) -> None:  # noqa: N802 - Twisted's name.
        self._rest()
        super().connectionLost(reason)

    def _wait(self) -> None:
        self._came = 0
        self._look = reactor.callLater(WITHIN_S, self._close_unless_it_came)

    def _close_unless_it_came(self) -> None:
        self._look = None
        if self._came < LEAST_BYTES:
            self.loseConnection()
        else:
            self._wait()

    def _rest(self) -> None:
        if self._look is not None:
            self._look.cancel()
            self._look = None


def paced(factory: HTTPFactory) -> _GenericHTTPChannelProtocol:
    """A new connection of a factory, as its class attribute `protocol`."""
    return _GenericHTTPChannelProtocol(PacedChannel())
