"""Every real file is read whole: counts are those of the files, nothing is dropped in silence."""

import json
from collections import Counter
from pathlib import Path

from graphs.workflows.interchange.formats import parse
from graphs.workflows.interchange.parsed_graph import Limits, ParsedGraph
from tests.graphs.workflows.interchange.samples import real_files

LIMITS = Limits(max_bytes=20_971_520, max_nodes=20_000)


def read(files: list[Path]) -> list[ParsedGraph]:
    return [parse(file.read_bytes(), "auto", LIMITS, file.name) for file in files]


def check_references(graph: ParsedGraph) -> None:
    """Every edge leads from an `out` point to an `in` point of nodes that exist."""
    outputs, inputs = set(), set()
    for node in graph.nodes:
        for point in (point for side in node.handles.values() for point in side):
            (outputs if point["type"] == "out" else inputs).add((node.key, point["id"]))
    for edge in graph.edges:
        assert (edge.source, edge.source_handle) in outputs
        assert (edge.target, edge.target_handle) in inputs
    assert {node.sheet for node in graph.nodes} <= {sheet.key for sheet in graph.sheets}
    assert len({node.key for node in graph.nodes}) == len(graph.nodes)
    assert len({edge.key for edge in graph.edges}) == len(graph.edges)


def test_it_reads_all_n8n_workflows() -> None:
    graphs = read(real_files("n8n-workflows"))
    assert len(graphs) == 162
    assert {graph.format for graph in graphs} == {"n8n"}
    assert sum(len(graph.nodes) for graph in graphs) == 2_607
    assert sum(len(graph.edges) for graph in graphs) == 1_714
    warnings = Counter(warning.code for graph in graphs for warning in graph.warnings)
    assert warnings == {"dangling": 66, "duplicate": 2}
    types = Counter(node.type for graph in graphs for node in graph.nodes)
    assert types["note"] == 678
    assert sum(bool(node.process) for graph in graphs for node in graph.nodes) == 97
    for graph in graphs:
        check_references(graph)


def test_it_keeps_every_kind_of_connection() -> None:
    graphs = read(real_files("n8n-workflows"))
    kinds = Counter(edge.source_handle.rpartition("-")[0] for graph in graphs for edge in graph.edges)
    assert kinds["main"] > 1_000
    assert {"ai_tool", "ai_languageModel", "ai_memory", "ai_outputParser", "ai_embedding"} <= set(kinds)


def test_it_keeps_the_whole_text_of_n8n_code_and_notes() -> None:
    for file in real_files("n8n-workflows"):
        graph = parse(file.read_bytes(), "auto", LIMITS)
        for entry, node in zip(json.loads(file.read_bytes())["nodes"], graph.nodes, strict=True):
            parameters = entry["parameters"]
            for field in ("jsCode", "functionCode", "pythonCode"):
                assert parameters.get(field, node.process) == node.process
            if node.type == "note":
                assert node.data["content"] == parameters["content"]


def test_it_reads_all_node_red_flows() -> None:
    files = real_files("node-red")
    graphs = read(files)
    entries = [entry for file in files for entry in json.loads(file.read_bytes())]
    tabs = sum(entry["type"] == "tab" for entry in entries)
    assert (len(files), len(entries), tabs) == (103, 867, 2)
    assert {graph.format for graph in graphs} == {"node-red"}
    assert sum(len(graph.nodes) for graph in graphs) == 867 - tabs
    assert sum(len(graph.edges) for graph in graphs) == 466
    assert [warning for graph in graphs for warning in graph.warnings] == []
    types = Counter(node.type for graph in graphs for node in graph.nodes)
    assert types["note"] == sum(entry["type"] in {"comment", "group"} for entry in entries) == 246
    functions = [node for graph in graphs for node in graph.nodes if node.type == "function"]
    assert len(functions) == 21
    assert all(node.process for node in functions)
    for graph in graphs:
        check_references(graph)
