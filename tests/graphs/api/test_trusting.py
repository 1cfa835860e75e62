"""Looking through what was imported: `POST graphs/{key}/trust` with its button on the page, and that of node types."""

import re
from typing import Any
from urllib.parse import urlencode

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from graphs.models import Graph, NodeType, Object, Workspace
from tests.graphs.api.callers import problem, upload, with_token
from tests.graphs.api.test_importing import native


def test_the_mark_is_told_until_an_editor_takes_it_away(alice: User) -> None:
    client = with_token(alice)
    upload(client, native())
    before = client.get("/api/v1/graphs/small")
    assert (before.json()["untrustedBy"], before.json()["untrustedSince"] is None) == ("alice", False)
    assert client.get("/api/v1/graphs").json()["results"][0]["untrustedSince"]
    assert looked(client, "graphs/small", before.json()["untrustedSince"]).json()["untrustedSince"] is None
    seen = {"If-None-Match": before.headers["ETag"]}
    after = client.get("/api/v1/graphs/small", headers=seen)
    assert (after.status_code, after.json()["untrustedSince"], after.json()["untrustedBy"]) == (200, None, "")


def test_a_viewer_may_not(alice: User, bob: User) -> None:
    upload(with_token(alice), native())
    problem(with_token(bob).post("/api/v1/graphs/small/trust"), 403, "forbidden")
    assert Graph.objects.get().untrusted_since


def test_a_foreign_graph_is_as_one_that_is_not_there(alice: User, charlie: User, other_workspace: Workspace) -> None:
    upload(with_token(alice), native())
    foreign, absent = (with_token(charlie).post(f"/api/v1/graphs/{key}/trust") for key in ("small", "nowhere"))
    assert problem(foreign, 404, "not_found") == problem(absent, 404, "not_found")
    assert Graph.objects.get().untrusted_since


def test_the_page_says_so_and_has_a_button_for_editors(client: Client, alice: User, bob: User) -> None:
    upload(with_token(alice), native())
    page, address = reverse("graph", args=["small"]), reverse("trust-graph", args=["small"])
    client.force_login(bob)
    seen = client.get(page).content.decode()
    assert "by alice, not looked through yet" in seen
    assert address not in seen
    assert client.post(address).status_code == 403
    assert "not looked through yet" in client.get(reverse("home")).content.decode()
    client.force_login(alice)
    shown = client.get(page)
    assert address in shown.content.decode()
    assert client.post(address, {"since": since_in(shown)}).status_code == 302
    assert "data-untrusted" not in client.get(page).content.decode()
    assert "data-untrusted" not in client.get(reverse("home")).content.decode()


def test_the_page_lets_nobody_do_so_too_often(client: Client, alice: User, settings: Settings) -> None:
    upload(with_token(alice), native())
    settings.LIMIT_WRITES = "1/min"
    client.force_login(alice)
    address = reverse("trust-graph", args=["small"])
    client.post(address, {"since": since_in(client.get(reverse("graph", args=["small"])))})
    Graph.objects.update(untrusted_since=timezone.now())
    assert "Try again in" in client.post(address, follow=True).content.decode()
    assert Graph.objects.get().untrusted_since


def test_who_looked_through_what_a_file_has_replaced_since_is_told(client: Client, alice: User) -> None:
    """The button would have trusted what nobody saw."""
    upload(with_token(alice), native())
    client.force_login(alice)
    page, address = reverse("graph", args=["small"]), reverse("trust-graph", args=["small"])
    seen = since_in(client.get(page))
    upload(with_token(alice), native(key="small", description="Another."), ifExists="replace")
    told = client.post(address, {"since": seen}, follow=True)
    assert "A file has replaced this graph since." in told.content.decode()
    assert Graph.objects.get().untrusted_since
    client.post(address, {"since": since_in(client.get(page))})
    assert Graph.objects.get().untrusted_since is None


def since_in(page: HttpResponse) -> str:
    found = re.search(r'name="since" value="([^"]+)"', page.content.decode())
    assert found
    return found[1]


def looked(client: Client, path: str, seen: str) -> Any:
    return client.post(f"/api/v1/{path}/trust?{urlencode({'untrustedSince': seen})}")


def test_only_the_mark_that_was_seen_is_taken_away(alice: User) -> None:
    """A file that replaces the graph meanwhile brings another one."""
    client = with_token(alice)
    upload(client, native())
    seen = client.get("/api/v1/graphs/small").json()["untrustedSince"]
    upload(client, native(key="small", name="Other"), ifExists="replace")
    said = problem(looked(client, "graphs/small", seen), 409, "stale")
    assert "imported again" in said["detail"]
    assert all(problem(looked(client, "graphs/small", text), 409, "stale") for text in ("", "yesterday", "2026-01-01"))
    now = client.get("/api/v1/graphs/small").json()["untrustedSince"]
    assert now
    assert looked(client, "graphs/small", now).json()["untrustedSince"] is None
    assert looked(client, "graphs/small", seen).status_code == 200  # as often as one likes, where nothing is left


