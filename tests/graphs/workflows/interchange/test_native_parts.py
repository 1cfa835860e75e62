"""Files read part by part are read as they are read as a whole, and refused in the same words."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphs.workflows.interchange import native_parts
from graphs.workflows.interchange.formats import parse
from graphs.workflows.interchange.parsed_graph import Limits, ParsedGraph, no_progress
from graphs.workflows.interchange.refusals import ImportRefused
from tests.graphs.workflows.interchange.samples import n8n, n8n_node, native, native_edge, native_node
from tests.graphs.workflows.interchange.strategies import almost_files, native_documents

#: With limits a file is read as a whole.
WHOLE = Limits(max_bytes=10_000_000, max_nodes=10_000)


def outcome(data: bytes, limits: Limits) -> Any:
    try:
        return parse(data, "auto", limits, "file.json")
    except ImportRefused as refusal:
        return [str(problem) for problem in refusal.problems]


def in_parts(document: Any) -> ParsedGraph | None:
    text = document if isinstance(document, str) else json.dumps(document, ensure_ascii=False)
    return native_parts.parse(text, no_progress)


@given(document=native_documents())
@settings(max_examples=50, deadline=None)
def test_it_reads_what_reading_as_a_whole_reads(document: Any) -> None:
    data = json.dumps(document, ensure_ascii=False).encode()
    whole = outcome(data, WHOLE)
    assert in_parts(document) == whole
    assert outcome(data, Limits()) == whole


@given(document=almost_files)
@settings(max_examples=50, deadline=None)
def test_what_is_refused_is_refused_alike(document: Any) -> None:
    data = json.dumps(document).encode()
    assert outcome(data, Limits()) == outcome(data, WHOLE)


@given(document=native_documents(), position=st.floats(0, 1), byte=st.integers(0, 255))
@settings(max_examples=50, deadline=None)
def test_a_wrong_byte_has_the_same_outcome(document: Any, position: float, byte: int) -> None:
    data = bytearray(json.dumps(document, ensure_ascii=False).encode())
    data[int(position * (len(data) - 1))] = byte
    assert outcome(bytes(data), Limits()) == outcome(bytes(data), WHOLE)


def test_it_reads_more_than_one_part_and_tells_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native_parts, "PART", 10)
    nodes = [native_node(f"n{number}") for number in range(25)]
    edges = [native_edge(f"e{number}", f"n{number}", "n0") for number in range(25)]
    document = {"nodes": nodes, "edges": edges, **native(nodes=nodes, edges=edges)}
    text = json.dumps(document, indent=1)
    heard: list[tuple[int, int]] = []
    graph = native_parts.parse(text, lambda done, total: heard.append((done, total)))
    assert graph == parse(text.encode(), "native", WHOLE)
    assert len(heard) == 4
    assert heard == sorted(heard)
    assert {total for _, total in heard} == {len(text)}
    # What nodes and edges have in common is there once.
    assert graph.edges[3].source is graph.nodes[3].key
    assert graph.nodes[0].sheet is graph.edges[9].sheet


@pytest.mark.parametrize(
    "document",
    [
        "",
        "[]",
        "{",
        "{}",
        '{"format": "countersign.graph"} {}',
        '{"format" "countersign.graph"}',
        "{1: 2}",
        '{"nodes": [,]}',
        '{"nodes": [{}, ]}',
        '{"nodes": [1 2]}',
        '{"name": 1e999}',
        '{"name": NaN}',
        '{"nodes": ' + "[" * 10_000,
        json.dumps(native()) + "x",
        json.dumps(native()).replace('"key": "weather"', '"key": "weather", "key": "again"'),
        json.dumps(native()).replace('"posX": 10,', '"posX": 10, "posX": 11,', 1),
        json.dumps(native())[:-1] + ', "nodes": []}',
        json.dumps(native(metadata={"a": "\x00"})),
        native(nodes=[]),
        native(nodes={}),
        native(format="other"),
        native(formatVersion=2),
        native(nodes=[{"key": "n", "type": "html", "sheet": "main"}]),
        native(nodes=[native_node("n"), native_node("n")], edges=[]),
        native(nodes=[native_node("n", sheet="gone")], edges=[]),
        native(edges=[native_edge("e", "start", "gone")]),
        native(edges=[native_edge("e", "start", "end")] * 2),
        native(nodes=[native_node("n", data=json.loads('{"a":' * 200 + "1" + "}" * 200))], edges=[]),
        native(metadata=json.loads('{"a":' * 200 + "1" + "}" * 200)),
        n8n(n8n_node("A")),
    ],
)
def test_whatever_is_unusual_is_left_to_who_sees_the_whole_file(document: Any) -> None:
    assert in_parts(document) is None
    data = (document if isinstance(document, str) else json.dumps(document)).encode()
    assert outcome(data, Limits()) == outcome(data, WHOLE)


def test_no_file_of_another_format_is_read_as_native() -> None:
    """An export of n8n that calls itself by our name is refused by both."""
    assert in_parts(n8n(n8n_node("A"), format="countersign.graph")) is None
