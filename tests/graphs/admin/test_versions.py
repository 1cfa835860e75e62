import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from graphs.admin import versions
from graphs.models import Graph, NodeType, Workspace
from graphs.objects.model_values import record_of
from graphs.objects.operations import Delete, Update
from graphs.objects.refs import Ref
from graphs.workflows.kinds import NODE_TYPE
from tests.cast import draw_nba
from tests.graphs.admin.changing import changed, update
from tests.graphs.admin.staff import auditor, mere_staff, superuser

pytestmark = pytest.mark.django_db


def shown(client: Client, graph: Graph, status: int = 200, **query: object) -> str:
    response = client.get(reverse("admin:graphs_object_versions", args=[graph.pk]), query)
    assert response.status_code == status
    return response.content.decode()


def test_any_two_versions_are_compared(alice: User, nba: Graph) -> None:
    for name in ("First", "Second", "Third"):
        update(nba, alice, because={"reason": f"Named {name}"}, name=name)
    client = auditor(Workspace.objects.get(slug="demo"))
    assert "Named Second" in shown(client, nba)
    first, last = nba.version, nba.version + 3
    text = shown(client, nba, a=first, b=last)
    assert '<del>Fetch API</del></td><td class="number">1</td><td class="new"><ins>Third</ins>' in text
    assert "Nothing: both versions are the same." in shown(client, nba, a=last, b=last)
    assert "<del>Third</del>" in shown(client, nba, a=last, b=first)


def test_versions_that_are_not_there_are_refused(alice: User, nba: Graph) -> None:
    update(nba, alice, name="First")
    client = superuser()
    for query in ({"a": 1, "b": 99}, {"a": "x", "b": 1}, {"a": -1, "b": 1}, {"below": "x"}):
        shown(client, nba, 400, **query)


def test_a_graph_without_history_says_so(nba: Graph) -> None:
    assert "Nothing was changed" in shown(superuser(), nba)


def test_edits_that_the_history_has_not_yet_are_told(alice: User, nba: Graph) -> None:
    addresses = [reverse("admin:graphs_object_versions", args=[nba.pk]), reverse("admin:graphs_changeset_changelist")]
    client, stranger = auditor(nba.workspace), auditor(Workspace.objects.create(slug="third", name="Third"), "eve")
    for unsaved_since, told in ((timezone.now(), True), (None, False)):
        Graph.objects.update(unsaved_since=unsaved_since)
        for address in addresses:
            assert (b"There are edits that are not saved yet." in client.get(address).content) is told
        assert b"not saved yet" not in stranger.get(addresses[1]).content


def test_long_histories_are_listed_in_pages(alice: User, nba: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(versions, "VERSIONS_PER_PAGE", 2)
    for i in range(5):
        update(nba, alice, because={"reason": f"Reason {i}"}, name=f"Name {i}")
    client = superuser()
    first = shown(client, nba)
    assert "Reason 4" in first
    assert "Reason 2" not in first
    assert f"?below={nba.version + 4}" in first
    assert "Reason 2" in shown(client, nba, below=nba.version + 4)


def test_a_foreign_graph_is_absent(alice: User, charlie: User, nba: Graph, other_workspace: Workspace) -> None:
    theirs = draw_nba(other_workspace)
    update(theirs, charlie, name="Secret")
    assert "ecret" not in shown(auditor(nba.workspace), theirs, 404)


def test_a_node_type_has_versions_too(alice: User, nba: Graph) -> None:
    step = NodeType.objects.create(workspace=nba.workspace, key="step", display_name="Old name")
    rename = Update(Ref("nodeType", "step"), {"displayName": "Old name"}, {"displayName": "New name"})
    done = changed(nba, [rename], alice, reason="Renamed")
    client = auditor(nba.workspace)
    address = reverse("admin:graphs_object_versions", args=[step.pk])
    text = client.get(address, {"a": step.version, "b": step.version + 1}).content.decode()
    assert "<del>Old</del> name" in text
    assert "<ins>New</ins> name" in text
    assert f"{address}?a=" in client.get(reverse("admin:graphs_changeset_change", args=[done.pk])).content.decode()


def test_the_versions_of_a_type_stay_when_it_is_deleted(alice: User, nba: Graph, other_workspace: Workspace) -> None:
    NodeType.objects.create(workspace=nba.workspace, key="step", display_name="Step")
    before = NodeType.objects.get()
    rename = Update(Ref("nodeType", "step"), {"displayName": "Step"}, {"displayName": "Retry"})
    changed(nba, [rename], alice, reason="Renamed")
    old = record_of(NODE_TYPE, NodeType.objects.get())
    done = changed(nba, [Delete(Ref("nodeType", "step"), old)], alice, reason="Not needed")
    address = reverse("admin:graphs_object_versions", args=[before.pk])
    client = superuser()
    assert f"{address}?a=" in client.get(reverse("admin:graphs_changeset_change", args=[done.pk])).content.decode()
    text = client.get(address).content.decode()
    assert all(told in text for told in ("Retry", "(deleted since)", "Renamed", "Not needed"))
    assert client.get(address, {"a": before.version, "b": before.version + 1}).status_code == 200
    assert auditor(other_workspace).get(address).status_code == 404
    assert mere_staff(nba.workspace).get(address).status_code == 404
