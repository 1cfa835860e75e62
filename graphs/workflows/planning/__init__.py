"""From what is asked for of a graph to operations; the same actions on the same graph give the same plan."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from graphs.models import Graph
from graphs.objects.actions import Action
from graphs.objects.planning import ObjectPlan
from graphs.workflows import actions
from graphs.workflows.planning import arranging, edges, nodes, types
from graphs.workflows.planning.graph_plan import GraphPlan
from graphs.workflows.planning.state import ToRead, load

__all__ = ["planner"]


@dataclass(frozen=True, slots=True)
class _Conversion:
    want: Callable[[ToRead, Any], None]
    convert: Callable[[GraphPlan, Any], None]


CONVERSIONS: dict[type, _Conversion] = {
    actions.CreateNode: _Conversion(nodes.want_created, nodes.create),
    actions.CreateNodeWithEdges: _Conversion(nodes.want_created_with_edges, nodes.create_with_edges),
    actions.UpdateNode: _Conversion(nodes.want_updated, nodes.update),
    actions.ReplaceData: _Conversion(nodes.want_replaced, nodes.replace_data),
    actions.MoveNode: _Conversion(nodes.want_moved, nodes.move),
    actions.DeleteNode: _Conversion(nodes.want_deleted, nodes.delete),
    actions.CreateEdge: _Conversion(edges.want_connected, edges.connect),
    actions.UpdateEdge: _Conversion(edges.want_named, edges.update),
    actions.DeleteEdge: _Conversion(edges.want_named, edges.delete),
    actions.ConfigureNodeType: _Conversion(types.want_configured, types.configure),
    actions.DeleteNodeType: _Conversion(types.want_deleted, types.delete),
    actions.ReorganizeLayout: _Conversion(arranging.want, arranging.convert),
}


def planner(
    graph: Graph, objects: ObjectPlan, asked: Sequence[Action], reserved: Callable[[], Collection[str]]
) -> Callable[[Action], None]:
    """What does each action to a plan, once all that they name is read. `reserved` is asked for new nodes only."""
    wanted = ToRead()
    for step in asked:
        CONVERSIONS[type(step)].want(wanted, step)
    plan = GraphPlan(load(graph, wanted, reserved), objects)
    return lambda step: CONVERSIONS[type(step)].convert(plan, step)
