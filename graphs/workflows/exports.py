"""Native files of graphs, with everything a graph holds. Called by the command and the API."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection, transaction

from graphs.models import BUILT_IN_TYPES, Graph, NodeType
from graphs.workflows.interchange.base import NATIVE_FORMAT, NATIVE_VERSION


def export_graph(graph: Graph) -> dict[str, Any]:
    """The native document of a graph, of one moment, in at most four queries. `docs/interchange.md` describes it."""
    with _one_moment():
        nodes = _nodes(graph)
        used_types = {node["type"] for node in nodes} - set(BUILT_IN_TYPES)
        return {
            "format": NATIVE_FORMAT,
            "formatVersion": NATIVE_VERSION,
            "key": graph.key,
            "name": graph.name,
            "description": graph.description,
            "metadata": graph.metadata,
            "version": graph.version,
            "sheets": list(graph.sheets.order_by("position", "id").values("key", "name")),
            "nodes": nodes,
            "edges": _edges(graph),
            "nodeTypes": _node_types(graph, used_types),
        }


@contextmanager
def _one_moment() -> Iterator[None]:
    """What is read within is of one moment: no edge without its nodes. In a transaction, as that one has it."""
    if connection.in_atomic_block:
        yield
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


def as_json(document: dict[str, Any]) -> str:
    """The document as the text of a file: one line for each node, edge, sheet and type."""
    return "{\n" + ",\n".join(_field(name, value) for name, value in document.items()) + "\n}\n"


def _field(name: str, value: Any) -> str:
    if isinstance(value, list) and value:
        items = ",\n".join(f"    {_compact(item)}" for item in value)
        return f"  {_compact(name)}: [\n{items}\n  ]"
    return f"  {_compact(name)}: {_compact(value)}"


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


_NODE_FIELDS = {
    "key": "key",
    "type": "type",
    "sheet": "sheet__key",
    "name": "name",
    "process": "process",
    "data": "data",
    "handles": "handles",
    "posX": "pos_x",
    "posY": "pos_y",
    "width": "width",
    "height": "height",
    "version": "version",
}
_EDGE_FIELDS = {
    "key": "key",
    "source": "source__key",
    "sourceHandle": "source_handle",
    "target": "target__key",
    "targetHandle": "target_handle",
    "label": "label",
    "sheet": "sheet__key",
    "version": "version",
}
_TYPE_FIELDS = {
    "key": "key",
    "displayName": "display_name",
    "description": "description",
    "category": "category",
    "icon": "icon",
    "handles": "handles",
    "process": "process",
}


def _nodes(graph: Graph) -> list[dict[str, Any]]:
    rows = graph.nodes.order_by("id").values_list(*_NODE_FIELDS.values())
    return [dict(zip(_NODE_FIELDS, row, strict=True)) for row in rows]


def _edges(graph: Graph) -> list[dict[str, Any]]:
    rows = graph.edges.order_by("id").values_list(*_EDGE_FIELDS.values())
    return [dict(zip(_EDGE_FIELDS, row, strict=True)) for row in rows]


def _node_types(graph: Graph, keys: set[str]) -> list[dict[str, Any]]:
    """The workspace's own types that the graph uses."""
    types = NodeType.objects.filter(workspace_id=graph.workspace_id, key__in=keys).order_by("key")
    rows = types.values_list(*_TYPE_FIELDS.values())
    return [dict(zip(_TYPE_FIELDS, row, strict=True)) for row in rows]
