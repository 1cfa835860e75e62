"""One process at a time embeds a collection with a model: two would pay for every text twice."""

import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from django.db import connection

#: Any number, the same in every process: together with that of a collection and model it names a lock.
ADVISORY_LOCK = 0x52414701
ASKED_AGAIN_S = 0.5
#: PostgreSQL tells the two numbers of a lock as unsigned ones.
_HELD = """
SELECT objid::bigint FROM pg_locks WHERE locktype = 'advisory' AND granted AND classid = %s AND objid::bigint = ANY(%s)
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


@contextmanager
def held(collection: str, model: str, *, wait: bool) -> Iterator[bool]:
    """Whether this process holds the lock, until the block ends; `wait` asks repeatedly, so as to hold no snapshot."""
    lock = number(collection, model)
    while not (ours := _ask("SELECT pg_try_advisory_lock(%s, %s)", lock)) and wait:
        time.sleep(ASKED_AGAIN_S)
    try:
        yield ours
    finally:
        if ours:
            _ask("SELECT pg_advisory_unlock(%s, %s)", lock)


def held_by_any(names: Sequence[tuple[str, str]]) -> set[tuple[str, str]]:
    """Those collections, each with a model, that some process embeds now."""
    numbers = {number(*name) % 2**32: name for name in names}
    with connection.cursor() as cursor:
        cursor.execute(_HELD, [ADVISORY_LOCK, list(numbers)])
        return {numbers[lock] for (lock,) in cursor.fetchall()}


def number(collection: str, model: str) -> int:
    """The number of the lock of a collection and model."""
    return zlib.crc32(f"{collection} {model}".encode()) - 2**31


def _ask(sql: str, lock: int) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(sql, [ADVISORY_LOCK, lock])
        (answer,) = cursor.fetchone()
    return bool(answer)
