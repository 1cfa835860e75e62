"""How far a long command is: a bar where somebody watches, a line every few seconds elsewhere."""

import time
from datetime import timedelta
from typing import TextIO

WIDTH = 30
#: Seconds between two reports, on a terminal and elsewhere.
ON_TERMINAL_S = 0.2
ELSEWHERE_S = 10.0


class ProgressBar:
    """With `quiet_s` nothing is reported before so much has passed, nor at the end of what was never reported."""

    def __init__(self, out: TextIO, total: int, unit: str, quiet_s: float = 0.0) -> None:
        self._out = out
        self._total = total
        self._unit = unit
        self._done = 0
        self._watched = out.isatty()
        self._began = self._reported = time.monotonic()
        self._quiet_s = quiet_s
        self._seen = not quiet_s

    def advance(self, by: int) -> None:
        self.reach(self._done + by, self._total)

    def reach(self, done: int, total: int) -> None:
        """For who knows only on the way how much it is."""
        self._done, self._total = done, total
        now = time.monotonic()
        pause = ON_TERMINAL_S if self._watched else ELSEWHERE_S
        if now - self._began >= self._quiet_s and now - self._reported >= pause:
            self._reported = now
            self._seen = True
            self._write("\r" if self._watched else "")

    def close(self) -> None:
        """The last report stays."""
        if self._seen:
            self._write("\r" if self._watched else "", end="\n")

    def _write(self, start: str, end: str = "") -> None:
        self._out.write(f"{start}{self.line()}{end or ('' if self._watched else chr(10))}")
        self._out.flush()

    def line(self) -> str:
        """`[######........] 40 %  4,000 of 10,000 nodes, 812 a second, 0:00:07 left`."""
        part = self._done / self._total if self._total else 1.0
        elapsed = max(time.monotonic() - self._began, 1e-9)
        rate = self._done / elapsed
        left = timedelta(seconds=round((self._total - self._done) / rate)) if rate else "?"
        bar = ("#" * round(part * WIDTH)).ljust(WIDTH, ".")
        counts = f"{self._done:,} of {self._total:,} {self._unit}"
        return f"[{bar}] {part:4.0%}  {counts}, {rate:,.0f} a second, {left} left"
