"""A web process that kills or stops itself at a place of its code that a test orders; the product knows nothing of it.

    python -m tests.faults.crashing --fd N daphne      (arguments of `chat.web.server`, which it runs)

The product's ways to have an effect are wrapped before it starts: Django's transactions and their `on_commit` hooks,
statements outside of transactions, the group writer's commit, PUBLISH on Valkey, the call of a vendor, its pieces, a
tool. Crossing one is named after the function of the product that does it, `chat.actions.conversations:post_message`,
and happens twice: before and after. The folder `CRASH_ORDERS` holds the order (`tests/faults/crash_orders.py`); of
several processes with the same order the first one obeys. Every place that was crossed is noted there, so that a test
finds those that are not listed.
"""

import functools
import inspect
import os
import re
import signal
import sys
import threading
import time
from collections import Counter
from types import FrameType
from typing import Any

from tests.faults.crash_orders import Orders
from tests.faults.product_frames import product_frame
from tests.shop.installed import begin

WRITES = re.compile(r"\b(INSERT INTO|UPDATE \"?\w+\"? SET|DELETE FROM)\b")
#: Looks that find nothing: they commit only the process's sign of life, several times a second.
IDLE = {"chat.engine.claims:claim": lambda variables: not variables["ids"]}

_orders = Orders(os.environ["CRASH_ORDERS"])
_lock = threading.Lock()
_times: Counter[int] = Counter()


def cross(place: str | None, when: str) -> None:
    """Dies or freezes here when this is what was ordered."""
    if place is None:
        return
    _orders.note(place)
    order = _orders.current()
    if order is None or (order.place, order.when) != (place, when):
        return
    with _lock:
        _times[order.number] += 1
        if _times[order.number] == order.nth and _orders.take(order, os.getpid()):
            os.kill(os.getpid(), signal.Signals[order.how])
            time.sleep(1)  # the signal may reach this thread a moment later than the others


def place_of(frame: FrameType | None) -> str | None:
    if frame is None:
        return None
    place = f"{frame.f_globals['__name__']}:{frame.f_code.co_qualname}"
    idle = IDLE.get(place)
    return None if idle is not None and idle(frame.f_locals) else place


def wrap_transactions() -> None:
    from django.db import transaction

    leave, on_commit = transaction.Atomic.__exit__, transaction.on_commit

    def __exit__(self: Any, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        if exc_type is not None:
            return leave(self, exc_type, exc_value, traceback)
        caller = sys._getframe(1)
        commits = not transaction.get_connection(self.using).savepoint_ids
        place = place_of(product_frame(caller)) if commits or product_frame(caller) is caller else None
        return _called_between(place, leave, self, None, None, None)

    def crossing_on_commit(func: Any, *args: Any, **kwargs: Any) -> None:
        place = place_of(product_frame(sys._getframe(1)))
        hook = place and f"{place}:on_commit"
        on_commit(functools.partial(_called_between, hook, func), *args, **kwargs)

    transaction.Atomic.__exit__ = __exit__  # type: ignore[method-assign]
    transaction.on_commit = crossing_on_commit


def _called_between(place: str | None, func: Any, *args: Any, **kwargs: Any) -> Any:
    cross(place, "before")
    result = func(*args, **kwargs)
    if inspect.isawaitable(result):
        return _awaited_between(place, result)
    cross(place, "after")
    return result


async def _awaited_between(place: str | None, result: Any) -> Any:
    value = await result
    cross(place, "after")
    return value


def wrap_statements() -> None:
    """Writes outside of transactions: each is a commit of its own."""
    from django.db.backends.utils import CursorWrapper

    for name in ("execute", "executemany"):
        setattr(CursorWrapper, name, _crossing_statement(getattr(CursorWrapper, name)))


def _crossing_statement(execute: Any) -> Any:
    def run(self: Any, sql: Any, *args: Any, **kwargs: Any) -> Any:
        commits = not self.db.in_atomic_block and WRITES.search(str(sql))
        place = place_of(product_frame(sys._getframe(1))) if commits else None
        return _called_between(place, execute, self, sql, *args, **kwargs)

    return run


def wrap_calls() -> None:
    """Methods by their caller, functions by their own name."""
    import redis.asyncio

    from chat.engine import calling
    from chat.engine.answer import LiveAnswer
    from chat.events.committing import Committer
    from chat.subjects import tools

    for owner, name in ((redis.Redis, "publish"), (redis.asyncio.Redis, "publish"), (Committer, "commit")):
        setattr(owner, name, _named_by_caller(getattr(owner, name)))
    for owner, name in ((calling, "perform"), (LiveAnswer, "show"), (tools, "run")):
        setattr(owner, name, _named_by_itself(getattr(owner, name)))


def _named_by_caller(call: Any) -> Any:
    def run(*args: Any, **kwargs: Any) -> Any:
        return _called_between(place_of(product_frame(sys._getframe(1))), call, *args, **kwargs)

    return run


def _named_by_itself(call: Any) -> Any:
    @functools.wraps(call)
    def run(*args: Any, **kwargs: Any) -> Any:
        return _called_between(f"{call.__module__}:{call.__qualname__}", call, *args, **kwargs)

    return run


def main() -> int:
    from chat.web.server import main as serve  # installs Twisted's reactor, so before everything else

    begin()
    wrap_transactions()
    wrap_statements()
    wrap_calls()
    return serve(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
