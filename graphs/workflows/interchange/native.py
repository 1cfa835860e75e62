"""Countersign's own format (docs/interchange.md): strict and without loss. `exports` writes it."""

from collections.abc import Iterator, Sequence
from sys import intern
from typing import Annotated, Any, Literal, NotRequired

from django.utils.translation import gettext as _
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
from pydantic.alias_generators import to_camel
from typing_extensions import TypedDict

from graphs.models.objects import MAX_KEY
from graphs.models.workflows import MAX_EDGE_KEY, MAX_NAME
from graphs.objects.strict import MAX_SHORT
from graphs.site.field_sentences import VISIBLE
from graphs.site.json_values import shown
from graphs.workflows.interchange import grid
from graphs.workflows.interchange.checks import Coordinate, Size, all_checked, check_list, check_nodes, document_as
from graphs.workflows.interchange.parsed_graph import (
    NATIVE_FORMAT,
    NATIVE_VERSION,
    Limits,
    ParsedEdge,
    ParsedGraph,
    ParsedNode,
    ParsedNodeType,
    ParsedSheet,
    is_native,
    said,
)
from graphs.workflows.interchange.refusals import Problems, refuse

Key = Annotated[str, Field(min_length=1, max_length=MAX_KEY, pattern=VISIBLE)]
EdgeKey = Annotated[str, Field(min_length=1, max_length=MAX_EDGE_KEY, pattern=VISIBLE)]
Name = Annotated[str, Field(max_length=MAX_NAME)]
ShortText = Annotated[str, Field(max_length=MAX_SHORT)]
Version = Annotated[int, Field(ge=1)]


class _Point(TypedDict):
    __pydantic_config__ = ConfigDict(strict=True, extra="forbid")  # type: ignore[misc]

    id: Annotated[str, Field(min_length=1, max_length=MAX_SHORT)]
    type: Literal["in", "out"]
    accept: NotRequired[ShortText]
    label: NotRequired[Name]


Handles = dict[Literal["R", "L", "T", "B"], Annotated[list[_Point], Field(fail_fast=True)]]


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", alias_generator=to_camel, validate_by_alias=True)


class _Sheet(_Strict):
    key: Key
    name: Name


class _Node(_Strict):
    key: Key
    type: Annotated[str, Field(min_length=1, max_length=MAX_NAME)]
    sheet: str
    name: Name = ""
    process: str = ""
    data: dict[str, Any] = {}
    handles: Handles = {}
    pos_x: Coordinate | None = None
    pos_y: Coordinate | None = None
    width: Size | None = None
    height: Size | None = None
    version: Version | None = None


class _Edge(_Strict):
    key: EdgeKey
    source: str
    source_handle: ShortText = ""
    target: str
    target_handle: ShortText = ""
    label: Name = ""
    sheet: str
    version: Version | None = None


class _NodeType(_Strict):
    key: Key
    display_name: Annotated[str, Field(min_length=1, max_length=MAX_NAME)]
    description: str = ""
    category: ShortText = ""
    icon: ShortText = ""
    handles: Handles = {}
    process: str = ""


class _Head(_Strict):
    """The file without what its lists hold."""

    format: Literal["countersign.graph"]
    format_version: int
    key: Key | None = None
    name: Name
    description: str = ""
    metadata: dict[str, Any] = {}
    version: Version | None = None
    sheets: list[Any]
    nodes: list[Any]
    edges: list[Any] = []
    node_types: list[Any] = []


def parse(document: Any, limits: Limits) -> ParsedGraph:
    """The graph of a native file. `version` fields are checked and ignored: they count changes in one database."""
    head = _head(document)
    check_nodes(len(head.nodes), limits)
    for field, items in (("sheets", head.sheets), ("edges", head.edges), ("nodeTypes", head.node_types)):
        check_list(field, len(items), limits)
    problems = Problems()
    sheets = all_checked(_Sheet, head.sheets, ("sheets",), problems)
    nodes = all_checked(_Node, head.nodes, ("nodes",), problems)
    edges = all_checked(_Edge, head.edges, ("edges",), problems)
    node_types = all_checked(_NodeType, head.node_types, ("nodeTypes",), problems)
    problems.refuse_if_any()
    _check_references(sheets, nodes, edges, node_types, problems)
    given = [
        (node.sheet, None if node.pos_x is None or node.pos_y is None else (node.pos_x, node.pos_y)) for node in nodes
    ]
    placed = tuple(_node(node, x, y) for node, (x, y) in zip(nodes, grid.fill(given), strict=True))
    return _graph(head, sheets, placed, tuple(map(_edge, edges)), node_types)


def parse_rest(document: Any, nodes: Sequence[ParsedNode], edges: Sequence[ParsedEdge]) -> ParsedGraph:
    """The graph of a file whose nodes and edges were read before (`native_parts`); `document` has none of them."""
    problems, head = Problems(), _head(document)
    sheets = all_checked(_Sheet, head.sheets, ("sheets",), problems)
    node_types = all_checked(_NodeType, head.node_types, ("nodeTypes",), problems)
    problems.refuse_if_any()
    _check_references(sheets, nodes, edges, node_types, problems)
    return _graph(head, sheets, tuple(nodes), tuple(edges), node_types)


