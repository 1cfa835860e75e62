"""Imports in the queue: told while they are under way, and stopped from elsewhere so that nothing of them stays."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from pytest_django import Settings

from chat.events import toasts
from chat.models import StreamEvent
from graphs.models import Company, Graph, Role, Workspace
from graphs.site import imports_under_way
from graphs.site.imports_under_way import Made, importing
from graphs.workflows import imports
from tests.cast import member, signed_in
from tests.chat.api.callers import get, post
from tests.graphs.api.callers import problem, upload, with_token

pytestmark = pytest.mark.django_db
FILE = {"format": "countersign.graph", "formatVersion": 1, "key": "new", "name": "New"} | {
    "sheets": [{"key": "main", "name": "Main"}],
    "nodes": [{"key": f"n{number}", "type": "step", "sheet": "main"} for number in range(4)],
    "edges": [],
}
CONTENT = json.dumps(FILE).encode()


@pytest.fixture(autouse=True)
def told_at_each_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imports_under_way, "TOLD_EVERY_S", 0)
    monkeypatch.setattr(imports, "BATCH", 1)


def entries(user: User) -> list[dict[str, Any]]:
    return get(user, "queue").json()["results"]


def while_importing(monkeypatch: pytest.MonkeyPatch, act: Callable[[], None]) -> None:
    """Has `act` happen while the nodes of a graph are written."""
    write = imports._write_parts

    def write_then_act(*parts: Any) -> None:
        act()
        write(*parts)

    monkeypatch.setattr(imports, "_write_parts", write_then_act)


def test_it_is_told_while_it_lasts(alice: User, bob: User, charlie: User, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, Any] = {}
    while_importing(monkeypatch, lambda: seen.update(mine=entries(alice), bobs=entries(bob), charlies=entries(charlie)))
    assert upload(with_token(alice), CONTENT, "secret plan.json").status_code == 201
    (mine,), (bobs,) = seen["mine"], seen["bobs"]
    names = ("kind", "state", "person", "own", "title", "mayCancel", "mayRetry")
    assert [mine[name] for name in names] == ["import", "running", "alice", True, "secret plan.json", True, False]
    assert [bobs[name] for name in names] == ["import", "running", "alice", False, "", False, False]
    assert seen["charlies"] == []
    assert entries(alice) == []


def test_it_says_how_far_it_is(alice: User, demo_workspace: Workspace) -> None:
    with importing(demo_workspace.pk, alice, "graph", "x.json") as running:
        running.look(5, 9)
        assert entries(alice)[0]["progress"] is None, "characters that are read are no items"
        running.reach(2, 4)
        assert entries(alice)[0]["progress"] == {"done": 2, "total": 4}


@pytest.mark.parametrize("who", ["alice", "admin"])
def test_its_person_and_admins_stop_it(
    alice: User, bob: User, demo_workspace: Workspace, who: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopper = alice if who == "alice" else member("dora", demo_workspace, Role.ADMIN)

    def stop() -> None:
        path = f"queue/{entries(stopper)[0]['id']}/cancel"
        problem(post(bob, path), 403, "forbidden")
        assert post(stopper, path).status_code == 204
        (entry,) = entries(stopper)
        assert (entry["reason"], entry["mayCancel"]) == ("It is being stopped.", False)

    while_importing(monkeypatch, stop)
    refused = upload(with_token(alice), CONTENT)
    assert "Nothing was changed" in problem(refused, 409, "cancelled")["detail"]
    assert not Graph.objects.exists()
    assert entries(alice) == []


def test_a_file_that_replaces_a_graph_is_stopped_too(
    alice: User, demo_workspace: Workspace, nba: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = imports.import_graph

    def asked_before(*parts: Any, **more: Any) -> Any:
        (entry,) = entries(alice)
        assert post(alice, f"queue/{entry['id']}/cancel").status_code == 204
        return read(*parts, **more)

    monkeypatch.setattr(imports, "import_graph", asked_before)
    problem(upload(with_token(alice), CONTENT, key="nba", ifExists="replace"), 409, "cancelled")
    assert nba.nodes.count() == 3


def test_the_pages_say_so_too(alice: User, demo_workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_counts: int) -> None:
        raise imports_under_way.ImportStopped

    monkeypatch.setattr(imports_under_way.Running, "look", stop)
    answer = signed_in(alice).post("/import/", {"file": SimpleUploadedFile("x.json", CONTENT)})
    assert (answer.status_code, b"The import was stopped." in answer.content) == (409, True)
    monkeypatch.setattr(imports_under_way.Running, "reach", stop)
    monkeypatch.setattr(imports_under_way.Running, "tell", stop)
    rows = {"file": SimpleUploadedFile("x.csv", b"name\nNew\n"), "step": "import"}
    answer = signed_in(alice).post("/objects/company/import/", rows)
    assert (answer.status_code, b"The import was stopped." in answer.content) == (409, True)


def test_rows_that_are_stored_already_are_taken_back(
    alice: User, demo_workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell = imports_under_way.Running.tell

    def stopped_at_the_end(running: imports_under_way.Running, done: int = 0, total: int = 0) -> None:
        if done:
            (entry,) = entries(alice)
            assert entry["title"] == "Companies"
            assert post(alice, f"queue/{entry['id']}/cancel").status_code == 204
        tell(running, done, total)

    monkeypatch.setattr(imports_under_way.Running, "tell", stopped_at_the_end)
    rows = {"file": SimpleUploadedFile("new.csv", b"name\nNew\n")}
    problem(with_token(alice).post("/api/v1/objects/company/import", rows), 409, "cancelled")
    assert not Company.objects.exists()


def test_what_is_over_or_elsewhere_is_absent(
    alice: User, charlie: User, demo_workspace: Workspace, other_workspace: Workspace
) -> None:
    with importing(other_workspace.pk, charlie, "graph") as running:
        theirs = running._about["id"]
        for command in ("cancel", "retry"):
            problem(post(alice, f"queue/import:{theirs}/{command}"), 404, "not_found")
        problem(post(charlie, f"queue/import:{theirs}/retry"), 409, "conflict")
        running.look()
    problem(post(charlie, f"queue/import:{theirs}/cancel"), 404, "not_found")
    assert not imports_under_way.ask_to_stop(other_workspace.pk, theirs)


def test_one_whose_process_is_gone_is_told_no_more(
    alice: User, demo_workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    with importing(demo_workspace.pk, alice, "graph"):
        assert entries(alice)
        monkeypatch.setattr(imports_under_way, "SILENT_S", 0)
        assert entries(alice) == []


def test_without_valkey_it_goes_on_and_is_not_told(alice: User, demo_workspace: Workspace, settings: Settings) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    assert upload(with_token(alice), CONTENT).status_code == 201
    assert entries(alice) == []


def test_who_waited_long_is_told_on_other_pages(
    alice: User, bob: User, charlie: User, demo_workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def told(user: User, **headers: str) -> list[dict[str, Any]]:
        answer = get(user, f"streams/events/workspace_{demo_workspace.pk}", **headers)
        return [event["data"] for event in answer.json().get("events", ()) if event["type"] == "toast"]

    upload(with_token(alice), CONTENT)
    assert told(alice) == [], "nobody goes elsewhere meanwhile"
    monkeypatch.setattr(imports_under_way, "LONG_S", 0)
    upload(with_token(alice), b"{}")
    upload(with_token(alice), CONTENT, ifExists="replace")
    with_token(alice).post("/api/v1/objects/company/import", {"file": SimpleUploadedFile("x.csv", b"name\nNew\n")})
    graph = {"level": "success", "what": "imported", "person": "alice", "kind": "graph", "title": "New"}
    first, second = told(bob)
    assert first == {**graph, "object": {"type": "graph", "id": "new"}, "text": "“New” is imported."}
    assert (second["text"], "object" in second) == ("The file is imported: Companies.", False)
    assert told(charlie) == []
    assert told(alice, accept_language="fr")[0]["text"] != first["text"]


def test_of_what_not_everybody_may_see_nobody_is_told(
    alice: User, demo_workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(toasts, "narrowed", lambda: ["company"])
    toasts.tell_of_import(demo_workspace.pk, "alice", Made("company"))
    assert not StreamEvent.objects.filter(type="toast").exists()
