"""How far a long command is: a bar where somebody watches, a line every few seconds elsewhere."""

import time
from collections import deque
from datetime import timedelta

from django.core.management.base import OutputWrapper

WIDTH = 30
#: Seconds between two reports, on a terminal and elsewhere.
ON_TERMINAL_S = 0.2
ELSEWHERE_S = 10.0
#: The rate is that of so many seconds: what was done by an earlier run goes by much faster than what is left.
RATE_S = 30.0


class ProgressBar:
    """Reports how far a piece of work is. With `quiet_s` nothing is reported of work that is done sooner."""

    def __init__(self, out: OutputWrapper, total: int, unit: str, quiet_s: float = 0.0) -> None:
        self._out = out
        self._total = total
        self._unit = unit
        self._done = 0
        self._watched = out.isatty()
        self._began = self._reported = time.monotonic()
        #: When how much was done, of the last half minute.
        self._marks = deque([(self._began, 0)])
        self._quiet_s = quiet_s
        self._seen = not quiet_s
        self._shown = ""

    def advance(self, by: int) -> None:
        self.reach(self._done + by, self._total)

    def reach(self, done: int, total: int) -> None:
        """Reports progress in work whose size is known only on the way."""
        self._done, self._total = done, total
        now = time.monotonic()
        self._marks.append((now, done))
        while len(self._marks) > 2 and self._marks[1][0] <= now - RATE_S:
            self._marks.popleft()
        pause = ON_TERMINAL_S if self._watched else ELSEWHERE_S
        if now - self._began >= self._quiet_s and now - self._reported >= pause:
            self._reported = now
            self._seen = True
            self._write("" if self._watched else "\n")

    def close(self) -> None:
        """The last report stays; there is none of nothing."""
        if self._seen and (self._total or self._done):
            self._write("\n")

    def _write(self, end: str) -> None:
        """Writes a report; on a terminal it replaces the whole report before."""
        line = self.line()
        self._out.write(f"\r{line.ljust(len(self._shown))}{end}" if self._watched else line + end, ending="")
        self._out.flush()
        self._shown = line

    def line(self) -> str:
        """`[######........] 40 %  4,000 of 10,000 nodes, 812 a second, 0:00:07 left`."""
        total = max(self._total, self._done)
        part = self._done / total if total else 1.0
        began, before = self._marks[0]
        rate = (self._done - before) / max(self._marks[-1][0] - began, 1e-9)
        left = timedelta(seconds=round((total - self._done) / (rate or 1))) if rate or total == self._done else "?"
        bar = ("#" * round(part * WIDTH)).ljust(WIDTH, ".")
        counts = f"{self._done:,} of {total:,} {self._unit}"
        return f"[{bar}] {part:4.0%}  {counts}, {rate:,.0f} a second, {left} left"
