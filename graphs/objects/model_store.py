"""How objects of an ordinary Django model are stored: by the model itself, so that its validation and signals run."""

from collections.abc import Callable, Collection, Sequence
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import Model

from graphs.models import Object
from graphs.objects.kinds import KINDS, Field, Kind
from graphs.objects.operations import Create, Delete, Operation, Record, Update
from graphs.objects.planned import Planned
from graphs.objects.preconditions import Before, Stored
from graphs.objects.refs import Ref
from graphs.objects.refusals import ChangeRefused
from graphs.objects.stores import Store


class ModelStore(Store):
    """Reads and writes rows of the kind's model. An object of such a kind has no parts."""

    def stored(self, of: Object, refs: Collection[Ref], fields: Collection[str] | None = None) -> dict[Ref, Stored]:
        kind, ref = KINDS[of.type], Ref(of.type, of.key)
        row = _row(kind, of) if ref in refs else None
        if row is None:
            return {}
        return {ref: Stored(ref, record_of(kind, row), _version(row, of), row.pk)}

    def before(self, of: Object, operations: Sequence[Operation]) -> Before:
        return Before(self.stored(of, {operation.item for operation in operations}))

    def write(self, of: Object, operations: Sequence[Operation], before: Before) -> tuple[Operation, ...]:
        (operation,) = operations
        kind = KINDS[of.type]
        match operation:
            case Create(item, record):
                row = _save(kind, _new(kind, of, record), record)
                return (Create(item, record | {"id": row.pk}),)
            case Update(_, _, new):
                _save(kind, self._held(kind, of), new)
                return operations if isinstance(operations, tuple) else tuple(operations)
            case Delete(item, record):
                row = self._held(kind, of)
                kept = {"id": row.pk, "version": _version(row, of)}
                row.delete()
                return (Delete(item, record | kept),)

    def plan(self, of: Object, asked: Sequence[Any], reserved: Callable[[], Collection[str]] = frozenset) -> Planned:
        raise ChangeRefused(*(f"This is no change of an object: {each!r}." for each in asked))

    def title(self, of: Object) -> str:
        kind = KINDS[of.type]
        row = _row(kind, of)
        return of.key if row is None else kind.name_of(record_of(kind, row)) or of.key

    def _held(self, kind: Kind, of: Object) -> Model:
        row = _row(kind, of)
        assert row is not None
        return row


def record_of(kind: Kind, row: Model) -> Record:
    """The fields of a row by their names on the wire."""
    return {field.name: _value(field, row) for field in kind.fields}


def _value(field: Field, row: Model) -> Any:
    value = getattr(row, field.attribute)
    for step in field.inside:
        value = value.get(step) if isinstance(value, dict) else None
    return value


def _set(field: Field, row: Model, value: Any) -> None:
    """Sets the value; within a JSON column nothing stands for null."""
    if not field.inside:
        setattr(row, field.attribute, value)
        return
    whole = dict(getattr(row, field.column) or {})
    inner = whole
    for step in field.inside[:-1]:
        inner[step] = dict(inner.get(step) or {})
        inner = inner[step]
    if value is None:
        inner.pop(field.inside[-1], None)
    else:
        inner[field.inside[-1]] = value
    setattr(row, field.column, whole)


def _row(kind: Kind, of: Object) -> Model | None:
    return kind.model._default_manager.filter(pk=of.pk).first() if of.pk is not None else None


def _version(row: Model, of: Object) -> int:
    return row.version if isinstance(row, Object) else of.version


def _new(kind: Kind, of: Object, record: Record) -> Model:
    """A row that is not saved yet; one that is brought back gets its old primary key, and is newer than it was."""
    return kind.model(
        pk=record.get("id"), workspace_id=of.workspace_id, key=of.key, version=record.get("version", 0) + 1
    )


def _save(kind: Kind, row: Model, new: Record) -> Model:
    for field in kind.fields:
        if field.name in new:
            _set(field, row, new[field.name])
    try:
        row.full_clean()
    except ValidationError as error:
        raise ChangeRefused(*error.messages) from error
    row.save()
    return row
