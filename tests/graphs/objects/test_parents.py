"""Objects that others hold, where the holder is named by a key of its own: a graph, a node type."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils.module_loading import autodiscover_modules

from chat.tools.object_reading import ListObjects, ReadObject
from chat.tools.tool import ToolContext
from graphs.history import rollback
from graphs.history.scopes import AsOf
from graphs.models import ChangeSet, Graph, Object
from graphs.objects import register
from graphs.objects.kinds import KINDS
from graphs.site.access import member_of
from tests.graphs.api.callers import post_json, problem, with_token
from tests.registered import forget
from tests.shop.models import Page

API = "/api/v1/objects"


@pytest.fixture
def client(alice: User, nba: Graph) -> Iterator[Client]:
    """Pages are objects that graphs hold. Keys and primary keys of graphs have nothing in common."""
    autodiscover_modules("objects")
    Graph.objects.create(workspace=nba.workspace, key=str(nba.pk), name="Named like the other's primary key")
    Page.objects.create(graph=nba, key="main", name="Main")
    register(Page, name="page", title="name", workspace="graph__workspace", parent="graph")
    yield with_token(alice)
    forget(KINDS["page"])


def path_of(sheet: Page) -> str:
    return f"{API}/page/{sheet.pk}"


def test_they_are_listed_by_its_key(client: Client, nba: Graph) -> None:
    (found,) = client.get(f"{API}?type=page&parent=graph:nba").json()["results"]
    assert (found["title"], found["parent"]) == ("Main", {"type": "graph", "id": "nba"})
    assert client.get(f"{API}?type=page&parent=graph:{nba.pk}").json()["results"] == []
    assert client.get(f"{API}/graph/nba").json()["children"] == {"page": 1}
    assert client.get(f"{API}/graph/{nba.pk}").json()["children"] == {"page": 0}


def test_models_read_them_by_its_key(client: Client, alice: User, nba: Graph) -> None:
    context = ToolContext(member_of(alice), None)
    listed: Any = ListObjects().run(
        context, ListObjects.arguments.model_validate({"kind": "page", "parent": "graph:nba"})
    )
    assert [row["parent"] for row in listed["objects"]] == ["graph:nba"]
    read: Any = ReadObject().run(context, ReadObject.arguments.model_validate({"object": "graph:nba"}))
    assert read["holds"] == {"page": 1}


def test_they_are_made_moved_and_rolled_back(client: Client, alice: User, nba: Graph) -> None:
    new = {"fields": {"key": "a", "name": "A"}}
    problem(post_json(client, f"{API}/page", new | {"parent": "graph:none"}), 400, "refused")
    Graph.objects.create(workspace=nba.workspace, key="second", name="Second")
    made = post_json(client, f"{API}/page", new | {"parent": "graph:nba"})
    assert (made.status_code, made.json()["parent"]) == (201, {"type": "graph", "id": "nba"}), made.json()
    sheet = Page.objects.get(key="a")
    assert sheet.graph_id == nba.pk
    moving = [{"action": "move_object", "arguments": {"parent": "graph:second"}}]
    assert post_json(client, f"{path_of(sheet)}/changes", {"actions": moving}).status_code == 201
    sheet.refresh_from_db()
    assert sheet.graph.key == "second"
    (change,) = ChangeSet.objects.latest("created_at").modifications.all()
    assert (change.field, change.old, change.new) == ("parent", "nba", "second")
    header = Object.objects.get(type="page", key=str(sheet.pk))
    rollback.roll_back(nba.workspace_id, alice, AsOf("page", header.pk, 1))
    sheet.refresh_from_db()
    assert sheet.graph_id == nba.pk


def test_a_graph_that_holds_some_stays(client: Client, nba: Graph) -> None:
    deleting = {"actions": [{"action": "delete_graph", "arguments": {}}]}
    refused = problem(post_json(client, "/api/v1/graphs/nba/changes", deleting), 400, "refused")
    assert "graph:nba is still used by: page:" in refused["detail"]
    Page.objects.all().delete()
    assert post_json(client, "/api/v1/graphs/nba/changes", deleting).status_code == 201
