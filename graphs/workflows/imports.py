"""Writes a parsed file to the database. Called by the command, the API and the pages."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, TypeVar

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from graphs.history import recording
from graphs.history.recording import Because
from graphs.models import BUILT_IN_TYPES, Edge, Graph, Node, NodeType, Origin, Sheet, Workspace
from graphs.models.objects import MAX_KEY
from graphs.objects.holding import hold_workspace
from graphs.site.copying import copy_rows
from graphs.site.counted_keys import new_ids
from graphs.site.json_values import shown
from graphs.workflows.interchange.base import (
    FileWarning,
    OnProgress,
    ParsedEdge,
    ParsedGraph,
    ParsedNode,
    ParsedNodeType,
    no_progress,
)
from graphs.workflows.interchange.keys import UniqueTexts, slug

#: Sheets and types of one INSERT, and nodes and edges between two that `on_progress` hears.
BATCH = 1_000
#: Attempts to find a free key while others import under the same name.
ATTEMPTS = 10

Item = TypeVar("Item")

_GOOD_KEY = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._-]{{0,{MAX_KEY - 1}}}")


class KeyTaken(Exception):
    """The workspace has a graph with this key already; nothing was imported."""

    def __init__(self, key: str) -> None:
        super().__init__(_('There is a graph with the key "{key}" already. Choose another key.').format(key=key))


class KeyInvalid(ValueError):
    """The key cannot stand in an address; nothing was imported."""

    def __init__(self, key: str) -> None:
        message = _(
            '"{key}" is no key: letters, digits, ".", "-" and "_", at most {most}, beginning with one of the first.'
        )
        super().__init__(message.format(key=shown(key), most=MAX_KEY))


@dataclass(frozen=True, slots=True)
class ImportedGraph:
    graph: Graph
    nodes: int
    edges: int
    warnings: tuple[FileWarning, ...]


def import_graph(
    workspace: Workspace,
    parsed: ParsedGraph,
    key: str | None = None,
    actor: User | None = None,
    on_progress: OnProgress = no_progress,
) -> ImportedGraph:
    """Stores a graph under `key`, or under a free key made of the file's own or of its name. All or nothing.

    The histories of the graph and of new node types begin with it. `on_progress` gets how many of its nodes and edges
    are written. Raises `KeyTaken` or `KeyInvalid` for a given key.
    """
    if key is not None and not _GOOD_KEY.fullmatch(key):
        raise KeyInvalid(key)
    with transaction.atomic():
        graph = _create_graph(workspace, parsed, key)
        types, warnings = _create_node_types(workspace, parsed.node_types)
        new_sheets = [
            Sheet(graph=graph, key=sheet.key, name=sheet.name, position=position)
            for position, sheet in enumerate(parsed.sheets)
        ]
        sheets = {sheet.key: sheet for sheet in Sheet.objects.bulk_create(new_sheets, batch_size=BATCH)}
        rows = len(parsed.nodes) + len(parsed.edges)
        nodes = _create_nodes(graph, parsed, sheets, _counted(parsed.nodes, 0, rows, on_progress))
        _create_edges(graph, sheets, nodes, _counted(parsed.edges, len(nodes), rows, on_progress))
        recording.begin([graph, *types], Because(actor, Origin.IMPORT))
    on_progress(rows, rows)
    return ImportedGraph(graph, len(parsed.nodes), len(parsed.edges), (*parsed.warnings, *warnings))


def _counted(items: Iterable[Item], before: int, total: int, on_progress: OnProgress) -> Iterator[Item]:
    """The items; tells of rows while they are written, of which there were some `before`."""
    for written, item in enumerate(items, start=before + 1):
        yield item
        if written % BATCH == 0:
            on_progress(written, total)


def _create_graph(workspace: Workspace, parsed: ParsedGraph, key: str | None) -> Graph:
    for _attempt in range(ATTEMPTS):
        candidate = key or _free_key(workspace, parsed)
        try:
            with transaction.atomic():
                return Graph.objects.create(
                    workspace=workspace,
                    key=candidate,
                    name=parsed.name,
                    description=parsed.description,
                    metadata=parsed.metadata,
                )
        except IntegrityError:
            if key is not None:
                raise KeyTaken(key) from None
    raise KeyTaken(candidate)


def _free_key(workspace: Workspace, parsed: ParsedGraph) -> str:
    wanted = parsed.key if _GOOD_KEY.fullmatch(parsed.key) else slug(parsed.name, fallback="graph")
    begins_so = Graph.objects.filter(workspace=workspace, key__startswith=wanted[: MAX_KEY - 10])
    return UniqueTexts(begins_so.values_list("key", flat=True)).take(wanted)


def _create_node_types(
    workspace: Workspace, parsed: tuple[ParsedNodeType, ...]
) -> tuple[list[NodeType], list[FileWarning]]:
    """Creates the types that the workspace lacks. Those it has stay as they are; a warning where the file's differs."""
    if parsed:
        hold_workspace(workspace.pk)
    own = NodeType.objects.filter(workspace=workspace, key__in=[item.key for item in parsed])
    present = {row.key: row for row in own}
    new = [item for item in parsed if item.key not in present and item.key not in BUILT_IN_TYPES]
    created = [
        NodeType.objects.create(workspace=workspace, **{field: getattr(item, field) for field in _TYPE_FIELDS})
        for item in new
    ]
    message = _('The workspace has a node type "{key}" of its own, which stays as it is.')
    warnings = [
        FileWarning(f"nodeTypes[{index}]", message.format(key=item.key), "type_differs")
        for index, item in enumerate(parsed)
        if item not in new
        and any(getattr(present.get(item.key), field, None) != getattr(item, field) for field in _TYPE_FIELDS)
    ]
    return created, warnings


_TYPE_FIELDS = ("key", "display_name", "description", "category", "icon", "handles", "process")


def _create_nodes(
    graph: Graph, parsed: ParsedGraph, sheets: dict[str, Sheet], counted: Iterable[ParsedNode]
) -> dict[str, int]:
    """The ids of the nodes by their keys."""
    ids = new_ids(Node, len(parsed.nodes))
    copy_rows(
        Node,
        ("id", "graph_id", "sheet_id", *_NODE_FIELDS, "data", "handles", "version"),
        (
            (id_, graph.pk, sheets[node.sheet].pk, *_of_node(node), _json(node.data), _json(node.handles), 1)
            for id_, node in zip(ids, counted, strict=True)
        ),
    )
    return {node.key: id_ for id_, node in zip(ids, parsed.nodes, strict=True)}


def _create_edges(graph: Graph, sheets: dict[str, Sheet], nodes: dict[str, int], edges: Iterable[ParsedEdge]) -> None:
    copy_rows(
        Edge,
        ("graph_id", "sheet_id", "source_id", "target_id", *_EDGE_FIELDS, "version"),
        (
            (graph.pk, sheets[edge.sheet].pk, nodes[edge.source], nodes[edge.target], *_of_edge(edge), 1)
            for edge in edges
        ),
    )


_NODE_FIELDS = ("key", "type", "name", "process", "pos_x", "pos_y", "width", "height")
_EDGE_FIELDS = ("key", "source_handle", "target_handle", "label")
_of_node = attrgetter(*_NODE_FIELDS)
_of_edge = attrgetter(*_EDGE_FIELDS)


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value) if value else "{}"
