"""How objects of an ordinary Django model are stored: by the model itself, so that its validation and signals run."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from django.core.exceptions import ImproperlyConfigured, ObjectDoesNotExist
from django.db import models, transaction
from django.db.models import Model
from django.utils.translation import gettext as _

from graphs.models import Object, Workspace
from graphs.objects.actions import ChangeRefused
from graphs.objects.headers import held_by, parent_of, ref_of, rows_with
from graphs.objects.kinds import KINDS, Kind, is_secret, of_models
from graphs.objects.model_rows import as_writer, new_row, other_columns, record_of, refusals_of, row_of, save
from graphs.objects.operations import OTHER_COLUMNS, Create, Delete, Operation, Record, Update, showable
from graphs.objects.preconditions import Before, Stored
from graphs.objects.refs import Ref
from graphs.objects.stores import ObjectChange, Store
from graphs.site.counted_keys import count_on_from, counts_keys
from graphs.site.json_values import same

#: Workspaces that are asked for a row in one statement.
AT_ONCE = 200


class ModelStore(Store):
    """Reads and writes rows of the kind's model; a model that is no `Object` has its header beside its row."""

    def stored(self, of: Object, refs: Collection[Ref], fields: Collection[str] | None = None) -> dict[Ref, Stored]:
        kind, ref = KINDS[of.type], Ref(of.type, of.key)
        row = row_of(of) if ref in refs else None
        if row is None:
            return {}
        header = None if of._state.adding else of.pk  # a row that other code saved has none yet
        return {ref: Stored(ref, record_of(kind, row), _version(row, of), header)}

    def before(self, of: Object, operations: Sequence[Operation]) -> Before:
        return Before(self.stored(of, {operation.item for operation in operations}))

    def write(self, of: Object, operations: Sequence[Operation], before: Before) -> tuple[Operation, ...]:
        (operation,) = operations
        kind = KINDS[of.type]
        with as_writer():
            match operation:
                case Create(item, record):
                    return (Create(item, _created(kind, of, record)),)
                case Update():
                    return (_updated(kind, of, operation),)
                case Delete():
                    return (_deleted(kind, of, operation),)

    def users(self, change: ObjectChange, others: Sequence[ObjectChange]) -> Sequence[Ref]:
        """The first rows that would go with it, those aside that go, or move, in the other changes."""
        if not any(isinstance(operation, Delete) for operation in change.operations):
            return ()
        return [*rows_led_to(change, others), *_taken_along(change.object)]

    def title(self, of: Object) -> str:
        kind = KINDS[of.type]
        row = row_of(of)
        return of.key if row is None else kind.name_of(record_of(kind, row)) or of.key


def rows_led_to(change: ObjectChange, others: Sequence[ObjectChange]) -> Iterator[Ref]:
    """The first rows of registered models that an object holds, those aside that go, or move, in the other changes."""
    freed = {
        operation.item
        for other in others
        for operation in other.operations
        if isinstance(operation, Delete) or (isinstance(operation, Update) and "parent" in operation.new)
    }
    for kind, column in _led_by(KINDS[change.object.type]):
        rows = kind.model._default_manager.filter(held_by(change.object, column)).order_by("pk")
        yield from (ref for row in rows[: len(freed) + 6] if (ref := ref_of(kind, row)) not in freed)


def _led_by(kind: Kind) -> Iterator[tuple[Kind, str]]:
    """Parents, and foreign keys that take their rows away, from registered models to this one."""
    for each in of_models():
        for column in each.model._meta.concrete_fields:
            key = column.remote_field
            if key is None or column.related_model is not kind.model:
                continue
            if column.name == each.parent or key.on_delete is models.CASCADE:
                yield each, column.name


def _taken_along(of: Object) -> Iterator[Ref]:
    """A row of each model that nobody registered, and whose rows would go with an object and not come back."""
    kind, registered = KINDS[of.type], {each.model for each in of_models()}
    relations: Any = kind.model._meta.get_fields(include_hidden=True) if kind.rows is not None else ()
    for relation in relations:
        model = relation.related_model
        if getattr(relation, "on_delete", None) is not models.CASCADE or relation.concrete or model in registered:
            continue
        if model._meta.auto_created:  # the links of a many-to-many field
            continue
        if key := model._base_manager.filter(held_by(of, relation.field.name)).values_list("pk", flat=True).first():
            yield Ref(model._meta.label_lower, str(key))


def _version(row: Model, of: Object) -> int:
    """The version of its header now, which the caller may have raised since it read it; 1 while it has none."""
    if isinstance(row, Object):
        return row.version
    return Object.objects.filter(pk=of.pk).values_list("version", flat=True).first() or 1


def _created(kind: Kind, of: Object, record: Record) -> Record:
    """Makes a row and its header. Gives the record as the model's own `save` left it, with its primary key."""
    with refusals_of(kind):
        row = new_row(kind, of, record)
    save(kind, of, row, record, new=True)
    made = record_of(kind, row)
    if isinstance(row, Object):
        return showable(record) | made | {"id": row.pk}
    if counts_keys(kind.model):
        count_on_from(row)
    _require_here(kind, of, made)
    # One that is brought back is where it was, and without `place_new` a parent is in this workspace.
    if "id" not in record and kind.place_new is not None:
        _require_nowhere_else(kind, of)
    header = Object.objects.create(
        pk=record.get("id"), workspace_id=of.workspace_id, type=of.type, key=of.key,
        version=record.get("version", 0) + 1, as_recorded=made, **_mark_in(record),
    )  # fmt: skip
    shown: Record = showable(record)
    return shown | made | {"id": header.pk}


