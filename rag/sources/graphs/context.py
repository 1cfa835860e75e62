"""What retrieval hands to the prompts, the part of a graph that a question is about, and how much of it."""

from dataclasses import dataclass
from typing import Any

from django.conf import settings


@dataclass(frozen=True, slots=True)
class Options:
    """The limits of a context: nodes, steps along edges, characters of code and of data."""

    nodes: int
    depth: int
    process_chars: int
    data_chars: int


def configured() -> Options:
    return Options(
        settings.RETRIEVAL_NODES,
        settings.RETRIEVAL_DEPTH,
        settings.RETRIEVAL_PROCESS_CHARS,
        settings.RETRIEVAL_DATA_CHARS,
    )


@dataclass(frozen=True, slots=True)
class GraphFacts:
    """`sheets` are pairs of key and name."""

    key: str
    name: str
    description: str
    sheets: tuple[tuple[str, str], ...]
    metadata: dict[str, Any]


@dataclass(frozen=True, slots=True)
class RelevantNode:
    """`process` and `data` are cut to their beginnings; `handles` reads "L: L-0 in(any); R: R-0 out(any)"."""

    key: str
    name: str
    type: str
    type_name: str
    sheet: str
    sheet_name: str
    process: str
    data: str
    handles: str


@dataclass(frozen=True, slots=True)
class RelevantEdge:
    """`source` and `target` are keys of relevant nodes."""

    source: str
    source_handle: str
    target: str
    target_handle: str
    label: str


@dataclass(frozen=True, slots=True)
class RelevantType:
    key: str
    display_name: str
    description: str
    category: str
    icon: str
    handles: str


@dataclass(frozen=True, slots=True)
class GraphContext:
    """Nodes in order of relevance, the edges between them and the types they have."""

    graph: GraphFacts
    relevant_nodes: tuple[RelevantNode, ...]
    relevant_edges: tuple[RelevantEdge, ...]
    node_types: tuple[RelevantType, ...]
