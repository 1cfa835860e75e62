"""Countersign's own format, described in `docs/interchange.md`: strict and without loss. `graphs.exports` writes it."""

from typing import Annotated, Any, Literal, NotRequired

from django.utils.translation import gettext as _
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
from pydantic.alias_generators import to_camel
from typing_extensions import TypedDict

from graphs.interchange import grid
from graphs.interchange.base import (
    MAX_COORDINATE,
    MAX_EDGE_KEY,
    MAX_KEY,
    MAX_NAME,
    NATIVE_FORMAT,
    NATIVE_VERSION,
    Limits,
    ParsedEdge,
    ParsedGraph,
    ParsedNode,
    ParsedNodeType,
    ParsedSheet,
    Problems,
    refuse,
)
from graphs.interchange.checks import checked
from graphs.interchange.sizes import check_list, check_nodes
from graphs.json_values import shown

_VISIBLE = r"^[^\s{}\p{Cc}\p{Cf}]+$"
Key = Annotated[str, Field(min_length=1, max_length=MAX_KEY, pattern=_VISIBLE)]
EdgeKey = Annotated[str, Field(min_length=1, max_length=MAX_EDGE_KEY, pattern=_VISIBLE)]
Name = Annotated[str, Field(max_length=MAX_NAME)]
ShortText = Annotated[str, Field(max_length=100)]
Coordinate = Annotated[float, Field(ge=-MAX_COORDINATE, le=MAX_COORDINATE, allow_inf_nan=False)]
Size = Annotated[float, Field(ge=0, le=MAX_COORDINATE, allow_inf_nan=False)]
Version = Annotated[int, Field(ge=1)]


class _Point(TypedDict):
    __pydantic_config__ = ConfigDict(strict=True, extra="forbid")  # type: ignore[misc]

    id: ShortText
    type: Literal["in", "out"]
    accept: NotRequired[str]
    label: NotRequired[str]


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
    problems = Problems()
    head = _head(document, problems)
    check_nodes(len(head.nodes), limits)
    for field, items in (("sheets", head.sheets), ("edges", head.edges), ("nodeTypes", head.node_types)):
        check_list(field, len(items), limits)
    sheets = _all(_SHEET, head.sheets, "sheets", problems)
    nodes = _all(_NODE, head.nodes, "nodes", problems)
    edges = _all(_EDGE, head.edges, "edges", problems)
    node_types = _all(_NODE_TYPE, head.node_types, "nodeTypes", problems)
    problems.refuse_if_any()
    _check_references(sheets, nodes, edges, problems)
    _check_doubles("nodeTypes", [node_type.key for node_type in node_types], problems)
    problems.refuse_if_any()
    return ParsedGraph(
        format="native",
        key=head.key or "",
        name=head.name,
        description=head.description,
        metadata=head.metadata,
        sheets=tuple(ParsedSheet(sheet.key, sheet.name) for sheet in sheets),
        nodes=_placed(nodes),
        edges=tuple(ParsedEdge(**edge.model_dump(exclude={"version"})) for edge in edges),
        node_types=tuple(ParsedNodeType(**dict(node_type)) for node_type in node_types),
    )


_HEAD = TypeAdapter(_Head)
_SHEET = TypeAdapter(_Sheet)
_NODE = TypeAdapter(_Node)
_EDGE = TypeAdapter(_Edge)
_NODE_TYPE = TypeAdapter(_NodeType)


def _head(document: Any, problems: Problems) -> _Head:
    if not isinstance(document, dict) or document.get("format") != NATIVE_FORMAT:
        raise refuse("format", _('A native file is an object with "format": "{format}".').format(format=NATIVE_FORMAT))
    head = checked(_HEAD, document, (), problems)
    problems.refuse_if_any()
    assert head is not None
    if head.format_version != NATIVE_VERSION:
        message = _("This program reads version {version} of the format; the file has version {other}.")
        raise refuse("formatVersion", message.format(version=NATIVE_VERSION, other=head.format_version))
    return head


def _all(adapter: TypeAdapter, items: list[Any], field: str, problems: Problems) -> list[Any]:
    values = [checked(adapter, item, (field, index), problems) for index, item in enumerate(items)]
    return [value for value in values if value is not None]


def _check_references(sheets: list[_Sheet], nodes: list[_Node], edges: list[_Edge], problems: Problems) -> None:
    sheet_keys = _check_doubles("sheets", [sheet.key for sheet in sheets], problems)
    node_keys = _check_doubles("nodes", [node.key for node in nodes], problems)
    _check_doubles("edges", [edge.key for edge in edges], problems)
    no_sheet, no_node = _('There is no sheet "{key}".'), _('There is no node "{key}".')
    for index, node in enumerate(nodes):
        where = f'nodes[{index}] ("{shown(node.name or node.key)}")'
        if node.sheet not in sheet_keys:
            problems.add(where, no_sheet.format(key=shown(node.sheet)))
        if (node.pos_x is None) != (node.pos_y is None):
            problems.add(where, _("Give both posX and posY, or neither."))
    for index, edge in enumerate(edges):
        where = f'edges[{index}] ("{shown(edge.key)}")'
        if edge.sheet not in sheet_keys:
            problems.add(where, no_sheet.format(key=shown(edge.sheet)))
        for end in (edge.source, edge.target):
            if end not in node_keys:
                problems.add(where, no_node.format(key=shown(end)))


def _check_doubles(field: str, keys: list[str], problems: Problems) -> set[str]:
    """The keys as a set, after telling which occur twice."""
    first: dict[str, int] = {}
    for index, key in enumerate(keys):
        if first.setdefault(key, index) != index:
            message = _('The key "{key}" is already used by {field}[{index}].')
            problems.add(f"{field}[{index}]", message.format(key=shown(key), field=field, index=first[key]))
    return set(first)


def _placed(nodes: list[_Node]) -> tuple[ParsedNode, ...]:
    given = [
        (node.sheet, None if node.pos_x is None or node.pos_y is None else (node.pos_x, node.pos_y)) for node in nodes
    ]
    return tuple(
        ParsedNode(
            key=node.key,
            type=node.type,
            sheet=node.sheet,
            name=node.name,
            process=node.process,
            data=node.data,
            handles=dict(node.handles.items()),
            pos_x=x,
            pos_y=y,
            width=node.width,
            height=node.height,
        )
        for node, (x, y) in zip(nodes, grid.fill(given), strict=True)
    )
