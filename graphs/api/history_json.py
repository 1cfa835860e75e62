"""Change sets and rollbacks as the JSON of the API. Whoever answers with a change set takes it from here."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db.models import Case, Count, F, Func, IntegerField, JSONField, When
from django.db.models.functions import Coalesce

from graphs.history import causes, queries
from graphs.history.diffs import diff_of, label_of, labels_of
from graphs.history.rollback import Plan
from graphs.history.rollback_conflicts import named
from graphs.history.scopes import operation_of
from graphs.models import ChangeSet, Graph, Modification, Revision
from graphs.objects.kinds import GRAPH
from graphs.objects.operations import Item, Operation, net
from graphs.site.access import Member

#: Modifications that one answer has of a change set.
MOST_SHOWN = 200
#: The same in a list, and the bytes on the disk from which values are left out there.
SHOWN_IN_LIST = 10
LONG = 2_000
#: Entries of a diff in one answer.
MOST_ENTRIES = 1_000


def change_set_json(member: Member, change_set: ChangeSet, rows: Sequence[Modification]) -> dict[str, Any]:
    """One change set with these of its modifications, and how they look as a diff."""
    (found,) = _change_sets(member, [change_set])
    labels = _labels(member, rows)
    by_object: dict[int, list[Operation]] = {}
    for row in rows:
        by_object.setdefault(row.object if row.type == GRAPH else 0, []).append(operation_of(row))
    diff = [
        entry for owner, operations in by_object.items() for entry in diff_of(net(operations), labels.get(owner, {}))
    ]
    return found | {"modifications": [_modification(row) for row in rows], "diff": diff}


def applied_json(member: Member, id_: uuid.UUID) -> dict[str, Any]:
    """A change set that was just made, with the beginning of its modifications."""
    change_set = queries.change_set(member.workspace.pk, id_)
    return change_set_json(member, change_set, list(change_set.modifications.order_by("sequence")[:MOST_SHOWN]))


def versions_json(member: Member, revisions: Sequence[Revision]) -> list[dict[str, Any]]:
    """Versions of one object, each as the change set that made it, with the beginning of its modifications."""
    made = [revision.change_set for revision in revisions]
    ids = [change_set.pk for change_set in made]
    rows = _beginnings(ids)
    labels = _labels(member, rows)
    shown: dict[uuid.UUID, list[dict[str, Any]]] = {}
    for row in rows:
        shown.setdefault(row.change_set_id, []).append(_in_list(row, labels))
    summaries = _summaries(ids)
    return [
        {
            **found,
            "version": revision.version,
            "summary": summaries.get(revision.change_set_id, {}),
            "modifications": shown.get(revision.change_set_id, []),
        }
        for revision, found in zip(revisions, _change_sets(member, made), strict=True)
    ]


def _in_list(row: Modification, labels: Mapping[int, Mapping[Item, str]]) -> dict[str, Any]:
    known = labels.get(row.object if row.type == GRAPH else 0, {})
    cut = _is_cut(row)
    item = Item(row.kind, row.key)
    label = known.get(item, row.key) if cut else label_of(operation_of(row), known)
    return _modification(row) | {"label": label, "cut": cut}


def plan_json(member: Member, plan: Plan) -> dict[str, Any]:
    """What a rollback would do."""
    diff = [
        entry | {"graph": step.graph.key}
        for step in plan.steps
        for entry in diff_of(
            step.undone.operations, labels_of(step.graph, [operation.item for operation in step.undone.operations])
        )
    ]
    return {
        "diff": diff[:MOST_ENTRIES],
        "total": len(diff),
        "conflicts": [clash.to_json() for clash in named(plan)],
        "leftOut": [
            {"graph": step.graph.key, "object": left.item.to_json(), "field": left.field}
            for step in plan.steps
            for left in step.undone.left
        ],
        "digest": plan.digest,
    }


def _change_sets(member: Member, change_sets: Sequence[ChangeSet]) -> list[dict[str, Any]]:
    """What they have in common in lists and alone: everything but the modifications."""
    ids = [change_set.pk for change_set in change_sets]
    objects: dict[uuid.UUID, list[dict[str, Any]]] = {}
    for row in Revision.objects.filter(change_set__in=ids).order_by("id"):
        named_row = {"type": row.type, "id": row.key, "label": row.label, "version": row.version}
        objects.setdefault(row.change_set_id, []).append(named_row)
    undone_by = queries.undone_by(ids)
    explained = causes.explain(member, {cause for each in change_sets for cause in (each.cause, *each.causes)})
    return [
        {
            "id": str(each.pk),
            "actor": each.actor_label or None,
            "origin": each.origin,
            "cause": each.cause,
            "causes": each.causes,
            "links": _links(each, explained),
            "reason": each.reason,
            "promptVersion": each.prompt_version or None,
            "model": each.model or None,
            "createdAt": each.created_at,
            "undoes": str(each.undoes[0]) if len(each.undoes) == 1 else None,
            "undoneBy": str(undone_by[each.pk]) if each.pk in undone_by else None,
            "objects": objects.get(each.pk, []),
            "modificationCount": each.size,
        }
        for each in change_sets
    ]


def _links(change_set: ChangeSet, explained: Mapping[str, causes.Explanation]) -> list[dict[str, Any]]:
    every = dict.fromkeys((change_set.cause, *change_set.causes))
    return [
        {"cause": cause, "text": found.text, "url": found.url or None, "details": dict(found.details or {})}
        for cause in every
        if (found := explained.get(cause))
    ]


def _modification(row: Modification) -> dict[str, Any]:
    return {
        "id": row.pk,
        "object": Item(row.kind, row.key).to_json(),
        "action": row.action,
        "field": row.field,
        "old": row.old,
        "new": row.new,
    }


def _labels(member: Member, rows: Iterable[Modification]) -> dict[int, Mapping[Item, str]]:
    """What the items are called now, by their graph; types of the workspace are under 0."""
    items: dict[int, set[Item]] = {}
    for row in rows:
        items.setdefault(row.object if row.type == GRAPH else 0, set()).add(Item(row.kind, row.key))
    graphs = Graph.objects.filter(workspace=member.workspace).in_bulk([pk for pk in items if pk])
    return {pk: labels_of(graphs.get(pk, Graph(workspace=member.workspace)), found) for pk, found in items.items()}


def _beginnings(ids: Sequence[uuid.UUID]) -> list[Modification]:
    """The first modifications of each change set, without values that a list could not show."""
    rows: Any = Modification.objects.filter(change_set__in=ids, sequence__lte=SHOWN_IN_LIST).defer("old", "new")
    rows = rows.annotate(bytes=_bytes("old") + _bytes("new"))
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


def _is_cut(row: Any) -> bool:
    return bool(row.bytes > LONG)


def _summaries(ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, dict[str, dict[str, int]]]:
    """How many items of each kind each change set created, changed and deleted."""
    rows = Modification.objects.filter(change_set__in=ids).values_list("change_set", "kind", "action")
    found: dict[uuid.UUID, dict[str, dict[str, int]]] = {}
    for id_, kind, action, count in rows.annotate(count=Count("key", distinct=True)).order_by():
        found.setdefault(id_, {}).setdefault(kind, {})[action] = count
    return found
