"""The sign of life: stored over a connection of its own, whatever happens to others."""

import asyncio
import uuid
from collections.abc import Awaitable, Callable

import psycopg
import pytest
from django.db import connection

from chat.engine import claims
from chat.engine.heartbeat import Heartbeat
from chat.engine.runtime import conninfo
from chat.models import Process

pytestmark = pytest.mark.django_db(transaction=True)


def run(test: Callable[[Heartbeat], Awaitable[None]], process: uuid.UUID) -> None:
    async def main() -> None:
        heartbeat = Heartbeat(conninfo(), process)
        try:
            await test(heartbeat)
        finally:
            await heartbeat.close()

    connection.ensure_connection()
    asyncio.run(main())


def registered() -> uuid.UUID:
    process = uuid.uuid4()
    claims.register(process, "here:1")
    Process.objects.update(seen_at="2026-01-01T00:00Z")
    return process


def test_it_renews_the_row() -> None:
    async def test(heartbeat: Heartbeat) -> None:
        assert await heartbeat.beat()

    process = registered()
    run(test, process)
    assert Process.objects.get(pk=process).seen_at.year > 2025
    assert Process.objects.get(pk=process).seen_at.month > 1


def test_it_tells_that_the_row_is_gone() -> None:
    async def test(heartbeat: Heartbeat) -> None:
        assert not await heartbeat.beat()

    run(test, uuid.uuid4())


def test_it_goes_on_over_a_new_connection() -> None:
    async def test(heartbeat: Heartbeat) -> None:
        assert await heartbeat.beat()
        before = heartbeat.last
        await asyncio.to_thread(end_heartbeats)
        with pytest.raises(psycopg.OperationalError):
            await heartbeat.beat()
        assert heartbeat.last == before
        assert await heartbeat.beat()
        assert heartbeat.last > before

    run(test, registered())


def end_heartbeats() -> None:
    with psycopg.connect(conninfo(), autocommit=True) as own:
        own.execute(
            "SELECT pg_terminate_backend(pid, 30000) FROM pg_stat_activity "
            "WHERE datname = current_database() AND application_name LIKE '%heartbeat'"
        )
