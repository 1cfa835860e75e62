"""The smallest changes, as plain data: an item is created, some of its fields change, or it is deleted."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from graphs.models import Object
from graphs.objects.refs import Ref
from graphs.site.json_values import same

if TYPE_CHECKING:
    from graphs.objects.plain_rows import ReadRow

#: The fields of an item by their names on the wire, without its key. Of an item that existed it may also hold `id` and
#: `version`, so that it comes back as the same row, and newer than it was.
Record = dict[str, Any]
#: Holds, of a row that was deleted, what no field tells; nobody is shown it.
OTHER_COLUMNS = "other columns"
OF_THE_ROW = frozenset({"id", "version", OTHER_COLUMNS})


@dataclass(frozen=True, slots=True)
class Create:
    """`record` holds every field."""

    item: Ref
    record: Record


@dataclass(frozen=True, slots=True)
class Update:
    """Some fields of an item; `old` and `new` have the same names."""

    item: Ref
    old: Record
    new: Record


@dataclass(frozen=True, slots=True)
class Delete:
    """`record` is what `Create` would need to bring the item back."""

    item: Ref
    record: Record


Operation = Create | Update | Delete


def result(operation: Operation) -> Record:
    """The fields that an operation gives its item; none if it deletes it."""
    match operation:
        case Create(_, record):
            return record
        case Update(_, _, new):
            return new
        case Delete():
            return {}


def inverse(operation: Operation) -> Operation:
    """What takes the operation back."""
    match operation:
        case Create(item, record):
            return Delete(item, record)
        case Delete(item, record):
            return Create(item, record)
        case Update(item, old, new):
            return Update(item, new, old)


def inverses(operations: Iterable[Operation]) -> tuple[Operation, ...]:
    """What takes all of them back, the last one first."""
    return tuple(inverse(operation) for operation in reversed(tuple(operations)))


def to_json(operation: Operation) -> dict[str, Any]:
    match operation:
        case Create(item, record):
            return {"action": "create", **item.to_json(), "record": record}
        case Delete(item, record):
            return {"action": "delete", **item.to_json(), "record": record}
        case Update(item, old, new):
            return {"action": "update", **item.to_json(), "old": old, "new": new}


def from_json(data: dict[str, Any]) -> Operation:
    """What `to_json` gave."""
    item = Ref.from_json(data)
    match data["action"]:
        case "create":
            return Create(item, data["record"])
        case "delete":
            return Delete(item, data["record"])
        case "update":
            return Update(item, data["old"], data["new"])
        case action:
            raise ValueError(f"no operation is called {action!r}")


def net(operations: Iterable[Operation]) -> tuple[Operation, ...]:
    """At most one operation for each item with the effect of all, in the order in which items were first touched."""
    by_item: dict[Ref, Operation | None] = {}
    for operation in operations:
        before = by_item.get(operation.item)
        by_item[operation.item] = operation if before is None else _merged(before, operation)
    return tuple(operation for operation in by_item.values() if operation is not None)


def _merged(before: Operation, after: Operation) -> Operation | None:
    match before, after:
        case Create(item, record), Update(_, _, new):
            return Create(item, record | new)
        case Create(), Delete():
            return None
        case Update(item, old, _), Delete(_, record):
            return Delete(item, record | old)
        case Update(item, old, new), Update(_, later_old, later_new):
            return _update(item, later_old | old, new | later_new)
        case Delete(item, old), Create(_, new):
            return difference(item, old, new)
    raise ValueError(f"{after} cannot follow {before}")


def difference(item: Ref, old: Record | None, new: Record | None) -> Operation | None:
    """What makes `new` of `old`, where None is an item that is not there; None where nothing has to be done."""
    if old is None:
        return None if new is None else Create(item, new)
    return Delete(item, old) if new is None else _update(item, old, new)


def _update(item: Ref, old: Record, new: Record) -> Update | None:
    """The fields of both that differ; None where none does. The other fields were not registered at some time."""
    changed = [name for name in new if name in old and name not in OF_THE_ROW and not same(new[name], old[name])]
    if not changed:
        return None
    return Update(item, {name: old[name] for name in changed}, {name: new[name] for name in changed})


def growth(operations: Iterable[Operation]) -> int:
    """How many bytes more there are as JSON when all of them are done, nearly; less than nothing if there are less."""
    by = 0
    for operation in operations:
        match operation:
            case Create(_, record):
                by += _bytes(record)
            case Delete(_, record):
                by -= _bytes(record)
            case Update(_, old, new):
                by += _bytes(new) - _bytes(old)
    return by


def weight(operations: Iterable[Operation]) -> int:
    """How many characters all of them hold as JSON, before and after, nearly."""
    return sum(
        _bytes(each.old) + _bytes(each.new) if isinstance(each, Update) else _bytes(each.record) for each in operations
    )


def _bytes(record: Record) -> int:
    return len(json.dumps(fields(record), default=str))


def fields(record: Record) -> Record:
    """The record without what belongs to its row."""
    return {name: value for name, value in record.items() if name not in OF_THE_ROW}


def showable(value: Any) -> Any:
    """What may be shown of a record, or of the value of a field."""
    return {name: each for name, each in value.items() if name != OTHER_COLUMNS} if isinstance(value, dict) else value


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
    """What would be done, and the items that this depends on; where that is nothing, there are no targets.

    `headers` are of the objects that were read for it, and `rows` some of theirs, as they were read.
    """

    operations: tuple[Operation, ...]
    targets: tuple[Target, ...]
    headers: Mapping[Ref, Object] = field(default_factory=dict, compare=False)
    rows: "Mapping[Ref, ReadRow]" = field(default_factory=dict, compare=False)
