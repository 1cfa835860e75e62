"""What can be rolled back at once, and reading from the history what was done there."""

import uuid
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.db.models import Q

from graphs.history.compare import between
from graphs.models import ChangeSet, Modification, Origin, Revision
from graphs.objects.operations import Create, Delete, Operation, Update
from graphs.objects.refs import Ref
from graphs.site.access import NotFound, or_not_found


@dataclass(frozen=True, slots=True)
class ChangeSets:
    """One change set, or several."""

    ids: tuple[uuid.UUID, ...]


@dataclass(frozen=True, slots=True)
class OneModification:
    """A field that was changed, or an item that came or went, by the primary key of its row."""

    id: int


@dataclass(frozen=True, slots=True)
class Caused:
    """Whatever one cause led to: a turn is `message:<id>`, a conversation `session:<id>`."""

    cause: str


@dataclass(frozen=True, slots=True)
class AsOf:
    """All that was changed on an object since a version of it. `type` is its kind, `object` its primary key."""

    type: str
    object: int
    version: int


Scope = ChangeSets | OneModification | Caused | AsOf


@dataclass(frozen=True, slots=True)
class ScopedChanges:
    """What was done on each object, by its primary key, in the order of its doing; some of it may be `rollbacks`."""

    objects: dict[int, tuple[Operation, ...]] = field(default_factory=dict)
    change_sets: tuple[uuid.UUID, ...] = ()
    rollbacks: bool = False


def objects_of(workspace_id: int, scope: Scope) -> list[int]:
    """The primary keys of the objects that a scope is about. What was done on them is not read."""
    match scope:
        case AsOf():
            return [scope.object]
        case ChangeSets(ids):
            where = Q(change_set__in=ids)
        case OneModification(id_):
            where = Q(pk=id_)
        case Caused(cause):
            where = Q(change_set__causes__contains=[cause])
    rows = Modification.objects.filter(where, change_set__workspace=workspace_id)
    return list(rows.order_by().values_list("object", flat=True).distinct())


def read(workspace_id: int, scope: Scope) -> ScopedChanges:
    """What was done in a scope. Raises `NotFound` for what is not of this workspace."""
    match scope:
        case AsOf():
            operations = between(scope.type, scope.object, scope.version, _latest(workspace_id, scope))
            return ScopedChanges({scope.object: operations}, rollbacks=True)
        case ChangeSets(ids):
            found = _modifications(workspace_id, Q(change_set__in=ids))
            empty = set(ids) - {row.change_set for row in found}  # those of imports modify nothing
            if empty and ChangeSet.objects.filter(workspace=workspace_id, pk__in=empty).count() < len(empty):
                raise NotFound
        case OneModification(id_):
            found = _modifications(workspace_id, Q(pk=id_))
            if not found:
                raise NotFound
        case Caused(cause):
            found = _modifications(workspace_id, Q(change_set__causes__contains=[cause]))
            if not found and not ChangeSet.objects.filter(workspace=workspace_id, causes__contains=[cause]).exists():
                raise NotFound
    objects: dict[int, list[Operation]] = {}
    for row in found:
        objects.setdefault(row.object, []).append(operation_of(row))
    change_sets = tuple(dict.fromkeys(row.change_set for row in found))
    rollbacks = any(row.change_set__origin == Origin.ROLLBACK for row in found)
    return ScopedChanges({pk: tuple(operations) for pk, operations in objects.items()}, change_sets, rollbacks)


class _Row(NamedTuple):
    change_set: uuid.UUID
    change_set__origin: str
    type: str
    object: int
    kind: str
    key: str
    action: str
    field: str
    old: Any
    new: Any


def _modifications(workspace_id: int, where: Q) -> list[_Row]:
    rows = Modification.objects.filter(where, change_set__workspace=workspace_id)
    return list(map(_Row._make, rows.order_by("type", "object", "version", "sequence").values_list(*_Row._fields)))


def operation_of(row: Modification | _Row) -> Operation:
    """A stored modification as the operation it is a part of."""
    item = Ref(row.kind, row.key)
    match row.action:
        case Modification.Action.CREATE:
            return Create(item, row.new or {})
        case Modification.Action.DELETE:
            return Delete(item, row.old or {})
        case _:
            return Update(item, {row.field: row.old}, {row.field: row.new})


def to_hold(workspace_id: int, scope: Scope) -> ScopedChanges:
    """What a scope is about, before it is held: of an object since a version only which one. Raises `NotFound`."""
    if not isinstance(scope, AsOf):
        return read(workspace_id, scope)
    _latest(workspace_id, scope)
    return ScopedChanges({scope.object: ()})


def _latest(workspace_id: int, scope: AsOf) -> int:
    rows = Revision.objects.filter(type=scope.type, object=scope.object, change_set__workspace=workspace_id)
    return or_not_found(rows.order_by("-version").values_list("version", flat=True).first())
