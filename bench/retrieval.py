"""What retrieval costs in graphs of different sizes, beside what PostgreSQL needs at least, and at a hub beside a leaf.

All of it in one process over the functions behind the doors (`bench.retrieval_times`).
"""

import json
import math
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from bench import systems
from bench.figures import median, percentile, ratio
from bench.servers import Servers
from bench.systems import ROOT
from bench.table import Row


@dataclass(frozen=True)
class Scale:
    """Nodes of each graph, smallest first, the questions, and how often each is asked; its fastest time counts.

    `recalled` of the questions are also answered by comparing all vectors.
    """

    sizes: tuple[int, ...] = (10, 1_000, 100_000, 1_000_000)
    questions: int = 200
    times: int = 3
    recalled: int = 50


QUICK = Scale(sizes=(10, 1_000, 30_000), questions=60)
#: What the sizes are compared with.
BESIDE = 1_000


def sizes_of(wanted: Iterable[int]) -> tuple[int, ...]:
    """The sizes that somebody wants, with the one that they are compared with."""
    return tuple(sorted({BESIDE, *wanted}))


def measure(servers: Servers, scale: Scale) -> list[Row]:
    variables = {**systems.environment(servers, "http://nobody.invalid"), "REDIS_PREFIX": "bench-retrieval"}
    systems.prepare(variables)
    command = [sys.executable, "-m", "bench.retrieval_times", json.dumps(asdict(scale))]
    answer = subprocess.run(command, cwd=ROOT, env=variables, check=True, stdout=subprocess.PIPE).stdout
    return list(rows(json.loads(answer), scale.sizes))


def rows(found: Mapping[str, Any], sizes: Sequence[int]) -> Iterator[Row]:
    times: Mapping[str, Sequence[float]] = found["times"]

    def p95(name: str) -> float:
        return percentile(times[name], 95) * 1_000

    small = p95(f"retrieval {BESIDE}")
    for size in sizes:
        whole, floor = p95(f"retrieval {size}"), p95(f"floors {size}")
        what = f"retrieval in {size:,} nodes"
        yield Row(f"{what}, p95 / in {BESIDE:,}", small, whole, ratio(whole, small), 3.0, "ms")
        target = 2.5 if size == sizes[-1] else None
        yield Row(f"{what}, p95 / nearest vectors and expansion alone", floor, whole, ratio(whole, floor), target, "ms")
        middle, floor_middle = (median(times[f"{name} {size}"]) * 1_000 for name in ("retrieval", "floors"))
        yield Row(f"{what}, p50 / the same", floor_middle, middle, ratio(middle, floor_middle), None, "ms")
    for size, recall in found["recall"].items():
        missed = 1 - recall
        yield Row(f"nearest 10 of {int(size):,}, missed of the true ones", math.nan, missed, missed, 0.05, "", "")
    yield Row("statements of one retrieval, at most", math.nan, found["statements"], found["statements"], 4, "", "")
    hub, leaf = p95(f"hub {sizes[-1]}"), p95(f"leaf {sizes[-1]}")
    yield Row(
        f"a question that names a hub, p95 / a leaf, {sizes[-1]:,} nodes", leaf, hub, ratio(hub, leaf), None, "ms"
    )
