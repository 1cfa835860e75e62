"""How a demo graph is described, and how its description becomes rows. Called by `seed_demo`."""

from dataclasses import dataclass, field
from textwrap import dedent
from typing import Any

from graphs.history import recording
from graphs.history.recording import Because
from graphs.models import Edge, Graph, Node, NodeType, Origin, Sheet, Workspace
from graphs.workflows.node_types import BUILT_IN, Handles

#: Distance between the columns and the rows of a drawing, in pixels.
COLUMN = 260
ROW = 150


@dataclass(frozen=True, slots=True)
class TypeSpec:
    """A custom node type; `outputs` are the labels of its outgoing handles R-0, R-1 ..."""

    key: str
    name: str
    description: str
    category: str
    icon: str
    inputs: tuple[str, ...] = ("",)
    outputs: tuple[str, ...] = ("",)


@dataclass(frozen=True, slots=True)
class NodeSpec:
    """`at` is column and row on the drawing; handles come from the type unless `outputs` names others."""

    key: str
    type: str
    name: str
    at: tuple[float, float]
    process: str = ""
    data: dict[str, Any] = field(default_factory=dict)
    outputs: tuple[str, ...] | None = None
    size: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class SheetSpec:
    """`edges` read "source -> target", "source:1 -> target" (handle R-1) or "source:1 -> target: label"."""

    key: str
    name: str
    nodes: tuple[NodeSpec, ...]
    edges: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GraphSpec:
    key: str
    name: str
    description: str
    sheets: tuple[SheetSpec, ...]
    metadata: dict[str, Any] = field(default_factory=dict)


def create_types(workspace: Workspace, types: tuple[TypeSpec, ...]) -> None:
    for spec in types:
        NodeType.objects.create(
            workspace=workspace,
            key=spec.key,
            display_name=spec.name,
            description=spec.description,
            category=spec.category,
            icon=spec.icon,
            handles=_handles(spec.inputs, spec.outputs),
        )


def create_graph(workspace: Workspace, spec: GraphSpec, types: tuple[TypeSpec, ...]) -> Graph:
    """The described graph with its sheets, nodes, edges and history; `types` are those its nodes may have."""
    graph = Graph.objects.create(
        workspace=workspace, key=spec.key, name=spec.name, description=spec.description, metadata=spec.metadata
    )
    handles = {record.key: record.handles for record in BUILT_IN.values()}
    handles |= {record.key: _handles(record.inputs, record.outputs) for record in types}
    nodes: dict[str, Node] = {}
    for position, sheet_spec in enumerate(spec.sheets):
        sheet = Sheet.objects.create(graph=graph, key=sheet_spec.key, name=sheet_spec.name, position=position)
        rows = Node.objects.bulk_create(_node(graph, sheet, node, handles[node.type]) for node in sheet_spec.nodes)
        nodes |= {row.key: row for row in rows}
        Edge.objects.bulk_create(_edge(graph, sheet, text, nodes) for text in sheet_spec.edges)
    recording.begin(graph, Because(None, Origin.IMPORT))
    return graph


def _node(graph: Graph, sheet: Sheet, spec: NodeSpec, handles: Handles) -> Node:
    if spec.outputs is not None:
        handles = handles | {"R": _points("R", "out", spec.outputs)}
    width, height = spec.size or (None, None)
    return Node(
        graph=graph,
        sheet=sheet,
        key=spec.key,
        type=spec.type,
        name=spec.name,
        process=dedent(spec.process).strip(),
        data=spec.data,
        handles=handles,
        pos_x=spec.at[0] * COLUMN,
        pos_y=spec.at[1] * ROW,
        width=width,
        height=height,
    )


def _handles(inputs: tuple[str, ...], outputs: tuple[str, ...]) -> Handles:
    sides = {"L": _points("L", "in", inputs), "R": _points("R", "out", outputs)}
    return {side: points for side, points in sides.items() if points}


def _points(side: str, kind: str, labels: tuple[str, ...]) -> list[dict[str, Any]]:
    return [
        {"id": f"{side}-{number}", "type": kind, "accept": "any"} | ({"label": label} if label else {})
        for number, label in enumerate(labels)
    ]


def _edge(graph: Graph, sheet: Sheet, text: str, nodes: dict[str, Node]) -> Edge:
    start, _, rest = text.partition(" -> ")
    target, _, label = rest.partition(": ")
    source, _, number = start.partition(":")
    handle = f"R-{number or 0}"
    return Edge(
        graph=graph,
        sheet=sheet,
        key=f"{source}:{handle}--{target}:L-0",
        source=nodes[source],
        source_handle=handle,
        target=nodes[target],
        target_handle="L-0",
        label=label,
    )
