"""Reading the history: the versions of an object, and what one change set did. Writes nothing."""

import uuid
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.db.models.expressions import RawSQL

from graphs.models import ChangeSet, Modification, Object, Revision
from graphs.objects.kinds import is_object, store_of, whole_of
from graphs.objects.refs import Ref
from graphs.site.access import NotFound, or_not_found

ORDERING = ("-version",)

_UNDOING = """
WITH RECURSIVE undoing AS (
    SELECT id, undoes, created_at FROM graphs_changeset WHERE undoes && %s::uuid[] AND NOT undoes = '{}'
    UNION
    SELECT c.id, c.undoes, c.created_at
    FROM graphs_changeset AS c JOIN undoing ON c.undoes @> ARRAY[undoing.id] AND NOT c.undoes = '{}'
)
SELECT id, undoes FROM undoing ORDER BY created_at DESC
"""
_FIRST_REVISIONS = """
SELECT r.id FROM unnest(%s::uuid[]) AS c(id) CROSS JOIN LATERAL (
    SELECT r.id FROM graphs_revision AS r WHERE r.change_set_id = c.id AND r.object <> ALL(%s::bigint[])
    ORDER BY r.id LIMIT %s
) AS r
"""
_TAKEN_BACK = """
WITH RECURSIVE taken_back AS (
    SELECT unnest(%s::uuid[]) AS id
    UNION
    SELECT each.id FROM taken_back JOIN graphs_changeset AS c ON c.id = taken_back.id
        CROSS JOIN LATERAL unnest(c.undoes) AS each(id)
)
SELECT id FROM taken_back LIMIT %s
"""


@dataclass(frozen=True, slots=True)
class Filters:
    """Which versions of an object are wanted; None is all. `cause` led to them, `field` is one that they changed.

    `item` is what they changed, the key of a part or of the object; with `kind` only one of that kind.
    """

    who: str | None = None
    origin: str | None = None
    cause: str | None = None
    field: str | None = None
    kind: str | None = None
    item: str | None = None
    since: datetime | None = None
    until: datetime | None = None


def subject(workspace_id: int, ref: Ref) -> Object:
    """The object as it is now; one that was deleted is what it was last. Raises `NotFound`."""
    if not is_object(ref.type):
        raise NotFound
    ref = whole_of(ref)
    rows = Object.objects.filter(workspace=workspace_id, type=ref.type, key=ref.key)
    return rows.first() or _deleted(workspace_id, ref)


def _deleted(workspace_id: int, ref: Ref) -> Object:
    """An object that people deleted, at its last version. Raises `NotFound`."""
    changes = Modification.objects.filter(
        type=ref.type, object=OuterRef("object"), kind=ref.type, action=Modification.Action.DELETE
    )
    rows = Revision.objects.filter(Exists(changes), type=ref.type, key=ref.key, change_set__workspace=workspace_id)
    pk, version = or_not_found(rows.order_by("-id").values_list("object", "version").first())
    return Object(pk=pk, workspace_id=workspace_id, type=ref.type, key=ref.key, version=version)


def deletion(workspace_id: int, ref: Ref) -> Revision:
    """The version that deleted an object, with its change set. Raises `NotFound` for what is there, or never was."""
    last = or_not_found(versions(subject(workspace_id, ref)).first())
    if not modifications(last.change_set).filter(kind=ref.type, key=ref.key, action="delete").exists():
        raise NotFound
    return last


def versions(of: Object, filters: Filters = Filters()) -> "QuerySet[Revision]":
    """The versions of an object with their change sets; `ORDERING` is newest first."""
    rows = Revision.objects.filter(type=of.type, object=of.pk).select_related("change_set").order_by(*ORDERING)
    rows = rows.filter(
        **_given(
            change_set__actor_label=filters.who,
            change_set__origin=filters.origin,
            change_set__causes__contains=None if filters.cause is None else [filters.cause],
            created_at__gte=filters.since,
            created_at__lte=filters.until,
        )
    )
    if modified := _given(field=filters.field, kind=filters.kind, key=filters.item):
        here = Modification.objects.filter(change_set=OuterRef("change_set"), type=of.type, object=of.pk)
        rows = rows.filter(Exists(here.filter(**modified)))
    return rows


