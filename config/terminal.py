"""One terminal for all processes: prefixed, coloured lines, written by one thread that never makes a process wait."""

import os
import queue
import re
import sys
import threading
from collections.abc import Iterable
from typing import TextIO

COLOURS = ("36", "33", "32", "35", "34", "31")
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
#: Lines that wait while the reader of our output is slow; later ones are counted and dropped.
BACKLOG = 20_000


class Terminal:
    """`names` are the prefixes that will be used; they decide width and colours."""

    def __init__(self, names: Iterable[str], out: TextIO = sys.stdout) -> None:
        self._out = out
        self._lines: queue.Queue[str | None] = queue.Queue(BACKLOG)
        self._dropped = 0
        names = list(names)
        self._width = max(map(len, names), default=0)
        coloured = out.isatty() and not os.environ.get("NO_COLOR")
        self._colours = {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(names)} if coloured else {}
        self._writer = threading.Thread(target=self._write_all, daemon=True)
        self._writer.start()

    def say(self, sentence: str) -> None:
        """A line of our own, without prefix."""
        self._put(sentence)

    def line(self, name: str, text: str) -> None:
        """A line that the process `name` wrote."""
        prefix = f"{name:<{self._width}} |"
        if colour := self._colours.get(name):
            prefix = f"\x1b[{colour}m{prefix}\x1b[0m"
        self._put(f"{prefix} {CONTROL.sub('', text)}")

    def close(self) -> None:
        """Waits a moment for what is still to be written."""
        try:
            self._lines.put(None, timeout=1)
        except queue.Full:
            return
        self._writer.join(timeout=2)

    def _put(self, text: str) -> None:
        try:
            self._lines.put_nowait(text)
        except queue.Full:
            self._dropped += 1

    def _write_all(self) -> None:
        while (text := self._lines.get()) is not None:
            if self._dropped:
                text, self._dropped = f"({self._dropped} lines were left out here.)\n{text}", 0
            try:
                self._out.write(text + "\n")
                if self._lines.empty():
                    self._out.flush()
            except (OSError, ValueError):
                continue  # Nobody reads any more, or the disk is full: the processes go on.
