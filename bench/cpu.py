"""CPU of other processes to the nanosecond, those of PostgreSQL together."""

import time
from collections.abc import Mapping
from dataclasses import dataclass

import psutil

from bench.systems import System

#: Linux: the clock of all threads of a process, also of those that have ended (`clock_getcpuclockid`).
_CPU_CLOCK = 2


@dataclass(frozen=True)
class Read:
    """Seconds of CPU so far: of the web process, and of each process of PostgreSQL."""

    web: float
    database: Mapping[int, float]


class Clocks:
    """Reads the clocks of a system's process and of the PostgreSQL that this process started."""

    def __init__(self) -> None:
        found = (child for child in psutil.Process().children(recursive=True) if child.name() == "postgres")
        self._postmaster = next(child for child in found if child.parent().name() != "postgres")

    def read(self, system: System) -> Read:
        pids = [child.pid for child in self._postmaster.children()]
        return Read(_cpu_s(system.process.pid), {pid: _cpu_s(pid) for pid in pids})

    def since(self, before: Read, system: System) -> tuple[float, float]:
        """Milliseconds of the web process and of PostgreSQL since then."""
        now = self.read(system)
        database = sum(used - before.database.get(pid, 0.0) for pid, used in now.database.items())
        return (now.web - before.web) * 1000, database * 1000


def _cpu_s(pid: int) -> float:
    """0.0 for one that has ended."""
    try:
        return time.clock_gettime((~pid << 3) | _CPU_CLOCK)
    except OSError:
        return 0.0
