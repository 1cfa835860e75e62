"""How far a long command is: a bar where somebody watches, a line every few seconds elsewhere."""

import time
from datetime import timedelta
from typing import TextIO

WIDTH = 30
#: Seconds between two reports, on a terminal and elsewhere.
ON_TERMINAL_S = 0.2
ELSEWHERE_S = 10.0


class ProgressBar:
    def __init__(self, out: TextIO, total: int, unit: str) -> None:
        self._out = out
        self._total = total
        self._unit = unit
        self._done = 0
        self._watched = out.isatty()
        self._began = self._reported = time.monotonic()

    def advance(self, by: int) -> None:
        self._done += by
        now = time.monotonic()
        if now - self._reported >= (ON_TERMINAL_S if self._watched else ELSEWHERE_S):
            self._reported = now
            self._write("\r" if self._watched else "")

    def close(self) -> None:
        """The last report stays."""
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
