"""What keeps an edge from being made: it leads to itself, a handle is not there, or accepts other nodes."""

from collections.abc import Collection, Iterator
from typing import Any, Literal

from django.utils.translation import gettext as _

from graphs.models import Node, Object
from graphs.objects.operations import Record
from graphs.site.json_values import shown
from graphs.workflows.node_types import ANYTHING, BUILT_IN, custom_types, is_accepted

Direction = Literal["in", "out"]
#: A sentence for each thing that is wrong: of the source, of the target, of both being one, of what the target accepts.
Faults = dict[Literal["source", "target", "loop", "accept"], str]


def faults(edge: Record, source: Record, target: Record, types: Collection[str]) -> Faults:
    """Why nobody could make this edge between these nodes; `types` are those of nodes, as far as it asks for them."""
    found: Faults = {}
    if handle_of(source, edge["sourceHandle"], "out") is None:
        found["source"] = _no_handle(edge["source"], source, edge["sourceHandle"], "out")
    if handle_of(target, edge["targetHandle"], "in") is None:
        found["target"] = _no_handle(edge["target"], target, edge["targetHandle"], "in")
    if edge["source"] == edge["target"]:
        message = _('"{key}" cannot lead to itself: an edge connects two nodes.')
        found["loop"] = message.format(key=edge["source"])
    wanted, given = _accepts(edge, source, target)
    if not is_accepted(wanted, source["type"], given, types):
        message = _('Handle "{handle}" of "{key}" accepts {accepted} only; "{source}" is of the type {type}.')
        found["accept"] = message.format(
            handle=shown(edge["targetHandle"]),
            key=edge["target"],
            accepted=shown(wanted),
            source=edge["source"],
            type=shown(source["type"]),
        )
    return found


def handle_of(node: Record, wanted: str, direction: Direction) -> str | None:
    """The id of the handle that is meant. A node without any handle takes what is given; a note takes no edges."""
    if node["type"] == "note":
        return None
    points = list(_points(node))
    if not points:
        return wanted
    own = [(side, point["id"]) for side, point in points if point["type"] == direction]
    if any(id_ == wanted for _side, id_ in own):
        return wanted
    by_side = {f"{side}-{id_}": id_ for side, id_ in own}
    if wanted in by_side:
        return by_side[wanted]
    return own[0][1] if not wanted and len(own) == 1 else None


def asked_type(edge: Record, source: Record, target: Record) -> str:
    """What the target accepts, where it matters whether that is a type of nodes; else ""."""
    wanted, given = _accepts(edge, source, target)
    return "" if wanted in (*ANYTHING, given, source["type"]) else wanted


def types_among(graph: Object, wanted: Collection[str]) -> Collection[str]:
    """Those of the names that are types of nodes, which the workspace or the graph has."""
    unknown = set(wanted) - BUILT_IN.keys()
    if not unknown:
        return wanted
    own = custom_types(graph.workspace_id).filter(key__in=unknown).values_list("key", flat=True)
    of_nodes = Node.objects.filter(graph=graph.pk, type__in=unknown).order_by().values_list("type", flat=True)
    return {*(set(wanted) - unknown), *own, *of_nodes.distinct()}


def _accepts(edge: Record, source: Record, target: Record) -> tuple[str, str]:
    """What the handle at the target accepts, and the one at the source."""
    return _accept(target, edge["targetHandle"], "in"), _accept(source, edge["sourceHandle"], "out")


def _accept(node: Record, handle: str, direction: Direction) -> str:
    points = (point for _side, point in _points(node))
    return next((p.get("accept", "any") for p in points if (p["id"], p["type"]) == (handle, direction)), "any")


def _points(node: Record) -> Iterator[tuple[str, dict[str, Any]]]:
    return ((side, point) for side, points in node["handles"].items() for point in points)


def _no_handle(key: str, node: Record, wanted: str, direction: Direction) -> str:
    if node["type"] == "note":
        return _('"{key}" is a note; notes have no edges.').format(key=key)
    own = {point["id"]: point for _side, point in _points(node) if point["type"] == direction}
    if not own:
        message = (
            _('"{key}" has no out handle, so no edge can leave it.')
            if direction == "out"
            else _('"{key}" has no in handle, so no edge can lead to it.')
        )
        return message.format(key=key)
    known = ", ".join(f"{id_} ({point['label']})" if point.get("label") else id_ for id_, point in own.items())
    message = (
        _('"{key}" has no out handle "{handle}". It has: {known}.')
        if direction == "out"
        else _('"{key}" has no in handle "{handle}". It has: {known}.')
    )
    return message.format(key=key, handle=shown(wanted), known=known)
