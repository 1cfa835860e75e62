"""Change sets, versions and rollbacks as the API answers with them. Every answer with a change set is built here."""

import uuid
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Annotated, Any, Literal, NotRequired, Self, cast

from django.db.models import Case, Count, F, Func, IntegerField, JSONField, When
from django.db.models.functions import Coalesce
from pydantic import Field, with_config
from typing_extensions import TypedDict

from graphs.history import causes, queries
from graphs.history.bounded_diffs import MOST_OF_ONE, MOST_TOLD, Room, bounded
from graphs.history.diff_order import below_holders
from graphs.history.diffs import DiffEntry, called, diff_of, label_of
from graphs.history.scopes import operation_of
from graphs.history.value_words import with_titles
from graphs.models import ChangeSet, Modification, Object, Origin, Revision
from graphs.objects.headers import narrowed, unseen
from graphs.objects.kinds import KINDS
from graphs.objects.operations import Operation, net, showable
from graphs.objects.refs import ObjectName, Ref
from graphs.objects.stores import labels_of
from graphs.site.access import Member
from graphs.site.api.paging import PageShape
from graphs.site.shapes import AsItIs, Id, Shape

#: Modifications that one answer has of a change set; of the objects, too, where somebody just made it.
MOST_SHOWN = 200
#: Objects that an answer has of each change set. The modifications of one can be paged through.
OBJECTS_SHOWN = 20
#: Modifications that a list has of each change set.
SHOWN_IN_LIST = 10
#: Bytes on the disk from which a list leaves values out.
LONG = 2_000

Action = Literal["create", "update", "delete"]
Names = Mapping[int, Mapping[Ref, str]]


# Plain data, as a page of versions has five hundred of them.
@with_config(extra="forbid")
class _Modification(TypedDict):
    id: int
    object: ObjectName
    action: Action
    field: str
    old: Any
    new: Any


class ModificationShape(_Modification):
    """`cut`: its values are too long to be shown beside others. `GET history/{id}?modification=` has them."""

    cut: NotRequired[Annotated[bool | None, Field(default=None)]]


class ListedModification(_Modification):
    label: str
    cut: bool


class RevisedObject(ObjectName):
    label: str
    version: int


class Link(Shape):
    cause: str
    text: str
    url: str | None
    details: dict[str, Any]


class ChangeSetHead(Shape):
    """What a change set says in lists and alone: everything but its modifications.

    `objects` are the first ones, with the one that was asked for; `objectCount` is of all.
    """

    id: Id
    actor: str | None
    origin: Origin
    cause: str
    causes: list[str]
    links: list[Link]
    reason: str
    prompt_version: str | None
    model: str | None
    created_at: datetime
    undoes: str | None
    undone_by: str | None
    objects: list[RevisedObject]
    object_count: int
    modification_count: int


def hidden_in(member: Member, change_sets: Iterable[uuid.UUID]) -> set[int]:
    """Primary keys of the objects of these change sets that the member may not see."""
    narrow = narrowed()
    if not narrow:
        return set()
    rows = Revision.objects.filter(change_set__in=change_sets, type__in=narrow).values_list("type", "key", "object")
    named = {(Ref(type_, key), id_) for type_, key, id_ in rows.distinct().order_by()}
    hidden = unseen(member, (ref for ref, _id in named))
    return {id_ for ref, id_ in named if ref in hidden}


