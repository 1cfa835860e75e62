"""The entry of a web process: Daphne with the settings it needs to drain, to be slowed down, and to say why it closes.

python -m chat.web.server --fd N --after N daphne   (a listening socket and a pipe inherited from the supervisor)
python -m chat.web.server --port 8000 daphne
"""

import argparse
import asyncio
import ctypes
import gc
import logging
import os
import signal
import socket
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from daphne.server import Server
from twisted.internet import reactor as _installed_reactor
from twisted.logger import globalLogBeginner

from chat.web import ending

#: Daphne installs the asyncio reactor; Twisted's types only know the interface of all reactors.
reactor: Any = _installed_reactor

log = logging.getLogger("countersign.server")

TURN_AWAY_EVERY_S = 0.1
#: How long a thread at work for one request may keep all streams waiting for the interpreter; Python's default is 5 ms.
THREADS_MAY_HOLD_S = 0.0005
#: Heaps of the C library that all threads share. Its own rule is eight for each core, and what a large answer took of
#: one stays with it: 24 previews of rollbacks of 20,000 nodes kept 430 MB, with two heaps 216.
HEAPS = 2
_M_ARENA_MAX = -8


class DrainingServer(Server):
    """Daphne's server, which on SIGTERM stops listening, lets runs finish or hands them over, and only then ends."""

    def __init__(self, listening: socket.socket, **options: object) -> None:
        super().__init__(None, endpoints=["adopted"], signal_handlers=False, verbosity=0, **options)
        self._listening = listening
        self._stopping: asyncio.Task[None] | None = None
        self.exit_code = 0

    def run(self) -> None:
        """Serves until it is stopped; `exit_code` tells how it went."""
        from chat.sockets.flood import LimitedSocketFactory
        from chat.web.request_size import LimitedFactory

        self.connections: dict[Any, Any] = {}
        self.http_factory = LimitedFactory(self)
        self.ws_factory = LimitedSocketFactory(self, server=self.server_name)
        self.ws_factory.setProtocolOptions(
            autoPingTimeout=self.ping_timeout,
            allowNullOrigin=True,
            openHandshakeTimeout=self.websocket_handshake_timeout,
            maxMessagePayloadSize=self.websocket_max_message_size,
            maxFramePayloadSize=self.websocket_max_frame_size,
            failByDrop=False,
            closeHandshakeTimeout=10,
        )
        nowhere: Any = [lambda _event: None]
        globalLogBeginner.beginLoggingTo(nowhere, redirectStandardIO=False, discardBuffer=True)
        self._loop = reactor._asyncioEventloop
        asyncio.set_event_loop(self._loop)
        self._loop.set_exception_handler(log_unless_client_left)
        for number in (signal.SIGTERM, signal.SIGINT):
            self._loop.add_signal_handler(number, self.drain)
        reactor.callWhenRunning(self._begin)
        reactor.run(installSignalHandlers=False)

    def _begin(self) -> None:
        self._starting = self._loop.create_task(self._start())

    async def _start(self) -> None:
        from django.conf import settings
        from django.utils.module_loading import import_string

        from chat import checks
        from chat.concurrency.database import in_db
        from chat.engine.runtime import Runtime
        from rag.checks import log_sink_is_there

        if wrong := log_sink_is_there():
            log.critical("%s", wrong[0].msg)
            self.exit_code = 1
            self._stop()
            return
        try:
            self.application = import_string(settings.ASGI_APPLICATION)
            self._runtime = Runtime(self.fail)
            await self._runtime.start()
        except Exception:  # Any: whoever started it has to see that it ends.
            log.exception("the process could not start")
            self.exit_code = 1
            self._stop()
            return
        for problem in await in_db(checks.problems):
            log.warning("%s", problem)
        _keep()
        self._listening.setblocking(False)
        self._port = reactor.adoptStreamPort(self._listening.fileno(), self._listening.family, self.http_factory)
        reactor.callLater(1, self.application_checker)
        reactor.callLater(2, self.timeout_checker)
        ending.watch(self._loop)
        log.info("serving as process %s", os.getpid())

    def fail(self) -> None:
        """Ends the process at once because it cannot go on; what it owned is taken over."""
        log.critical("process %s ends", os.getpid())
        os._exit(3)

    def drain(self) -> None:
        if self._stopping is None:
            from django.conf import settings

            from graphs.site import preview_places

            ending.end_within(settings.DRAIN_S + ending.MORE_S)
            preview_places.end_all()
            self._stopping = self._loop.create_task(self._drain())

    def _stop(self) -> None:
        if reactor.running:
            reactor.stop()

    async def _drain(self) -> None:
        """Ends the process, whatever goes wrong on the way."""
        try:
            await self._starting
            await self._say_goodbye()
        except Exception:  # Any: it ends all the same.
            log.exception("the process could not end in peace")
            self.exit_code = 1
        finally:
            ending.end_within(ending.THREADS_S)
            self._stop()

    async def _say_goodbye(self) -> None:
        """Stops listening, says goodbye to readers, lets runs finish or hands them over, flushes."""
        await self._port.stopListening().asFuture(self._loop)
        self._listening.close()
        goodbyes = self._loop.create_task(_turn_away_readers())
        await self._runtime.drain()
        await self._requests_end()
        goodbyes.cancel()
        await self._runtime.close(0)
        for details in list(self.connections.values()):
            instance = details.get("application_instance")
            if instance is not None and not instance.done():
                instance.cancel()
        await asyncio.sleep(0.1)

    async def _requests_end(self) -> None:
        deadline = self._loop.time() + ending.GOODBYE_S
        # Daphne tells nobody when a connection ends, so this has to look.
        while self._loop.time() < deadline and any(  # noqa: ASYNC110
            "disconnected" not in found for found in self.connections.values()
        ):
            await asyncio.sleep(0.05)


