"""The executive summary, a view of its folder: conversations of its own, versions and history of the folder."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from chat.models import Proposal
from chat.sockets.object_commands import open_object
from graphs.history import rollback
from graphs.history.outside import catch_up
from graphs.history.scopes import ChangeSets
from graphs.models import ChangeSet, Folder, Modification, Object, Revision
from graphs.objects.actions import named_by, parse
from graphs.objects.headers import existing
from graphs.objects.kinds import KINDS
from graphs.objects.refs import Ref
from rag.sources.registered_sources import kinds_without_source
from tests.graphs.api.callers import post_json, problem, with_token
from tests.graphs.records.asking import API, update
from tests.proposed import waiting


@pytest.fixture
def path(folder: Folder) -> str:
    return f"{API}/executive_summary/{folder.pk}"


def changing(path: str, client: Client, value: str, version: int | None = None, field: str = "analysis") -> object:
    updates = {f"executive_summary.{field}": value}
    action = {"action": "update_object", "arguments": {"updates": updates}}
    seen = [{"type": "executive_summary", "id": path.rpartition("/")[2], "version": version}] if version else []
    return post_json(client, f"{path}/changes", {"actions": [action], "expected": seen})


def test_it_has_the_id_the_title_and_the_version_of_its_folder(client: Client, folder: Folder, path: str) -> None:
    update(client, folder, description="Changed")
    found, whole = client.get(path).json(), client.get(path.replace("executive_summary", "folder")).json()
    assert (found["id"], found["title"], found["version"]) == (str(folder.pk), "Warehouse", whole["version"])
    assert found["version"] == 2
    assert found["fields"]["executive_summary.introduction"] == "Much can be done."
    assert found["streamId"] == whole["streamId"]
    assert client.get(f"{path}/stream").json() == {"stream": whole["streamId"]}
    listed = client.get(f"{API}?type=executive_summary").json()["results"]
    assert [(each["id"], each["version"]) for each in listed] == [(str(folder.pk), 2)]


def test_a_change_of_it_is_one_of_its_folder(client: Client, folder: Folder, path: str, alice: User) -> None:
    assert changing(path, client, "Begin with labels.").status_code == 201
    folder.refresh_from_db()
    assert folder.executive_summary == {"introduction": "Much can be done.", "analysis": "Begin with labels."}
    (made,) = Modification.objects.all()
    assert (made.kind, made.key, made.field) == ("folder", str(folder.pk), "executive_summary.analysis")
    assert client.get(path).json()["version"] == 2
    assert not Revision.objects.filter(type="executive_summary").exists()
    name = f"executive_summary:{folder.pk}"
    history = client.get(f"/api/v1/history?object={name}").json()["results"]
    assert history == client.get(f"/api/v1/history?object=folder:{folder.pk}").json()["results"]
    rollback.roll_back(folder.workspace_id, alice, ChangeSets((ChangeSet.objects.latest("created_at").pk,)))
    assert client.get(path).json()["fields"]["executive_summary.analysis"] is None


def test_who_saw_an_older_version_is_told_of_the_same_field_only(client: Client, path: str) -> None:
    assert changing(path, client, "First", 1).status_code == 201
    assert changing(path, client, "Other", 1, "recommendation").status_code == 201
    assert changing(path, client, "Second", 1).status_code == 409


@pytest.mark.parametrize(
    ("action", "sentence"),
    [
        ({"action": "delete_object", "arguments": {}}, "is a part of folder:"),
        ({"action": "move_object", "arguments": {"parent": None}}, "has no place to be moved from"),
        ({"action": "update_object", "arguments": {"updates": {"name": "x"}}}, "name is set by itself"),
        ({"action": "update_object", "arguments": {"updates": {"description": "x"}}}, "There is no field description"),
        (
            {"action": "update_object", "arguments": {"updates": {"executive_summary.analysis": 1}}},
            "executive_summary.analysis: This must be a text.",
        ),
    ],
)
def test_only_its_sections_change(client: Client, path: str, action: object, sentence: str) -> None:
    assert sentence in problem(post_json(client, f"{path}/changes", {"actions": [action]}), 400, "refused")["detail"]


def test_none_is_made(client: Client) -> None:
    kinds = {kind["type"]: kind for kind in client.get("/api/v1/kinds").json()["results"]}
    assert kinds["executive_summary"]["mayCreate"] is False
    new = {"fields": {"executive_summary.analysis": "x"}}
    assert "cannot be created" in problem(post_json(client, f"{API}/executive_summary", new), 400, "refused")["detail"]


def test_a_conversation_about_it_proposes_changes_of_the_folder(
    client: Client, folder: Folder, path: str, alice: User
) -> None:
    name = f"executive_summary:{folder.pk}"
    around = existing(folder.workspace_id, Ref.parse(name))
    assert around is not None
    catch_up([around])
    call = ("update_object", {"object": name, "updates": {"executive_summary.analysis": "Proposed"}})
    (proposal,) = waiting(alice, around, call)
    assert (proposal.ref, [target["type"] for target in proposal.targets]) == (Ref.parse(name), ["folder"])
    decided = post_json(client, f"/api/v1/proposals/{proposal.pk}/decide", {"approved": True})
    assert decided.status_code == 200, decided.content
    assert Proposal.objects.get().status == "applied"
    assert client.get(path).json()["fields"]["executive_summary.analysis"] == "Proposed"


def test_its_stream_tells_of_changes_of_the_folder_and_of_proposals_about_both(
    client: Client, folder: Folder, path: str, alice: User
) -> None:
    stream = client.get(f"{path}/stream").json()["stream"]

    def told() -> list[tuple[str, str]]:
        events = client.get(f"/api/v1/streams/events/{stream}").json()["events"]
        return [(each["type"], each["data"].get("object", {}).get("type", "")) for each in events]

    assert changing(path, client, "By hand").status_code == 201
    update(client, folder, description="Changed")
    assert told() == [("object_changed", "folder")] * 2
    name = f"executive_summary:{folder.pk}"
    around = existing(folder.workspace_id, Ref.parse(name))
    assert around is not None
    call = ("update_object", {"object": name, "updates": {"executive_summary.analysis": "Proposed"}})
    (proposal,) = waiting(alice, around, call)
    post_json(client, f"/api/v1/proposals/{proposal.pk}/decide", {"approved": True})
    assert [type_ for type_, _object in told()[2:]] == ["proposal", "object_changed", "decision"]


def test_it_is_found_as_its_folder_and_goes_and_comes_with_it(
    client: Client, folder: Folder, path: str, alice: User, charlie: User
) -> None:
    assert "executive_summary" not in kinds_without_source()
    assert KINDS["executive_summary"].view_of == "folder"
    header = existing(folder.workspace_id, Ref("executive_summary", str(folder.pk)))
    assert header is not None
    problem(with_token(charlie).get(path), 404, "not_found")
    deleting = {"actions": [{"action": "delete_object", "arguments": {}}]}
    assert post_json(client, f"{API}/folder/{folder.pk}/changes", deleting).status_code == 201
    problem(client.get(path), 404, "not_found")
    rollback.roll_back(folder.workspace_id, alice, ChangeSets((ChangeSet.objects.latest("created_at").pk,)))
    assert client.get(path).status_code == 200
    assert Object.objects.get(type="executive_summary") == header


def test_who_changes_it_holds_the_folder_with_it_from_the_start(folder: Folder) -> None:
    """Whoever changes both holds them in one order: two would else wait for each other."""
    name = f"executive_summary:{folder.pk}"
    step = parse("update_object", {"object": name, "updates": {"executive_summary.analysis": "x"}})
    assert named_by([step]) == [Ref.parse(name), Ref("folder", str(folder.pk))]


def test_who_watches_it_watches_the_folder(folder: Folder, alice: User) -> None:
    opened = [open_object(alice, "demo", type_, str(folder.pk)) for type_ in ("executive_summary", "folder")]
    assert opened[0] == opened[1]
