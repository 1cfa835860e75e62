"""POST graphs, and what is done to a whole graph and its sheets through POST graphs/{key}/changes."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from graphs.models import ChangeSet, Graph, Sheet
from tests.graphs.api.callers import post_json, problem, with_token

GRAPHS = "/api/v1/graphs"


@pytest.fixture
def client(alice: User, nba: Graph) -> Client:
    return with_token(alice)


def made(client: Client, **body: Any) -> Any:
    return post_json(client, GRAPHS, body)


def change(client: Client, action: str, /, key: str = "nba", expected: Any = (), **arguments: Any) -> Any:
    body = {"actions": [{"action": action, "arguments": arguments}], "expected": list(expected)}
    return post_json(client, f"{GRAPHS}/{key}/changes", body)


def test_an_empty_graph_is_answered_as_the_list_has_it(client: Client) -> None:
    response = made(client, name="Late orders", description="Who waits.")
    assert response.status_code == 201
    document = response.json()
    assert document == next(each for each in client.get(GRAPHS).json()["results"] if each["key"] == "late-orders")
    assert (document["name"], document["description"], document["nodes"]) == ("Late orders", "Who waits.", 0)
    whole = client.get(f"{GRAPHS}/late-orders").json()
    assert whole["sheets"] == [{"key": "main", "name": "Main", "version": 1}]


def test_a_copy(client: Client) -> None:
    document = made(client, copyOf="nba").json()
    assert (document["key"], document["name"]) == ("nba-scores-copy", "NBA scores (copy)")
    assert (document["nodes"], document["edges"]) == (3, 2)
    named = made(client, copyOf="nba", name="Own", key="own", description="Mine").json()
    assert (named["key"], named["name"], named["description"]) == ("own", "Own", "Mine")


def test_a_request_that_is_sent_again_makes_one_graph(client: Client) -> None:
    for _time in range(2):
        response = post_json(client, GRAPHS, {"name": "Orders"}, headers={"Idempotency-Key": "once"})
        assert (response.status_code, response.json()["key"]) == (201, "orders")
    assert Graph.objects.filter(name="Orders").count() == 1
    other = post_json(client, GRAPHS, {"name": "Others"}, headers={"Idempotency-Key": "once"})
    problem(other, 422, "idempotency_key")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "body"),
        ({"name": ""}, "name"),
        ({"name": "x" * 201}, "name"),
        ({"name": "x", "description": "x" * 10_001}, "description"),
        ({"name": "x", "key": "a/b"}, "key"),
        ({"name": "x", "key": "x" * 101}, "key"),
        ({"name": "x", "key": ""}, "key"),
        ({"name": 1}, "name"),
        ({"name": "x", "version": 2}, "version"),
    ],
)
def test_what_no_graph_can_be_names_the_field(client: Client, body: dict[str, Any], field: str) -> None:
    assert field in problem(made(client, **body), 400, "validation")["errors"]
    assert Graph.objects.count() == 1


def test_a_key_that_is_taken(client: Client) -> None:
    document = problem(made(client, name="x", key="nba"), 409, "key_taken")
    assert list(document["errors"]) == ["key"]


def test_viewers_make_nothing_and_strangers_copy_nothing(bob: User, charlie: User, nba: Graph) -> None:
    for body in ({"name": "x"}, {"copyOf": "nba"}, {"copyOf": "nothing"}, {}):
        problem(post_json(with_token(bob), GRAPHS, body), 403, "forbidden")
    foreign, absent = (post_json(with_token(charlie), GRAPHS, {"copyOf": key}) for key in ("nba", "nothing"))
    problem(foreign, 404, "not_found")
    assert foreign.content == absent.content
    assert Graph.objects.count() == 1


def test_a_graph_is_renamed_and_deleted_and_comes_back(client: Client, nba: Graph) -> None:
    renamed = change(client, "update_graph", name="Games").json()
    assert renamed["diff"][0]["fields"][0]["new"] == "Games"
    version = client.get(f"{GRAPHS}/nba").json()["version"]
    gone = change(client, "delete_graph", expected=[{"type": "graph", "id": "nba", "version": version}])
    assert gone.status_code == 201
    problem(client.get(f"{GRAPHS}/nba"), 404, "not_found")
    problem(change(client, "delete_graph"), 404, "not_found")
    listed = client.get("/api/v1/history?object=graph:nba").json()["results"]
    assert listed[0]["id"] == gone.json()["id"]
    back = post_json(client, f"/api/v1/history/{gone.json()['id']}/rollback", {})
    assert back.status_code == 201
    whole = client.get(f"{GRAPHS}/nba").json()
    assert (whole["name"], len(whole["nodes"]), len(whole["edges"])) == ("Games", 3, 2)


def test_sheets_are_made_named_put_in_order_and_deleted(client: Client, nba: Graph) -> None:
    assert change(client, "create_sheet", name="Errors").status_code == 201
    assert change(client, "update_sheet", sheetKey="errors", position=0).status_code == 201
    assert change(client, "update_sheet", sheetKey="errors", name="Failures").status_code == 201
    sheets = client.get(f"{GRAPHS}/nba").json()["sheets"]
    assert sheets == [
        {"key": "errors", "name": "Failures", "version": 3}, {"key": "main", "name": "Main", "version": 2},
    ]  # fmt: skip
    deleted = change(client, "delete_sheet", sheetKey="main").json()
    assert [entry["object"]["type"] for entry in deleted["diff"]].count("node") == 3
    problem(change(client, "delete_sheet", sheetKey="errors"), 400, "refused")
    assert post_json(client, f"/api/v1/history/{deleted['id']}/rollback", {}).status_code == 201
    main = sheets[1] | {"version": 4}  # newer than the one that went
    assert client.get(f"{GRAPHS}/nba").json()["sheets"] == [sheets[0], main]


def test_who_saw_another_name_of_a_sheet_is_asked(client: Client, nba: Graph) -> None:
    (seen,) = client.get(f"{GRAPHS}/nba").json()["sheets"]
    change(client, "update_sheet", sheetKey="main", name="Theirs")
    saw = [{"type": "sheet", "id": "main", "version": seen["version"]}]
    response = change(client, "update_sheet", expected=saw, sheetKey="main", name="Mine")
    (conflict,) = problem(response, 409, "conflict")["conflicts"]
    assert (conflict["expected"], conflict["found"], conflict["wanted"]) == ("Main", "Theirs", "Mine")
    assert Sheet.objects.get(graph=nba).name == "Theirs"


def test_an_object_of_the_kind_is_made_at_the_address_of_all_kinds(client: Client) -> None:
    response = post_json(client, "/api/v1/objects/graph", {"fields": {"name": "Orders"}})
    assert response.status_code == 201
    key = response.json()["id"]
    assert key == "orders"
    again = post_json(client, "/api/v1/objects/graph", {"fields": {"name": "Orders"}}).json()
    assert again["id"] == "orders-2"
    assert made(client, name="Orders").json()["key"] == "orders-3"
    assert client.get(f"{GRAPHS}/{key}").json()["sheets"] == [{"key": "main", "name": "Main", "version": 1}]
    done = post_json(
        client, f"/api/v1/objects/graph/{key}/changes", {"actions": [{"action": "delete_object", "arguments": {}}]}
    )
    assert done.status_code == 201
    assert not Graph.objects.filter(key=key).exists()
    assert json.loads(done.content)["id"] == str(ChangeSet.objects.order_by("-created_at")[0].pk)
