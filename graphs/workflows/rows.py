"""The rows of a graph's nodes, edges and sheets, read by key as records."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from graphs.models import Edge, Graph, Node, Object, Sheet
from graphs.objects.kinds import Field, Kind
from graphs.objects.preconditions import Stored
from graphs.objects.refs import Ref
from graphs.site.any_of import any_of
from graphs.workflows.kinds import EDGE, NODE, OWN_FIELDS, SHEET


def nodes(
    graph: Object, keys: Collection[str] | None = None, fields: Collection[str] | None = None
) -> dict[str, Stored]:
    """The nodes with these keys, or all; of their fields these, or all."""
    rows = Node.objects.filter(graph=graph.pk).order_by("id")
    return stored(NODE, rows if keys is None else rows.filter(any_of("key", keys)), fields)


def edges(
    graph: Object, keys: Collection[str] = (), touching: Collection[int] = (), fields: Collection[str] | None = None
) -> dict[str, Stored]:
    """The edges with these keys, and those that begin or end at nodes with these ids."""
    wanted = any_of("key", keys) | any_of("source", touching) | any_of("target", touching)
    return stored(EDGE, Edge.objects.filter(wanted, graph=graph.pk).order_by("id"), fields)


def all_edges(graph: Object) -> dict[str, Stored]:
    """All edges of a graph."""
    return stored(EDGE, Edge.objects.filter(graph=graph.pk).order_by("id"), None)


def on_sheets(graph: Object, sheets: Collection[int]) -> dict[Ref, Stored]:
    """The nodes and edges on these sheets, of their fields only the sheet."""
    found: dict[Ref, Stored] = {}
    for kind in (NODE, EDGE):
        rows = kind.model._default_manager.filter(graph=graph.pk, sheet__in=sheets).order_by("id")
        found |= {each.item: each for each in stored(kind, rows, ("sheet",)).values()}
    return found


def own(graph: Object) -> list[Stored]:
    """The graph itself, with its own fields; empty if it is gone."""
    found = Graph.objects.filter(pk=graph.pk).first()
    if found is None:
        return []
    record = {field.name: getattr(found, field.column) for field in OWN_FIELDS}
    return [Stored(Ref(graph.type, graph.key), record, found.version, found.pk)]


def stored(kind: Kind, rows: "QuerySet[Any]", names: Collection[str] | None) -> dict[str, Stored]:
    """Rows of parts by key, with these fields or all."""
    wanted = [field for field in kind.fields if names is None or field.name in names]
    columns = [f"{field.column}__key" if field.form == "key" else field.column for field in wanted]
    return {
        key: Stored(
            Ref(kind.name, key), {field.name: value for field, value in zip(wanted, values, strict=True)}, version, id_
        )
        for id_, key, version, *values in rows.values_list("id", "key", "version", *columns)
    }


@dataclass(frozen=True, slots=True)
class References:
    """The rows that records name by key."""

    sheets: dict[str, int]
    nodes: dict[str, int]

    def value(self, field: Field, value: Any) -> Any:
        """The value for the column of a field. Raises `KeyError` for a sheet or node that is not there."""
        if field.form != "key":
            return value
        return (self.sheets if field.column == "sheet" else self.nodes)[value]


def sheets(graph: Object) -> dict[str, Stored]:
    """All sheets by key, in their order."""
    return stored(SHEET, Sheet.objects.filter(graph=graph.pk).order_by("position", "id"), None)
