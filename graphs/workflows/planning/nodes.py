"""Nodes: created, also with edges, updated, moved and deleted."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from graphs.models.objects import MAX_KEY
from graphs.objects.actions import ChangeRefused
from graphs.objects.operations import Record
from graphs.objects.patches import merged, patched, patched_data
from graphs.workflows.actions import (
    Connection,
    CreateEdge,
    CreateNode,
    CreateNodeWithEdges,
    DeleteNode,
    MoveNode,
    ReplaceData,
    UpdateNode,
)
from graphs.workflows.interchange.keys import slug
from graphs.workflows.kinds import EDGE, NODE
from graphs.workflows.planning import edges
from graphs.workflows.planning.boxes import GAP_ALONG, Box, bounds, box_of, free_y
from graphs.workflows.planning.graph_plan import GraphPlan
from graphs.workflows.planning.state import ToRead

#: A key that is made leaves room for a number.
MAX_MADE_KEY = MAX_KEY - 10


def want_created(wanted: ToRead, action: CreateNode | CreateNodeWithEdges) -> None:
    wanted.types.add(action.type_key)
    if action.key is None:
        wanted.made_of.add(_wanted_key(action))
    else:
        wanted.node(action.key)
        wanted.given.add(action.key)


def create(plan: GraphPlan, action: CreateNode | CreateNodeWithEdges) -> str:
    """Gives the key of the new node, which stands at (0, 0) until it has a place."""
    sheet = plan.sheet(action.sheet)
    handles = plan.handles_of_type(action.type_key)
    if action.key is not None and action.key in plan.nodes:
        message = _('There is a node with the key "{key}" already. Choose another key, or leave it out.')
        raise ChangeRefused(message.format(key=action.key))
    key = action.key or plan.free_nodes.take(_wanted_key(action))
    record: Record = {
        "type": action.type_key,
        "sheet": sheet,
        "name": action.name or "",
        "process": action.process or "",
        "data": action.data or {},
        "handles": handles if action.handles is None else action.handles.to_json(),
        "posX": action.pos_x or 0.0,
        "posY": action.pos_y or 0.0,
        "width": None,
        "height": None,
    }
    plan.add(NODE, key, record)
    return key


def want_created_with_edges(wanted: ToRead, action: CreateNodeWithEdges) -> None:
    want_created(wanted, action)
    for connection in action.edges:
        wanted.node(connection.other_key, with_edges=True)
    if action.pos_x is None:
        wanted.drawn.add(action.sheet)


def create_with_edges(plan: GraphPlan, action: CreateNodeWithEdges) -> None:
    key = create(plan, action)
    for connection in action.edges:
        edges.connect(plan, _edge(key, connection))
    if action.pos_x is None:
        box = _beside(plan, key, action.edges)
        plan.change(NODE, key, {"posX": box.x, "posY": box.y})


def want_updated(wanted: ToRead, action: UpdateNode) -> None:
    wanted.node(action.node_key)
    if action.updates.type is not None:
        wanted.types.add(action.updates.type)


def update(plan: GraphPlan, action: UpdateNode) -> None:
    node, updates = plan.node(action.node_key), action.updates
    new: Record = {
        name: value
        for name, value in (("name", updates.name), ("width", updates.width), ("height", updates.height))
        if value is not None
    }
    if updates.type is not None and updates.type != node["type"]:
        plan.handles_of_type(updates.type)
        new["type"] = updates.type
    if updates.process is not None:
        new["process"] = updates.process
    if updates.process_patches is not None:
        new["process"] = patched(node["process"], updates.process_patches, action.node_key)
    if updates.whole_data is not None:
        new["data"] = updates.whole_data
    if updates.data is not None:
        new["data"] = merged(new.get("data", node["data"]), updates.data)
    if updates.data_patches is not None:
        data = new.get("data", node["data"])
        new["data"] = patched_data(data, updates.data_patches, action.node_key)
    if updates.handles is not None:
        new["handles"] = updates.handles.to_json()
    plan.change(NODE, action.node_key, new)


def want_replaced(wanted: ToRead, action: ReplaceData) -> None:
    wanted.node(action.node_key)


def replace_data(plan: GraphPlan, action: ReplaceData) -> None:
    plan.node(action.node_key)
    plan.change(NODE, action.node_key, {"data": action.data})


def want_moved(wanted: ToRead, action: MoveNode) -> None:
    wanted.node(action.node_key, with_edges=action.sheet is not None)


def move(plan: GraphPlan, action: MoveNode) -> None:
    """Moves a node. Edges stand on the sheet of their source: they go with it."""
    node = plan.node(action.node_key)
    sheet = node["sheet"] if action.sheet is None else plan.sheet(action.sheet)
    if sheet != node["sheet"]:
        for key, edge in plan.edges_of(action.node_key).items():
            if edge["source"] == action.node_key and edge["sheet"] == node["sheet"]:
                plan.change(EDGE, key, {"sheet": sheet})
    plan.change(NODE, action.node_key, {"posX": action.pos_x, "posY": action.pos_y, "sheet": sheet})


def want_deleted(wanted: ToRead, action: DeleteNode) -> None:
    wanted.node(action.node_key, with_edges=True)


def delete(plan: GraphPlan, action: DeleteNode) -> None:
    """Deletes a node and its edges, each by an operation of its own, so that they can be brought back."""
    plan.node(action.node_key)
    remove(plan, action.node_key)


def remove(plan: GraphPlan, key: str) -> None:
    """Takes a node and its edges out of a plan."""
    for edge_key in plan.edges_of(key):
        plan.remove(EDGE, edge_key)
    plan.remove(NODE, key)


def _wanted_key(action: CreateNode | CreateNodeWithEdges) -> str:
    """A readable key, made of the name, or of the type's own part of its key."""
    own = action.type_key.rpartition(".")[2]
    return slug(action.name or own, fallback=slug(own, fallback="node"))[:MAX_MADE_KEY]


