"""What the history costs: a change with its record beside a bare save, old versions beside new ones, rollbacks.

All of it in one process over the functions behind the doors (`bench.history_times`).
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

from bench import systems
from bench.figures import median, ratio
from bench.servers import Servers
from bench.systems import ROOT
from bench.table import Row


@dataclass(frozen=True)
class Scale:
    """How often each is measured, the versions of the two graphs, and the objects of a rollback."""

    updates: int = 600
    reads: int = 40
    few: int = 100
    many: int = 100_000
    objects: int = 1_000
    rollbacks: int = 12


QUICK = Scale(updates=100, reads=5, many=10_000, rollbacks=3)


def measure(servers: Servers, scale: Scale) -> list[Row]:
    variables = {**systems.environment(servers, "http://nobody.invalid"), "REDIS_PREFIX": "bench-history"}
    systems.prepare(variables)
    command = [sys.executable, "-m", "bench.history_times", json.dumps(asdict(scale))]
    answer = subprocess.run(command, cwd=ROOT, env=variables, check=True, stdout=subprocess.PIPE).stdout
    found = json.loads(answer)
    return list(rows(found["times"], found["statements"], scale))


def rows(times: Mapping[str, Sequence[float]], statements: int, scale: Scale) -> Iterator[Row]:
    ms = {name: median(values) * 1_000 for name, values in times.items()}

    def row(what: str, reference: str, product: str, target: float | None) -> Row:
        return Row(what, ms[reference], ms[product], ratio(ms[product], ms[reference]), target, "ms")

    yield row("audited update / bare save of a row at hand", "bare save", "audited update", 1.25)
    yield row("audited update / row held, read and saved", "read and save", "audited update", None)
    sizes = f"{scale.many:,} versions / {scale.few:,}"
    yield row(f"page of the history, {sizes}", "page few", "page many", 1.5)
    for what in ("a recent version", "the first version"):
        yield row(f"restore {what}, {sizes}", f"restore {what} few", f"restore {what} many", 1.5)
    many = f"rollback of {scale.objects:,} objects"
    yield row(f"{many} / one bare UPDATE ... FROM", "bare update of many", "rollback of many", 2.0)
    yield row(f"{many} as it was shown / the same UPDATE", "bare update of many", "rollback of many as shown", 2.0)
    for what in ("propose", "approve"):
        verb = "proposing" if what == "propose" else "approving"
        yield row(f"{verb} {scale.objects:,} operations / the same UPDATE", "bare update of many", f"{what} many", None)
    yield Row(f"{many}, statements", float("nan"), statements, statements, 8, "", "statements")
