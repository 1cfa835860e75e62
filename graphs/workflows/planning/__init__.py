"""From what is asked for of a graph to operations; the same actions on the same graph give the same plan."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from graphs.workflows import actions
from graphs.workflows.planning import arranging, edges, nodes, own_fields, sheets, types
from graphs.workflows.planning.graph_plan import GraphPlan
from graphs.workflows.planning.state import ToRead


@dataclass(frozen=True, slots=True)
class _Conversion:
    """What an action needs to be read, and what it does to the plan."""

    want: Callable[[ToRead, Any], None]
    convert: Callable[[GraphPlan, Any], Any]


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
    actions.CreateSheet: _Conversion(sheets.want_created, sheets.create),
    actions.UpdateSheet: _Conversion(sheets.want_updated, sheets.update),
    actions.DeleteSheet: _Conversion(sheets.want_deleted, sheets.delete),
    actions.UpdateGraph: _Conversion(own_fields.want, own_fields.update),
    actions.DeleteGraph: _Conversion(own_fields.want, own_fields.delete),
    actions.ReorganizeLayout: _Conversion(arranging.want, arranging.convert),
}