def log_unless_client_left(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Logs what nobody awaited, but not that a client left, which Django says where a request is cut short."""
    from django.core.exceptions import RequestAborted

    if not isinstance(context.get("exception"), RequestAborted):
        loop.default_exception_handler(context)


async def _turn_away_readers() -> None:
    """Ends again and again who was about to begin reading, or comes over a connection that is still open."""
    from chat.sockets import connection
    from chat.sockets.closing import RESTARTING
    from chat.web import large_answers, sse, waiting

    while True:
        connection.close_all(RESTARTING)
        sse.close_all()
        waiting.close_all()
        large_answers.close_all()
        await asyncio.sleep(TURN_AWAY_EVERY_S)


def _load() -> None:
    """Loads what starting and the first request would."""
    from django.conf import settings

    from rag.texts.tokens import count_tokens

    import_module(settings.ASGI_APPLICATION.rpartition(".")[0])
    import_module(settings.ROOT_URLCONF)
    count_tokens("")


def _share_heaps() -> None:
    """Bounds the heaps of glibc; another C library has a rule of its own."""
    bound = getattr(ctypes.CDLL(None), "mallopt", None)
    if bound is not None:
        bound(_M_ARENA_MAX, HEAPS)


def _keep() -> None:
    """Takes what is loaded out of garbage collection, which would stop every stream."""
    gc.freeze()
    gc.enable()


def _listening_socket(options: argparse.Namespace) -> socket.socket:
    if options.fd is not None:
        return socket.socket(fileno=options.fd)
    return socket.create_server((options.host, options.port), backlog=1024)


def _bound_queries(options: dict[str, Any], silent_s: float) -> None:
    """Bounds statements and transactions in time: a process that froze within one could not be taken over."""
    limits = {
        "statement_timeout": 30_000,
        "lock_timeout": 10_000,
        "idle_in_transaction_session_timeout": int(silent_s * 1000),
    }
    ours = " ".join(f"-c {name}={milliseconds}" for name, milliseconds in limits.items())
    options["options"] = f"{options.get('options', '')} {ours}".strip()


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="chat.web.server", description="One web process of Countersign.")
    parser.add_argument("name", nargs="?", default="daphne", help="shown in process lists")
    parser.add_argument("--fd", type=int, help="number of an inherited listening socket")
    parser.add_argument("--after", type=int, help="number of an inherited pipe: serves when its other end is closed")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    options = parser.parse_args(arguments)
    gc.disable()  # Until everything is loaded, and nothing of it is garbage.
    sys.setswitchinterval(THREADS_MAY_HOLD_S)
    _share_heaps()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    from django.conf import settings

    _bound_queries(settings.DATABASES["default"]["OPTIONS"], settings.PROCESS_SILENT_S)
    _load()
    if options.after is not None:
        os.read(options.after, 1)
    server = DrainingServer(
        _listening_socket(options),
        websocket_max_message_size=settings.MAX_FRAME_BYTES,
        websocket_max_frame_size=settings.MAX_FRAME_BYTES,
        server_name="",
    )
    server.run()
    return server.exit_code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
