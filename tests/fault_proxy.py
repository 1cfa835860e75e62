"""A TCP port that leads to a server, and what can go wrong on the way: cut, held up, delayed, sliced."""

import asyncio
import contextlib
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_RESET = struct.pack("ii", 1, 0)


class FaultProxy:
    """Leads to the unix socket `path`. Faults hold for every connection, open and new, until they are taken back."""

    def __init__(self, path: str) -> None:
        self._path = path
        #: Every piece is this late.
        self.delay_s = 0.0
        #: The most bytes that travel together; 0 for no limit.
        self.slice_bytes = 0
        self._refusing = False
        self._loop = asyncio.new_event_loop()
        self._links: set[asyncio.StreamWriter] = set()
        self._jobs: set[asyncio.Task[None]] = set()
        self._passing = asyncio.Event()
        self._passing.set()
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port: int = self._listening.getsockname()[1]
        self._thread = threading.Thread(target=self._loop.run_forever, name="fault-proxy", daemon=True)

    def start(self) -> None:
        self._thread.start()
        serving = asyncio.start_server(self._serve, sock=self._listening)
        self._server = asyncio.run_coroutine_threadsafe(serving, self._loop).result(10)

    def stop(self) -> None:
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    def cut(self) -> None:
        """Resets every connection, and each new one, until `mend`."""
        self._refusing = True
        self._loop.call_soon_threadsafe(self._reset_all)

    def hold_up(self) -> None:
        """Lets nothing pass until `mend`; connections stay open."""
        self._loop.call_soon_threadsafe(self._passing.clear)

    def mend(self) -> None:
        self.delay_s, self.slice_bytes, self._refusing = 0.0, 0, False
        self._loop.call_soon_threadsafe(self._passing.set)

    async def _end(self) -> None:
        self._server.close()
        self._reset_all()
        for job in list(self._jobs):
            job.cancel()
        await asyncio.gather(*self._jobs, return_exceptions=True)

    def _reset_all(self) -> None:
        for writer in list(self._links):
            _reset(writer)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._refusing:
            _reset(writer)
            return
        try:
            server_reader, server_writer = await asyncio.open_unix_connection(self._path)
        except OSError:
            _reset(writer)
            return
        for source, sink in ((reader, server_writer), (server_reader, writer)):
            self._links.add(sink)
            job = asyncio.create_task(self._pass_on(source, sink))
            self._jobs.add(job)
            job.add_done_callback(self._jobs.discard)

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(65_536):
                await self._passing.wait()
                if self.delay_s:
                    await asyncio.sleep(self.delay_s)
                size = self.slice_bytes or len(data)
                for start in range(0, len(data), size):
                    writer.write(data[start : start + size])
                    await writer.drain()
                    await asyncio.sleep(0)
        self._links.discard(writer)
        writer.close()


def _reset(writer: asyncio.StreamWriter) -> None:
    peer: socket.socket = writer.get_extra_info("socket")
    with contextlib.suppress(OSError):
        if peer.family != socket.AF_UNIX:
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
    writer.transport.abort()


@contextmanager
def fault_proxy(path: str) -> Iterator[FaultProxy]:
    proxy = FaultProxy(path)
    proxy.start()
    try:
        yield proxy
    finally:
        proxy.stop()
