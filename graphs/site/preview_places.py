"""Places for previews, each of which reads all that it would change: a few at a time at this process.

Who waits for an object has none yet: whoever holds an object would keep the others from theirs. Who has one for too
long, also because nobody reads the answer any more, keeps nobody else from it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition
from time import monotonic

from django.db import connection

MOST = 2
WAIT_S = 10.0
#: For who holds an object already, which others wait for.
WAIT_HOLDING_S = 3.0
#: From then on a place is free though its preview is not done.
LAPSES_S = 60.0


class TooManyPreviews(Exception):
    """No place came free in time."""


#: Who has a place, and since when.
_taken: dict[int, float] = {}
_free = Condition()


@contextmanager
def place(user_id: int) -> Iterator[None]:
    """A place, one of a person at a time. Outside a transaction it is waited for without a connection.

    Raises `TooManyPreviews`.
    """
    with _free:
        if not _has_room(user_id):
            _wait_for_room(user_id)
        since = _taken[user_id] = monotonic()
    try:
        yield
    finally:
        with _free:
            if _taken.get(user_id) == since:  # else it lapsed
                _give_back(user_id)


def _give_back(user_id: int) -> None:
    del _taken[user_id]
    _free.notify_all()


def _has_room(user_id: int) -> bool:
    for holder in [holder for holder, since in _taken.items() if since + LAPSES_S <= monotonic()]:
        _give_back(holder)
    return len(_taken) < MOST and user_id not in _taken


def _wait_for_room(user_id: int) -> None:
    holding = connection.in_atomic_block
    if not holding:
        connection.close()
    until = monotonic() + (WAIT_HOLDING_S if holding else WAIT_S)
    while not _has_room(user_id):
        if monotonic() >= until:
            raise TooManyPreviews
        first = min([until, *(since + LAPSES_S for since in _taken.values())])
        _free.wait(max(first - monotonic(), 0))
