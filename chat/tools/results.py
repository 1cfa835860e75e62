"""The shapes in which read tools answer, kept small: long fields are cut with a note how to read on."""

import json
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from graphs.workflows.node_types import TypeRecord
from graphs.workflows.sources import EdgeRecord, NodeRecord
from rag.texts.shortening import cut, handles_summary

#: Characters of JSON that one list in an answer may take.
LIST_CHARS = 4_000
#: Characters of one long field of one node.
FIELD_CHARS = 3_000
#: Characters of a label, name or description in a list.
SHORT_CHARS = 200

Row = TypeVar("Row")


def as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


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


def fitting(
    rows: Sequence[Row], shape: Callable[[Row], dict[str, Any]], limit: int = LIST_CHARS
) -> list[dict[str, Any]]:
    """The shapes of the first rows that together take at most `limit` characters of JSON; at least one."""
    shaped: list[dict[str, Any]] = []
    taken = 0
    for row in rows:
        item = shape(row)
        taken += len(as_json(item)) + 1
        if shaped and taken > limit:
            break
        shaped.append(item)
    return shaped


def long_field(node_key: str, field: str, text: str, limit: int = FIELD_CHARS) -> dict[str, Any]:
    """The field, and where it had to be cut a note under `<field>Note` how to read on."""
    if len(text) <= limit:
        return {field: text}
    read_on = as_json({"nodeKey": node_key, "field": field, "offset": limit})
    note = f"Cut at {limit} of {len(text)} characters. Read on with read_node_detail {read_on}."
    return {field: text[:limit], f"{field}Note": note}


def next_offset(reached: int, total: int) -> dict[str, Any]:
    """`{"nextOffset": ...}` where a list goes on."""
    return {"nextOffset": reached} if reached < total else {}


def shown_of(rows: Sequence[Any], found: Sequence[Any], most: int, what: str, read_on: str) -> str:
    """Says how many rows are shown of what was found, of which more than `most` were not counted; "" where all are."""
    if len(rows) == len(found):
        return ""
    total = f"more than {most}" if len(found) > most else len(found)
    return f"{len(rows)} of {total} {what} are shown: {read_on}."


def note(*sentences: str) -> dict[str, str]:
    """`{"note": ...}` where there is something to say."""
    told = " ".join(sentence for sentence in sentences if sentence)
    return {"note": told} if told else {}
