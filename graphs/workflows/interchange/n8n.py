"""Workflows of n8n, as its editor downloads them. `docs/interchange.md` says what becomes of each part."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Annotated, Any

from django.utils.translation import gettext as _
from pydantic import BaseModel, ConfigDict, Field

from graphs.models.workflows import MAX_EDGE_KEY, MAX_NAME
from graphs.site.json_values import shown
from graphs.workflows.interchange import grid
from graphs.workflows.interchange.checks import Coordinate, all_checked, check_list, check_some_nodes, document_as
from graphs.workflows.interchange.keys import UniqueTexts, slug
from graphs.workflows.interchange.n8n_connections import Connection, connections_of, resolved
from graphs.workflows.interchange.n8n_handles import Slot, handles, output_labels, short_type
from graphs.workflows.interchange.parsed_graph import (
    Limits,
    ParsedEdge,
    ParsedGraph,
    ParsedNode,
    ParsedSheet,
    said,
    size_or,
)
from graphs.workflows.interchange.refusals import FileWarning, Problems, Warnings

SHEET = ParsedSheet("main", "Main")
STICKY_NOTE = "n8n-nodes-base.stickyNote"
STICKY_NOTE_SIZE = {"width": 240.0, "height": 160.0}
#: Top-level fields that go to the graph's metadata.
KEPT = ("id", "active", "settings", "tags", "meta", "versionId", "pinData")


class _Node(BaseModel):
    """The fields of a node that the reader relies on; all others are kept as they are."""

    model_config = ConfigDict(strict=True, extra="ignore")

    name: Annotated[str, Field(max_length=MAX_NAME)]
    type: Annotated[str, Field(min_length=1, max_length=MAX_NAME)]
    position: Annotated[list[Coordinate], Field(min_length=2, max_length=2)] | None = None
    parameters: dict[str, Any] = {}
    credentials: dict[str, Any] = {}


class _Head(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore")

    name: Annotated[str, Field(max_length=MAX_NAME)] = ""
    description: str | None = None
    nodes: list[Any]


def parse(document: Any, limits: Limits) -> ParsedGraph:
    """The graph of an n8n workflow, on one sheet. What of the file it does not hold is told by its warnings."""
    problems = Problems()
    head = document_as(_Head, document)
    check_some_nodes(len(head.nodes), limits)
    nodes = all_checked(_Node, head.nodes, ("nodes",), problems)
    connections = list(connections_of(document, problems))
    problems.refuse_if_any()
    check_list("connections", len(connections), limits)
    warnings = Warnings()
    steps = _steps(nodes, head.nodes, warnings)
    by_name = {step.node.name: step for step in reversed(steps)}
    connections = resolved(connections, set(by_name), warnings)
    return ParsedGraph(
        format="n8n",
        key="",
        name=head.name,
        description=head.description or "",
        metadata={"n8n": {field: document[field] for field in KEPT if field in document}},
        sheets=(SHEET,),
        nodes=_parsed_nodes(steps, connections, warnings),
        edges=_parsed_edges(by_name, connections),
        warnings=tuple(warnings.found),
        warning_count=warnings.count,
    )


@dataclass(frozen=True, slots=True)
class _Step:
    """A node of the file: checked, as it stands there, and what it is called in the graph."""

    node: _Node
    entry: dict[str, Any]
    name: str
    key: str
    labels: dict[int, str]


def _steps(nodes: list[_Node], entries: list[dict[str, Any]], warnings: Warnings) -> list[_Step]:
    unique = UniqueTexts()
    steps = []
    for node, entry, name in zip(nodes, entries, _names(nodes, warnings), strict=True):
        key = unique.take(slug(name, fallback=slug(short_type(node.type), fallback="node")))
        steps.append(_Step(node, entry, name, key, output_labels(node.type, entry)))
    return steps


def _names(nodes: list[_Node], warnings: Warnings) -> list[str]:
    """The names, each only once: connections mean the first node of a name, a further one gets a suffix."""
    unique = UniqueTexts((node.name for node in nodes), MAX_NAME, separator=" ")
    seen: set[str] = set()
    names = []
    for index, node in enumerate(nodes):
        if node.name in seen:
            names.append(unique.take(node.name))
            message = _('The name "{name}" is used twice: this node becomes "{other}", connections mean the first.')
            text = message.format(name=shown(node.name), other=shown(names[-1]))
            warnings.append(FileWarning(f"nodes[{index}]", text, "duplicate"))
        else:
            names.append(node.name)
            seen.add(node.name)
    return names


def _parsed_nodes(steps: list[_Step], connections: list[Connection], warnings: Warnings) -> tuple[ParsedNode, ...]:
    outputs: dict[str, set[Slot]] = defaultdict(set)
    inputs: dict[str, set[Slot]] = defaultdict(set)
    for connection in connections:
        outputs[connection.source].add((connection.type, connection.output))
        inputs[connection.target].add((connection.target_type, connection.input))
    given = (step.node.position for step in steps)
    positions = grid.fill((SHEET.key, (position[0], position[1]) if position else None) for position in given)
    parsed = []
    for index, (step, (x, y)) in enumerate(zip(steps, positions, strict=True)):
        if step.node.type == STICKY_NOTE:
            parsed.append(_note(step, x, y))
            continue
        first = step.name == step.node.name
        used = (outputs[step.name], inputs[step.name]) if first else (set[Slot](), set[Slot]())
        process, data = _process_and_data(step, index, warnings)
        points = handles(step.node.type, step.labels, *used)
        parsed.append(ParsedNode(step.key, step.node.type, SHEET.key, said(step.name), process, data, points, x, y))
    return tuple(parsed)


def _process_and_data(step: _Step, index: int, warnings: Warnings) -> tuple[str, dict[str, Any]]:
    """The code of a node, and everything else that its other columns do not hold."""
    parameters = dict(step.node.parameters)
    data = {key: value for key, value in step.entry.items() if key not in {"name", "type", "position"}}
    python_first = str(parameters.get("language", "")).startswith("python")
    fields = ("pythonCode", "jsCode") if python_first else ("jsCode", "functionCode", "pythonCode")
    field = next((field for field in fields if isinstance(parameters.get(field), str)), None)
    process = parameters.pop(field) if field else ""
    data["parameters"] = parameters
    if field:
        data["processParameter"] = field
    if step.node.credentials:
        data["credentials"] = _credential_names(step, index, warnings)
    return process, data


def _credential_names(step: _Step, index: int, warnings: Warnings) -> dict[str, str]:
    """`{kind: name}`. Ids mean nothing elsewhere, and whatever else stands there may be a secret."""
    names = {}
    for kind, value in step.node.credentials.items():
        name = value.get("name") if isinstance(value, dict) else value
        names[kind] = name if isinstance(name, str) else ""
        if isinstance(value, dict) and not value.keys() <= {"id", "name"}:
            message = _('The content of the credentials "{kind}" is left out; only their name is kept.')
            where = f'nodes[{index}] ("{shown(step.name)}")'
            warnings.append(FileWarning(where, message.format(kind=shown(kind)), "secret_left_out"))
    return names


def _note(step: _Step, x: float, y: float) -> ParsedNode:
    parameters = dict(step.node.parameters)
    size = {side: size_or(parameters.pop(side, None), default) for side, default in STICKY_NOTE_SIZE.items()}
    content = parameters.pop("content", "")
    data = {key: value for key, value in step.entry.items() if key not in {"name", "type", "position", "credentials"}}
    data |= {"content": content if isinstance(content, str) else "", "parameters": parameters}
    return ParsedNode(step.key, "note", SHEET.key, step.name, "", data, {}, x, y, size["width"], size["height"])


def _parsed_edges(by_name: dict[str, _Step], connections: list[Connection]) -> tuple[ParsedEdge, ...]:
    unique = UniqueTexts(max_length=MAX_EDGE_KEY)
    edges = []
    for connection in connections:
        source, target = by_name[connection.source], by_name[connection.target]
        label = source.labels.get(connection.output, "") if connection.type == "main" else ""
        edges.append(
            ParsedEdge(
                key=unique.take(f"{source.key}--{target.key}"),
                source=source.key,
                source_handle=connection.source_handle,
                target=target.key,
                target_handle=connection.target_handle,
                label=label,
                sheet=SHEET.key,
            )
        )
    return tuple(edges)
