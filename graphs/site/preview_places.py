"""Places for previews, each of which reads all that it would change: a few at a time at this process.

Who waits for an object has none yet: whoever holds an object would keep the others from theirs. Who has one for too
long keeps nobody else from it: the place is free, and the work ends at its next statement or `require_time`.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Condition
from time import monotonic
from typing import Any

import psycopg
from django.db import OperationalError, connection

from graphs.site.database_away import took_too_long

MOST = 2
WAIT_S = 10.0
#: For who holds an object already, which others wait for.
WAIT_HOLDING_S = 3.0
#: From then on a place is free though its preview is not done.
LAPSES_S = 60.0
#: What any statement may take (`chat.web.server`); when less is left of a place, its statements get that.
STATEMENT_S = 30.0


class TooManyPreviews(Exception):
    """No place came free in time."""


class PreviewEnded(Exception):
    """A preview was given up: it took too long, or `process_ends`."""

    def __init__(self, *, process_ends: bool) -> None:
        super().__init__("the process ends" if process_ends else "it took too long")
        self.process_ends = process_ends


class _Here(threading.local):
    """The place of this thread: until when it has it, and whether its connection was given less time."""

    until: float | None = None
    is_bounded = False


#: Who has a place.
_taken: list[int] = []
#: Since when.
_since: dict[int, float] = {}
_free = Condition()
_here = _Here()
_process_ends = False


@contextmanager
def place(user_id: int) -> Iterator[None]:
    """A place, one of a person at a time. Outside a transaction it is waited for without a connection.

    Raises `TooManyPreviews` and `PreviewEnded`.
    """
    with _free:
        if not _has_room(user_id):
            _wait_for_room(user_id)
        if _process_ends:
            raise PreviewEnded(process_ends=True)
        since = _since[user_id] = monotonic()
        _taken.append(user_id)
    try:
        with _ending_at(since + LAPSES_S):
            yield
    finally:
        with _free:
            if _since.get(user_id) == since:  # else it lapsed
                _give_back(user_id)


def require_time() -> None:
    """Raises `PreviewEnded` in a preview whose place has lapsed, or whose process ends; elsewhere does nothing.

    Long work asks it again and again.
    """
    if _here.until is not None and _is_over(_here.until):
        raise PreviewEnded(process_ends=_process_ends)


def end_all() -> None:
    """Ends all previews, and lets none begin, because this process ends."""
    global _process_ends
    with _free:
        _process_ends = True
        _free.notify_all()


def _is_over(until: float) -> bool:
    return _process_ends or monotonic() >= until


@contextmanager
def _ending_at(until: float) -> Iterator[None]:
    """Lets no statement begin after that moment, nor last much longer."""
    _here.until, _here.is_bounded = until, False
    try:
        with connection.execute_wrapper(_in_time):
            yield
    except OperationalError as error:
        if took_too_long(error) and (_here.is_bounded or _is_over(until)):
            raise PreviewEnded(process_ends=_process_ends) from error
        raise
    finally:
        _here.until = None
        if _here.is_bounded and connection.connection is not None and not connection.in_atomic_block:
            with suppress(psycopg.Error):  # A connection that is gone holds nothing.
                connection.connection.execute("RESET statement_timeout")


def _in_time(execute: Callable[..., Any], sql: str, parameters: Any, many: bool, context: dict[str, Any]) -> Any:
    require_time()
    if _here.until is not None and (left := _here.until - monotonic()) < STATEMENT_S:
        here = "LOCAL " if connection.in_atomic_block else ""
        context["connection"].connection.execute(f"SET {here}statement_timeout = {max(int(left * 1000), 1)}")
        _here.is_bounded = True
    return execute(sql, parameters, many, context)


def _give_back(user_id: int) -> None:
    _taken.remove(user_id)
    del _since[user_id]
    _free.notify_all()


def _has_room(user_id: int) -> bool:
    for holder in [holder for holder, since in _since.items() if since + LAPSES_S <= monotonic()]:
        _give_back(holder)
    return len(_taken) < MOST and user_id not in _taken


def _wait_for_room(user_id: int) -> None:
    holding = connection.in_atomic_block
    if not holding:
        connection.close()
    until = monotonic() + (WAIT_HOLDING_S if holding else WAIT_S)
    while not _process_ends and not _has_room(user_id):
        if monotonic() >= until:
            raise TooManyPreviews
        first = min([until, *(since + LAPSES_S for since in _since.values())])
        _free.wait(max(first - monotonic(), 0))
