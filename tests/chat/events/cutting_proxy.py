"""A proxy before PostgreSQL that loses connections at a chosen moment of a chosen statement."""

import asyncio
import contextlib
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from enum import Enum
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from chat.engine import runtime

#: Begins the statement that stores a batch, as it is sent.
STATEMENT = b"WITH batch AS"


class Cut(Enum):
    """When the connection is lost."""

    #: The statement never reaches the server.
    BEFORE = "before"
    #: The server works on it when the client is cut off, and ends it.
    DURING = "during"
    #: The server has committed; its answer never reaches the client.
    AFTER = "after"


class CuttingProxy:
    """`conninfo` leads through it. `cut` is what happens to the next batch; `open` whether it takes connections."""

    def __init__(self, folder: str) -> None:
        self._parameters = conninfo_to_dict(runtime.conninfo())
        self.conninfo = make_conninfo("", **{**self._parameters, "host": folder, "port": "5432"})
        self.path = f"{folder}/.s.PGSQL.5432"
        self.cut: Cut | None = None
        self.cuts = 0
        self.open = asyncio.Event()
        self.open.set()
        self._tasks: set[asyncio.Task[None]] = set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self.open.wait()
        server_reader, server_writer = await self._server()
        link = _Link(self, reader, writer, server_reader, server_writer)
        for job in (link.requests(), link.answers()):
            task = asyncio.create_task(job)
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _server(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        host, port = self._parameters.get("host") or "127.0.0.1", self._parameters.get("port") or "5432"
        if str(host).startswith("/"):
            return await asyncio.open_unix_connection(f"{host}/.s.PGSQL.{port}")
        return await asyncio.open_connection(host, int(port))

    async def stop(self) -> None:
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


class _Link:
    """One connection through the proxy."""

    def __init__(
        self,
        proxy: CuttingProxy,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        server_reader: asyncio.StreamReader,
        server_writer: asyncio.StreamWriter,
    ) -> None:
        self._proxy = proxy
        self._reader, self._writer = reader, writer
        self._server_reader, self._server_writer = server_reader, server_writer
        self._cutting: Cut | None = None
        self._prepared = False

    async def requests(self) -> None:
        while data := await self._read(self._reader):
            # A prepared statement is named, not repeated: after the first one of a connection every request counts.
            if self._proxy.cut and (STATEMENT in data or self._prepared):
                self._cutting, self._proxy.cut = self._proxy.cut, None
                self._proxy.cuts += 1
            self._prepared = self._prepared or STATEMENT in data
            if self._cutting is Cut.BEFORE:
                break
            self._server_writer.write(data)
            if self._cutting is Cut.DURING:
                self._writer.close()
                return
        if self._cutting is not Cut.AFTER:
            self._server_writer.close()
        self._writer.close()

    async def answers(self) -> None:
        while data := await self._read(self._server_reader):
            if self._cutting is Cut.AFTER:
                self._server_writer.close()
                break
            if self._cutting is None:
                self._writer.write(data)
        self._writer.close()

    async def _read(self, reader: asyncio.StreamReader) -> bytes:
        with contextlib.suppress(OSError):
            return await reader.read(65_536)
        return b""


@asynccontextmanager
async def cutting_proxy() -> AsyncIterator[CuttingProxy]:
    with tempfile.TemporaryDirectory(prefix="cut-", dir="/tmp") as folder:
        proxy = CuttingProxy(folder)
        server = await asyncio.start_unix_server(proxy.serve, proxy.path)
        Path(proxy.path).chmod(0o777)
        try:
            yield proxy
        finally:
            server.close()
            await proxy.stop()
