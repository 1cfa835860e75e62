"""Files of figures whose room is taken before it is written to: a hole in a file on a full disk would end the process.

Where there is no room the figures stay in memory until there is. Other processes do not see them meanwhile.
"""

import logging
import mmap
import os
import sys
import time
from contextlib import suppress
from typing import IO, Any

from prometheus_client import values
from prometheus_client.mmap_dict import MmapedDict

log = logging.getLogger("countersign.metrics")

FIRST_BYTES = 1 << 16
#: The number of bytes that are used, and padding.
BEFORE_FIRST = 8
#: What an entry takes beside its name.
AROUND_NAME = 32
TRY_AGAIN_S = 10.0


class ReservedFile(MmapedDict):
    """What `prometheus_client` keeps the figures of a process in."""

    def __init__(self, filename: str) -> None:
        self._fname = filename
        self._f: Any = None
        self._m = mmap.mmap(-1, FIRST_BYTES)
        self._capacity = FIRST_BYTES
        self._used = 0
        self._positions: dict[str, int] = {}
        self._again_at = 0.0
        self._said = False
        self._move_to_file()
        self._used = int.from_bytes(self._m[:4], sys.byteorder) or BEFORE_FIRST
        self._m[:4] = self._used.to_bytes(4, sys.byteorder)
        for key, _value, _timestamp, position in self._read_all_values():
            self._positions[key] = position

    def read_value(self, key: str) -> Any:
        self._find_room(key)
        return super().read_value(key)

    def write_value(self, key: str, value: float, timestamp: float) -> None:
        self._find_room(key)
        super().write_value(key, value, timestamp)

    def _find_room(self, key: str) -> None:
        """Room for one more entry, if this is a new one, so that nothing behind the end is written to."""
        if self._f is None and time.monotonic() >= self._again_at:
            self._move_to_file()
        needed = self._used + len(key.encode()) + AROUND_NAME
        if key in self._positions or needed <= self._capacity:
            return
        capacity = max(2 * self._capacity, needed)
        if self._f is not None:
            try:
                self._m = _reserved(self._f, capacity)
            except OSError as error:
                self._stay_in_memory(error)
        if self._f is None:
            self._m = _copied(self._m, capacity)
        self._capacity = capacity

    def _move_to_file(self) -> None:
        """Goes on in the file, which is made if there is none; in memory if there is no room for it."""
        try:
            self._f = open(self._fname, "a+b")  # noqa: SIM115
            mapped = _reserved(self._f, self._capacity)
        except OSError as error:
            self._stay_in_memory(error)
            return
        mapped[: self._used] = self._m[: self._used]
        self._m, self._capacity, self._said = mapped, len(mapped), False

    def _stay_in_memory(self, error: OSError) -> None:
        """Removes the file, which nobody shall read half: all that it held is here."""
        self._again_at = time.monotonic() + TRY_AGAIN_S
        if not self._said:
            log.warning("no room for metrics, they stay in memory until there is: %s", type(error).__name__)
            self._said = True
        self._m = _copied(self._m, self._capacity)
        if self._f is not None:
            self._f.close()
            self._f = None
            with suppress(OSError):
                os.unlink(self._fname)


def use() -> None:
    """Makes `prometheus_client` keep its figures so. Called before the first one is made."""
    values.MmapedDict = ReservedFile  # type: ignore[attr-defined,assignment]


def _reserved(file: IO[bytes], capacity: int) -> mmap.mmap:
    """The file in memory, `capacity` bytes or what it has. Raises `OSError` where the disk has no room for them.

    Zeros are written: they take the room, which a longer file alone does not.
    """
    size = os.fstat(file.fileno()).st_size
    while size < capacity:
        size += os.pwrite(file.fileno(), bytes(capacity - size), size)
    return mmap.mmap(file.fileno(), size)


def _copied(memory: mmap.mmap, capacity: int) -> mmap.mmap:
    """As many bytes of memory, which begin with those."""
    copy = mmap.mmap(-1, capacity)
    copy[: len(memory)] = memory[:]
    return copy
