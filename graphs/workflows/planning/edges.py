"""Edges: created, labelled, deleted."""

from django.utils.translation import gettext as _

from graphs.models.workflows import MAX_EDGE_KEY
from graphs.objects.actions import ChangeRefused
from graphs.objects.refs import Ref
from graphs.workflows.actions import CreateEdge, DeleteEdge, UpdateEdge
from graphs.workflows.connecting import Connectable, asked_type, faults, handle_of, sentence, types_among
from graphs.workflows.kinds import EDGE, NODE
from graphs.workflows.planning.graph_plan import GraphPlan
from graphs.workflows.planning.state import ToRead

#: A key that is made leaves room for a number.
MAX_MADE_KEY = MAX_EDGE_KEY - 10


def want_connected(wanted: ToRead, action: CreateEdge) -> None:
    for key in (action.source_key, action.target_key):
        wanted.node(key, with_edges=True)


def connect(plan: GraphPlan, action: CreateEdge) -> None:
    source_node = plan.node(action.source_key)
    source, target = Connectable.of(source_node), Connectable.of(plan.node(action.target_key))
    source_handle = handle_of(source, action.source_handle, "out")
    target_handle = handle_of(target, action.target_handle, "in")
    ends = {
        "source": action.source_key,
        "sourceHandle": action.source_handle if source_handle is None else source_handle,
        "target": action.target_key,
        "targetHandle": action.target_handle if target_handle is None else target_handle,
    }
    asked = asked_type(ends, source, target)
    types = types_among(plan.objects.around, [asked]) if asked else ()
    if wrong := faults(ends, source, target, types):
        raise ChangeRefused(sentence(wrong[0], ends, source, target))
    if (there := plan.edge_with(ends)) is not None:
        raise ChangeRefused(_('There is such an edge already: "{key}".').format(key=there))
    for key in (action.source_key, action.target_key):
        plan.read(Ref(NODE.name, key))
    sheet = source_node["sheet"] if action.sheet is None else plan.sheet(action.sheet)
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
