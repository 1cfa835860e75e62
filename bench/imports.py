"""What an import costs beside a bare COPY of the same rows into the same tables (`bench.import_times`)."""

import json
import math
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from bench import systems
from bench.figures import median, ratio
from bench.servers import Servers
from bench.systems import ROOT
from bench.table import Row


@dataclass(frozen=True)
class Scale:
    """Nodes of each file, smallest first, and how often each is imported."""

    sizes: tuple[int, ...] = (10_000, 1_000_000)
    rounds: int = 3


QUICK = Scale(sizes=(5_000,), rounds=1)


def measure(servers: Servers, scale: Scale) -> list[Row]:
    variables = {**systems.environment(servers, "http://nobody.invalid"), "REDIS_PREFIX": "bench-imports"}
    systems.prepare(variables)
    command = [sys.executable, "-m", "bench.import_times", json.dumps(asdict(scale))]
    answer = subprocess.run(command, cwd=ROOT, env=variables, check=True, stdout=subprocess.PIPE).stdout
    return list(rows(json.loads(answer), scale.sizes))


def rows(found: Mapping[str, Any], sizes: Sequence[int]) -> Iterator[Row]:
    for size in sizes:
        bare, spent = (median(found["times"][f"{name} {size}"]) for name in ("copy", "import"))
        yield Row(f"import of {size:,} nodes / COPY of the same rows", bare, spent, ratio(spent, bare), 4.0, "s")
    yield Row(
        f"memory of the import of {sizes[-1]:,} nodes", math.nan, found["memory"], found["memory"], None, "", "MB"
    )
