"""Whatever breaks behind a door: its visitor is told that it broke and a number to ask for, and nothing else."""

import json
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import ProgrammingError, connection

from tests.doors.knocking import knock
from tests.doors.matrix import body_of, client_of, ids_of
from tests.doors.rules import API
from tests.doors.test_api_and_pages import API_DOORS, PAGE_DOORS
from tests.doors.world import World

SECRET = "canaryinsidecanary"
#: What an answer about a fault must not hold: traces, statements, places in the file system, what was raised.
TELLTALE = re.compile(rf"{SECRET}|Traceback|\.py\b|SELECT |INSERT |/tmp/|/home/|ProgrammingError|psycopg")
MESSAGE = f'relation "{SECRET}" does not exist: SELECT * FROM /tmp/x.py'


@contextmanager
def broken() -> Iterator[list[str]]:
    """Every statement raises; gives those that did."""
    asked: list[str] = []

    def fail(execute: Any, sql: Any, params: Any, many: bool, context: Any) -> Any:
        if "SAVEPOINT" in str(sql):
            return execute(sql, params, many, context)
        asked.append(str(sql))
        # Each time a new one: one that is raised again keeps its traceback, and every log line would be longer.
        raise ProgrammingError(MESSAGE)

    with connection.execute_wrapper(fail):
        yield asked


def test_a_fault_tells_nothing_of_the_inside(everybody: World, caplog: pytest.LogCaptureFixture) -> None:
    knocked = 0
    for found, program in ((API_DOORS, True), (PAGE_DOORS, False)):
        client = client_of(everybody, "editor", program)
        for door in found:
            address = door.address.with_id(ids_of(everybody, "editor", door.address).get("own", ""))
            caplog.clear()
            with caplog.at_level(logging.ERROR), broken() as asked:
                answer = knock(client, door.method, address, body_of(door.rule))
            if not asked or door.address.path == "readyz":
                continue
            knocked += 1
            assert answer.status == 500, (str(door), answer)
            text = answer.body.decode() + str(answer.headers)
            assert not TELLTALE.search(text), (str(door), TELLTALE.search(text))
            (number,) = set(re.findall(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}", answer.body.decode()))
            assert any(number in record.getMessage() and record.exc_info for record in caplog.records), str(door)
            if program:
                document = json.loads(answer.body)
                assert (document["status"], document["code"]) == (500, "internal")
                assert answer.headers["Content-Type"] == "application/problem+json"
    assert knocked >= len(API) - 2
