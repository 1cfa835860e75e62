"""A web process that counts what a question is made of. Started in place of `chat.web.server`, with its arguments.

SIGUSR2 makes it write all counts so far to the file that `BENCH_COUNTS` names. Counting costs CPU itself: here shares
count, `bench.questions` has the milliseconds.
"""

import contextlib
import functools
import json
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from importlib import import_module
from pathlib import Path
from typing import Any

import psycopg

#: What belongs to which phase: functions that run in a thread, by module and name.
PHASES = {
    "access": ("chat.access.checks:check_access", "chat.access.identity:identify"),
    "accept": ("chat.sockets.commands:post", "chat.actions.posting:post"),
    "claim": ("chat.engine.claims:claim",),
    "prompt": ("chat.engine.enriching:enrich",),
    "context": (
        "rag.sources.graphs.source:SourceOfGraphs.retrieve",
        "rag.sources.objects.source:SourceOfObjects.retrieve",
    ),
    "finish": ("chat.engine.run_storage:finish", "chat.engine.run_storage:save_round"),
    "settle": ("chat.spending.settling:record_costs",),
    "keep": ("chat.sent_requests.keeping:rows_of",),
    "propose": ("chat.engine.acting:ProposalRound.perform",),
    "answer": ("chat.queries.answers:run_result",),
}
_phase: ContextVar[str] = ContextVar("phase", default="elsewhere")
counts: Counter[str] = Counter()


@contextlib.contextmanager
def _in(phase: str) -> Iterator[None]:
    """CPU of a phase within another one counts for the inner one only."""
    outer = _phase.get()
    began = time.thread_time_ns()
    token = _phase.set(phase)
    try:
        yield
    finally:
        _phase.reset(token)
        spent = time.thread_time_ns() - began
        counts[f"cpu {phase}"] += spent
        counts[f"cpu {outer}"] -= spent
        counts[f"calls {phase}"] += 1


def _counted(function: Callable[..., Any], phase: str) -> Callable[..., Any]:
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
        counts[f"{what} {_phase.get()}"] += 1
        return function(*args, **kwargs)

    return noting


def _count_hops() -> None:
    submit = ThreadPoolExecutor.submit

    def submitted(self: ThreadPoolExecutor, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        counts["hops"] += 1
        return submit(self, _timed(function), *args, **kwargs)

    ThreadPoolExecutor.submit = submitted  # type: ignore[method-assign,assignment]


def _timed(function: Callable[..., Any]) -> Callable[..., Any]:
    """All CPU of a job in a thread; what lies in no phase stays "elsewhere"."""

    def timed(*args: Any, **kwargs: Any) -> Any:
        began = time.thread_time_ns()
        try:
            return function(*args, **kwargs)
        finally:
            counts["cpu elsewhere"] += time.thread_time_ns() - began

    return timed


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
    signal.signal(signal.SIGUSR2, _write)
    from chat.web import server

    return server.main(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
