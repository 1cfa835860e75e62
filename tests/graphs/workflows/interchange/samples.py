"""Small files to begin with, and where the real ones are."""

import json
from pathlib import Path
from typing import Any

import pytest

from graphs.workflows.interchange.formats import parse
from graphs.workflows.interchange.parsed_graph import Limits, ParsedGraph
from graphs.workflows.interchange.refusals import ImportRefused

DATA = Path(__file__).resolve().parents[5] / "shared" / "data"
NO_LIMITS = Limits()


def native(**changes: Any) -> dict[str, Any]:
    """A native document of two nodes and an edge."""
    document = {
        "format": "countersign.graph",
        "formatVersion": 1,
        "key": "weather",
        "name": "Weather",
        "sheets": [{"key": "main", "name": "Main"}],
        "nodes": [native_node("start"), native_node("end")],
        "edges": [native_edge("start-end", "start", "end")],
    }
    return document | changes


def native_node(key: str, **changes: Any) -> dict[str, Any]:
    return {"key": key, "type": "starter", "sheet": "main", "name": key.title(), "posX": 10, "posY": 20.5} | changes


def native_edge(key: str, source: str, target: str, **changes: Any) -> dict[str, Any]:
    edge = {"key": key, "source": source, "sourceHandle": "out", "target": target, "targetHandle": "in"}
    return edge | {"sheet": "main"} | changes


def n8n(*nodes: dict[str, Any], connections: Any = None, **fields: Any) -> dict[str, Any]:
    return {"nodes": list(nodes), "connections": connections or {}} | fields


def n8n_node(name: str, node_type: str = "n8n-nodes-base.set", **fields: Any) -> dict[str, Any]:
    return {"name": name, "type": node_type, "position": [100, 200], "parameters": {}, "typeVersion": 1} | fields


def to(*names: str, kind: str = "main", index: int = 0) -> list[dict[str, Any]]:
    """The targets of one output in n8n's `connections`."""
    return [{"node": name, "type": kind, "index": index} for name in names]


def parsed(document: Any, limits: Limits = NO_LIMITS, filename: str = "") -> ParsedGraph:
    return parse(json.dumps(document).encode(), "auto", limits, filename)


def refusal(data: Any, limits: Limits = NO_LIMITS) -> list[tuple[str, str]]:
    """What a file is refused for, as pairs of place and sentence. `data` is bytes, or a document to be written."""
    content = data if isinstance(data, bytes) else json.dumps(data).encode()
    with pytest.raises(ImportRefused) as refused:
        parse(content, "auto", limits)
    return [(problem.where, problem.message) for problem in refused.value.problems]


def real_files(folder: str) -> list[Path]:
    """The real files of a format; skips the test where they are absent."""
    if not (DATA / folder).is_dir():
        pytest.skip(f"The real files are not here: {DATA / folder}")
    return sorted((DATA / folder).glob("*.json"))
