import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from pytest_django import DjangoAssertNumQueries

from graphs.api.graph_json import GraphSummary
from graphs.models import Edge, Graph, Membership, Node, NodeType, Role, Sheet, Workspace
from tests.cast import save_all, signed_in
from tests.graphs.api.callers import problem, with_token
from tests.graphs.api.documented import check

GRAPHS = "/api/v1/graphs"


def grow(graph: Graph, count: int) -> None:
    """Adds `count` nodes in a chain."""
    sheet = Sheet.objects.create(graph=graph, key="grown", name="Grown")
    nodes = Node.objects.bulk_create(
        Node(graph=graph, sheet=sheet, key=f"n{i}", name=f"Node {i}", type="step", data={"i": i}) for i in range(count)
    )
    Edge.objects.bulk_create(
        Edge(graph=graph, sheet=sheet, key=f"e{i}", source=nodes[i], target=nodes[i + 1]) for i in range(count - 1)
    )


def test_it_lists_graphs(bob: User, nba: Graph) -> None:
    answer = with_token(bob).get(GRAPHS)
    assert answer.status_code == 200
    page = answer.json()
    assert page["next"] is page["previous"] is None
    summary = GraphSummary.model_validate_json(json.dumps(page["results"][0]), strict=True)
    assert (summary.key, summary.nodes, summary.edges, summary.version) == ("nba", 3, 2, 1)


def test_it_searches(bob: User, nba: Graph) -> None:
    client = with_token(bob)
    assert len(client.get(GRAPHS, {"search": "SCORES"}).json()["results"]) == 1
    assert client.get(GRAPHS, {"search": "weather"}).json()["results"] == []
    assert len(client.get(GRAPHS, {"search": "n\0ba"}).json()["results"]) == 1


