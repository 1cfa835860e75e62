"""Edges: created, labelled, deleted; the handles of nodes that they may use, and which edges would lose theirs."""

from collections.abc import Collection, Iterator
from typing import Any, Literal

from django.utils.translation import gettext as _

from graphs.models import Node
from graphs.models.workflows import MAX_EDGE_KEY
from graphs.objects.actions import ChangeRefused
from graphs.objects.operations import Record
from graphs.objects.refs import Ref
from graphs.site.json_values import shown
from graphs.workflows.actions import CreateEdge, DeleteEdge, UpdateEdge
from graphs.workflows.kinds import EDGE, NODE
from graphs.workflows.node_types import ANYTHING, BUILT_IN, Handles, custom_types, is_accepted
from graphs.workflows.planning.graph_plan import GraphPlan
from graphs.workflows.planning.state import ToRead

#: A key that is made leaves room for a number.
MAX_MADE_KEY = MAX_EDGE_KEY - 10


def want_connected(wanted: ToRead, action: CreateEdge) -> None:
    for key in (action.source_key, action.target_key):
        wanted.node(key, with_edges=True)


def connect(plan: GraphPlan, action: CreateEdge) -> None:
    source, target = plan.node(action.source_key), plan.node(action.target_key)
    ends = {
        "source": action.source_key,
        "sourceHandle": connectable(action.source_key, source, action.source_handle, "out"),
        "target": action.target_key,
        "targetHandle": connectable(action.target_key, target, action.target_handle, "in"),
    }
    if action.source_key == action.target_key:
        raise ChangeRefused(
            _('"{key}" cannot lead to itself: an edge connects two nodes.').format(key=action.source_key)
        )
    _require_accepted(plan, ends, source, target)
    for key, edge in plan.edges_of(action.source_key).items():
        if all(edge[name] == value for name, value in ends.items()):
            raise ChangeRefused(_('There is such an edge already: "{key}".').format(key=key))
    for key in (action.source_key, action.target_key):
        plan.read(Ref(NODE.name, key))
    sheet = source["sheet"] if action.sheet is None else plan.sheet(action.sheet)
    text = f"{ends['source']}:{ends['sourceHandle']}--{ends['target']}:{ends['targetHandle']}"
    key = "".join(letter if letter.isprintable() and letter not in " {}" else "-" for letter in text)[:MAX_MADE_KEY]
    plan.add(EDGE, plan.free_edges.take(key), {**ends, "label": action.label or "", "sheet": sheet})


def want_named(wanted: ToRead, action: UpdateEdge | DeleteEdge) -> None:
    wanted.edges.add(action.edge_key)


def update(plan: GraphPlan, action: UpdateEdge) -> None:
    plan.edge(action.edge_key)
    plan.change(EDGE, action.edge_key, {"label": action.label})


def delete(plan: GraphPlan, action: DeleteEdge) -> None:
    plan.edge(action.edge_key)
    plan.remove(EDGE, action.edge_key)


Direction = Literal["in", "out"]


def connectable(key: str, node: Record, wanted: str, direction: Direction) -> str:
    """The id of the handle that is meant. A node without any handle takes what is given; a note takes no edges."""
    if node["type"] == "note":
        raise ChangeRefused(_('"{key}" is a note; notes have no edges.').format(key=key))
    points = list(_points(node["handles"]))
    if not points:
        return wanted
    own = {point["id"]: point for _side, point in points if point["type"] == direction}
    by_side = {f"{side}-{point['id']}": point["id"] for side, point in points if point["type"] == direction}
    if wanted in own:
        return wanted
    if wanted in by_side:
        return by_side[wanted]
    if not wanted and len(own) == 1:
        return next(iter(own))
    raise ChangeRefused(_no_handle(key, wanted, direction, list(own.values())))


def _require_accepted(plan: GraphPlan, ends: Record, source: Record, target: Record) -> None:
    """Refuses an edge into a handle that accepts other nodes than its source."""
    wanted = _accept(target, ends["targetHandle"], "in")
    given = _accept(source, ends["sourceHandle"], "out")
    types = () if wanted in (*ANYTHING, given, source["type"]) else _types_among(plan, wanted)
    if is_accepted(wanted, source["type"], given, types):
        return
    message = _('Handle "{handle}" of "{key}" accepts {accepted} only; "{source}" is of the type {type}.')
    raise ChangeRefused(
        message.format(
            handle=shown(ends["targetHandle"]),
            key=ends["target"],
            accepted=shown(wanted),
            source=ends["source"],
            type=shown(source["type"]),
        )
    )


def _types_among(plan: GraphPlan, wanted: str) -> Collection[str]:
    """What the handle wants, if it is a type of nodes that the workspace or the graph has."""
    around = plan.objects.around
    known = (
        wanted in BUILT_IN
        or custom_types(around.workspace_id).filter(key=wanted).exists()
        or Node.objects.filter(graph=around.pk, type=wanted).exists()
    )
    return (wanted,) if known else ()


def _accept(node: Record, handle: str, direction: Direction) -> str:
    points = (point for _side, point in _points(node["handles"]))
    return next((p.get("accept", "any") for p in points if (p["id"], p["type"]) == (handle, direction)), "any")


def ends(handles: Handles) -> set[tuple[str, str]]:
    """Direction and id of each handle."""
    return {(point["type"], point["id"]) for _side, point in _points(handles)}


def _points(handles: Handles) -> Iterator[tuple[str, dict[str, Any]]]:
    return ((side, point) for side, points in handles.items() for point in points)


def _no_handle(key: str, wanted: str, direction: Direction, own: list[dict[str, Any]]) -> str:
    if not own:
        message = (
            _('"{key}" has no out handle, so no edge can leave it.')
            if direction == "out"
            else _('"{key}" has no in handle, so no edge can lead to it.')
        )
        return message.format(key=key)
    known = ", ".join(f"{point['id']} ({point['label']})" if point.get("label") else point["id"] for point in own)
    message = (
        _('"{key}" has no out handle "{handle}". It has: {known}.')
        if direction == "out"
        else _('"{key}" has no in handle "{handle}". It has: {known}.')
    )
    return message.format(key=key, handle=shown(wanted), known=known)
