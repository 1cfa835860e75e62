"""What every format is read into: a graph of which everything is checked."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from graphs.models.visible_text import is_blank
from graphs.workflows.interchange.refusals import FileWarning

Format = Literal["native", "n8n", "node-red"]
#: Gets how far something is: how much of how much.
OnProgress = Callable[[int, int], None]

NATIVE_FORMAT = "countersign.graph"
NATIVE_VERSION = 1

#: A graph of n nodes may have this many times n edges, sheets and outputs.
EDGES_PER_NODE = 10
#: Positions and sizes beyond this are a mistake, not a drawing.
MAX_COORDINATE = 10_000_000


@dataclass(frozen=True, slots=True)
class Limits:
    """What a file may hold; None is no limit."""

    max_bytes: int | None = None
    max_nodes: int | None = None

    @property
    def max_edges(self) -> int | None:
        return None if self.max_nodes is None else self.max_nodes * EDGES_PER_NODE


def no_progress(done: int, total: int) -> None:
    """Reports nothing."""


def said(name: str) -> str:
    """The name; what is only spaces is none, and the key stands for it."""
    return "" if is_blank(name) else name


@dataclass(frozen=True, slots=True)
class ParsedSheet:
    key: str
    name: str


@dataclass(frozen=True, slots=True)
class ParsedNode:
    key: str
    type: str
    sheet: str
    name: str
    process: str
    data: dict[str, Any]
    handles: dict[str, Any]
    pos_x: float
    pos_y: float
    width: float | None = None
    height: float | None = None


@dataclass(frozen=True, slots=True)
class ParsedEdge:
    """`source` and `target` are keys of nodes, `sheet` is the key of a sheet."""

    key: str
    source: str
    source_handle: str
    target: str
    target_handle: str
    label: str
    sheet: str


@dataclass(frozen=True, slots=True)
class ParsedNodeType:
    key: str
    display_name: str
    description: str
    category: str
    icon: str
    handles: dict[str, Any]
    process: str


@dataclass(frozen=True, slots=True)
class ParsedGraph:
    """A checked graph: keys are unique, references lead somewhere. `key` and `name` may be empty.

    Of `warnings` it has the first; `warning_count` is of all.
    """

    format: Format
    key: str
    name: str
    description: str
    metadata: dict[str, Any]
    sheets: tuple[ParsedSheet, ...]
    nodes: tuple[ParsedNode, ...]
    edges: tuple[ParsedEdge, ...]
    node_types: tuple[ParsedNodeType, ...] = ()
    warnings: tuple[FileWarning, ...] = ()
    warning_count: int = 0


def is_native(document: Any) -> bool:
    """Whether a document says that it is in Countersign's own format."""
    return isinstance(document, dict) and document.get("format") == NATIVE_FORMAT


def size_or(value: Any, default: float) -> float:
    """A width or height as a foreign file has it, or the default where it is none."""
    known = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= MAX_COORDINATE
    return float(value) if known else default