@pytest.mark.parametrize("path", ["graphs/small", "node-types/probe"])
def test_who_does_not_say_what_they_saw_is_told_to(client: Client, alice: User, bob: User, path: str) -> None:
    """Whatever mark is there may have come after they looked."""
    upload(with_token(alice), native(nodeTypes=[{"key": "probe", "displayName": "Probe"}]))
    address = f"/api/v1/{path}/trust"
    problem(with_token(bob).post(address), 403, "forbidden")
    said = problem(with_token(alice).post(address), 400, "validation")
    assert "what you looked through" in said["errors"]["untrustedSince"][0]
    client.force_login(alice)
    page = client.post(reverse("trust-graph", args=["small"]), follow=True)
    assert "did not say what you looked through" in page.content.decode()
    assert Object.objects.exclude(untrusted_since=None).count() == 2


@pytest.fixture
def orphaned(alice: User) -> Client:
    """A node type whose graph is gone."""
    client = with_token(alice)
    upload(client, native(nodeTypes=[{"key": "probe", "displayName": "Probe", "process": "probe()"}]))
    Object.objects.filter(key="small").delete()
    return client


def test_a_type_whose_graph_is_gone_is_looked_through_by_itself(orphaned: Client, bob: User) -> None:
    (before,) = orphaned.get("/api/v1/node-types").json()["results"]
    assert before["untrustedSince"]
    problem(with_token(bob).post("/api/v1/node-types/probe/trust"), 403, "forbidden")
    problem(looked(orphaned, "node-types/probe", "2026-01-01T00:00:00Z"), 409, "stale")
    after = looked(orphaned, "node-types/probe", before["untrustedSince"])
    assert (after.status_code, after.json()) == (200, before | {"untrustedSince": None})
    assert not Object.objects.exclude(untrusted_since=None).exists()
    assert LogEntry.objects.get().object_repr == "Probe"


def test_a_foreign_type_is_as_one_that_is_not_there(
    orphaned: Client, charlie: User, other_workspace: Workspace
) -> None:
    NodeType.objects.create(workspace=other_workspace, key="own", display_name="Own")
    foreign, absent = (with_token(charlie).post(f"/api/v1/node-types/{key}/trust") for key in ("probe", "nowhere"))
    assert problem(foreign, 404, "not_found") == problem(absent, 404, "not_found")
    assert problem(orphaned.post("/api/v1/node-types/note/trust"), 404, "not_found")
    assert NodeType.objects.get(key="probe").untrusted_since


def test_the_pages_lead_to_a_type_whose_graph_is_gone(orphaned: Client, client: Client, alice: User, bob: User) -> None:
    page, address = reverse("node-type", args=["probe"]), reverse("trust-node-type", args=["probe"])
    client.force_login(bob)
    assert f'href="{page}"' in client.get(reverse("home")).content.decode()
    seen = client.get(page).content.decode()
    assert "by alice, not looked through yet" in seen
    assert "probe()" in seen
    assert address not in seen
    assert client.post(address, {"since": since_of_type()}).status_code == 403
    client.force_login(alice)
    assert "did not say" in client.post(address, follow=True).content.decode()
    told = client.post(address, {"since": "2026-01-01T00:00:00Z"}, follow=True).content.decode()
    assert "It was imported anew." in told
    assert NodeType.objects.get().untrusted_since
    assert client.post(address, {"since": since_in(client.get(page))}).status_code == 302
    assert "data-untrusted" not in client.get(page).content.decode()
    assert "data-waiting-types" not in client.get(reverse("home")).content.decode()


def since_of_type() -> str:
    since = NodeType.objects.get().untrusted_since
    assert since
    return since.isoformat()


def test_pages_of_types_are_for_members(
    orphaned: Client, client: Client, charlie: User, bob: User, other_workspace: Workspace
) -> None:
    client.force_login(charlie)
    foreign, absent = (client.get(reverse("node-type", args=[key])) for key in ("probe", "nowhere"))
    assert (foreign.status_code, absent.status_code) == (404, 404)
    assert client.post(reverse("trust-node-type", args=["probe"]), {"since": since_of_type()}).status_code == 404
    client.force_login(bob)
    assert client.get(reverse("node-type", args=["note"])).status_code == 404
    assert NodeType.objects.get().untrusted_since


def test_a_type_whose_graph_is_there_waits_with_it(client: Client, alice: User) -> None:
    upload(with_token(alice), native(nodeTypes=[{"key": "probe", "displayName": "Probe"}]))
    client.force_login(alice)
    assert "data-waiting-types" not in client.get(reverse("home")).content.decode()


def test_the_list_names_so_many_types_and_says_that_there_are_more(client: Client, alice: User) -> None:
    types = [{"key": f"probe-{number:02}", "displayName": f"<b>Probe {number:02}"} for number in range(12)]
    upload(with_token(alice), native(nodeTypes=types))
    Object.objects.filter(key="small").delete()
    client.force_login(alice)
    page = client.get(reverse("home")).content.decode()
    assert [number for number in range(12) if f"Probe {number:02}" in page] == list(range(10))
    assert "Others follow" in page
    assert "<b>Probe" not in page


def test_a_type_alone_leaves_the_mark_of_its_graph(alice: User) -> None:
    client = with_token(alice)
    upload(client, native(nodeTypes=[{"key": "probe", "displayName": "Probe"}]))
    looked(client, "node-types/probe", client.get("/api/v1/node-types").json()["results"][0]["untrustedSince"])
    assert Graph.objects.get().untrusted_since
    assert NodeType.objects.get().untrusted_since is None
