"""The shapes in which the tools of graphs answer; long fields are cut with a note how to read on."""

from typing import Any

from chat.tools.results import FIELD_CHARS, SHORT_CHARS, as_json
from graphs.workflows.node_types import TypeRecord
from graphs.workflows.sources import EdgeRecord, NodeRecord
from rag.texts.shortening import cut, handles_summary


def data_text(node: NodeRecord) -> str:
    """The data of a node as compact JSON; empty where there is none."""
    return as_json(node.data) if node.data not in ({}, None) else ""


def node_row(node: NodeRecord, type_names: dict[str, str]) -> dict[str, Any]:
    """What every list says about a node."""
    return {
        "key": node.key,
        "name": node.name,
        "type": node.type,
        "typeName": type_names.get(node.type, node.type),
        "sheet": node.sheet,
    }


def edge_row(edge: EdgeRecord) -> dict[str, Any]:
    return {
        "key": edge.key,
        "source": edge.source,
        "sourceHandle": edge.source_handle,
        "target": edge.target,
        "targetHandle": edge.target_handle,
        "label": edge.label,
    }


def type_row(record: TypeRecord) -> dict[str, Any]:
    return {
        "key": record.key,
        "displayName": record.display_name,
        "description": cut(record.description, SHORT_CHARS),
        "category": record.category,
        "builtIn": record.built_in,
        "handles": cut(handles_summary(record.handles), SHORT_CHARS),
    }


def long_field(node_key: str, field: str, text: str, limit: int = FIELD_CHARS) -> dict[str, Any]:
    """The field, and where it had to be cut a note under `<field>Note` how to read on."""
    if len(text) <= limit:
        return {field: text}
    read_on = as_json({"nodeKey": node_key, "field": field, "offset": limit})
    note = f"Cut at {limit} of {len(text)} characters. Read on with read_node_detail {read_on}."
    return {field: text[:limit], f"{field}Note": note}
