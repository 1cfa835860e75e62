"""How objects of an ordinary Django model are stored: by the model itself, so that its validation and signals run."""

from collections.abc import Callable, Collection, Sequence
from typing import Any

from django.db.models import Model

from graphs.models import Object
from graphs.objects.kinds import KINDS, Kind
from graphs.objects.model_rows import as_writer, new_row, record_of, row_of, save
from graphs.objects.operations import Create, Delete, Operation, Record, Update
from graphs.objects.planned import Planned
from graphs.objects.preconditions import Before, Stored
from graphs.objects.refs import Ref
from graphs.objects.refusals import ChangeRefused
from graphs.objects.stores import Store


class ModelStore(Store):
    """Reads and writes rows of the kind's model. An object of such a kind has no parts.

    A model that is no `Object` has its header beside its row, which keeps what the history left in it.
    """

    def stored(self, of: Object, refs: Collection[Ref], fields: Collection[str] | None = None) -> dict[Ref, Stored]:
        kind, ref = KINDS[of.type], Ref(of.type, of.key)
        row = row_of(of) if ref in refs else None
        if row is None:
            return {}
        return {ref: Stored(ref, record_of(kind, row), _version(row, of), of.pk)}

    def before(self, of: Object, operations: Sequence[Operation]) -> Before:
        return Before(self.stored(of, {operation.item for operation in operations}))

    def write(self, of: Object, operations: Sequence[Operation], before: Before) -> tuple[Operation, ...]:
        (operation,) = operations
        kind = KINDS[of.type]
        with as_writer():
            match operation:
                case Create(item, record):
                    header = _created(kind, of, record)
                    return (Create(item, record | {"id": header.pk}),)
                case Update(_, _, new):
                    row = row_of(of)
                    assert row is not None
                    save(kind, row, new)
                    _remember(kind, of, row)
                    return (operation,)
                case Delete(item, record):
                    row = row_of(of)
                    assert row is not None
                    kept = {"id": of.pk, "version": _version(row, of)}
                    row.delete()
                    Object.objects.filter(pk=of.pk).delete()
                    return (Delete(item, record | kept),)

    def plan(self, of: Object, asked: Sequence[Any], reserved: Callable[[], Collection[str]] = frozenset) -> Planned:
        raise ChangeRefused(*(f"This is no change of {of}: {each!r}." for each in asked))

    def title(self, of: Object) -> str:
        kind = KINDS[of.type]
        row = row_of(of)
        return of.key if row is None else kind.name_of(record_of(kind, row)) or of.key


def _version(row: Model, of: Object) -> int:
    """The version of its header now, which the caller may have raised since it read the header."""
    return row.version if isinstance(row, Object) else Object.objects.values_list("version", flat=True).get(pk=of.pk)


def _created(kind: Kind, of: Object, record: Record) -> Object:
    """The header of a new row."""
    row = new_row(kind, of, record)
    save(kind, row, record, new=True)
    if isinstance(row, Object):
        return row
    version = record.get("version", 0) + 1
    return Object.objects.create(
        pk=record.get("id"), workspace_id=of.workspace_id, type=of.type, key=of.key, version=version,
        as_recorded=record_of(kind, row),
    )  # fmt: skip


def _remember(kind: Kind, of: Object, row: Model) -> None:
    if not isinstance(row, Object):
        row.refresh_from_db()
        Object.objects.filter(pk=of.pk).update(as_recorded=record_of(kind, row))
