"""Whether what a change was computed from is still as it was; and where it is not, who changed what since."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Count, Q, QuerySet

from graphs.models import Graph, Modification
from graphs.objects import item_rows
from graphs.objects.kinds import EDGE, GRAPH, NODE, NODE_TYPE
from graphs.objects.operations import Item
from graphs.objects.preconditions import Conflict

#: More than anybody reads; the first ones tell what happened.
MOST = 200


def moved(graph: Graph, targets: Sequence[dict[str, Any]]) -> tuple[Conflict, ...]:
    """The targets `{type, id, version}` that have another version by now, or are gone.

    The caller holds the graph's row, so that this stays true until its transaction ends.
    """
    items = [Item(target["type"], target["id"]) for target in targets]
    now = _versions(graph, items)
    expected = [target["version"] for target in targets]
    return tuple(
        Conflict(item, "version", version, now.get(item))
        for item, version in zip(items, expected, strict=True)
        if now.get(item) != version
    )


def _versions(graph: Graph, items: Collection[Item]) -> dict[Item, int]:
    keys = {kind: [item.key for item in items if item.kind == kind] for kind in {item.kind for item in items}}
    found: list[item_rows.Stored] = []
    if NODE.name in keys:
        found += item_rows.nodes(graph, keys[NODE.name], fields=()).values()
    if EDGE.name in keys:
        found += item_rows.edges(graph, keys[EDGE.name], fields=()).values()
    if NODE_TYPE.name in keys:
        found += item_rows.node_types(graph.workspace_id, keys[NODE_TYPE.name]).values()
    return {stored.item: stored.version for stored in found} | {Item(GRAPH, graph.key): graph.version}


def moved_only_through(graph: Graph, conflicts: Sequence[Conflict], cause: str, since: datetime) -> bool:
    """Whether every version between then and now was made by a change set of this cause, and every deletion."""
    through = Count("change_set", distinct=True, filter=Q(change_set__causes__contains=[cause]))
    changed = _modifications(graph, {conflict.item for conflict in conflicts}, since).values("kind", "key")
    counted = changed.annotate(steps=Count("change_set", distinct=True), through=through).order_by()
    known = {Item(row["kind"], row["key"]): (row["steps"], row["through"]) for row in counted}

    def accounted_for(conflict: Conflict) -> bool:
        steps, of_cause = known.get(conflict.item, (0, 0))
        return of_cause > 0 and of_cause == (steps if conflict.found is None else conflict.found - conflict.expected)

    return all(map(accounted_for, conflicts))


def explained(graph: Graph, conflicts: Sequence[Conflict], since: datetime) -> list[dict[str, Any]]:
    """For people: each field of the items in conflict that changed since then, by whom, from what to what.

    Of an item that the history says nothing of, the conflict itself.
    """
    later = _changed_since(graph, {conflict.item for conflict in conflicts}, since)
    known = {(change["object"]["type"], change["object"]["id"]) for change in later}
    bare = [conflict for conflict in conflicts if (conflict.item.kind, conflict.item.key) not in known]
    return [*later, *(_as_json(conflict) for conflict in bare)][:MOST]


def _as_json(conflict: Conflict) -> dict[str, Any]:
    return {
        "object": conflict.item.to_json(),
        "field": conflict.field,
        "expected": conflict.expected,
        "found": conflict.found,
    }


def _changed_since(graph: Graph, items: Collection[Item], since: datetime) -> list[dict[str, Any]]:
    """One entry for each field: what it was then, what it is now, and the last who changed it."""
    changed = _modifications(graph, items, since).select_related("change_set").order_by("version", "id")
    found: dict[tuple[Item, str], dict[str, Any]] = {}
    for row in changed[: MOST * 5]:
        item = Item(row.kind, row.key)
        if item not in items:
            continue
        first = found.get((item, row.field))
        found[item, row.field] = {
            "object": item.to_json(),
            "field": row.field,
            "expected": first["expected"] if first else row.old,
            "found": row.new,
            "changedBy": row.change_set.actor_label,
            "changedAt": row.change_set.created_at.isoformat(),
            "changeSetId": str(row.change_set_id),
        }
    return list(found.values())


def _modifications(graph: Graph, items: Collection[Item], since: datetime) -> QuerySet[Modification]:
    """Of items with these kinds and keys; of types in whichever graph of the workspace they were changed."""
    here = Q(type=GRAPH, object=graph.pk, kind__in={item.kind for item in items})
    types = Q(type=NODE_TYPE.name, change_set__workspace=graph.workspace_id)
    keys = {item.key for item in items}
    return Modification.objects.filter(here | types, key__in=keys, change_set__created_at__gt=since)
