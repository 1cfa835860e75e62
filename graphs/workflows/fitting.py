"""Edges that operations on a graph would leave, or bring back, as nobody could make them.

What was wrong with an edge before may stay so: files bring such edges, and they do not keep their nodes from changing.
"""

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from django.db.models import Max
from django.utils.translation import gettext as _

from graphs.models import LiveEdit, Modification, Object
from graphs.objects.operations import Create, Delete, Operation, Record, Update, result
from graphs.objects.refs import Ref
from graphs.objects.stores import Unfit
from graphs.workflows import rows
from graphs.workflows.connecting import Connectable, Fault, asked_type, faults, sentence, types_among
from graphs.workflows.kinds import EDGE, NODE

#: The fields of nodes that say which edges they take, and those of edges that say where they lead.
_TAKING = tuple(field.name for field in NODE.fields if field.constrains)
_LEADING = ("source", "sourceHandle", "target", "targetHandle")


@dataclass(frozen=True, slots=True)
class _Edge:
    """An edge as it would be, and as it was if it was there. One that `led_elsewhere` was like this at some time."""

    key: str
    record: Record
    before: Record | None
    led_elsewhere: bool

    @property
    def ends(self) -> tuple[str, str]:
        return self.record["source"], self.record["target"]


def unfit(of: Object, operations: Sequence[Operation]) -> list[Unfit]:
    """The edges, each with the items that make it so. Of operations that only make edges nothing is read."""
    by_item = {operation.item: operation for operation in operations}
    changed = {o.item.key for o in operations if isinstance(o, Update) and _takes_others(o)}
    led = {o.item.key for o in operations if _leads_elsewhere(o)}
    if Ref(of.type, of.key) in by_item and not isinstance(by_item[Ref(of.type, of.key)], Update):
        return []  # it comes, or goes, with all of its parts
    if not changed and not led:
        return []
    now = rows.nodes(of, changed, _TAKING) if changed else {}
    edges = list(_edges(of, by_item, [stored.id for stored in now.values()], changed, led))
    others = {key for edge in edges for record in (edge.record, edge.before or edge.record) for key in _ends(record)}
    if unread := others - now.keys():
        now |= rows.nodes(of, unread, _TAKING)
    nodes = {key: Connectable.of(stored.record) for key, stored in now.items()}
    coming = ((key, by_item.get(Ref(NODE.name, key))) for key in others)
    records = {key: operation.record for key, operation in coming if isinstance(operation, Create)}
    records |= {key: stored.record for key, stored in now.items()}
    after = dict(_after(by_item, records, nodes, others))
    # Where an end would not be there, `GraphBefore` says so.
    whole = [edge for edge in edges if all(key in after for key in edge.ends)]
    return list(_worse(of, whole, nodes, after, changed, records))


def _edges(
    graph: Object, by_item: Mapping[Ref, Operation], ids: Sequence[Any], changed: Set[str], led: Set[str]
) -> Iterator[_Edge]:
    """The edges at nodes that change, and those that lead elsewhere, as they would be."""
    there = {key for key in led if isinstance(by_item[Ref(EDGE.name, key)], Update)}
    for key, stored in (rows.edges(graph, there, ids, _LEADING) if there or ids else {}).items():
        operation = by_item.get(Ref(EDGE.name, key))
        if not isinstance(operation, Delete):
            new = operation.new if isinstance(operation, Update) else {}
            yield _Edge(key, stored.record | new, stored.record, key in led)
    for item, operation in by_item.items():
        comes = isinstance(operation, Create) and item.type == EDGE.name
        if comes and (item.key in led or changed & set(_ends(result(operation)))):
            yield _Edge(item.key, result(operation), None, item.key in led)


def _worse(
    graph: Object,
    edges: Sequence[_Edge],
    nodes: Mapping[str, Connectable],
    after: Mapping[str, Connectable],
    changed: Set[str],
    records: Mapping[str, Record],
) -> Iterator[Unfit]:
    """Those of the edges of which more is wrong than was before."""
    types = _asked_types(graph, edges, nodes, after)
    wrong = {edge.key: found for edge in edges if (found := _faults(edge.record, after, types))}
    led = [edge for edge in edges if edge.led_elsewhere and edge.key in wrong]
    then = _nodes_then(graph, led, records) if led else {}
    for edge in (each for each in edges if each.key in wrong):
        record, there = (edge.record, then[edge.key]) if edge.led_elsewhere else (edge.before, nodes)
        before = _faults(record, there, types) if record is not None else []
        if new := [fault for fault in wrong[edge.key] if fault not in before]:
            own = Ref(EDGE.name, edge.key)
            by = tuple(Ref(NODE.name, key) for key in dict.fromkeys(edge.ends) if key in changed)
            said = sentence(new[0], edge.record, *(after[key] for key in edge.ends))
            why = _('The edge "{key}" would not fit any more: {why}').format(key=edge.key, why=said)
            instead = _("Delete it, too, or leave its nodes as they are.")
            yield Unfit(own, (own,) if edge.led_elsewhere else by, why, instead)


