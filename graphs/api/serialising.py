"""Graphs as the JSON of the API, from what `graphs.workflows.exports` reads."""

from collections.abc import Sequence
from typing import Any

from django.db.models import Count, Sum
from django.utils.translation import get_language, gettext

from graphs.models import Graph, NodeType
from graphs.workflows.exports import export_graph
from graphs.workflows.listing import with_sizes
from graphs.workflows.node_types import BUILT_IN, TypeRecord


def summaries(graphs: Sequence[Graph]) -> list[dict[str, Any]]:
    return [
        {
            "key": sized.graph.key,
            "name": sized.graph.name,
            "description": sized.graph.description,
            "version": sized.graph.version,
            "nodes": sized.nodes,
            "edges": sized.edges,
            "createdAt": sized.graph.created_at,
            "updatedAt": sized.graph.updated_at,
        }
        for sized in with_sizes(graphs)
    ]


def whole(graph: Graph) -> dict[str, Any]:
    """A graph with everything on it and the types that its nodes have."""
    document = export_graph(graph)
    del document["format"], document["formatVersion"]
    used = {node["type"] for node in document["nodes"]}
    custom = [node_type | {"builtIn": False} for node_type in document["nodeTypes"]]
    document["nodeTypes"] = [_built_in(BUILT_IN[key]) for key in BUILT_IN if key in used] + custom
    return document


def node_types(rows: Sequence[NodeType]) -> list[dict[str, Any]]:
    return [
        {
            "key": row.key,
            "displayName": row.display_name,
            "description": row.description,
            "category": row.category,
            "icon": row.icon,
            "handles": row.handles,
            "process": row.process,
            "version": row.version,
        }
        for row in rows
    ]


def etag(graph: Graph) -> str:
    """Changes with the graph, with the node types of its workspace and with the reader's language."""
    types = graph.workspace.node_types.aggregate(count=Count("id"), versions=Sum("version"))
    changed = int(graph.updated_at.timestamp() * 1_000_000)
    return f'"{graph.pk}-{graph.version}-{changed}-{types["count"]}-{types["versions"] or 0}-{get_language()}"'


def _built_in(record: TypeRecord) -> dict[str, Any]:
    return {
        "key": record.key,
        "displayName": gettext(record.display_name),
        "description": gettext(record.description),
        "category": gettext(record.category),
        "icon": record.icon,
        "handles": record.handles,
        "process": record.process,
        "builtIn": True,
    }
