"""What takes modifications back, and where later edits stand in the way. Pure: only looks at what was read before.

Modifications are taken back from the last to the first on a copy of what is there now. One that finds what it left is
undone; one that finds what it had found is undone already; anything else was edited since, which is a clash.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from graphs.objects.operations import Create, Delete, Operation, Record, Update, difference, fields
from graphs.objects.preconditions import Before
from graphs.objects.refs import Ref
from graphs.site.json_values import same

#: Why something cannot be taken back: its field was changed since; it was deleted, or created anew, since; edges were
#: connected to it since; what it leads to is not there; a type is used; a part would not fit it.
Code = Literal["changed", "gone", "recreated", "connected", "missing", "used", "unfit"]


@dataclass(frozen=True, slots=True)
class Clash:
    """A later edit in the way: of a field, or with no field of an item (its record). `by` hangs on the item.

    `why` says more of one that does not fit.
    """

    code: Code
    item: Ref
    field: str
    expected: Any = None
    found: Any = None
    by: Ref | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Left:
    """What is to stay as it is: a field, or with no field the whole item."""

    item: Ref
    field: str = ""


@dataclass(frozen=True, slots=True)
class Undone:
    """What takes modifications back, one operation an item, and what is in the way. `left` stays as it is."""

    operations: tuple[Operation, ...]
    clashes: tuple[Clash, ...]
    left: tuple[Left, ...]


@dataclass(slots=True)
class _Doubt:
    """A field was not what a modification had left; an earlier one may tell that it is undone up to `old`."""

    clash: Clash
    old: list[Any] | None


@dataclass(slots=True)
class _Undoing:
    """`now` is the copy, `rows` the primary keys of what is there. Clashes and doubts are by item and field."""

    now: dict[Ref, Record | None]
    rows: Mapping[Ref, Any]
    clashes: dict[tuple[Ref, str], Clash] = field(default_factory=dict)
    doubts: dict[tuple[Ref, str], _Doubt] = field(default_factory=dict)

    def take_back(self, operation: Operation) -> None:
        record = self.now[operation.item]
        match operation:
            case Create(item, new):
                if record is not None and self._is(item, new, record):
                    self.now[item] = None
            case Delete(item, old):
                if record is None:
                    self.now[item] = old
                elif self._came_back(item, old):
                    pass  # as itself, whatever it became since
                elif difference(item, old, record):
                    self._clash(Clash("recreated", item, "", None, record))
            case Update(item, _, new) if record is None:
                for name, value in new.items():
                    self._clash(Clash("gone", item, name, value))
            case Update(item, old, new):
                assert record is not None
                there = [name for name in new if name in record]  # others are no longer registered
                values = {name: self._taken_back(item, name, record[name], old[name], new[name]) for name in there}
                self.now[item] = record | values

    def _taken_back(self, item: Ref, name: str, value: Any, old: Any, new: Any) -> Any:
        """What the field is without the modification."""
        at = (item, name)
        doubt = self.doubts.get(at)
        joins = doubt is not None and doubt.old is not None and same(doubt.old[0], new)
        if same(value, new) or same(value, old):
            if joins:
                del self.doubts[at]
            return old
        if doubt is None:
            self.doubts[at] = _Doubt(Clash("changed", item, name, new, value), [old])
        else:
            doubt.old = [old] if joins else None
        return value

    def _is(self, item: Ref, expected: Record, record: Record) -> bool:
        """Whether nobody changed the item since."""
        changed = [
            Clash("changed", item, name, value, record[name])
            for name, value in fields(expected).items()
            if name in record and not same(record[name], value)
        ]
        for clash in changed:
            self._clash(clash)
        return not changed

    def _came_back(self, item: Ref, gone: Record) -> bool:
        """Whether what is there is the very row that went: it has its primary key again."""
        return "id" in gone and item in self.rows and same(gone["id"], self.rows[item])

    def _clash(self, clash: Clash) -> None:
        self.clashes.setdefault((clash.item, clash.field), clash)


def undo(done: Sequence[Operation], before: Before, left: Collection[Left] = ()) -> Undone:
    """Takes back what was `done`, in the order of its doing, from what there is `before` the rollback."""
    touched = {operation.item for operation in done}
    chosen = {each for each in left if each.item in touched}
    named = {each.item for each in chosen}
    whole = {each.item for each in chosen if not each.field}
    # An item that came or went can only be left out as a whole, not field by field.
    whole |= {each.item for each in done if not isinstance(each, Update) and each.item in named}
    parts = (_kept(operation, whole, chosen) for operation in done) if chosen else done
    kept = [part for part in parts if part is not None]
    found = {item: stored.record for item, stored in before.found.items()}
    plain = {item: fields(record) for item, record in found.items()}
    as_before = {item for item, began in _beginnings(kept).items() if same(began, plain.get(item))}
    rows = {item: stored.id for item, stored in before.found.items()}
    undoing = _Undoing({operation.item: found.get(operation.item) for operation in kept}, rows)
    for operation in reversed(kept):
        if operation.item not in as_before:
            undoing.take_back(operation)
    changes = (difference(item, found.get(item), record) for item, record in undoing.now.items())
    operations = tuple(change for change in changes if change is not None)
    lost = before.lost_with(whole, operations)
    operations = tuple(operation for operation in operations if operation.item not in lost)
    undecided = {at: doubt.clash for at, doubt in undoing.doubts.items()}
    missing = [Clash("missing", each.item, each.field, each.expected) for each in before.missing(operations)]
    connected = [Clash("connected", item, "", by=each.item) for each, item in before.hanging(operations)]
    clashes = (*(undecided | undoing.clashes).values(), *missing, *connected)
    return Undone(operations, clashes, (*chosen, *map(Left, sorted(lost))))


def _beginnings(done: Sequence[Operation]) -> dict[Ref, Record | None]:
    """What items that came or went were before anything was done; an item that is so again needs nothing."""
    came_or_went = {operation.item for operation in done if not isinstance(operation, Update)}
    changed: dict[Ref, Record] = {}
    found: dict[Ref, Record | None] = {}
    for operation in done:
        match operation:
            case _ if operation.item in found or operation.item not in came_or_went:
                continue
            case Update(item, old, _):
                changed[item] = {**old, **changed.get(item, {})}
            case Create(item, _):
                found[item] = None
            case Delete(item, record):
                found[item] = {**fields(record), **changed.get(item, {})}
    return found


def _kept(operation: Operation, whole: Collection[Ref], chosen: Collection[Left]) -> Operation | None:
    """The operation without what is left out."""
    if operation.item in whole:
        return None
    if not isinstance(operation, Update):
        return operation
    item, new = operation.item, operation.new
    names = [name for name in new if Left(item, name) not in chosen]
    return Update(item, {n: operation.old[n] for n in names}, {n: new[n] for n in names}) if names else None
