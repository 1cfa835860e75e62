"""What a web process keeps running beside its requests: writer, hub and runner, started before it listens."""

import asyncio
import uuid
from collections.abc import Callable

from django.conf import settings
from django.db import connection
from psycopg.conninfo import make_conninfo

from chat.concurrency.database import in_db
from chat.engine.available_models import close_providers
from chat.engine.heartbeat import Heartbeat
from chat.engine.runner import Runner
from chat.engine.warming import load_embedder, read_for_nobody, warm_up
from chat.events.hub import Hub
from chat.events.writer import GroupWriter
from chat.live.rooms import Rooms
from chat.spending import entered_prices

_current: "Runtime | None" = None


class Runtime:
    """One per process and event loop. `fail` is called when the process cannot go on."""

    def __init__(self, fail: Callable[[], None], *, others: bool = True) -> None:
        """Makes writer, hub, rooms and runner; without `others` only runs that begin in this process are driven."""
        self.process_id = uuid.uuid4()
        self.hub = Hub(self.process_id, fail)
        self.writer = GroupWriter(conninfo(), self.hub.deliver, fail)
        self.rooms = Rooms(self.process_id, fail)
        self._loading: asyncio.Task[None] | None = None
        self._reading_prices: asyncio.Task[None] | None = None
        self.runner = Runner(Heartbeat(conninfo(), self.process_id), self.process_id, self.writer, fail, others)

    async def start(self) -> None:
        global _current
        self.hub.start()
        self.writer.start(connects=True)
        self.rooms.start()
        await warm_up()
        await in_db(entered_prices.read)
        self._reading_prices = asyncio.create_task(entered_prices.read_forever())
        await self.runner.start()
        await read_for_nobody()
        self._loading = asyncio.create_task(load_embedder())
        _current = self

    async def drain(self) -> None:
        """Lets runs finish or hands them over; readers and requests that wait are served on until `close`."""
        await self.runner.close(settings.DRAIN_S)

    async def close(self, drain_s: float | None = None) -> None:
        """Lets runs finish or hands them over, writes what is left, and stops."""
        global _current
        for task in (self._loading, self._reading_prices):
            if task is not None:
                task.cancel()
        await self.runner.close(settings.DRAIN_S if drain_s is None else drain_s)
        await self.writer.close()
        await self.rooms.close()
        await self.hub.close()
        await close_providers()
        _current = None


class NotServing(Exception):
    """This process is about to end, or was not started through `chat.web.server`: another one has to be asked."""


def current() -> Runtime:
    """The runtime of this process; doors that stream need one. Raises `NotServing`."""
    if _current is None:
        raise NotServing
    return _current


def conninfo() -> str:
    """How to reach the same database as Django, for a connection of our own."""
    parameters = connection.get_connection_params()
    own = {"cursor_factory", "context", "prepare_threshold", "pool"}
    return make_conninfo("", **{name: value for name, value in parameters.items() if name not in own})