def _edge(key: str, connection: Connection) -> CreateEdge:
    own, other = (key, connection.handle), (connection.other_key, connection.other_handle)
    (source, source_handle), (target, target_handle) = (other, own) if connection.direction == "in" else (own, other)
    edge = {"sourceKey": source, "sourceHandle": source_handle, "targetKey": target, "targetHandle": target_handle}
    return CreateEdge.model_validate({**edge, "label": connection.label})


def _beside(plan: GraphPlan, key: str, connections: Sequence[Connection]) -> Box:
    """The node right of those before it and left of those after it, as far as they are on its sheet."""
    node = plan.node(key)
    boxes = plan.boxes(node["sheet"])
    there = [(e.direction, boxes[e.other_key]) for e in connections if e.other_key in boxes and e.other_key != key]
    left, right = ([box for direction, box in there if direction == side] for side in ("in", "out"))
    if there:
        wanted = _between(box_of(node), left, right)
    else:
        plan.look_at(len(boxes))
        others = [box for other, box in boxes.items() if other != key]
        around = bounds(others) if others else Box(0, 0, 0, 0)
        wanted = box_of(node).at(around.x, around.bottom)
    in_the_way = [box for other, box in plan.boxes_around(node["sheet"], wanted).items() if other != key]
    return wanted.at(wanted.x, round(free_y(wanted, in_the_way)))


def _between(box: Box, left: Sequence[Box], right: Sequence[Box]) -> Box:
    """Where a box belongs that has others on its left, or on its right, or both."""
    if left and right:
        start, end = max(each.right for each in left), min(each.x for each in right)
        x = (start + end - box.width) / 2 if start < end else start + GAP_ALONG
    elif left:
        x = max(each.right for each in left) + GAP_ALONG
    else:
        x = min(each.x for each in right) - GAP_ALONG - box.width
    beside = [*left, *right]
    middle = sum(each.y + each.height / 2 for each in beside) / len(beside)
    return box.at(round(x), round(middle - box.height / 2))
