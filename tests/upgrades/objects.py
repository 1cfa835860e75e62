"""Every object with its parts, as JSON: what it was when a release was made, and is after an upgrade."""

from typing import Any

from graphs.models import Graph, Object
from graphs.objects.kinds import KINDS
from graphs.objects.model_rows import row_of
from graphs.objects.model_values import record_of
from graphs.workflows import rows


def told(of: Object) -> dict[str, Any]:
    """The fields of the object and of its parts, by their names."""
    if of.type != "graph":
        return {f"{of}": record_of(KINDS[of.type], row_of(of))}
    graph = Graph.objects.get(pk=of.pk)
    parts = [*rows.own(graph), *rows.nodes(graph).values(), *rows.edges(graph, touching=_nodes(graph)).values()]
    return {str(part.item): part.record for part in parts}


def _nodes(graph: Graph) -> list[int]:
    return list(graph.nodes.values_list("pk", flat=True))
