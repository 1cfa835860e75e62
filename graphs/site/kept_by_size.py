"""Keeps what was made of texts that people write: how many there are says little of these, so bytes are counted."""

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Generic, TypeVar

V = TypeVar("V")

#: What an entry takes beside what is said of it.
_ENTRY_BYTES = 500


class KeptBySize(Generic[V]):
    """What was made lately, up to a number of bytes; what was asked for longest ago goes first."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._taken = 0
        self._kept: OrderedDict[Hashable, tuple[V, int]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable) -> V | None:
        with self._lock:
            found = self._kept.get(key)
            if found is None:
                return None
            self._kept.move_to_end(key)
            return found[0]

    def put(self, key: Hashable, value: V, taken: int) -> None:
        """Keeps a value; `taken` are the bytes of it and of the key."""
        with self._lock:
            if key in self._kept:
                return
            self._kept[key] = value, taken + _ENTRY_BYTES
            self._taken += taken + _ENTRY_BYTES
            while self._taken > self._most_bytes:
                _, (_, freed) = self._kept.popitem(last=False)
                self._taken -= freed

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()
            self._taken = 0