def _faults(edge: Record, nodes: Mapping[str, Connectable], types: Collection[str]) -> list[Fault]:
    """What is wrong with an edge, of which an end may not be there."""
    source, target = (nodes.get(key) for key in _ends(edge))
    return [] if source is None or target is None else faults(edge, source, target, types)


def _asked_types(
    graph: Object, edges: Iterable[_Edge], nodes: Mapping[str, Connectable], after: Mapping[str, Connectable]
) -> Collection[str]:
    """The types of nodes that matter for these edges."""
    asked = {asked_type(edge.record, *(after[key] for key in edge.ends)) for edge in edges}
    asked |= {
        asked_type(edge.before, *(nodes[key] for key in _ends(edge.before)))
        for edge in edges
        if edge.before is not None
    }
    asked.discard("")
    return types_among(graph, asked) if asked else ()


def _nodes_then(
    graph: Object, edges: Sequence[_Edge], records: Mapping[str, Record]
) -> dict[str, dict[str, Connectable]]:
    """For each edge by key, its ends as they were when it last led where it will."""
    unsaved = [(edit.version, operation) for edit in _unsaved(graph) for operation in edit.operations]
    left = _last_led(graph, {edge.key for edge in edges}, unsaved)
    ends = {key for edge in edges for key in edge.ends}
    later = _later_taking(graph, ends, min(left.values(), default=0), unsaved)
    made: dict[tuple[str, int], Connectable] = {}

    def then(key: str, version: int) -> Connectable:
        changes = later.get(key, [])
        first = bisect_right(changes, version, key=itemgetter(0))
        if (key, first) not in made:
            record = dict(records[key])
            for _version, old in reversed(changes[first:]):
                record |= old
            made[key, first] = Connectable.of(record)
        return made[key, first]

    return {edge.key: {key: then(key, left.get(edge.key, 0)) for key in edge.ends} for edge in edges}


def _last_led(graph: Object, edges: Collection[str], unsaved: Sequence[tuple[int, Record]]) -> dict[str, int]:
    """The versions of the graph in which edges came, went, or led elsewhere last."""
    saved = Modification.objects.filter(type=graph.type, object=graph.pk, kind=EDGE.name, key__in=edges)
    led = saved.filter(field__in=("", *_LEADING)).order_by().values_list("key").annotate(last=Max("version"))
    live = {o["id"]: version for version, o in unsaved if o["type"] == EDGE.name and o["action"] != "update"}
    return dict(led) | {key: version for key, version in live.items() if key in edges}


def _later_taking(
    graph: Object, nodes: Collection[str], since: int, unsaved: Sequence[tuple[int, Record]]
) -> dict[str, list[tuple[int, Record]]]:
    """What nodes took before each change of that since a version of the graph, the oldest first."""
    saved = Modification.objects.filter(type=graph.type, object=graph.pk, kind=NODE.name, key__in=nodes)
    saved = saved.filter(field__in=_TAKING, version__gt=since)
    changes = [
        (version, key, {name: old}) for version, key, name, old in saved.values_list("version", "key", "field", "old")
    ]
    for version, operation in unsaved:
        if operation["type"] == NODE.name and operation["action"] == "update" and operation["id"] in nodes:
            old = {name: value for name, value in operation["old"].items() if name in _TAKING}
            changes.append((version, operation["id"], old))
    found: dict[str, list[tuple[int, Record]]] = {}
    for version, key, old in sorted(changes, key=itemgetter(0)):
        found.setdefault(key, []).append((version, old))
    return found


def _unsaved(graph: Object) -> Iterable[LiveEdit]:
    return LiveEdit.objects.filter(object=graph.pk, saved_at=None).order_by("version")


def _takes_others(operation: Update) -> bool:
    return operation.item.type == NODE.name and any(name in operation.new for name in _TAKING)


def _leads_elsewhere(operation: Operation) -> bool:
    """Whether it brings an edge back, or leads one elsewhere, which only a rollback or a file does."""
    if operation.item.type != EDGE.name:
        return False
    if isinstance(operation, Create):
        return "id" in operation.record
    return isinstance(operation, Update) and any(name in operation.new for name in _LEADING)


def _ends(record: Record) -> tuple[str, str]:
    return record["source"], record["target"]


def _after(
    by_item: Mapping[Ref, Operation],
    records: Mapping[str, Record],
    nodes: Mapping[str, Connectable],
    keys: Iterable[str],
) -> Iterator[tuple[str, Connectable]]:
    """The nodes with these keys as they would be; those that would not be there are left out."""
    for key in keys:
        match by_item.get(Ref(NODE.name, key)):
            case Create(_, new):
                yield key, Connectable.of(new)
            case Update(_, _, new) if key in records and not new.keys().isdisjoint(_TAKING):
                yield key, Connectable.of(records[key] | new)
            case Delete():
                pass
            case _ if key in nodes:
                yield key, nodes[key]