def parse_nodes(items: list[Any]) -> Iterator[ParsedNode]:
    """Parses nodes that have positions. Raises `ValueError`, of pydantic too, if something is wrong or missing."""
    for node in _NODES.validate_python(items):
        if node.pos_x is None or node.pos_y is None:
            raise ValueError("places of nodes that have none depend on all the others")
        yield _node(node, node.pos_x, node.pos_y)


def parse_edges(items: list[Any]) -> Iterator[ParsedEdge]:
    """Parses edges. Raises `ValueError` of pydantic."""
    return map(_edge, _EDGES.validate_python(items))


def _graph(
    head: _Head,
    sheets: list[_Sheet],
    nodes: tuple[ParsedNode, ...],
    edges: tuple[ParsedEdge, ...],
    node_types: list[_NodeType],
) -> ParsedGraph:
    return ParsedGraph(
        format="native",
        key=head.key or "",
        name=said(head.name),
        description=head.description,
        metadata=head.metadata,
        sheets=tuple(ParsedSheet(sheet.key, said(sheet.name)) for sheet in sheets),
        nodes=nodes,
        edges=edges,
        node_types=tuple(map(_node_type, node_types)),
    )


def _node_type(of: _NodeType) -> ParsedNodeType:
    return ParsedNodeType(**dict(of) | {"display_name": said(of.display_name) or of.key})


_NODES = TypeAdapter(Annotated[list[_Node], Field(fail_fast=True)])
_EDGES = TypeAdapter(Annotated[list[_Edge], Field(fail_fast=True)])


def _head(document: Any) -> _Head:
    if not is_native(document):
        raise refuse("format", _('A native file is an object with "format": "{format}".').format(format=NATIVE_FORMAT))
    head = document_as(_Head, document)
    if head.format_version != NATIVE_VERSION:
        message = _("This program reads version {version} of the format; the file has version {other}.")
        raise refuse("formatVersion", message.format(version=NATIVE_VERSION, other=head.format_version))
    return head


def _check_references(
    sheets: list[_Sheet],
    nodes: Sequence[_Node | ParsedNode],
    edges: Sequence[_Edge | ParsedEdge],
    node_types: list[_NodeType],
    problems: Problems,
) -> None:
    sheet_keys = _check_doubles("sheets", [sheet.key for sheet in sheets], problems)
    node_keys = _check_doubles("nodes", [node.key for node in nodes], problems)
    _check_doubles("edges", [edge.key for edge in edges], problems)
    no_sheet, no_node = _('There is no sheet "{key}".'), _('There is no node "{key}".')
    for index, node in enumerate(nodes):
        if node.sheet not in sheet_keys:
            problems.add(_where("nodes", index, node.name or node.key), no_sheet.format(key=shown(node.sheet)))
        if (node.pos_x is None) != (node.pos_y is None):
            problems.add(_where("nodes", index, node.name or node.key), _("Give both posX and posY, or neither."))
    for index, edge in enumerate(edges):
        if edge.sheet not in sheet_keys:
            problems.add(_where("edges", index, edge.key), no_sheet.format(key=shown(edge.sheet)))
        for end in (edge.source, edge.target):
            if end not in node_keys:
                problems.add(_where("edges", index, edge.key), no_node.format(key=shown(end)))
    _check_doubles("nodeTypes", [node_type.key for node_type in node_types], problems)
    problems.refuse_if_any()


def _where(field: str, index: int, name: str) -> str:
    return f'{field}[{index}] ("{shown(name)}")'


def _edge(edge: _Edge) -> ParsedEdge:
    """One edge; keys of its ends, and what many edges have in common, are kept in memory once."""
    return ParsedEdge(
        key=edge.key,
        source=intern(edge.source),
        source_handle=intern(edge.source_handle),
        target=intern(edge.target),
        target_handle=intern(edge.target_handle),
        label=edge.label,
        sheet=intern(edge.sheet),
    )


def _check_doubles(field: str, keys: list[str], problems: Problems) -> set[str]:
    """The keys as a set, after telling which occur twice."""
    every = set(keys)
    if len(every) == len(keys):
        return every
    first: dict[str, int] = {}
    for index, key in enumerate(keys):
        if first.setdefault(key, index) != index:
            message = _('The key "{key}" is already used by {field}[{index}].')
            problems.add(f"{field}[{index}]", message.format(key=shown(key), field=field, index=first[key]))
    return every


def _node(node: _Node, x: float, y: float) -> ParsedNode:
    return ParsedNode(
        key=intern(node.key),
        type=intern(node.type),
        sheet=intern(node.sheet),
        name=said(node.name),
        process=node.process,
        data=node.data,
        handles=dict(node.handles.items()),
        pos_x=x,
        pos_y=y,
        width=node.width,
        height=node.height,
    )
