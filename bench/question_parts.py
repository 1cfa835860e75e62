"""What one question is made of: statements, transactions, thread hops, commands to Valkey, bytes; a table by phase."""

import json
import signal
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import redis

from bench import systems
from bench.question_doors import door_of
from bench.question_scenes import SCENES, Scene
from bench.servers import Servers
from bench.systems import System

_QUESTIONS = 6
_SETTLES_S = 0.4
_WRITING = "SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint, pg_current_wal_lsn() - '0/0'::pg_lsn"
#: How `bench.counted_server` names them, with the phase behind.
_STATEMENTS, _CPU = "statements ", "cpu "


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
        more = {"writing transactions": row[0], "WAL bytes": float(row[1]), "Valkey commands": served}
        return {**found, **more, "log bytes": self.log.stat().st_size}


def _parts(sources: Sources, scene: Scene) -> dict[str, float]:
    """Of one question, the mean of some; what idle time takes is taken off."""
    with door_of(sources.system, scene) as door:
        for _ in range(2):
            door.ask(scene.next_text())
        time.sleep(_SETTLES_S)
        idle = sources.read()
        time.sleep(_SETTLES_S * _QUESTIONS)
        before = sources.read()
        for _ in range(_QUESTIONS):
            door.ask(scene.next_text())
            time.sleep(_SETTLES_S)
        after = sources.read()
    return {
        name: (value - before.get(name, 0) - max(0.0, before.get(name, 0) - idle.get(name, 0))) / _QUESTIONS
        for name, value in after.items()
    }


def measure(servers: Servers) -> str:
    """A table of each scene's parts, the product's only. Its tables exist already."""
    with _counted(servers) as sources:
        found = {scene.name: _parts(sources, scene) for scene in SCENES if scene.possible(sources.system)}
    return f"{_totals(found)}\n\n{_phases(found)}"


def _totals(found: Mapping[str, Mapping[str, float]]) -> str:
    named = ("hops", "Valkey commands", "writing transactions", "WAL bytes", "log bytes")
    rows = [["question", "statements", "commits", *named]]
    for scene, parts in found.items():
        sums = (
            sum(value for name, value in parts.items() if name.startswith(kind)) for kind in ("statements ", "commits ")
        )
        rows.append([scene, *(f"{value:.1f}" for value in (*sums, *(parts.get(name, 0.0) for name in named)))])
    return _markdown(rows)


def _phases(found: Mapping[str, Mapping[str, float]]) -> str:
    """Statements and CPU in ms by phase; what no thread did is the event loop's."""
    phases = sorted(
        {name.removeprefix(_CPU) for parts in found.values() for name in parts if name.startswith(_CPU)} - {"process"}
    )
    rows = [["statements / ms of CPU", *phases, "event loop"]]
    for scene, parts in found.items():
        threads = sum(parts.get(f"{_CPU}{phase}", 0.0) for phase in phases)
        cells = [
            f"{parts.get(f'{_STATEMENTS}{phase}', 0.0):.1f} / {parts.get(f'{_CPU}{phase}', 0.0) / 1e6:.1f}"
            for phase in phases
        ]
        rows.append([scene, *cells, f"{(parts.get('cpu process', 0.0) - threads) / 1e6:.1f}"])
    return _markdown(rows)


def _markdown(rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])


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
