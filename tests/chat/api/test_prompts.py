"""Prompts through the API: who sees which, new versions, which counts, what differs."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from chat.actions import managing_prompts
from chat.models import Feedback, Prompt, PromptActivation, PromptVersion, Proposal, ProposalStatus, Run
from graphs.models import Graph, Workspace
from tests.cast import signed_in
from tests.chat.api.callers import get, patch, post
from tests.graphs.admin.staff import superuser
from tests.graphs.api.callers import problem
from tests.graphs.records.portfolio import Portfolio, portfolio
from tests.proposed import MOVE, RENAME, waiting, waiting_to_read

__all__ = ["portfolio"]
pytestmark = pytest.mark.django_db
TEXT = {"en": "Name {{folder}}.", "fr": "Nomme {{folder}}."}
FIVE = ["company_info", "executive_summary", "folder_name", "use_case_detail", "use_case_list"]


def written(user: User, key: str = "folder_name", **more: Any) -> dict[str, Any]:
    response = post(user, f"prompts/{key}/versions", {"text": TEXT, "reason": "Shorter", **more})
    assert response.status_code == 201, response.content
    return response.json()


def activated(user: User, number: int, key: str = "folder_name") -> dict[str, Any]:
    response = post(user, f"prompts/{key}/versions/{number}/activate", {"reason": "Better"})
    assert response.status_code == 200, response.content
    return response.json()


def test_the_five_of_the_repository_are_version_one(bob: User) -> None:
    listed = get(bob, "prompts").json()
    assert [each["key"] for each in listed["results"]] == FIVE
    assert {(each["active"], each["scope"]) for each in listed["results"]} == {(1, "site")}
    assert len(listed["conversation"]) == 12
    get(bob, "prompts")
    assert (Prompt.objects.count(), PromptVersion.objects.count()) == (5, 5)
    whole = get(bob, "prompts/use_case_list").json()
    assert [(each["name"], each["status"], each["active"]) for each in whole["versions"]] == [
        ("use_case_list@1", "active", True)
    ]
    version = get(bob, "prompts/use_case_list/versions/1").json()
    assert set(version["text"]) == {"en", "fr"}
    assert "{{folder}}" in version["text"]["fr"]


def test_a_workspace_has_versions_of_its_own(alice: User, bob: User, charlie: User) -> None:
    draft = written(alice, model="")
    assert (draft["number"], draft["status"], draft["active"], draft["author"]) == (2, "draft", False, "alice")
    assert draft["variables"] == ["folder"]
    assert get(bob, "prompts/folder_name").json()["active"] == 1

    assert activated(alice, 2)["active"] is True
    assert get(bob, "prompts/folder_name").json()["active"] == 2
    foreign = get(charlie, "prompts/folder_name").json()
    assert (foreign["active"], [each["number"] for each in foreign["versions"]]) == (1, [1])
    assert get(charlie, "prompts/folder_name/versions/2").status_code == 404
    assert post(charlie, "prompts/folder_name/versions/2/activate").status_code == 404
    # Numbers of one workspace say nothing about those of another.
    assert written(charlie)["number"] == 2


def test_the_database_keeps_one_active_version_of_a_workspace_and_of_the_site(
    alice: User, demo_workspace: Workspace
) -> None:
    written(alice)
    activated(alice, 2)
    prompt = Prompt.objects.get(key="folder_name")
    for workspace in (demo_workspace, None):
        with pytest.raises(IntegrityError, match="one_active_version"), transaction.atomic():
            PromptVersion.objects.create(prompt=prompt, workspace=workspace, number=9, texts={}, status="active")


def test_earlier_versions_count_again_also_the_sites(alice: User) -> None:
    for number in (2, 3):
        written(alice)
        activated(alice, number)
    whole = get(alice, "prompts/folder_name").json()
    assert [(each["number"], each["status"]) for each in whole["versions"]] == [
        (3, "active"), (2, "retired"), (1, "active"),
    ]  # fmt: skip
    assert (activated(alice, 2)["status"], get(alice, "prompts/folder_name").json()["active"]) == ("active", 2)
    activated(alice, 1)
    assert get(alice, "prompts/folder_name").json()["active"] == 1
    activated(alice, 1)
    made = PromptActivation.objects.order_by("pk").values_list("version__number", "person__username", "reason")
    assert list(made) == [(number, "alice", "Better") for number in (2, 3, 2, 1)]


def test_an_unknown_or_missing_variable_is_refused(alice: User) -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"text": {"en": "{{folder}} {{secret}}"}}, "text.en"),
        ({"text": {"en": "No variable."}}, "text.en"),
        ({"text": {"en": "{{folder}}"}, "variables": ["folder", "company"]}, "text.en"),
        ({"text": {}}, "text"),
        ({"text": TEXT, "reason": " "}, "reason"),
    ]
    for body, field in wrong:
        refused = problem(post(alice, "prompts/folder_name/versions", {"reason": "Why", **body}), 400, "validation")
        assert list(refused["errors"]) == [field]
    unavailable = post(alice, "prompts/folder_name/versions", {"reason": "W", "text": TEXT, "model": "openai:gpt-9"})
    problem(unavailable, 422, "model_unavailable")
    assert not PromptVersion.objects.exclude(workspace=None).exists()


def test_viewers_read_and_change_nothing(alice: User, bob: User) -> None:
    written(alice)
    for path, body in (
        ("prompts", {"key": "mine", "name": "Mine", "type": "folder_name"}),
        ("prompts/folder_name/versions", {"text": TEXT, "reason": "Why"}),
        ("prompts/folder_name/versions/2/activate", {}),
        ("prompts/folder_name/versions/2/try", {"context": {"type": "folder", "id": "1"}}),
    ):
        assert post(bob, path, body).status_code == 403, path
        # Whether there is such a thing is told first.
        assert path == "prompts" or post(bob, path.replace("folder_name", "nothing"), body).status_code == 404


def test_a_workspace_makes_prompts_of_its_own(alice: User, charlie: User, demo_workspace: Workspace) -> None:
    body = {"key": "short_names", "name": "Short names", "type": "folder_name"}
    made = post(alice, "prompts", body)
    assert (made.status_code, made.json()["scope"], made.json()["active"]) == (201, "workspace", None)
    assert written(alice, "short_names")["name"] == "short_names@1"
    assert get(charlie, "prompts/short_names").status_code == 404
    assert post(charlie, "prompts", body).status_code == 201
    for key, status in (("short_names", 400), ("folder_name", 400), ("conversation", 400), ("Ünïcode", 400)):
        assert post(alice, "prompts", {**body, "key": key}).status_code == status, key
    assert post(alice, "prompts", {**body, "key": "x", "type": "poem"}).status_code == 400


def test_what_came_of_a_version_is_what_people_decided(alice: User, bob: User, charlie: User, nba: Graph) -> None:
    version = PromptVersion.objects.get(number=1, prompt__key=written(alice)["name"].partition("@")[0])
    changes = waiting(alice, nba.object, RENAME, MOVE, RENAME, MOVE)
    pages = [waiting_to_read(alice, nba.object, f"https://evil.org/{page}") for page in "ab"]
    Run.objects.update(prompt_version=version)
    by = {"status": ProposalStatus.APPLIED, "decided_by": alice}
    Proposal.objects.filter(pk__in=[each.pk for each in (*changes[:2], pages[0])]).update(**by)
    Proposal.objects.filter(pk__in=[changes[2].pk, pages[1].pk]).update(status=ProposalStatus.REJECTED)
    Proposal.objects.filter(pk=changes[3].pk).update(status=ProposalStatus.APPLIED, asked_by=[])
    for person, vote in ((alice, 1), (bob, 1), (charlie, -1)):
        Feedback.objects.create(message=changes[0].message, person=person, vote=vote)
    (_own, site) = get(alice, "prompts/folder_name").json()["versions"]
    told = ("accepted", "rejected", "votedUp", "votedDown")
    assert {name: site["outcomes"][name] for name in told} == dict(zip(told, (2, 1, 2, 1), strict=True))
    page = signed_in(alice).get("/prompts/folder_name/").content.decode()
    assert re.search(r"Voted good / not good\">2 / 1<", page)
    listed = superuser().get(f"/admin/chat/sitepromptversion/{version.pk}/change/").content.decode()
    told = re.findall(r"field-(accepted_of|rejected_of).*?readonly\">(\d+)<", listed, re.DOTALL)
    assert dict(told) == {"accepted_of": "2", "rejected_of": "1"}
    assert "2 / 1" in listed


def test_two_versions_are_compared_line_by_line(alice: User) -> None:
    written(alice)
    written(alice, text={"en": "Name {{folder}}.\nBriefly."})
    shown = get(alice, "prompts/folder_name/compare?a=2&b=3").json()
    (entry,) = shown["diff"]
    assert [(field["field"], field["old"]) for field in entry["fields"]] == [
        ("text.en", TEXT["en"]), ("text.fr", TEXT["fr"]),
    ]  # fmt: skip
    assert [line["op"] for line in entry["fields"][0]["lines"]] == [" ", "+"]
    assert get(alice, "prompts/folder_name/compare?a=2&b=2").json()["diff"] == []
    assert get(alice, "prompts/folder_name/compare?a=2&b=9").status_code == 404
    assert get(alice, "prompts/folder_name/compare?a=2").status_code == 400


def test_prompts_of_a_workspace_are_archived_and_brought_back(
    alice: User, bob: User, charlie: User, portfolio: Portfolio, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = {"key": "short_names", "name": "Short names", "type": "folder_name"}
    assert post(alice, "prompts", own).status_code == 201
    written(alice, "short_names")
    activated(alice, 1, "short_names")
    folder = {"context": {"type": "folder", "id": str(portfolio.folder.pk)}}
    run = post(alice, "structured/short_names", folder).json()["runId"]
    assert [patch(each, "prompts/short_names", {"archived": True}).status_code for each in (bob, charlie)] == [403, 404]
    problem(patch(alice, "prompts/folder_name", {"archived": True}), 409, "conflict")

    archived = patch(alice, "prompts/short_names", {"archived": True})
    assert (archived.status_code, archived.json()["archived"]) == (200, True)
    assert [each["key"] for each in get(bob, "prompts").json()["results"]] == FIVE
    assert [each["key"] for each in get(bob, "prompts?archived=true").json()["results"]] == ["short_names"]
    assert get(bob, "prompts/short_names").json()["archived"] is True
    assert get(alice, f"structured/{run}").json()["promptVersion"] == "short_names@1"
    again = {"text": TEXT, "reason": "Shorter"}
    for path, body in (
        ("prompts/short_names/versions", again),
        ("prompts/short_names/versions/1/activate", {}),
        ("prompts/short_names/versions/1/try", folder),
        ("structured/short_names", folder),
    ):
        problem(post(alice, path, body), 409, "conflict")
    problem(post(alice, "prompts", own), 400, "validation")

    monkeypatch.setattr(managing_prompts, "MAX_PROMPTS", 1)
    assert post(alice, "prompts", {**own, "key": "other"}).status_code == 201
    problem(patch(alice, "prompts/short_names", {"archived": False}), 409, "too_many")
    assert patch(alice, "prompts/other", {"archived": True}).status_code == 200
    assert patch(alice, "prompts/short_names", {"archived": False}).json()["active"] == 1
    assert post(alice, "structured/short_names", folder).status_code == 202
    monkeypatch.setattr(managing_prompts, "MAX_WITH_ARCHIVED", 2)
    assert patch(alice, "prompts/short_names", {"archived": True}).status_code == 200
    problem(post(alice, "prompts", {**own, "key": "third"}), 409, "too_many")
