"""The JSON of graphs, for the OpenAPI document. `graphs.workflows.exports` makes it; a test compares the two."""

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel


class Shape(BaseModel):
    """What an answer says; names are camelCase on the wire."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel)


class GraphSummary(Shape):
    key: str
    name: str
    description: str
    version: int
    nodes: int
    edges: int
    created_at: datetime
    updated_at: datetime


class GraphPage(Shape):
    results: list[GraphSummary]
    next: str | None
    previous: str | None


class SheetShape(Shape):
    key: str
    name: str


class NodeShape(Shape):
    key: str
    type: str
    sheet: str
    name: str
    process: str
    data: dict[str, Any]
    handles: dict[str, Any]
    pos_x: float
    pos_y: float
    width: float | None
    height: float | None
    version: int


class EdgeShape(Shape):
    key: str
    source: str
    source_handle: str
    target: str
    target_handle: str
    label: str
    sheet: str
    version: int


class NodeTypeShape(Shape):
    key: str
    display_name: str
    description: str
    category: str
    icon: str
    handles: dict[str, Any]
    process: str
    built_in: bool


class ExportedNodeType(Shape):
    key: str
    display_name: str
    description: str
    category: str
    icon: str
    handles: dict[str, Any]
    process: str


class CustomNodeType(ExportedNodeType):
    version: int


class NodeTypePage(Shape):
    results: list[CustomNodeType]
    next: str | None
    previous: str | None


class GraphShape(Shape):
    key: str
    name: str
    description: str
    metadata: dict[str, Any]
    version: int
    sheets: list[SheetShape]
    nodes: list[NodeShape]
    edges: list[EdgeShape]
    node_types: list[NodeTypeShape]


class NativeFile(Shape):
    format: Literal["countersign.graph"]
    format_version: int
    key: str
    name: str
    description: str
    metadata: dict[str, Any]
    version: int
    sheets: list[SheetShape]
    nodes: list[NodeShape]
    edges: list[EdgeShape]
    node_types: list[ExportedNodeType]


class ImportWarning(Shape):
    where: str
    message: str
    code: str


class ImportResult(Shape):
    key: str
    nodes: int
    edges: int
    warnings: list[ImportWarning]
