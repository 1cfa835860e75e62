"""What was computed from what somebody asked for, before anything is done."""

from dataclasses import dataclass
from typing import Any

from graphs.objects.operations import Operation


@dataclass(frozen=True, slots=True)
class Target:
    """An object or a part of one as the plan read it: kind, key, and version, which is 0 if it only has to be there."""

    type: str
    id: str
    version: int

    def to_json(self) -> dict[str, Any]:
        return {"type": self.type, "id": self.id, "version": self.version}


@dataclass(frozen=True, slots=True)
class Planned:
    """What would be done, and the items that this depends on; a node that depends on nothing has no targets."""

    operations: tuple[Operation, ...]
    targets: tuple[Target, ...]
