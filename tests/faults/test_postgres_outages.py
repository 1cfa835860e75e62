"""PostgreSQL ends, refuses, hangs or only reads under load: people wait, nothing is lost, all go on by themselves."""

import contextlib
import os
import random
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import psycopg
import pytest
from django.db import connection

from chat.models import Stream
from tests.chat.engine.driving import until
from tests.faults.crowd import Crowd, Person
from tests.faults.outage import SILENT_S, Outage

pytestmark = [pytest.mark.processes, pytest.mark.faults, pytest.mark.timeout(1200)]

FULL = bool(os.environ.get("FULL"))
RESTARTS = 20 if FULL else 3
#: How long it runs between restarts, and how long it is away.
UPTIME_S = (4, 35) if FULL else (0, 1)
DOWNTIME_S = (1, 15) if FULL else (0.3, 1)
LOST_CONNECTIONS = 300 if FULL else 12


def assert_lives_but_is_not_ready(outage: Outage) -> None:
    until(lambda: outage.statuses("/readyz") == [503, 503])
    assert outage.statuses("/healthz") == [200, 200]


def test_it_is_ended_at_once_and_started_again_and_again(outage: Outage) -> None:
    moments = random.Random(5)
    with outage.crowd() as people:
        for _ in range(RESTARTS):
            time.sleep(moments.uniform(*UPTIME_S))
            outage.postgres.end(signal.SIGQUIT)
            assert_lives_but_is_not_ready(outage)
            time.sleep(moments.uniform(*DOWNTIME_S))
            outage.postgres.start()
            people.all_get_on()


def test_its_connections_are_ended_at_random(outage: Outage) -> None:
    moments = random.Random(6)
    with outage.crowd():
        for _ in range(LOST_CONNECTIONS):
            outage.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1"
            )
            time.sleep(moments.uniform(0, 0.2))


def test_it_takes_no_more_connections(outage: Outage) -> None:
    with outage.crowd(), ExitStack() as others:
        outage.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'countersign%'"
        )
        with contextlib.suppress(psycopg.OperationalError):
            while True:
                others.enter_context(psycopg.connect(outage.database_url))
        assert_lives_but_is_not_ready(outage)
        time.sleep(1)


def test_it_only_reads_for_a_while(outage: Outage) -> None:
    """For longer than a process may be silent: nobody is taken for dead who could not show that they live."""
    with outage.crowd():
        outage.execute("ALTER SYSTEM SET default_transaction_read_only = on", "SELECT pg_reload_conf()")
        try:
            until(lambda: outage.statuses("/readyz") == [503, 503])
            assert_lives_but_is_not_ready(outage)
            time.sleep(SILENT_S)
        finally:
            outage.execute("ALTER SYSTEM RESET default_transaction_read_only", "SELECT pg_reload_conf()")


@contextmanager
def frozen(backend: int) -> Iterator[None]:
    os.kill(backend, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(backend, signal.SIGCONT)


def test_a_backend_hangs_that_holds_a_stream(outage: Outage) -> None:
    """Its stream waits, everybody else goes on; when it wakes the stream does too."""
    with outage.crowd() as people, psycopg.connect(outage.database_url) as holding:
        held = people.people[0]
        holding.execute("SELECT 1 FROM chat_stream WHERE name = %s FOR NO KEY UPDATE", [held.stream])
        with frozen(holding.info.backend_pid):
            people.all_get_on(but=[held])
            people.all_get_on(but=[held])
        holding.rollback()


def test_the_backend_hangs_that_stores_what_a_process_streams(outage: Outage) -> None:
    """Answers of that process wait, those of the other go on; when it wakes all do."""
    with outage.crowd() as people:
        here, writer = of_one_process(people)
        with frozen(backend_of(f"countersign writer {writer}")):
            people.all_get_on(but=here)
            people.all_get_on(but=here)


def of_one_process(people: Crowd) -> tuple[list[Person], str]:
    """The people who ask one web process, and its writer.

    A question that had to wait may be answered by the other process: then all have to get on until nobody's was.
    """
    while True:
        writers = dict(Stream.objects.values_list("name", "writer"))
        of_urls: dict[str, set[str]] = {}
        for person in people.people:
            of_urls.setdefault(person.url, set()).add(writers[person.stream])
        if len(of_urls) == 2 and len(set.union(*of_urls.values())) == 2 == sum(map(len, of_urls.values())):
            url = people.people[0].url
            return [person for person in people.people if person.url == url], of_urls[url].pop()
        people.all_get_on()


def backend_of(name: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pid FROM pg_stat_activity WHERE application_name = %s", [name])
        return int(cursor.fetchone()[0])