def modifications_of(of: Object) -> "QuerySet[Modification]":
    """All that was ever modified of an object, with the change sets, the oldest first."""
    rows = Modification.objects.filter(type=of.type, object=of.pk)
    return rows.select_related("change_set").order_by("version", "sequence")


def _given(**conditions: Any) -> dict[str, Any]:
    return {name: value for name, value in conditions.items() if value is not None}


def unsaved_since(of: Object) -> datetime | None:
    """When the first live edit was made that the history does not have yet; None if it has all."""
    return Object.objects.values_list("unsaved_since", flat=True).filter(pk=of.pk).first()


def version_at(of: Object, moment: datetime) -> int:
    """The version that an object had at a moment. Raises `NotFound` for one before all that is known of it."""
    rows = Revision.objects.filter(type=of.type, object=of.pk)
    rows = rows.filter(created_at__lte=moment).order_by("-created_at", "-version")
    return or_not_found(rows.values_list("version", flat=True).first())


def change_set(workspace_id: int, id_: uuid.UUID) -> ChangeSet:
    """The change set of a workspace. Raises `NotFound`."""
    return or_not_found(ChangeSet.objects.filter(workspace=workspace_id, pk=id_).first())


def modifications(of: ChangeSet, search: str = "") -> "QuerySet[Modification]":
    """The modifications of a change set in their order; with `search` those with it in field, key or name."""
    rows = of.modifications.all()
    if not search:
        return rows
    wanted = Q(field__icontains=search) | Q(key__icontains=search)
    objects: dict[str, list[int]] = {}
    for type_, object_id in of.revisions.values_list("type", "object"):
        objects.setdefault(type_, []).append(object_id)
    for type_, ids in objects.items():
        if not is_object(type_):  # no longer registered
            continue
        wanted |= Q(type=type_, key__in=store_of(type_).keys_named(ids, search))
    return rows.filter(wanted)


def first_revisions(ids: Collection[uuid.UUID], most: int, hidden: Collection[int] = ()) -> "QuerySet[Revision]":
    """The first revisions that each of these change sets made, but for those of `hidden` objects."""
    first = RawSQL(_FIRST_REVISIONS, [list(ids), list(hidden), most])  # noqa: S611 - the values are given
    return Revision.objects.filter(id__in=first).order_by("id")


def revision_counts(ids: Collection[uuid.UUID], hidden: Collection[int] = ()) -> dict[uuid.UUID, int]:
    """How many objects each of these change sets changed, but for `hidden` ones."""
    rows = Revision.objects.filter(change_set__in=ids).exclude(object__in=hidden).order_by()
    return dict(rows.values_list("change_set").annotate(Count("id")))


def undoing(ids: list[Any]) -> "QuerySet[ChangeSet]":
    """What takes any of these change sets back."""
    return ChangeSet.objects.filter(undoes__overlap=ids).exclude(undoes=[])


def taken_back_through(ids: Collection[uuid.UUID], most: int) -> list[uuid.UUID]:
    """These change sets and, where they are rollbacks themselves, what they took back, and so on; up to `most`."""
    with connection.cursor() as cursor:
        cursor.execute(_TAKEN_BACK, [list(ids), most])
        return [id_ for (id_,) in cursor.fetchall()]


def undone_by(ids: Collection[uuid.UUID]) -> dict[uuid.UUID, uuid.UUID]:
    """Which of these change sets are taken back, and by which other one. Who undoes an undoing does them again."""
    with connection.cursor() as cursor:
        cursor.execute(_UNDOING, [list(ids)])
        rows = cursor.fetchall()
    undone: dict[uuid.UUID, uuid.UUID] = {}
    for id_, undoes in rows:
        # Whatever undoes this one came later: it was looked at before.
        if id_ not in undone:
            undone |= {each: id_ for each in undoes if each not in undone}
    return {id_: undone[id_] for id_ in ids if id_ in undone}