def test_a_list_takes_as_many_queries_for_many_graphs(
    bob: User, nba: Graph, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    client = with_token(bob)
    save_all(Graph(workspace=nba.workspace, key=f"g{i}", name=f"G {i}") for i in range(20))
    with django_assert_num_queries(5):
        assert len(client.get(GRAPHS).json()["results"]) == 21


def test_it_shows_only_the_graphs_of_the_workspace(alice: User, charlie: User, nba: Graph) -> None:
    assert with_token(charlie).get(GRAPHS).json()["results"] == []
    assert with_token(alice).get(GRAPHS).json()["results"] != []


@pytest.mark.parametrize("how", ["header", "address"])
def test_it_works_in_the_workspace_that_is_named(alice: User, other_workspace: Workspace, nba: Graph, how: str) -> None:
    Membership.objects.create(user=alice, workspace=other_workspace, role=Role.VIEWER)
    client = with_token(alice)
    where: dict[str, Any] = (
        {"headers": {"X-Workspace": "other"}} if how == "header" else {"query_params": {"workspace": "other"}}
    )
    assert client.get(GRAPHS, **where).json()["results"] == []
    assert len(client.get(GRAPHS).json()["results"]) == 1


@pytest.mark.parametrize("slug", ["other", "absent", "a b", "x" * 99, "dem\0o", "é"])
def test_a_workspace_of_others_is_absent(alice: User, other_workspace: Workspace, nba: Graph, slug: str) -> None:
    problem(with_token(alice).get(GRAPHS, {"workspace": slug}), 404, "not_found")


def test_it_gives_a_graph_whole(bob: User, nba: Graph) -> None:
    NodeType.objects.create(workspace=nba.workspace, key="api-call", display_name="API call")
    NodeType.objects.create(workspace=nba.workspace, key="unused", display_name="Unused")
    answer = with_token(bob).get(f"{GRAPHS}/nba")
    assert answer.status_code == 200
    graph = answer.json()
    assert graph["sheets"] == [{"key": "main", "name": "Main", "version": 1}]
    assert graph["nodes"][1] == {
        "key": "fetch-api", "type": "api-call", "sheet": "main", "name": "Fetch API", "process": "return fetch(url)",
        "data": {"url": "https://example.org"}, "handles": {}, "posX": 200.0, "posY": 0.0, "width": None,
        "height": None, "version": 1,
    }  # fmt: skip
    assert graph["edges"][0] == {
        "key": "root-fetch-api", "source": "root", "sourceHandle": "R-0", "target": "fetch-api",
        "targetHandle": "L-0", "label": "", "sheet": "main", "version": 1,
    }  # fmt: skip
    assert [(entry["key"], entry["builtIn"]) for entry in graph["nodeTypes"]] == [
        ("starter", True), ("return", True), ("api-call", False),
    ]  # fmt: skip


def test_a_graph_takes_as_many_queries_for_many_nodes(
    bob: User, nba: Graph, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    client = with_token(bob)
    with django_assert_num_queries(8):
        client.get(f"{GRAPHS}/nba")
    grow(nba, 50)
    with django_assert_num_queries(8):
        assert len(client.get(f"{GRAPHS}/nba").json()["nodes"]) == 53


def test_it_sends_a_graph_again_only_when_something_changed(bob: User, nba: Graph) -> None:
    client = with_token(bob)
    first = client.get(f"{GRAPHS}/nba")
    assert first.headers["Cache-Control"] == "private, no-cache"
    again = client.get(f"{GRAPHS}/nba", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["ETag"] == first.headers["ETag"]
    nba.version += 1
    nba.save()
    changed = client.get(f"{GRAPHS}/nba", headers={"If-None-Match": first.headers["ETag"]})
    assert changed.status_code == 200
    NodeType.objects.create(workspace=nba.workspace, key="api-call", display_name="API call")
    types_changed = client.get(f"{GRAPHS}/nba", headers={"If-None-Match": changed.headers["ETag"]})
    assert types_changed.status_code == 200


def test_it_describes_the_built_in_types_in_the_readers_language(bob: User, nba: Graph) -> None:
    client = with_token(bob)
    english = client.get(f"{GRAPHS}/nba")
    given = {"If-None-Match": english.headers["ETag"], "Accept-Language": "fr"}
    french = client.get(f"{GRAPHS}/nba", headers=given)
    names = [
        {item["key"]: item["displayName"] for item in answer.json()["nodeTypes"] if item["builtIn"]}
        for answer in (english, french)
    ]
    assert (names[0]["starter"], names[1]["starter"]) == ("Starter", "Départ")


def test_it_exports_what_can_be_imported_again(alice: User, nba: Graph) -> None:
    answer = signed_in(alice).get(f"{GRAPHS}/nba/export?format=native")
    assert answer.status_code == 200
    assert answer.headers["Content-Disposition"] == 'attachment; filename="nba.json"'
    check(answer)
    assert json.loads(answer.content)["nodes"] == signed_in(alice).get(f"{GRAPHS}/nba").json()["nodes"]


def test_it_exports_no_other_format(alice: User, nba: Graph) -> None:
    assert "format" in problem(with_token(alice).get(f"{GRAPHS}/nba/export?format=n8n"), 400, "validation")["errors"]


def test_a_graph_may_be_called_import(bob: User, nba: Graph) -> None:
    Graph.objects.filter(pk=nba.pk).update(key="import")
    assert signed_in(bob).get(f"{GRAPHS}/import").json()["key"] == "import"


def test_lists_show_the_beginning_of_a_long_description(alice: User, nba: Graph) -> None:
    Graph.objects.filter(pk=nba.pk).update(description="x" * 10_000)
    (listed,) = with_token(alice).get("/api/v1/graphs?search=nba").json()["results"]
    assert listed["description"] == "x" * 1_000 + "…"
    assert with_token(alice).get("/api/v1/graphs/nba").json()["description"] == "x" * 10_000
    page = signed_in(alice).get("/").content.decode()
    assert "x" * 100 in page
    assert "x" * 1_001 not in page
