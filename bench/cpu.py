"""CPU of other processes to the nanosecond: of a serving process, and of PostgreSQL for its database."""

import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import psutil

from bench.systems import System

#: Linux: the clock of all threads of a process, also of those that have ended (`clock_getcpuclockid`).
_CPU_CLOCK = 2
#: The title of a process that is for one database: autovacuum's, or person, database and where a connection comes from.
_OF_ONE = re.compile(
    r"postgres: (?:\S+: )?(?:autovacuum worker (?P<swept>\S+)|\S+ (?P<asked>\S+) (?:\[local\]|\S+\(\d+\)))"
)


@dataclass(frozen=True)
class Read:
    """Seconds of CPU so far: of the web process, and of each process of PostgreSQL."""

    web: float
    database: Mapping[int, float]

    def database_since(self, before: "Read") -> float:
        """Seconds of all processes of PostgreSQL."""
        return sum(used - before.database.get(pid, 0.0) for pid, used in self.database.items())


class Clocks:
    """Reads the clocks of a system's process and of the PostgreSQL that this process started.

    What it does for databases of other systems does not count; what it does for all of them does.
    """

    def __init__(self) -> None:
        found = (child for child in psutil.Process().children(recursive=True) if child.name() == "postgres")
        self._postmaster = next(child for child in found if child.parent().name() != "postgres")

    def read(self, system: System) -> Read:
        return self.read_of([system.process.pid], system.database)

    def read_of(self, web: Iterable[int], database: str) -> Read:
        found = {child.pid: _title(child) for child in self._postmaster.children()}
        pids = [pid for pid, title in found.items() if serves(title, database)]
        return Read(sum(map(cpu_s, web)), {pid: cpu_s(pid) for pid in pids})

    def since(self, before: Read, system: System) -> tuple[float, float]:
        """Milliseconds of the web process and of PostgreSQL since then."""
        now = self.read(system)
        return (now.web - before.web) * 1000, now.database_since(before) * 1000


def serves(title: str, database: str) -> bool:
    """Whether a process of PostgreSQL with this title is for the database, or for all."""
    of_one = _OF_ONE.match(title)
    return of_one is None or database in of_one.groups()


def _title(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.NoSuchProcess:
        return ""


def cpu_s(pid: int) -> float:
    """0.0 for one that has ended."""
    try:
        return time.clock_gettime((~pid << 3) | _CPU_CLOCK)
    except OSError:
        return 0.0
