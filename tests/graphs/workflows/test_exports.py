import json
from collections.abc import Callable
from contextlib import closing
from typing import Any

import psycopg
import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings

from graphs.models import Graph, Node, NodeType, Workspace
from graphs.workflows.exports import as_json, export_graph
from graphs.workflows.imports import import_graph
from graphs.workflows.interchange.formats import parse
from graphs.workflows.interchange.parsed_graph import Limits, ParsedGraph
from tests.graphs.workflows.interchange.samples import native, native_node, parsed, real_files
from tests.graphs.workflows.interchange.strategies import native_documents

pytestmark = pytest.mark.django_db


@pytest.fixture
def workspace() -> Workspace:
    return Workspace.objects.create(slug="wonderland", name="Wonderland")


def exported(workspace: Workspace, document: dict[str, Any]) -> dict[str, Any]:
    return export_graph(stored(workspace, parsed(document)))


def stored(workspace: Workspace, file: ParsedGraph) -> Graph:
    """The graph as the database gives it back."""
    return Graph.objects.get(pk=import_graph(workspace, file).graph.pk)


def through_another_workspace(text: str) -> str:
    """What a file becomes that is imported elsewhere and exported from there; only the key is put back."""
    elsewhere = Workspace.objects.create(slug=f"w{Workspace.objects.count()}", name="Elsewhere")
    again = export_graph(stored(elsewhere, parse(text.encode(), "auto", Limits())))
    return as_json(again | {"key": json.loads(text)["key"]})


def test_it_writes_the_fields_of_the_interface(workspace: Workspace) -> None:
    document = exported(workspace, native(nodeTypes=[{"key": "starter-2", "displayName": "S"}]))
    assert list(document) == [
        *("format", "formatVersion", "key", "name", "description", "metadata", "version"),
        *("sheets", "nodes", "edges", "nodeTypes"),
    ]
    assert document["nodes"][0] == {
        "key": "start",
        "type": "starter",
        "sheet": "main",
        "name": "Start",
        "process": "",
        "data": {},
        "handles": {},
        "posX": 10.0,
        "posY": 20.5,
        "width": None,
        "height": None,
        "version": 1,
    }
    assert document["edges"][0] == {
        "key": "start-end",
        "source": "start",
        "sourceHandle": "out",
        "target": "end",
        "targetHandle": "in",
        "label": "",
        "sheet": "main",
        "version": 1,
    }


def test_it_writes_only_the_types_that_the_graph_uses(workspace: Workspace) -> None:
    for key in ("used", "unused", "html"):
        NodeType.objects.create(workspace=workspace, key=key, display_name=key, icon="i")
    nodes = [native_node("a", type="used"), native_node("b", type="html"), native_node("c", type="foreign")]
    assert exported(workspace, native(nodes=nodes, edges=[]))["nodeTypes"] == [
        {
            "key": "used",
            "displayName": "used",
            "description": "",
            "category": "",
            "icon": "i",
            "handles": {},
            "process": "",
        }
    ]


def test_it_needs_as_many_queries_for_many_nodes_as_for_few(
    workspace: Workspace, django_assert_num_queries: Callable[[int], Any]
) -> None:
    for size in (1, 50):
        nodes = [native_node(f"n{index}", type="mine") for index in range(size)]
        graph = stored(workspace, parsed(native(nodes=nodes, edges=[])))
        with django_assert_num_queries(4):
            export_graph(graph)


@pytest.mark.django_db(transaction=True)
def test_it_is_of_one_moment_while_others_change_the_graph(workspace: Workspace) -> None:
    """Else a file could have edges of nodes that it has not, and nobody could import it."""
    graph = stored(workspace, parsed(native()))
    whole = export_graph(graph)
    other = psycopg.connect(**connection.get_connection_params(), autocommit=True)

    def nodes_go_meanwhile(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        found = execute(sql, params, many, context)
        if 'FROM "graphs_node"' in sql:
            other.execute("DELETE FROM graphs_edge")
            other.execute("DELETE FROM graphs_node")
        return found

    with closing(other), connection.execute_wrapper(nodes_go_meanwhile):
        assert export_graph(graph) == whole
    assert export_graph(graph)["edges"] == export_graph(graph)["nodes"] == [] != whole["edges"]


def test_it_keeps_everything_on_the_way_to_another_workspace(workspace: Workspace) -> None:
    data = {
        "b": 1,
        "a": 1.0,
        "": [],
        "é": {"x": None, "y": ""},
        "big": 10**20,
        "small": 1e-7,
        "tiny": 5e-324,
        "f": False,
    }
    handles = {"T": [], "R": [{"id": "o", "type": "out", "accept": "", "label": ""}, {"id": "p", "type": "in"}]}
    document = native(
        name="Météo 🌦",
        description="\n",
        metadata={"empty": {}, "list": [[], {}]},
        sheets=[{"key": key, "name": ""} for key in ("z", "main", "a")],
        nodes=[native_node(key, data=data, handles=handles, type="mine", width=0) for key in ("z", "start", "end")],
        nodeTypes=[{"key": "mine", "displayName": "Mine", "handles": handles, "process": "p"}],
    )
    text = as_json(exported(workspace, document))
    assert through_another_workspace(text) == text
    assert json.loads(text)["nodes"][0]["data"] == data


def test_it_writes_every_change_since_the_import_too(workspace: Workspace) -> None:
    graph = stored(workspace, parsed(native()))
    Node.objects.filter(key="start").update(version=5, name="Changed")
    document = export_graph(graph)
    assert (document["nodes"][0]["version"], document["nodes"][0]["name"]) == (5, "Changed")
    document["nodes"][0]["version"] = 1
    assert through_another_workspace(as_json(document)) == as_json(document)


def test_it_writes_a_line_for_each_node(workspace: Workspace) -> None:
    text = as_json(exported(workspace, native()))
    assert sum(line.startswith('    {"key": "') for line in text.splitlines()) == 1 + 2 + 1
    assert json.loads(text) == exported(workspace, native(key="weather")) | {"key": "weather"}


@given(document=native_documents())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_it_loses_nothing_of_any_native_graph(workspace: Workspace, document: dict[str, Any]) -> None:
    Graph.objects.all().delete()
    NodeType.objects.all().delete()
    text = as_json(exported(workspace, document))
    assert through_another_workspace(text) == text
    read = json.loads(text)
    for field in ("name", "description", "metadata", "sheets"):
        assert read[field] == document[field]
    for written, given_ in zip(read["nodes"] + read["edges"], document["nodes"] + document["edges"], strict=True):
        assert {field: written[field] for field in given_} == given_


def test_it_loses_nothing_of_what_real_workflows_became(workspace: Workspace) -> None:
    for file in real_files("n8n-workflows")[::10] + real_files("node-red")[::10]:
        text = as_json(export_graph(stored(workspace, parse(file.read_bytes(), "auto", Limits(), file.name))))
        assert through_another_workspace(text) == text
