"""The people at a graph: those of this process, and those of others as their processes last said. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

#: People of a process that says nothing for so long are gone with it.
FORGET_AFTER_S = 10.0
#: People that anybody is shown, and that another process is believed to have.
MOST = 100


@dataclass(slots=True)
class Person:
    """One open page. `selection` are keys of nodes; `cursor` is a place on a sheet, or None."""

    id: str
    name: str
    selection: tuple[str, ...] = ()
    cursor: dict[str, Any] | None = None

    def to_json(self) -> dict[str, Any]:
        shown = {"id": self.id, "name": self.name, "selection": list(self.selection)}
        return shown | ({"cursor": self.cursor} if self.cursor else {})


@dataclass(slots=True)
class Elsewhere:
    """What other processes said, and until when it counts, by process."""

    _said: dict[str, tuple[list[dict[str, Any]], float]] = field(default_factory=dict)

    def hear(self, process: str, people: Iterable[Any], now: float) -> None:
        self._said[process] = ([each for each in people if isinstance(each, dict)][:MOST], now + FORGET_AFTER_S)

    def people(self, now: float) -> list[dict[str, Any]]:
        for process in [process for process, (_people, until) in self._said.items() if until <= now]:
            del self._said[process]
        return [each for people, _until in self._said.values() for each in people]
