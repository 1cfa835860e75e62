import json
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from pytest_django import Settings

from graphs.api.graph_json import ImportResult
from graphs.models import ChangeSet, Graph, Node, Origin, Workspace
from graphs.workflows.interchange.refusals import MAX_WARNINGS
from tests.cast import signed_in
from tests.graphs.api.callers import problem, upload, with_token

N8N = {
    "name": "Alerts",
    "nodes": [
        {"id": "1", "name": "Webhook", "type": "n8n-nodes-base.webhook", "position": [0, 0], "parameters": {}},
        {"id": "2", "name": "Slack", "type": "n8n-nodes-base.slack", "position": [200, 0], "parameters": {}},
    ],
    "connections": {
        "Webhook": {
            "main": [[{"node": "Slack", "type": "main", "index": 0}, {"node": "Gone", "type": "main", "index": 0}]]
        }
    },
}


def native(**changes: Any) -> bytes:
    document = {
        "format": "countersign.graph",
        "formatVersion": 1,
        "name": "Small",
        "sheets": [{"key": "main", "name": "Main"}],
        "nodes": [{"key": "a", "type": "note", "sheet": "main"}],
    }
    return json.dumps(document | changes).encode()


def test_it_imports_and_tells_what_it_left_out(alice: User) -> None:
    answer = upload(with_token(alice), json.dumps(N8N).encode())
    assert answer.status_code == 201
    result = ImportResult.model_validate_json(answer.content)
    assert (result.key, result.nodes, result.edges) == ("alerts", 2, 1)
    [warning] = result.warnings
    assert warning.code == "dangling"
    assert "Gone" in warning.message
    assert with_token(alice).get("/api/v1/graphs/alerts").json()["nodes"][0]["name"] == "Webhook"


def test_it_tells_the_first_of_many_warnings_and_counts_all(alice: User) -> None:
    flow = [{"id": f"n{n}", "type": "change", "z": "", "x": 0, "y": 0, "wires": [["gone"] * 30]} for n in range(100)]
    n8n = N8N | {"connections": {"Webhook": {"main": [[{"node": "Gone", "type": "main", "index": 0}] * 3_000]}}}
    for document in (flow, n8n):
        answer = upload(with_token(alice), json.dumps(document).encode())
        assert answer.status_code == 201
        result = ImportResult.model_validate_json(answer.content)
        assert (len(result.warnings), result.warning_count) == (MAX_WARNINGS, 3_000)
    file = SimpleUploadedFile("flow.json", json.dumps(flow).encode())
    page = signed_in(alice).post("/import/", {"file": file, "key": "on-the-page"})
    text = page.content.decode()
    assert page.status_code == 201
    assert text.count("<dd>") == MAX_WARNINGS
    assert "3000 things are not as they were" in text.replace("\u202f", "").replace(",", "")
    assert "2000 more are not listed" in text.replace(",", "")


def test_it_takes_a_key_and_a_format(alice: User) -> None:
    answer = upload(with_token(alice), json.dumps(N8N).encode(), key="my-alerts", format="n8n")
    assert (answer.status_code, answer.json()["key"]) == (201, "my-alerts")


def test_it_finds_a_free_key_by_itself(alice: User) -> None:
    client = with_token(alice)
    assert [upload(client, native()).json()["key"] for _time in range(2)] == ["small", "small-2"]


def test_what_happens_where_the_key_is_taken_can_be_chosen(alice: User, nba: Graph) -> None:
    client = with_token(alice)
    assert "key" in problem(upload(client, native(key="nba"), ifExists="refuse"), 409, "key_taken")["errors"]
    copied = upload(client, native(), key="nba", ifExists="copy").json()
    assert (copied["key"], [warning["code"] for warning in copied["warnings"]]) == ("nba-2", ["key_taken"])
    replaced = upload(client, native(key="nba"), ifExists="replace").json()
    done = str(ChangeSet.objects.filter(origin=Origin.IMPORT).latest("created_at").pk)
    assert replaced == {"key": "nba", "nodes": 1, "edges": 0, "warnings": [], "replaced": True, "changeSet": done}
    again = upload(client, native(key="nba"), ifExists="replace").json()
    assert again == {"key": "nba", "nodes": 1, "edges": 0, "warnings": [], "replaced": True}
    assert list(Node.objects.filter(graph=nba).values_list("key", flat=True)) == ["a"]
    assert upload(client, native(), key="new", ifExists="replace").json()["key"] == "new"
    assert "ifExists" in problem(upload(client, native(), ifExists="ask"), 400, "validation")["errors"]


