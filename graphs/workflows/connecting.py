"""What keeps an edge from being made: it leads to itself, a handle is not there, or accepts other nodes."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

from django.utils.translation import gettext as _

from graphs.models import Node, Object
from graphs.objects.actions import some
from graphs.objects.operations import Record
from graphs.site.json_values import shown
from graphs.workflows.node_types import ANYTHING, BUILT_IN, custom_types, is_accepted

Direction = Literal["in", "out"]
#: What is wrong: with the source, with the target, that both are one, or with what the target accepts.
Fault = Literal["source", "target", "loop", "accept"]
#: Handles that are named where one is not there.
NAMED_HANDLES = 10


@dataclass(frozen=True, slots=True)
class Connectable:
    """A node as its edges meet it. Its handles are looked through once, however many edges there are.

    `points` are the handles by direction and id, `ids` their ids by all that they may be called.
    """

    type: str
    points: Mapping[tuple[str, str], Mapping[str, Any]]
    ids: Mapping[tuple[str, str], str]

    @classmethod
    def of(cls, node: Record) -> Self:
        """The node of a record, of which only type and handles are read."""
        sides = [(side, point) for side, points in node["handles"].items() for point in points]
        points: dict[tuple[str, str], Mapping[str, Any]] = {}
        by_side: dict[tuple[str, str], str] = {}
        for side, point in sides:
            points.setdefault((point["type"], point["id"]), point)
            by_side[point["type"], f"{side}-{point['id']}"] = point["id"]
        return cls(node["type"], points, by_side | {(direction, id_): id_ for direction, id_ in points})

    def of_direction(self, direction: Direction) -> Iterator[Mapping[str, Any]]:
        return (point for (its, _id), point in self.points.items() if its == direction)


def faults(edge: Record, source: Connectable, target: Connectable, types: Collection[str]) -> list[Fault]:
    """Why nobody could make this edge between these nodes; `types` are those of nodes, as far as it asks for them."""
    found: list[Fault] = []
    if handle_of(source, edge["sourceHandle"], "out") is None:
        found.append("source")
    if handle_of(target, edge["targetHandle"], "in") is None:
        found.append("target")
    if edge["source"] == edge["target"]:
        found.append("loop")
    wanted, given = _accepts(edge, source, target)
    if not is_accepted(wanted, source.type, given, types):
        found.append("accept")
    return found


def sentence(fault: Fault, edge: Record, source: Connectable, target: Connectable) -> str:
    """One of the faults of this edge, for people."""
    match fault:
        case "source":
            return _no_handle(edge["source"], source, edge["sourceHandle"], "out")
        case "target":
            return _no_handle(edge["target"], target, edge["targetHandle"], "in")
        case "loop":
            return _('"{key}" cannot lead to itself: an edge connects two nodes.').format(key=edge["source"])
        case "accept":
            message = _('Handle "{handle}" of "{key}" accepts {accepted} only; "{source}" is of the type {type}.')
            return message.format(
                handle=shown(edge["targetHandle"]),
                key=edge["target"],
                accepted=shown(_accepts(edge, source, target)[0]),
                source=edge["source"],
                type=shown(source.type),
            )


def handle_of(node: Connectable, wanted: str, direction: Direction) -> str | None:
    """The id of the handle that is meant. A node without any handle takes what is given; a note takes no edges."""
    if node.type == "note":
        return None
    if not node.points:
        return wanted
    if (direction, wanted) in node.ids or wanted:
        return node.ids.get((direction, wanted))
    own = [point["id"] for point in node.of_direction(direction)]
    return own[0] if len(own) == 1 else None


def asked_type(edge: Record, source: Connectable, target: Connectable) -> str:
    """What the target accepts, where it matters whether that is a type of nodes; else ""."""
    wanted, given = _accepts(edge, source, target)
    return "" if wanted in (*ANYTHING, given, source.type) else wanted


def types_among(graph: Object, wanted: Collection[str]) -> Collection[str]:
    """Those of the names that are types of nodes, which the workspace or the graph has."""
    unknown = set(wanted) - BUILT_IN.keys()
    if not unknown:
        return wanted
    own = custom_types(graph.workspace_id).filter(key__in=unknown).values_list("key", flat=True)
    of_nodes = Node.objects.filter(graph=graph.pk, type__in=unknown).order_by().values_list("type", flat=True)
    return {*(set(wanted) - unknown), *own, *of_nodes.distinct()}


def _accepts(edge: Record, source: Connectable, target: Connectable) -> tuple[str, str]:
    """What the handle at the target accepts, and the one at the source."""
    return _accept(target, edge["targetHandle"], "in"), _accept(source, edge["sourceHandle"], "out")


def _accept(node: Connectable, handle: str, direction: Direction) -> str:
    return str(node.points.get((direction, handle), {}).get("accept", "any"))


def _no_handle(key: str, node: Connectable, wanted: str, direction: Direction) -> str:
    if node.type == "note":
        return _('"{key}" is a note; notes have no edges.').format(key=key)
    known = some(map(_called, node.of_direction(direction)), NAMED_HANDLES)
    if not known:
        message = (
            _('"{key}" has no out handle, so no edge can leave it.')
            if direction == "out"
            else _('"{key}" has no in handle, so no edge can lead to it.')
        )
        return message.format(key=key)
    message = (
        _('"{key}" has no out handle "{handle}". It has: {known}.')
        if direction == "out"
        else _('"{key}" has no in handle "{handle}". It has: {known}.')
    )
    return message.format(key=key, handle=shown(wanted), known=known)


def _called(point: Mapping[str, Any]) -> str:
    return f"{shown(point['id'])} ({shown(point['label'])})" if point.get("label") else shown(point["id"])
