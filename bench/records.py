"""What business records cost: changes beside bare saves, lists and the matrix beside their SQL, retrieval among many.

All of it in one process over the functions behind the doors and the pages (`bench.record_times`). CPU is that of this
process and of PostgreSQL.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

from bench import systems
from bench.figures import median, percentile, ratio
from bench.servers import Servers
from bench.systems import ROOT
from bench.table import Row


@dataclass(frozen=True)
class Scale:
    """How often each is measured, the use cases of lists and of the matrix, and those that retrieval looks among."""

    updates: int = 400
    reads: int = 20
    listed: int = 10_000
    few: int = 1_000
    many: int = 100_000
    questions: int = 40
    changed: int = 1_000


QUICK = Scale(updates=60, reads=5, listed=2_000, few=500, many=5_000, questions=10)


def measure(servers: Servers, scale: Scale) -> list[Row]:
    variables = {**systems.environment(servers, "http://nobody.invalid"), "REDIS_PREFIX": "bench-records"}
    systems.prepare(variables)
    command = [sys.executable, "-m", "bench.record_times", json.dumps(asdict(scale))]
    answer = subprocess.run(command, cwd=ROOT, env=variables, check=True, stdout=subprocess.PIPE).stdout
    found = json.loads(answer)
    return list(rows(found["times"], found["statements"], scale))


def rows(times: Mapping[str, Sequence[float]], statements: int, scale: Scale) -> Iterator[Row]:
    ms = {name: median(values) * 1_000 for name, values in times.items()}
    p95 = {name: percentile(values, 95) * 1_000 for name, values in times.items()}

    def row(what: str, reference: str, product: str, target: float | None, of: Mapping[str, float] = ms) -> Row:
        return Row(what, of[reference], of[product], ratio(of[product], of[reference]), target, "ms")

    yield row("audited update of a record / bare save", "bare save", "audited update", 1.25)
    yield row("audited update / row held, read, validated and saved", "read and save", "audited update", None)
    yield row("audited update, CPU / bare save, CPU", "bare save, CPU", "audited update, CPU", None)
    listed = f"{scale.listed:,} use cases"
    yield row(f"page with the list of {listed} / its SQL", "bare list", "list", 3.0)
    yield row("the same list without its page / its SQL", "bare list", "read list", None)
    yield row("the same page / Django's own ListView of the same rows", "plain list", "list", None)
    yield row("the same page / one without a list", "other page", "list", None)
    yield row("the same page, CPU / its SQL, CPU", "bare list, CPU", "list, CPU", None)
    yield row("the same page, CPU / Django's own ListView, CPU", "plain list, CPU", "list, CPU", None)
    yield row(f"matrix of {listed} / its SQL", "bare matrix", "matrix", 3.0)
    yield row(f"retrieval p95, {scale.many:,} records / {scale.few:,}", "retrieval few", "retrieval many", 3.0, p95)
    nothing, asked = float("nan"), f"question about a folder of {scale.few:,} use cases, CPU"
    yield Row(asked, nothing, ms["question"], ms["question"], 100, "ms", "ms")
    yield Row(f"bulk change of {scale.changed:,} records", nothing, statements, statements, 12, "", "statements")
