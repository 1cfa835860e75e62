"""The order in which people read a diff of several objects: what holds others, and below it what it holds, by title."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from graphs.history.diffs import DiffEntry
from graphs.objects.headers import parent_of
from graphs.objects.kinds import KINDS
from graphs.objects.operations import Operation, Update
from graphs.objects.refs import Ref


def below_holders(diff: Sequence[DiffEntry], operations: Iterable[Operation]) -> list[DiffEntry]:
    """The entries of `net` operations; what comes or goes stands below what holds it, if that is there, by its name.

    Others stay where they are.
    """
    told = list(zip(operations, diff, strict=True))
    places = {operation.item: place for place, (operation, _entry) in enumerate(told)}
    held: dict[int, list[int]] = defaultdict(list)
    first: list[int] = []
    for place, (operation, _entry) in enumerate(told):
        holder = _holder(operation)
        (first if holder not in places else held[places[holder]]).append(place)
    ordered: list[int] = []
    waiting = first[::-1]
    while waiting:
        ordered.append(place := waiting.pop())
        waiting += sorted(held.pop(place, ()), key=lambda each: _by_name(diff[each]), reverse=True)
    in_a_circle = [place for places_held in held.values() for place in places_held]
    return [diff[place] for place in (*ordered, *in_a_circle)]


def _by_name(entry: DiffEntry) -> tuple[str, str, str]:
    return entry["object"]["type"], entry["label"].casefold(), entry["object"]["id"]


def _holder(operation: Operation) -> Ref | None:
    """What holds the item that comes or goes."""
    kind = KINDS.get(operation.item.type)
    if kind is None or isinstance(operation, Update):
        return None
    holder, key = parent_of(kind), operation.record.get("parent")
    return Ref(holder.name, str(key)) if holder and key else None
