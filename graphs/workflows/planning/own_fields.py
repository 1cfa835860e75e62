"""The graph itself: its name and description changed, and all of it deleted."""

from graphs.models import Graph
from graphs.objects.refs import Ref
from graphs.workflows.actions import DeleteGraph, UpdateGraph
from graphs.workflows.planning.graph_plan import GraphPlan
from graphs.workflows.planning.state import ToRead


def want(wanted: ToRead, action: UpdateGraph | DeleteGraph) -> None:
    """Needs nothing of the parts: a graph that goes takes along what it has by then."""


def update(plan: GraphPlan, action: UpdateGraph) -> None:
    given = {"name": action.name, "description": action.description}
    new = {name: value for name, value in given.items() if value is not None}
    plan.objects.change(Ref(Graph.TYPE, plan.state.graph_key), new)


def delete(plan: GraphPlan, action: DeleteGraph) -> None:
    plan.objects.remove(Ref(Graph.TYPE, plan.state.graph_key))
