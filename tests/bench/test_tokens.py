"""The real workflows as a model is shown them: nothing is lost, and nothing costs more than it must."""

import json
from typing import Any

import pytest

from bench import tokens
from bench.shared_data import DATA
from graphs.workflows.interchange.parsed_graph import ParsedEdge, ParsedNode
from rag.sources.graphs.tables import GROUPED_BY
from rag.texts.tables import encode_tables
from tests.decoded_tables import decode_tables


def node(key: str, name: str = "", data: dict[str, Any] | None = None) -> ParsedNode:
    return ParsedNode(key, "filter", "main", name or key, "return 1", data or {}, {}, 0, 0)


def edge(source: str, target: str) -> ParsedEdge:
    return ParsedEdge(f"{source}-{target}", source, "main-0", target, "main-0", "", "main")


PART = tokens.Part(
    (node("a"), node("b", "Second"), node("c", data={"url": "https://example.org"})),
    (edge("a", "b"), edge("b", "c")),
    {"main": "Orders"},
)


def in_any_order(tables: dict[str, list[dict[str, Any]]]) -> dict[str, list[str]]:
    return {name: sorted(json.dumps(row, sort_keys=True) for row in rows) for name, rows in tables.items() if rows}


def test_every_row_of_every_real_workflow_can_be_read_back() -> None:
    parts = tokens.parts_of_workflows()
    if not parts:
        pytest.skip(f"The real workflows are not here: {DATA}")
    assert len(parts) > 250
    for part in parts:
        tables = tokens.tables(part)
        assert in_any_order(decode_tables(encode_tables(tables, GROUPED_BY))) == in_any_order(tables)


def test_it_compares_with_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "parts_of_workflows", lambda: [PART])
    rows = tokens.measure()
    assert not isinstance(rows, str)
    assert all(0 < row.product <= row.reference for row in rows)
    assert rows[0].met is True


def test_it_says_where_there_is_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "parts_of_workflows", list[tokens.Part])
    assert "Nothing to measure: workflows" in str(tokens.measure())
