"""A process's sign of life: a row renewed over a connection of its own, so that a slow pool cannot silence it."""

import asyncio
import uuid
from contextlib import suppress

import psycopg
from psycopg.conninfo import make_conninfo

#: Who does not answer for so long is asked again over another connection.
PATIENCE_S = 5
_BEAT = "UPDATE chat_process SET seen_at = now() WHERE id = %s"


class Heartbeat:
    """Renews the row. `last` is when that was last stored, in the loop's time."""

    def __init__(self, conninfo: str, process_id: uuid.UUID) -> None:
        self._conninfo = make_conninfo(conninfo, connect_timeout=PATIENCE_S, application_name="countersign heartbeat")
        self._process_id = process_id
        self._connection: psycopg.AsyncConnection | None = None
        self._loop = asyncio.get_running_loop()
        self.last = self._loop.time()

    async def beat(self) -> bool:
        """Renews it; False if the row is gone. Raises `psycopg.Error` or `TimeoutError` without the database."""
        began = self._loop.time()
        try:
            async with asyncio.timeout(PATIENCE_S):
                if self._connection is None:
                    self._connection = await psycopg.AsyncConnection.connect(self._conninfo, autocommit=True)
                cursor = await self._connection.execute(_BEAT, [self._process_id])
        except BaseException:  # Cancelled, too: half an answer may stand in the connection.
            await self.close()
            raise
        self.last = began
        return cursor.rowcount == 1

    async def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(psycopg.Error):
                await connection.close()
