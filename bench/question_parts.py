"""What one question is made of: statements, transactions, thread hops, commands to Valkey, bytes; a table by phase."""

import json
import signal
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from math import nan
from pathlib import Path
from typing import Any

import psycopg
import redis

from bench import systems
from bench.figures import median
from bench.question_doors import door_of
from bench.question_scenes import SCENES, Scene
from bench.servers import Servers
from bench.systems import System
from bench.table import Row, markdown, table

_QUESTIONS = 6
_SETTLES_S = 0.4
_WRITING = "SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint, pg_current_wal_lsn() - '0/0'::pg_lsn"
#: How `bench.counted_server` names them, with the phase behind.
_STATEMENTS, _CPU = "statements ", "cpu "
#: All statements when a call of a model began, and when the first token was shown.
_ASKED, _SHOWN = "so far, asked", "so far, shown"
#: When it was read, in seconds.
_AT = "at"


@dataclass(frozen=True)
class Sources:
    """Where counts come from: the process's own, PostgreSQL's, Valkey's, and the size of what it wrote to its log."""

    system: System
    database: psycopg.Connection
    valkey: "redis.Redis[bytes]"
    counts: Path
    log: Path

    def read(self) -> dict[str, float]:
        self.counts.unlink(missing_ok=True)
        self.system.process.send_signal(signal.SIGUSR2)
        while not self.counts.exists():
            time.sleep(0.01)
        found: dict[str, float] = json.loads(self.counts.read_text())
        row = self.database.execute(_WRITING).fetchone()
        assert row is not None
        commands: Mapping[str, Any] = self.valkey.info("commandstats")
        served = sum(each["calls"] for name, each in commands.items() if name != "cmdstat_info")
        more = {
            "writing transactions": row[0], "WAL bytes": float(row[1]), "Valkey commands": served,
            "Valkey connections": self.valkey.info("stats")["total_connections_received"],
        }  # fmt: skip
        return {**found, **more, "log bytes": self.log.stat().st_size, _AT: time.monotonic()}


def _parts(sources: Sources, scene: Scene) -> dict[str, float]:
    """Of one question, the mean of some; what idle time takes is taken off."""
    with door_of(sources.system, scene) as door:
        for _ in range(2):
            door.ask(scene.next_text())
        time.sleep(_SETTLES_S)
        idle = sources.read()
        time.sleep(_SETTLES_S * _QUESTIONS)
        first = before = sources.read()
        reached: list[dict[str, float]] = []
        for _ in range(_QUESTIONS):
            door.ask(scene.next_text())
            time.sleep(_SETTLES_S)
            after = sources.read()
            reached.append({mark: after[mark] - _statements(before) for mark in (_ASKED, _SHOWN)})
            before = after
    parts = {name: value / _QUESTIONS for name, value in without_idle(idle, first, after).items()}
    return parts | {mark: median(each[mark] for each in reached) for mark in (_ASKED, _SHOWN)}


def without_idle(
    idle: Mapping[str, float], before: Mapping[str, float], after: Mapping[str, float]
) -> dict[str, float]:
    """What came since `before`, less what so long a time brings anyway, as from `idle` to `before`."""
    times = (after[_AT] - before[_AT]) / (before[_AT] - idle[_AT])
    return {
        name: value - before.get(name, 0) - times * max(0.0, before.get(name, 0) - idle.get(name, 0))
        for name, value in after.items()
        if name != _AT
    }


def _statements(parts: Mapping[str, float]) -> float:
    return sum(value for name, value in parts.items() if name.startswith(_STATEMENTS))


def measure(servers: Servers) -> str:
    """Tables of each scene's parts, the product's only, and what its targets speak of. Its tables exist already."""
    with _counted(servers) as sources:
        scenes = [scene for scene in SCENES if scene.possible(sources.system)]
        found = {scene.name: _parts(sources, scene) for scene in scenes}
    without_tools = {scene.name: found[scene.name] for scene in scenes if scene.tool is None}
    return "\n\n".join([table(list(statement_rows(without_tools))), _totals(found), _phases(found)])


def statement_rows(found: Mapping[str, Mapping[str, float]]) -> Iterator[Row]:
    """Statements beside their targets; that which stores the first token comes before it is shown."""
    for scene, parts in found.items():
        counts = (
            ("before the vendor is asked", parts[_ASKED], None),
            ("to the first token, its own included", parts[_SHOWN], 8),
            ("in all", _statements(parts), 16),
        )
        for what, count, target in counts:
            yield Row(f"{scene}: statements {what}", nan, count, count, target, result_unit="")


def _totals(found: Mapping[str, Mapping[str, float]]) -> str:
    named = ("hops", "Valkey commands", "Valkey connections", "writing transactions", "WAL bytes", "log bytes")
    rows = [["question", "statements", "commits", *named]]
    for scene, parts in found.items():
        commits = sum(value for name, value in parts.items() if name.startswith("commits "))
        values = (_statements(parts), commits, *(parts.get(name, 0.0) for name in named))
        rows.append([scene, *(f"{value:.1f}" for value in values)])
    return markdown(rows)


def _phases(found: Mapping[str, Mapping[str, float]]) -> str:
    """Statements and CPU in ms by phase, in threads and on the event loop; the rest of the event loop is in none."""
    phases = sorted(
        {name.removeprefix(_CPU) for parts in found.values() for name in parts if name.startswith(_CPU)} - {"process"}
    )
    rows = [["statements / ms of CPU", *phases, "rest of the event loop"]]
    for scene, parts in found.items():
        named = sum(parts.get(f"{_CPU}{phase}", 0.0) for phase in phases)
        cells = [
            f"{parts.get(f'{_STATEMENTS}{phase}', 0.0):.1f} / {parts.get(f'{_CPU}{phase}', 0.0) / 1e6:.1f}"
            for phase in phases
        ]
        rows.append([scene, *cells, f"{(parts.get('cpu process', 0.0) - named) / 1e6:.1f}"])
    return markdown(rows)


@contextmanager
def _counted(servers: Servers) -> Iterator[Sources]:
    with systems.vendor() as vendor, tempfile.TemporaryDirectory() as folder:
        counts, log = Path(folder) / "counts.json", Path(folder) / "log"
        variables = systems.with_long_memory(systems.environment(servers, vendor), vendor) | {
            "BENCH_COUNTS": str(counts),
            "AI_LOG_SINK": "",
        }
        with (
            systems.counted(variables, log) as system,
            psycopg.connect(servers.database_url, autocommit=True) as database,
        ):
            yield Sources(system, database, redis.Redis.from_url(servers.redis_url), counts, log)
