"""Places for previews, each of which reads all that it would change: a few at a time at this process.

Who waits for an object has none yet: whoever holds an object would keep the others from theirs.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition

from django.db import connection

MOST = 2
WAIT_S = 10.0
#: For who holds an object already, which others wait for.
WAIT_HOLDING_S = 3.0


class TooManyPreviews(Exception):
    """No place came free in time."""


#: Who has a place.
_taken: list[int] = []
_free = Condition()


@contextmanager
def place(user_id: int) -> Iterator[None]:
    """A place, one of a person at a time. Outside a transaction it is waited for without a connection.

    Raises `TooManyPreviews`.
    """
    with _free:
        if not _has_room(user_id):
            _wait_for_room(user_id)
        _taken.append(user_id)
    try:
        yield
    finally:
        with _free:
            _taken.remove(user_id)
            _free.notify_all()


def _has_room(user_id: int) -> bool:
    return len(_taken) < MOST and user_id not in _taken


def _wait_for_room(user_id: int) -> None:
    holding = connection.in_atomic_block
    if not holding:
        connection.close()
    if not _free.wait_for(lambda: _has_room(user_id), WAIT_HOLDING_S if holding else WAIT_S):
        raise TooManyPreviews
