"""A web process that counts what a question is made of. Started in place of `chat.web.server`, with its arguments.

SIGUSR2 makes it write all counts so far to the file that `BENCH_COUNTS` names. Counting costs CPU itself: here shares
count, `bench.questions` has the milliseconds.
"""

import contextlib
import functools
import inspect
import json
import os
import signal
import sys
import threading
import time
import types
from collections import Counter
from collections.abc import Callable, Coroutine, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any

import psycopg

#: What belongs to which phase, by module and name: functions that run in a thread, or on the event loop.
PHASES = {
    "access": ("chat.access.checks:check_access", "chat.access.identity:identify"),
    "accept": ("chat.sockets.commands:post", "chat.actions.posting:take"),
    "claim": ("chat.engine.claims:claim",),
    "prompt": ("chat.engine.enriching:enrich",),
    "context": (
        "rag.sources.graphs.source:SourceOfGraphs.retrieve",
        "rag.sources.objects.source:SourceOfObjects.retrieve",
    ),
    "call": ("chat.engine.model_calls:ModelCalls.ask",),
    "events": ("chat.events.writer:GroupWriter.put", "chat.events.writer:GroupWriter._commit"),
    "publish": (
        "chat.events.hub:Hub.deliver",
        "chat.events.hub:Hub._publish_forever",
        "chat.sockets.connection:GatedConsumer.forward",
    ),
    "reserve": ("chat.spending.reserving:reserve",),
    "finish": ("chat.engine.run_storage:finish", "chat.engine.run_storage:save_round"),
    "settle": ("chat.spending.settling:record_costs",),
    "keep": ("chat.sent_requests.keeping:rows_of",),
    "propose": ("chat.engine.acting:ProposalRound.perform",),
    "answer": ("chat.access.checks:check_and_read_answer",),
}
#: What a person sees first of an answer.
_SHOWN = frozenset({"content_delta", "tool_call_start"})
counts: Counter[str] = Counter()


class _Phases(threading.local):
    """The phases that this thread is in just now, the inner one last."""

    def __init__(self) -> None:
        self.open: list[str] = []

    @property
    def inner(self) -> str:
        return self.open[-1] if self.open else "elsewhere"


_phases = _Phases()


@contextlib.contextmanager
def _in(phase: str) -> Iterator[None]:
    """CPU of a phase within another one counts for the inner one only."""
    outer = _phases.inner if _phases.open else ""
    began = time.thread_time_ns()
    _phases.open.append(phase)
    try:
        yield
    finally:
        _phases.open.pop()
        spent = time.thread_time_ns() - began
        counts[f"cpu {phase}"] += spent
        if outer:
            counts[f"cpu {outer}"] -= spent


@types.coroutine
def _stepped(coroutine: Coroutine[Any, Any, Any], phase: str) -> Generator[Any, Any, Any]:
    """Runs a coroutine; each of its steps on the event loop is in the phase, what it waits for is not."""
    step = functools.partial(coroutine.send, None)
    while True:
        try:
            with _in(phase):
                waited = step()
        except StopIteration as end:
            return end.value
        try:
            step = functools.partial(coroutine.send, (yield waited))
        except BaseException as error:  # Any: cancelled, most often; the coroutine decides.
            step = functools.partial(coroutine.throw, error)


def _counted(function: Callable[..., Any], phase: str) -> Callable[..., Any]:
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def stepped(*args: Any, **kwargs: Any) -> Any:
            return await _stepped(function(*args, **kwargs), phase)

        return stepped

    @functools.wraps(function)
    def counted(*args: Any, **kwargs: Any) -> Any:
        with _in(phase):
            return function(*args, **kwargs)

    return counted


def _replace(place: str, phase: str) -> None:
    """Wherever the function is known by its name. Fails for one that is not there."""
    module, _, name = place.partition(":")
    owner: Any = import_module(module)
    *classes, attribute = name.split(".")
    for each in classes:
        owner = getattr(owner, each)
    function = getattr(owner, attribute)
    wrapped = _counted(function, phase)
    setattr(owner, attribute, wrapped)
    if classes:
        return
    for known in list(sys.modules.values()):
        if getattr(known, attribute, None) is function:
            setattr(known, attribute, wrapped)


def _count_database() -> None:
    """Statements, also those of the event log's writer, and transactions of connections."""
    for kind, name in ((psycopg.Cursor, "execute"), (psycopg.Cursor, "executemany"), (psycopg.AsyncCursor, "execute")):
        setattr(kind, name, _noting(getattr(kind, name), "statements"))
    for connection in (psycopg.Connection, psycopg.AsyncConnection):
        connection.commit = _noting(connection.commit, "commits")  # type: ignore[method-assign,type-var,assignment]


def _noting(function: Callable[..., Any], what: str) -> Callable[..., Any]:
    @functools.wraps(function)
    def noting(*args: Any, **kwargs: Any) -> Any:
        counts[f"{what} {_phases.inner}"] += 1
        return function(*args, **kwargs)

    return noting


def _count_hops() -> None:
    submit = ThreadPoolExecutor.submit

    def submitted(self: ThreadPoolExecutor, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        counts["hops"] += 1
        return submit(self, _timed(function), *args, **kwargs)

    ThreadPoolExecutor.submit = submitted  # type: ignore[method-assign,assignment]


def _timed(function: Callable[..., Any]) -> Callable[..., Any]:
    """All CPU of a job in a thread; what lies in no phase of its own belongs to that which asked for it."""
    phase = _phases.inner

    def timed(*args: Any, **kwargs: Any) -> Any:
        with _in(phase):
            return function(*args, **kwargs)

    return timed


def _mark_first_tokens() -> None:
    """Notes how many statements there were when a call of a model begins, and when an answer's first token is shown."""
    from chat.engine import calling
    from chat.events.hub import Hub
    from chat.events.vocabulary import StoredEvent

    perform, deliver = calling.perform, Hub.deliver
    shown: set[Any] = set()

    async def performed(*args: Any) -> None:
        counts["so far, asked"] = _statements()
        await perform(*args)

    def delivered(hub: Hub, events: Sequence[StoredEvent]) -> None:
        for event in events:
            if event.type in _SHOWN and event.run_id not in shown:
                shown.add(event.run_id)
                counts["so far, shown"] = _statements()
        deliver(hub, events)

    calling.perform = performed
    Hub.deliver = delivered  # type: ignore[method-assign]


def _statements() -> int:
    return sum(count for name, count in counts.items() if name.startswith("statements "))


def _write(*_signal: Any) -> None:
    found = {**counts, "cpu process": time.process_time_ns()}
    target = Path(os.environ["BENCH_COUNTS"])
    target.with_suffix(".new").write_text(json.dumps(found))
    target.with_suffix(".new").replace(target)


def main(arguments: list[str]) -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    import_module("config.asgi")
    for phase, places in PHASES.items():
        for place in places:
            _replace(place, phase)
    _count_database()
    _count_hops()
    _mark_first_tokens()
    signal.signal(signal.SIGUSR2, _write)
    from chat.web import server

    return server.main(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