def _found(
    member: Member,
    change_sets: Sequence[ChangeSet],
    hidden: Collection[int],
    most: int = OBJECTS_SHOWN,
    asked: Sequence[Revision] = (),
) -> list[dict[str, Any]]:
    """The fields of `ChangeSetHead` that are no attributes of a change set, for each of them.

    Of the objects the first are shown, and those of the revisions that were `asked` for.
    """
    ids = [change_set.pk for change_set in change_sets]
    left_out, counts = _counted(ids, hidden), queries.revision_counts(ids, hidden)
    rows = {row.pk: row for row in (*queries.first_revisions(ids, most, hidden), *asked) if row.object not in hidden}
    objects: dict[uuid.UUID, list[RevisedObject]] = {}
    for _pk, row in sorted(rows.items()):
        revised = RevisedObject(type=row.type, id=row.key, label=row.label, version=row.version)
        objects.setdefault(row.change_set_id, []).append(revised)
    undone_by = queries.undone_by(ids)
    explained = causes.explain(member, {cause for each in change_sets for cause in (each.cause, *each.causes)})
    return [
        {
            "actor": each.actor_label or None,
            "links": _links(each, explained),
            "prompt_version": each.prompt_version or None,
            "model": each.model or None,
            "undoes": str(each.undoes[0]) if len(each.undoes) == 1 else None,
            "undone_by": str(undone_by[each.pk]) if each.pk in undone_by else None,
            "objects": objects.get(each.pk, []),
            "object_count": counts.get(each.pk, 0),
            "modification_count": each.size - left_out.get(each.pk, 0),
        }
        for each in change_sets
    ]


def _counted(ids: Sequence[uuid.UUID], hidden: Collection[int]) -> dict[uuid.UUID, int]:
    """How many modifications of each change set are of hidden objects."""
    if not hidden:
        return {}
    rows = Modification.objects.filter(change_set__in=ids, object__in=hidden).order_by().values_list("change_set")
    return dict(rows.annotate(Count("id")))


def _links(change_set: ChangeSet, explained: Mapping[str, causes.Explanation]) -> list[Link]:
    every = dict.fromkeys((change_set.cause, *change_set.causes))
    return [
        Link(cause=cause, text=found.text, url=found.url or None, details=dict(found.details or {}))
        for cause in every
        if (found := explained.get(cause))
    ]


class ChangeSetShape(ChangeSetHead):
    modifications: AsItIs[list[ModificationShape]]
    diff: AsItIs[list[DiffEntry]]

    @classmethod
    def of(
        cls,
        member: Member,
        change_set: ChangeSet,
        rows: Sequence[Modification],
        most: int,
        objects: int = OBJECTS_SHOWN,
        **more: Any,
    ) -> Self:
        """One change set with these of its modifications, and how they look as a diff; both weigh no more than
        `most`, but the values of one that is asked for alone."""
        (found,) = _found(member, [change_set], hidden_in(member, [change_set.pk]), objects)
        names = _names(member, rows)
        by_object: dict[int, list[Operation]] = {}
        for row in rows:
            by_object.setdefault(row.object, []).append(operation_of(row))
        room = Room(most)
        diff: list[DiffEntry] = []
        told: list[Operation] = []
        for owner, operations in by_object.items():
            told += (netted := net(operations))
            diff += bounded(netted, room, partial(diff_of, names=names.get(owner, {})))
        titled = with_titles(below_holders(diff, told), member.workspace.pk, member)
        shown = _shown(rows, None if most == MOST_OF_ONE else Room(most))
        return cls.from_attributes(change_set, **found, modifications=shown, diff=titled, **more)

    @classmethod
    def applied(cls, member: Member, id_: uuid.UUID) -> Self:
        """A change set that was just made, with the beginning of its modifications."""
        change_set = queries.change_set(member.workspace.pk, id_)
        rows = list(change_set.modifications.order_by("sequence")[:MOST_SHOWN])
        return cls.of(member, change_set, rows, MOST_TOLD, MOST_SHOWN)


class _Neighbours(Shape):
    next: str | None
    previous: str | None


class ChangeSetPage(ChangeSetShape, _Neighbours): ...


@with_config(extra="forbid")
class KindWords(TypedDict):
    kindLabel: str
    kindPlural: NotRequired[Annotated[str | None, Field(default=None)]]


