"""What vectors cost: writing them beside a bare COPY, and finding the nearest in graphs of any size.

All of it in one process over the functions behind the doors (`bench.embedding_times`).
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from bench import systems
from bench.figures import median, percentile, ratio
from bench.servers import Servers
from bench.systems import ROOT
from bench.table import Row


@dataclass(frozen=True)
class Scale:
    """Nodes whose vectors are written and how often, the vectors of each graph that is searched, and the questions."""

    nodes: int = 10_000
    rounds: int = 5
    graphs: tuple[int, ...] = (1_000, 20_000, 1_000_000)
    questions: int = 100


QUICK = Scale(nodes=2_000, rounds=2, graphs=(1_000, 25_000), questions=20)


def measure(servers: Servers, scale: Scale) -> list[Row]:
    variables = {**systems.environment(servers, "http://nobody.invalid"), "REDIS_PREFIX": "bench-embeddings"}
    systems.prepare(variables)
    command = [sys.executable, "-m", "bench.embedding_times", json.dumps(asdict(scale))]
    answer = subprocess.run(command, cwd=ROOT, env=variables, check=True, stdout=subprocess.PIPE).stdout
    return list(rows(json.loads(answer), scale))


def rows(found: Mapping[str, Any], scale: Scale) -> Iterator[Row]:
    times: Mapping[str, Sequence[float]] = found["times"]
    bare = median(times["bare copy"])
    for batch in found["batches"]:
        stored = median(times[f"stored by {batch}"])
        what = f"{scale.nodes:,} vectors stored by {batch} / one bare COPY"
        yield Row(what, bare * 1_000, stored * 1_000, ratio(stored, bare), 2.0, "ms")
        alike = median(times[f"bare copy by {batch}"])
        what = f"{scale.nodes:,} vectors stored by {batch} / COPY by {batch}"
        yield Row(what, alike * 1_000, stored * 1_000, ratio(stored, alike), None, "ms")
    smallest = percentile(times[f"nearest of {scale.graphs[0]}"], 95)
    for size in scale.graphs:
        spent = percentile(times[f"nearest of {size}"], 95)
        what = f"nearest 10 of {size:,}, p95 / of {scale.graphs[0]:,}"
        yield Row(what, smallest * 1_000, spent * 1_000, ratio(spent, smallest), None, "ms")
        missed = 1 - found["recall"][str(size)]
        yield Row(f"nearest 10 of {size:,}, missed of the true ones", float("nan"), missed, missed, 0.05, "", "")
    for size, seconds in found["built"].items():
        yield Row(f"index of {int(size):,} built", float("nan"), seconds, seconds, None, "s", "s")
