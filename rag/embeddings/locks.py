"""One process at a time embeds a collection with a model: two would pay for every text twice."""

import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

#: Any number, the same in every process: together with that of a collection and model it names a lock.
ADVISORY_LOCK = 0x52414701
ASKED_AGAIN_S = 0.5


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


def number(collection: str, model: str) -> int:
    """The number of the lock of a collection and model."""
    return zlib.crc32(f"{collection} {model}".encode()) - 2**31


def _ask(sql: str, lock: int) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(sql, [ADVISORY_LOCK, lock])
        (answer,) = cursor.fetchone()
    return bool(answer)