class VersionShape(ChangeSetHead):
    """`kinds` says what one and several of each kind of the `summary` are called."""

    version: int
    kinds: AsItIs[dict[str, KindWords]]
    summary: dict[str, dict[Action, int]]
    modifications: AsItIs[list[ListedModification]]

    @classmethod
    def of_revisions(cls, member: Member, revisions: Sequence[Revision]) -> list[Self]:
        """Versions of one object, each as the change set that made it, with the beginning of its modifications."""
        made = [revision.change_set for revision in revisions]
        ids = [change_set.pk for change_set in made]
        hidden = hidden_in(member, ids)
        rows = _beginnings(ids, hidden)
        names = _names(member, rows)
        shown: dict[uuid.UUID, list[ListedModification]] = {}
        for row in rows:
            shown.setdefault(row.change_set_id, []).append(_in_list(row, names))
        summaries = _summaries(ids, hidden)
        return [
            cls.from_attributes(
                revision.change_set,
                **found,
                version=revision.version,
                summary=summaries.get(revision.change_set_id, {}),
                kinds={
                    name: called(KINDS[name]) for name in summaries.get(revision.change_set_id, {}) if name in KINDS
                },
                modifications=shown.get(revision.change_set_id, []),
            )
            for revision, found in zip(revisions, _found(member, made, hidden, asked=revisions), strict=True)
        ]


class VersionPage(PageShape[VersionShape]):
    """`unsavedSince`: when the first live edit was made that is not listed yet; null where all are."""

    unsaved_since: datetime | None


class ComparedShape(Shape):
    object: ObjectName
    a: int
    b: int
    diff: AsItIs[list[DiffEntry]]
    total: int


def _modification(row: Modification) -> _Modification:
    return {
        "id": row.pk,
        "object": Ref(row.kind, row.key).to_json(),
        "action": cast("Action", row.action),
        "field": row.field,
        "old": showable(row.old),
        "new": row.new,
    }


def _shown(rows: Sequence[Modification], room: Room | None) -> list[ModificationShape]:
    """The modifications, those that find no room without their values; with no limit all are whole."""
    shown: list[ModificationShape] = []
    for row in rows:
        if room is None or room.takes(row.old, row.new):
            shown.append(cast("ModificationShape", _modification(row)))
        else:
            shown.append({**_modification(row), "old": None, "new": None, "cut": True})
    return shown


def _in_list(row: Any, names: Names) -> ListedModification:
    """One of `_beginnings`. An item whose values were left out is called what it is called now."""
    known = names.get(row.object, {})
    cut = row.bytes > LONG
    label = known.get(Ref(row.kind, row.key), row.key) if cut else label_of(operation_of(row), known)
    return {**_modification(row), "label": label, "cut": cut}


def _names(member: Member, rows: Iterable[Modification]) -> Names:
    """What the items are called now, by the object whose parts they are."""
    items: dict[int, set[Ref]] = {}
    for row in rows:
        items.setdefault(row.object, set()).add(Ref(row.kind, row.key))
    objects = Object.objects.filter(workspace=member.workspace).in_bulk(items)
    return labels_of((objects[pk], found) for pk, found in items.items() if pk in objects)


def _beginnings(ids: Sequence[uuid.UUID], hidden: Collection[int]) -> list[Modification]:
    """The first modifications of each change set, without values that a list could not show."""
    rows: Any = Modification.objects.filter(change_set__in=ids, sequence__lte=SHOWN_IN_LIST).defer("old", "new")
    rows = rows.exclude(object__in=hidden).annotate(bytes=_bytes("old") + _bytes("new"))
    values = {
        f"short_{name}": Case(When(bytes__lte=LONG, then=F(name)), output_field=JSONField()) for name in ("old", "new")
    }
    found: list[Modification] = []
    for row in rows.annotate(**values).order_by("change_set", "sequence"):
        row.old, row.new = row.short_old, row.short_new
        found.append(row)
    return found


def _bytes(name: str) -> Coalesce:
    """What a value takes on the disk, without reading it."""
    return Coalesce(Func(F(name), function="pg_column_size", output_field=IntegerField()), 0)


def _summaries(ids: Sequence[uuid.UUID], hidden: Collection[int]) -> dict[uuid.UUID, dict[str, dict[str, int]]]:
    """How many items of each kind each change set created, changed and deleted."""
    seen = Modification.objects.filter(change_set__in=ids).exclude(object__in=hidden)
    rows = seen.values_list("change_set", "kind", "action")
    found: dict[uuid.UUID, dict[str, dict[str, int]]] = {}
    for id_, kind, action, count in rows.annotate(count=Count("key", distinct=True)).order_by():
        found.setdefault(id_, {}).setdefault(kind, {})[action] = count
    return found