def test_nobody_replaces_what_they_may_not_change(bob: User, charlie: User, nba: Graph) -> None:
    problem(upload(with_token(bob), native(), key="nba", ifExists="replace"), 403, "forbidden")
    assert upload(with_token(charlie), native(), key="nba", ifExists="replace").json()["warnings"] == []
    assert nba.nodes.count() == 3


def test_it_refuses_a_key_that_is_taken(alice: User, nba: Graph) -> None:
    assert "key" in problem(upload(with_token(alice), native(), key="nba"), 409, "key_taken")["errors"]


@pytest.mark.parametrize("key", ["a/b", "../x", "a b", "x" * 101, "-"])
def test_it_refuses_what_is_no_key(alice: User, key: str) -> None:
    assert "key" in problem(upload(with_token(alice), native(), key=key), 400, "validation")["errors"]
    assert not Graph.objects.exists()


def test_it_names_every_place_that_is_wrong(alice: User) -> None:
    nodes = [{"key": "a", "type": "note", "sheet": "nope"}, {"key": "a", "type": "note", "sheet": "main"}]
    errors = problem(upload(with_token(alice), native(nodes=nodes)), 400, "import_refused")["errors"]
    assert any(where.startswith("nodes[0]") for where in errors)
    assert any(where.startswith("nodes[1]") for where in errors)
    assert not Graph.objects.exists()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"not json",
        b"[]",
        b"{}",
        b"\xff\xfe{}",
        b"\0",
        b"[" * 5000,
        b'{"nodes": [], "connections": {}}',
        b'{"nodes": []}',
    ],
)
def test_it_imports_nothing_of_what_cannot_be_trusted(alice: User, content: bytes) -> None:
    assert problem(upload(with_token(alice), content), 400, "import_refused")["errors"]
    assert not Graph.objects.exists()


def test_a_viewer_may_not(bob: User) -> None:
    problem(upload(with_token(bob), native()), 403, "forbidden")
    assert not Graph.objects.exists()


def test_it_imports_into_no_workspace_of_others(alice: User, other_workspace: Workspace) -> None:
    answer = with_token(alice).post(
        "/api/v1/graphs/import",
        {"file": SimpleUploadedFile("a.json", native())},
        headers={"X-Workspace": "other"},
    )
    problem(answer, 404, "not_found")
    assert not Graph.objects.exists()


def test_it_stops_reading_at_the_limit(alice: User, settings: Settings) -> None:
    settings.MAX_IMPORT_BYTES = 100_000
    answer = upload(with_token(alice), native(metadata={"note": "x" * 200_000}))
    problem(answer, 413, "too_big")
    assert upload(with_token(alice), native(metadata={"note": "x" * 50_000})).status_code == 201


def test_it_counts_nodes(alice: User, settings: Settings) -> None:
    settings.MAX_IMPORT_NODES = 2
    nodes = [{"key": f"n{i}", "type": "note", "sheet": "main"} for i in range(3)]
    assert "nodes" in problem(upload(with_token(alice), native(nodes=nodes)), 400, "import_refused")["errors"]
    assert not Node.objects.exists()


@pytest.mark.parametrize("field", ["workspace", "id", "version", "createdAt", "owner", "pk"])
def test_it_takes_no_fields_that_are_not_the_callers(alice: User, field: str) -> None:
    assert field in problem(upload(with_token(alice), native(), **{field: "1"}), 400, "validation")["errors"]
    assert not Graph.objects.exists()


def test_it_needs_a_file(alice: User) -> None:
    assert "file" in problem(with_token(alice).post("/api/v1/graphs/import"), 400, "validation")["errors"]
    as_text = with_token(alice).post("/api/v1/graphs/import", {"file": native().decode()})
    assert "file" in problem(as_text, 400, "validation")["errors"]


def test_it_knows_no_other_format(alice: User) -> None:
    assert "format" in problem(upload(with_token(alice), native(), format="xml"), 400, "validation")["errors"]


def test_a_broken_form_is_told(alice: User) -> None:
    answer = with_token(alice).generic(
        "POST", "/api/v1/graphs/import", b"--x\r\ngarbage", content_type="multipart/form-data"
    )
    problem(answer, 400, "bad_request")


def test_the_name_of_the_file_is_only_a_name(alice: User, tmp_path: Path) -> None:
    unnamed = {**N8N, "name": ""}
    answer = upload(with_token(alice), json.dumps(unnamed).encode(), name="../../etc/<b>Daily.json")
    assert answer.status_code == 201
    assert "/" not in Graph.objects.get().name
