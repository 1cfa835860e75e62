"""Edges of a file that nobody could make here: they are kept, and a warning says so once of each sort."""

from collections.abc import Iterable

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import gettext as _

from graphs.workflows.interchange.parsed_graph import ParsedEdge, ParsedGraph, ParsedNode
from graphs.workflows.interchange.refusals import FileWarning
from graphs.workflows.node_types import ANYTHING, BUILT_IN, is_accepted


def unusual(parsed: ParsedGraph) -> tuple[FileWarning, ...]:
    """The warnings, at most three, each with the place of the first such edge."""
    loops = [index for index, edge in enumerate(parsed.edges) if edge.source == edge.target]
    lost = _without_a_handle(parsed)
    picky = {node.key: handles for node in parsed.nodes if (handles := _wanted(node))}
    nodes = {node.key: node for node in parsed.nodes} if picky else {}
    types = {*BUILT_IN, *(node_type.key for node_type in parsed.node_types), *(node.type for node in nodes.values())}
    not_accepted = [
        index
        for index, edge in enumerate(parsed.edges)
        if (wanted := picky.get(edge.target, {}).get(edge.target_handle))
        and not is_accepted(wanted, nodes[edge.source].type, _given(nodes[edge.source], edge), types)
    ]
    return (
        *_told(parsed.edges, loops, _("{count} edges lead from a node to itself. They stay; new ones cannot be made.")),
        *_told(
            parsed.edges,
            lost,
            _("{count} edges use handles that their nodes do not have. They stay; new ones cannot be made."),
        ),
        *_told(
            parsed.edges,
            not_accepted,
            _("{count} edges lead into handles that accept other nodes. They stay; new ones cannot be made."),
        ),
    )


def _without_a_handle(parsed: ParsedGraph) -> list[int]:
    """The places of the edges that begin or end at a note, or at no handle of a node that has some."""
    own = {
        node.key: {(point["type"], point["id"]) for side in node.handles.values() for point in side}
        for node in parsed.nodes
        if node.type == "note" or any(node.handles.values())
    }
    return [
        index
        for index, edge in enumerate(parsed.edges)
        if (edge.source in own and ("out", edge.source_handle) not in own[edge.source])
        or (edge.target in own and ("in", edge.target_handle) not in own[edge.target])
    ]


def _told(edges: tuple[ParsedEdge, ...], found: list[int], message: str) -> Iterable[FileWarning]:
    if found:
        where = f'edges[{found[0]}] ("{edges[found[0]].key[:100]}")'
        yield FileWarning(where, message.format(count=intcomma(len(found))), "unusual_edge")


def _wanted(node: ParsedNode) -> dict[str, str]:
    """What each in handle of a node accepts, where that is not everything."""
    points = (point for side in node.handles.values() for point in side if point["type"] == "in")
    return {point["id"]: accept for point in points if (accept := point.get("accept", "any")) not in ANYTHING}


def _given(node: ParsedNode, edge: ParsedEdge) -> str:
    points = (point for side in node.handles.values() for point in side if point["type"] == "out")
    return next((point.get("accept", "any") for point in points if point["id"] == edge.source_handle), "any")