def _updated(kind: Kind, of: Object, operation: Update) -> Update:
    """What changed, with all that the model's own `save` made of it. What others changed is left to be noticed."""
    row, before = _held_row(kind, of, operation)
    item, new, elsewhere = operation.item, operation.new, _elsewhere(kind, of)
    save(kind, of, row, new)
    now = {name: value for name, value in record_of(kind, row).items() if name in new or not same(value, before[name])}
    if not isinstance(row, Object):
        _require_here(kind, of, now)
        _require_nowhere_else(kind, of, elsewhere)
        header = Object.objects.only("as_recorded").get(pk=of.pk)
        Object.objects.filter(pk=of.pk).update(as_recorded=(header.as_recorded or before) | now)
    return Update(item, {name: before[name] for name in now}, now)


def _deleted(kind: Kind, of: Object, operation: Delete) -> Delete:
    """What was deleted, with all that brings it back."""
    row, record = _held_row(kind, of, operation)
    record |= {"id": of.pk, "version": _version(row, of)}
    if isinstance(row, Object):
        record |= mark_of(row)
    else:
        record[OTHER_COLUMNS] = other_columns(kind, row) | mark_of(of).get(OTHER_COLUMNS, {})
        for each in row._meta.concrete_fields:
            if is_secret(each.name) and not (each.null or each.blank or each.has_default()):
                message = _(
                    "{object} stays: it would not come back without {column}, a secret, which no history keeps."
                )
                raise ChangeRefused(message.format(object=operation.item, column=each.name))
    with refusals_of(kind), transaction.atomic():
        row.delete()
    if row_of(of) is not None:
        raise ChangeRefused(_("{object} stays: its model only hides what is deleted.").format(object=operation.item))
    Object.objects.filter(pk=of.pk).delete()
    return Delete(operation.item, record)


def mark_of(row: Object) -> Record:
    """What keeps in a record that its row is untrusted; nothing of one that is trusted."""
    if row.untrusted_since is None:
        return {}
    return {OTHER_COLUMNS: {"untrusted_since": row.untrusted_since.isoformat(), "untrusted_by": row.untrusted_by}}


def _mark_in(record: Record) -> Record:
    """The mark that a record keeps, for the header of its row."""
    others = record.get(OTHER_COLUMNS, {})
    return {name: others[name] for name in ("untrusted_since", "untrusted_by") if name in others}


def _held_row(kind: Kind, of: Object, operation: Update | Delete) -> tuple[Any, Record]:
    """The row, held until the transaction ends, and its record; what others saved until then is a conflict."""
    row, item = row_of(of, held=True), operation.item
    found = {} if row is None else {item: Stored(item, record_of(kind, row), 0, of.pk)}
    Before(found).refuse_conflicts([operation])
    return row, found[item].record


def _require_here(kind: Kind, of: Object, changed: Record) -> None:
    """Raises `ChangeRefused` if the row has left its workspace, or was given a parent of another one."""
    holder, key = parent_of(kind), changed.get("parent")
    elsewhere = holder is not None and key and not rows_with(holder, of.workspace_id, [key]).exists()
    if elsewhere or row_of(of) is None:
        raise ChangeRefused(_("{object} would leave its workspace, or the one of its parent.").format(object=of))


def _require_nowhere_else(kind: Kind, of: Object, before: Collection[int] = ()) -> None:
    """Raises `ChangeRefused` if the row is in another workspace, too, than in those that it was in `before`."""
    if not _elsewhere(kind, of) <= set(before):
        raise ChangeRefused(_("{object} would be in another workspace, too.").format(object=of))


def _elsewhere(kind: Kind, of: Object) -> set[int]:
    """The other workspaces that the application gives the row to."""
    if kind.chosen is None:  # foreign keys lead to one workspace
        return set()
    found: set[int] = set()
    others = list(Workspace.objects.exclude(pk=of.workspace_id))
    for start in range(0, len(others), AT_ONCE):
        some = [rows for each in others[start : start + AT_ONCE] if (rows := _row_in(kind, of, each)) is not None]
        if some:
            found.update(workspace for _key, workspace in some[0].union(*some[1:], all=True))
    return found


def _row_in(kind: Kind, of: Object, workspace: Workspace) -> Any:
    """The key of the row with that of the workspace, if it is there; None where the application has no rows yet."""
    assert kind.chosen is not None
    try:
        rows = kind.chosen(workspace)
    except ObjectDoesNotExist:
        return None
    except ImproperlyConfigured:
        raise
    except Exception as error:
        message = _("{object} stays as it was: the rows of another workspace cannot be told.")
        raise ChangeRefused(message.format(object=of)) from error
    key = kind.model._meta.pk.to_python(of.key)
    return rows.filter(pk=key).order_by().values_list("pk", models.Value(workspace.pk))
