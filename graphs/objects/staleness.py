"""Whether what a change was computed from is still as it was; and where it is not, who changed what since."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Count, F, Q, QuerySet

from graphs.models import Modification, Object
from graphs.objects.kinds import is_object
from graphs.objects.operations import showable
from graphs.objects.preconditions import Conflict
from graphs.objects.refs import Ref
from graphs.objects.stores import stored

#: More than anybody reads; the first ones tell what happened.
MOST = 200


def moved(around: Object, targets: Sequence[dict[str, Any]]) -> tuple[Conflict, ...]:
    """The targets that moved on or are gone; one with version 0 only has to be there. All are held."""
    items = [Ref.from_json(target) for target in targets]
    now = {ref: found.version for ref, found in stored(around, items, fields=()).items()}
    expected = [target["version"] for target in targets]
    return tuple(
        Conflict(item, "version", version, now.get(item))
        for item, version in zip(items, expected, strict=True)
        if item not in now or (version and now[item] != version)
    )


def moved_only_through(around: Object, conflicts: Sequence[Conflict], cause: str, since: datetime) -> bool:
    """Whether every version between then and now was made by a change set of this cause, and every deletion."""
    through = Count("change_set", distinct=True, filter=Q(change_set__causes__contains=[cause]))
    changed = _modifications(around, {conflict.item for conflict in conflicts}, since).values("kind", "key")
    counted = changed.annotate(steps=Count("change_set", distinct=True), through=through).order_by()
    known = {Ref(row["kind"], row["key"]): (row["steps"], row["through"]) for row in counted}

    def accounted_for(conflict: Conflict) -> bool:
        steps, of_cause = known.get(conflict.item, (0, 0))
        return of_cause > 0 and of_cause == (steps if conflict.found is None else conflict.found - conflict.expected)

    return all(map(accounted_for, conflicts))


def explained(around: Object, conflicts: Sequence[Conflict], since: datetime) -> list[dict[str, Any]]:
    """Each field in conflict, by whom, from what to what, for people; the conflict where no history tells."""
    later = _changed_since(around, {conflict.item for conflict in conflicts}, since)
    known = {(change["object"]["type"], change["object"]["id"]) for change in later}
    bare = [conflict for conflict in conflicts if tuple(conflict.item) not in known]
    unexplained = [
        {"object": each.item.to_json(), "field": each.field, "expected": each.expected, "found": each.found}
        for each in bare
    ]
    return [*later, *unexplained][:MOST]


def _changed_since(around: Object, items: Collection[Ref], since: datetime) -> list[dict[str, Any]]:
    """One entry for each field: what it was then, what it is now, and the last who changed it."""
    changed = _modifications(around, items, since).select_related("change_set").order_by("version", "id")
    found: dict[tuple[Ref, str], dict[str, Any]] = {}
    for row in changed[: MOST * 5]:
        item = Ref(row.kind, row.key)
        if item not in items:
            continue
        first = found.get((item, row.field))
        found[item, row.field] = {
            "object": item.to_json(),
            "field": row.field,
            "expected": first["expected"] if first else showable(row.old),
            "found": row.new,
            "changedBy": row.change_set.actor_label,
            "changedAt": row.change_set.created_at.isoformat(),
            "changeSetId": str(row.change_set_id),
        }
    return list(found.values())


def _modifications(around: Object, items: Collection[Ref], since: datetime) -> QuerySet[Modification]:
    """Modifications of parts of the object with these kinds and keys, and of such objects of its workspace."""
    types = {item.type for item in items}
    here = Q(type=around.type, object=around.pk, kind__in=types)
    objects = Q(type=F("kind"), kind__in=filter(is_object, types), change_set__workspace=around.workspace_id)
    keys = {item.key for item in items}
    return Modification.objects.filter(here | objects, key__in=keys, change_set__created_at__gt=since)
