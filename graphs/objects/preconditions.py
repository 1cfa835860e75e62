"""What operations touch, as it stands before they are applied, and where it is not what they expect."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphs.objects.operations import Create, Delete, Operation, Record, Update, fields
from graphs.objects.refs import Ref
from graphs.site.json_values import same


@dataclass(frozen=True, slots=True)
class Stored:
    """An object or a part of one as it stands: its record, its version, the primary key of its row.

    `row` is there where it is held, of a registered model.
    """

    item: Ref
    record: Record
    version: int
    id: Any
    row: Any = None


@dataclass(frozen=True, slots=True)
class Conflict:
    """What an operation expected of a field and what it found; of a whole item (no field), the other is None."""

    item: Ref
    field: str
    expected: Any
    found: Any


class Conflicting(Exception):
    """Something changed since the operations were made; nothing was applied."""

    def __init__(self, conflicts: Sequence[Conflict]) -> None:
        super().__init__(f"{len(conflicts)} conflicts")
        self.conflicts = tuple(conflicts)


@dataclass(frozen=True, slots=True)
class Before:
    """The items that operations touch, as they stand. A store whose parts name each other knows more about them."""

    found: Mapping[Ref, Stored]

    def refuse_conflicts(self, operations: Iterable[Operation]) -> None:
        """Raises `Conflicting`."""
        operations = tuple(operations)
        conflicts = [conflict for operation in operations for conflict in self._conflicts(operation)]
        conflicts += [Conflict(user.item, "", None, user.record) for user, _used in self.hanging(operations)]
        conflicts += self.missing(operations)
        if conflicts:
            raise Conflicting(conflicts)

    def hanging(self, operations: Iterable[Operation]) -> list[tuple[Stored, Ref]]:
        """Items that would stay though what they name goes, each with that."""
        return []

    def missing(self, operations: Iterable[Operation]) -> list[Conflict]:
        """What the operations name and what would not be there."""
        return []

    def lost_with(self, left_out: Collection[Ref], operations: Iterable[Operation]) -> set[Ref]:
        """Items that the operations cannot bring back, because they name one that is left out and is not there."""
        return set()

    def _conflicts(self, operation: Operation) -> Iterable[Conflict]:
        stored = self.found.get(operation.item)
        match operation:
            case Create(item, _) if stored is not None:
                yield Conflict(item, "", None, stored.record)
            case Update(item, old, _) | Delete(item, old) if stored is None:
                yield Conflict(item, "", old, None)
            case Update(item, old, _) | Delete(item, old):
                assert stored is not None
                for name, expected in fields(old).items():
                    if name not in stored.record or not same(stored.record[name], expected):
                        yield Conflict(item, name, expected, stored.record.get(name))
