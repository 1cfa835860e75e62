"""How many node types a workspace has, and how large a list of them is, whoever made them and through which door."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from graphs.api.beginnings import HANDLES_CHARS
from graphs.models import ChangeSet, Graph, NodeType, Workspace
from graphs.objects.actions import ChangeRefused
from graphs.workflows import kinds
from graphs.workflows.sources import GraphSource
from tests.graphs.api.callers import post_json, problem, upload, with_token
from tests.graphs.api.test_changes import action, change
from tests.graphs.api.test_importing import native
from tests.graphs.workflows.planning.asking import plan

FULL = "A workspace has at most 2 node types."


@pytest.fixture
def client(alice: User, nba: Graph, monkeypatch: pytest.MonkeyPatch) -> Client:
    """Of an editor whose workspace has one type, and room for one more."""
    monkeypatch.setattr(kinds, "MAX_OF_WORKSPACE", 2)
    NodeType.objects.create(workspace=nba.workspace, key="first", display_name="First")
    return with_token(alice)


def new(key: str) -> dict[str, Any]:
    return action("configure_node_type", mode="create", typeKey=key, displayName=key)


def imported(client: Client, *keys: str, **given: Any) -> Any:
    return upload(client, native(nodeTypes=[{"key": key, "displayName": key} for key in keys]), **given)


def test_no_door_makes_more_types_than_a_workspace_has(client: Client, nba: Graph) -> None:
    assert FULL in problem(change(client, new("second"), new("third")), 400, "refused")["detail"]
    assert change(client, new("second")).status_code == 201
    before = set(NodeType.objects.values_list("key", flat=True))
    assert before == {"first", "second"}
    assert FULL in problem(change(client, new("third")), 400, "refused")["detail"]
    made = post_json(client, "/api/v1/objects/nodeType", {"fields": {"displayName": "Third"}})
    assert FULL in problem(made, 400, "refused")["detail"]
    with pytest.raises(ChangeRefused, match=FULL):  # as of a proposal
        plan(nba, ("configure_node_type", {"mode": "create", "displayName": "Third"}))
    refused = problem(imported(client, "first", "third"), 400, "import_refused")
    assert refused["errors"] == {"nodeTypes": [FULL]}
    problem(imported(client, "third", key="nba", ifExists="replace"), 400, "import_refused")
    assert set(NodeType.objects.values_list("key", flat=True)) == before
    assert imported(client, "first", "second").status_code == 201


def test_what_goes_makes_room_and_comes_back_only_where_there_is_some(client: Client) -> None:
    change(client, new("second"))
    assert change(client, action("delete_node_type", typeKey="second"), new("third")).status_code == 201
    deleted = ChangeSet.objects.latest("created_at")
    assert change(client, action("delete_node_type", typeKey="first")).status_code == 201
    gone = ChangeSet.objects.latest("created_at")
    assert change(client, new("fourth")).status_code == 201
    back = post_json(client, "/api/v1/history/rollback", {"scope": {"changeSets": [str(gone.pk)]}})
    assert FULL in problem(back, 409, "refused")["detail"]
    both = post_json(client, "/api/v1/history/rollback", {"scope": {"changeSets": [str(deleted.pk)]}})
    assert both.status_code == 201, both.content
    assert set(NodeType.objects.values_list("key", flat=True)) == {"second", "fourth"}


def test_a_list_has_the_first_handles(client: Client, nba: Graph) -> None:
    handles = {side: [{"id": f"{side}-{n}", "type": "out", "label": "x" * 200} for n in range(100)] for side in "RL"}
    NodeType.objects.create(workspace=nba.workspace, key="wide", display_name="Wide", handles=handles)
    wide = next(each for each in client.get("/api/v1/node-types").json()["results"] if each["key"] == "wide")
    assert wide["cut"] == ["handles"]
    assert wide["handles"]["L"] == handles["L"][: len(wide["handles"]["L"])] != []
    assert sum(len(json.dumps(each)) for each in wide["handles"]["L"]) <= HANDLES_CHARS
    assert client.get("/api/v1/objects/nodeType/wide").json()["fields"]["handles"] == handles


def test_a_conversation_reads_of_all_types_what_it_tells(nba: Graph, demo_workspace: Workspace) -> None:
    NodeType.objects.create(
        workspace=demo_workspace, key="long", display_name="Long", description="d" * 9_000, process="p" * 9_000,
        icon="icon", category="c", handles={"L": [{"id": "a", "type": "in"}]},
    )  # fmt: skip
    with CaptureQueriesContext(connection) as queries:
        _sheets, types = GraphSource(nba).sheets_and_types()
    [found] = [each for each in types if not each.built_in]
    [statement] = [each["sql"] for each in queries]
    assert "process" not in statement
    assert "icon" not in statement
    assert (found.key, found.description, found.process) == ("long", "d" * 1_000, "")
    assert (found.category, found.handles) == ("c", {"L": [{"id": "a", "type": "in"}]})
    [whole] = GraphSource(nba).types(["long"])
    assert (whole.process, whole.description) == ("p" * 9_000, "d" * 9_000)
