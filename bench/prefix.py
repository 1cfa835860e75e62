"""How much of a request's beginning is that of the request before: what vendors' caches can serve.

Recorded requests of conversations of many turns with rounds of tools, on each wire (`bench.prefix_loop`).
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence

from bench import systems
from bench.servers import Servers
from bench.systems import ROOT
from bench.table import Row

TURNS = 20
QUICK_TURNS = 4
#: At most this much of a request may not be served by a cache that knows the one before.
LOST = 0.03


def measure(servers: Servers, turns: int) -> list[Row]:
    variables = {**systems.environment(servers, "http://nobody.invalid"), "REDIS_PREFIX": "bench-prefix"}
    systems.prepare(variables)
    command = [sys.executable, "-m", "bench.prefix_loop", str(turns)]
    answer = subprocess.run(command, cwd=ROOT, env=variables, check=True, stdout=subprocess.PIPE).stdout
    return list(rows(json.loads(answer.splitlines()[-1]), turns))


def rows(shares: Mapping[str, Sequence[float]], turns: int) -> Iterator[Row]:
    nan = float("nan")
    for wire, found in shares.items():
        what = f"{wire}: {turns} turns, {len(found) + 1} requests, not shared with the one before"
        mean = 1 - sum(found) / len(found)
        yield Row(f"{what}, mean", nan, mean, mean, LOST, "", "")
        yield Row(f"{what}, worst", nan, 1 - min(found), 1 - min(found), LOST, "", "")
