"""What every format is read into, and how a file is refused. Used by the readers and by `graphs.workflows.imports`."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from django.utils.translation import gettext as _

from graphs.site.json_values import shown

Format = Literal["native", "n8n", "node-red"]
#: Gets how far something is: how much of how much.
OnProgress = Callable[[int, int], None]
WarningCode = Literal["dangling", "duplicate", "secret_left_out", "type_differs"]

NATIVE_FORMAT = "countersign.graph"
NATIVE_VERSION = 1

#: Most problems that one refusal tells; the reader stops there.
MAX_PROBLEMS = 20
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


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a file is refused. `where` is a line or a path such as `nodes[3].name`; empty for the whole file."""

    where: str
    message: str

    def __str__(self) -> str:
        return f"{self.where}: {self.message}" if self.where else self.message


@dataclass(frozen=True, slots=True)
class FileWarning(Problem):
    """Something that a foreign file has and the graph will not have, or not as it was."""

    code: WarningCode


class ImportRefused(Exception):
    """The file cannot be trusted; nothing of it was imported."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("; ".join(str(problem) for problem in problems))
        self.problems = problems


@dataclass(slots=True)
class Problems:
    """Collects problems; raises `ImportRefused` by itself once there are `MAX_PROBLEMS`."""

    found: list[Problem] = field(default_factory=list)

    def add(self, where: str, message: str) -> None:
        self.found.append(Problem(where, message))
        if len(self.found) >= MAX_PROBLEMS:
            self.found.append(Problem("", _("There may be more problems; these are the first.")))
            self.refuse_if_any()

    def refuse_if_any(self) -> None:
        if self.found:
            raise ImportRefused(self.found)


def refuse(where: str, message: str) -> ImportRefused:
    """The refusal for one problem, to be raised."""
    return ImportRefused([Problem(where, message)])


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
    """A checked graph: keys are unique, references lead somewhere. `key` and `name` may be empty."""

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


def is_native(document: Any) -> bool:
    """Whether a document says that it is in Countersign's own format."""
    return isinstance(document, dict) and document.get("format") == NATIVE_FORMAT


def size_or(value: Any, default: float) -> float:
    """A width or height as a foreign file has it, or the default where it is none."""
    known = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= MAX_COORDINATE
    return float(value) if known else default


def path(steps: Iterable[str | int]) -> str:
    """The way to a value in a document: `nodes[3].name`, `connections["On click"].main[0]`."""
    text = ""
    for step in steps:
        if isinstance(step, int):
            text += f"[{step}]"
        elif step.isidentifier():
            text += f".{shown(step)}" if text else shown(step)
        else:
            text += f'["{shown(step)}"]'
    return text
