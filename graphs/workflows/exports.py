"""Native files of graphs, with everything a graph holds. Called by the command and the API."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

from django.db import connection, transaction
from django.db.models import QuerySet

from graphs.models import BUILT_IN_TYPES, Graph, NodeType
from graphs.site.shapes import AsItIs, Shape, wire_names
from graphs.workflows.interchange.parsed_graph import NATIVE_FORMAT, NATIVE_VERSION

#: Fields that stand in a column of another name.
_COLUMNS = {"sheet": "sheet__key", "source": "source__key", "target": "target__key"}


class SheetShape(Shape):
    key: str
    name: str


class VersionedSheet(SheetShape):
    version: int


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


class ExportedNodeType(Shape):
    key: str
    display_name: str
    description: str
    category: str
    icon: str
    handles: dict[str, Any]
    process: str


class NativeFile(Shape):
    format: Literal["countersign.graph"]
    format_version: int
    key: str
    name: str
    description: str
    metadata: dict[str, Any]
    version: int
    sheets: AsItIs[list[SheetShape]]
    nodes: AsItIs[list[NodeShape]]
    edges: AsItIs[list[EdgeShape]]
    node_types: AsItIs[list[ExportedNodeType]]


def export_graph(graph: Graph, sheet: type[SheetShape] = SheetShape) -> dict[str, Any]:
    """The native document of a graph, of one moment, in at most four queries. `docs/interchange.md` describes it.

    A file has no versions of its sheets: earlier programs read none there.
    """
    with _one_moment():
        nodes = _records(NodeShape, graph.nodes.order_by("id"))
        used_types = {node["type"] for node in nodes} - set(BUILT_IN_TYPES)
        types = NodeType.objects.filter(workspace_id=graph.workspace_id, key__in=used_types).order_by("key")
        return NativeFile.from_attributes(
            graph,
            format=NATIVE_FORMAT,
            format_version=NATIVE_VERSION,
            sheets=_records(sheet, graph.sheets.order_by("position", "id")),
            nodes=nodes,
            edges=_records(EdgeShape, graph.edges.order_by("id")),
            node_types=_records(ExportedNodeType, types),
        ).to_json()


@contextmanager
def _one_moment() -> Iterator[None]:
    """Makes all reads within see one moment: no edge without its nodes. In a transaction, that one decides."""
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


def _records(shape: type[Shape], rows: QuerySet[Any]) -> list[Any]:
    """The rows with the fields that `shape` names. They are plain data, as a graph may have a hundred thousand."""
    names = wire_names(shape)
    found = rows.values_list(*(_COLUMNS.get(name, name) for name in names))
    return [dict(zip(names.values(), row, strict=True)) for row in found]
