"""Whatever the bytes, a file is read or refused with a sentence: nothing else is ever raised."""

import json
import os
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphs.workflows.interchange.formats import parse
from graphs.workflows.interchange.parsed_graph import Limits, ParsedGraph
from graphs.workflows.interchange.refusals import ImportRefused, Problem
from tests.graphs.workflows.interchange.samples import native
from tests.graphs.workflows.interchange.strategies import almost_files, native_documents, nonsense

pytestmark = pytest.mark.faults

#: How many more files are tried at full counts.
MORE = 4 if os.environ.get("FULL") else 1
FORMATS = ["auto", "native", "n8n", "node-red"]
LIMITS = Limits(max_bytes=1_000_000, max_nodes=1_000)


def attempt(data: bytes, format: Any) -> None:
    try:
        graph = parse(data, format, LIMITS, "file.json")
    except ImportRefused as refusal:
        check_problems(refusal.problems)
    else:
        check_graph(graph)


def check_problems(problems: list[Problem]) -> None:
    assert 1 <= len(problems) <= 21
    for problem in problems:
        assert "\0" not in str(problem)
        str(problem).encode("utf-8")


def check_graph(graph: ParsedGraph) -> None:
    assert graph.nodes or graph.format == "native"  # Ours alone writes down a graph that has no nodes yet.
    keys = {node.key for node in graph.nodes}
    assert len(keys) == len(graph.nodes)
    assert all(edge.source in keys and edge.target in keys for edge in graph.edges)
    assert all(len(node.key) <= 100 and len(node.name) <= 200 for node in graph.nodes)
    json.dumps([node.data for node in graph.nodes], allow_nan=False)


@given(data=st.binary(max_size=300), format=st.sampled_from(FORMATS))
@settings(max_examples=75 * MORE, deadline=None)
def test_it_reads_or_refuses_any_bytes(data: bytes, format: str) -> None:
    attempt(data, format)


@given(document=almost_files, format=st.sampled_from(FORMATS))
@settings(max_examples=125 * MORE, deadline=None)
def test_it_reads_or_refuses_any_json(document: Any, format: str) -> None:
    attempt(json.dumps(document).encode(), format)


@given(document=native_documents(), field=st.sampled_from(sorted(native())), value=nonsense, index=st.integers(0, 3))
@settings(max_examples=50 * MORE, deadline=None)
def test_it_reads_or_refuses_native_files_with_anything_replaced(
    document: dict[str, Any], field: str, value: Any, index: int
) -> None:
    changed = document[field]
    if isinstance(changed, list) and changed and isinstance(changed[0], dict):
        inner = sorted(changed[0])[index % len(changed[0])]
        changed = [changed[0] | {inner: value}, *changed[1:]]
    attempt(json.dumps(document | {field: changed}).encode(), "auto")
    attempt(json.dumps(document | {field: value}).encode(), "auto")


@given(document=native_documents(), cut=st.floats(0, 1))
@settings(deadline=None)
def test_it_refuses_files_that_were_cut_off(document: dict[str, Any], cut: float) -> None:
    data = json.dumps(document).encode()
    with pytest.raises(ImportRefused):
        parse(data[: int(cut * (len(data) - 1))], "auto", LIMITS)


@given(document=native_documents(), position=st.floats(0, 1), byte=st.integers(0, 255))
@settings(max_examples=50 * MORE, deadline=None)
def test_it_reads_or_refuses_files_with_a_wrong_byte(document: dict[str, Any], position: float, byte: int) -> None:
    data = bytearray(json.dumps(document, ensure_ascii=False).encode())
    data[int(position * (len(data) - 1))] = byte
    attempt(bytes(data), "auto")


@given(document=native_documents())
@settings(deadline=None)
def test_it_reads_every_generated_native_file(document: dict[str, Any]) -> None:
    graph = parse(json.dumps(document).encode(), "auto", Limits())
    assert [node.key for node in graph.nodes] == [node["key"] for node in document["nodes"]]
