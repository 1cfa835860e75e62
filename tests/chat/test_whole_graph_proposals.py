"""A model proposes what happens to a whole graph and to its sheets."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from chat.models import Proposal, ProposalStatus
from chat.subjects import tools
from chat.subjects.registered_subjects import subject_of
from graphs.models import Graph, Role, Sheet
from graphs.site.access import member_of
from tests.graphs.api.callers import post_json, problem, with_token
from tests.proposed import RENAME, waiting

pytestmark = pytest.mark.django_db


@pytest.fixture
def client(alice: User) -> Client:
    return with_token(alice)


def decide(client: Client, proposal: Proposal) -> Any:
    return post_json(client, f"/api/v1/proposals/{proposal.pk}/decide", {"approved": True})


def shown(client: Client, proposal: Proposal) -> Any:
    return client.get(f"/api/v1/proposals/{proposal.pk}").json()["diff"]


def change(client: Client, action: str, **arguments: Any) -> Any:
    body = {"actions": [{"action": action, "arguments": arguments}]}
    return post_json(client, "/api/v1/graphs/nba/changes", body)


def test_sheets_are_offered_once_more_is_asked_for() -> None:
    own = {f"propose_{what}_sheet" for what in ("create", "update", "delete")}
    at_first, loaded = (
        {spec.name for spec in tools.specs(Role.EDITOR, subject_of("graph"), loaded=some)} for some in (False, True)
    )
    assert own <= loaded - at_first
    assert not own & {spec.name for spec in tools.specs(Role.VIEWER, subject_of("graph"), loaded=True)}
    assert not own & {spec.name for spec in tools.specs(Role.EDITOR, subject_of("nodeType"), loaded=True)}


def test_a_name_is_proposed_and_stays_so_while_nodes_change(client: Client, alice: User, nba: Graph) -> None:
    (proposal,) = waiting(alice, nba, ("update_object", {"object": "graph:nba", "updates": {"name": "Games"}}))
    (entry,) = shown(client, proposal)
    assert (entry["object"], entry["label"]) == ({"type": "graph", "id": "nba"}, "NBA scores")
    assert [(field["field"], field["new"]) for field in entry["fields"]] == [("name", "Games")]
    change(client, "move_node", nodeKey="root", posX=1, posY=1)
    assert decide(client, proposal).status_code == 200
    assert Graph.objects.get(pk=nba.pk).name == "Games"


def test_a_new_graph_is_proposed(client: Client, alice: User, nba: Graph) -> None:
    (proposal,) = waiting(alice, nba, ("create_object", {"kind": "graph", "fields": {"name": "Late orders"}}))
    assert decide(client, proposal).status_code == 200
    made = Graph.objects.get(name="Late orders")
    assert made.key == "late-orders"
    assert Sheet.objects.get(graph=made).key == "main"


def test_new_graphs_of_one_name_get_numbers_whatever_waits(client: Client, alice: User, nba: Graph) -> None:
    new = ("create_object", {"kind": "graph", "fields": {"name": "NBA"}})
    chosen = ("create_object", {"kind": "graph", "key": "nba-4", "fields": {"name": "Chosen"}})
    steps = [{"tool": f"propose_{name}", "arguments": arguments} for name, arguments in (new, chosen, new)]
    first, second = waiting(alice, nba, new, ("batch", {"actions": steps}))
    (later,) = waiting(alice, nba, new)
    keys = [[each["id"] for each in proposal.operations] for proposal in (first, second, later)]
    assert keys == [["nba-2"], ["nba-3", "nba-4", "nba-5"], ["nba-6"]]
    for proposal in (later, second, first):
        assert decide(client, proposal).status_code == 200
    assert Graph.objects.filter(workspace=nba.workspace).count() == 6


def test_keys_of_another_workspace_and_of_decided_proposals_are_free(
    client: Client, alice: User, charlie: User, nba: Graph
) -> None:
    elsewhere = Graph.objects.create(workspace=member_of(charlie).workspace, key="orders", name="Orders")
    new = ("create_object", {"kind": "graph", "fields": {"name": "Orders"}})
    waiting(charlie, elsewhere, new)
    (refused,) = waiting(alice, nba, new)
    assert refused.operations[0]["id"] == "orders"
    post_json(client, f"/api/v1/proposals/{refused.pk}/decide", {"approved": False})
    assert waiting(alice, nba, new)[0].operations[0]["id"] == "orders"


def test_a_deletion_tells_what_goes_along(client: Client, alice: User, nba: Graph) -> None:
    (proposal,) = waiting(alice, nba, ("delete_object", {"object": "graph:nba"}))
    (entry,) = shown(client, proposal)
    counted = {field["label"]: field["old"] for field in entry["fields"] if field["form"] == "number"}
    assert (entry["action"], counted) == ("delete", {"sheets": 1, "nodes": 3, "edges": 2})
    french = client.get(f"/api/v1/proposals/{proposal.pk}", headers={"Accept-Language": "fr"}).json()["diff"][0]
    assert {"feuilles", "nœuds"} <= {field["label"] for field in french["fields"]}
    decided = decide(client, proposal)
    assert decided.status_code == 200
    assert not Graph.objects.exists()
    change_set = decided.json()["proposal"]["changeSetId"]
    assert post_json(client, f"/api/v1/history/{change_set}/rollback", {}).status_code == 201
    assert Graph.objects.get(pk=nba.pk).nodes.count() == 3


def test_what_came_into_the_graph_since_makes_a_deletion_stale(client: Client, alice: User, nba: Graph) -> None:
    (proposal,) = waiting(alice, nba, ("delete_object", {"object": "graph:nba"}))
    change(client, "create_node", typeKey="html", sheet="main", posX=0, posY=0)
    problem(decide(client, proposal), 409, "stale")
    assert Graph.objects.filter(pk=nba.pk).exists()


def test_what_was_proposed_of_a_deleted_graph_says_so_and_holds_again_once_it_is_back(
    client: Client, alice: User, nba: Graph
) -> None:
    first, second = waiting(alice, nba, RENAME, ("create_sheet", {"name": "More"}))
    deletion = change(client, "delete_graph").json()["id"]
    refused = problem(decide(client, first), 409, "stale")
    assert "What this proposal would change was deleted meanwhile." in refused["detail"]
    assert [(each["changedBy"], each["changeSetId"]) for each in refused["conflicts"]] == [("alice", deletion)]
    first.refresh_from_db()
    assert first.status == ProposalStatus.STALE
    assert (
        client.get(f"/api/v1/proposals/{first.pk}").json()["problem"] == "What this proposal would change was deleted."
    )
    assert post_json(client, f"/api/v1/history/{deletion}/rollback", {}).status_code == 201
    assert decide(client, second).status_code == 200
    assert Sheet.objects.filter(graph=nba).count() == 2


def test_sheets_are_proposed(client: Client, alice: User, nba: Graph) -> None:
    (made,) = waiting(alice, nba, ("create_sheet", {"name": "Errors"}))
    assert decide(client, made).status_code == 200
    calls = ("update_sheet", {"sheetKey": "errors", "position": 0}), ("delete_sheet", {"sheetKey": "main"})
    moved, deleted = waiting(alice, nba, *calls)
    assert decide(client, moved).status_code == 200
    assert list(nba.sheets.values_list("key", flat=True)) == ["errors", "main"]
    change(client, "update_sheet", sheetKey="main", name="All")
    problem(decide(client, deleted), 409, "stale")
