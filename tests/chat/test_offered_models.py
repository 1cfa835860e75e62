"""Admins of a workspace choose which of the configured models are asked there, and by whom; others are refused."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from chat.models import Message, Session
from graphs.models import Membership, Role, Workspace
from tests.cast import signed_in
from tests.graphs.admin.staff import auditor, superuser
from tests.graphs.api.callers import post_json, problem, with_token

pytestmark = pytest.mark.django_db(transaction=True)

API = "/api/v1/chat"
DEMO, GPT, MINI = "demo:demo", "openai:gpt-4o", "openai-mini:gpt-4o-mini"


@pytest.fixture(autouse=True)
def configured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "test")


def offer(workspace: Workspace, *offered: str) -> None:
    Workspace.objects.filter(pk=workspace.pk).update(offered_models=list(offered))


def models(user: User) -> dict[str, Any]:
    """What the person is told they may ask, by id, and the default."""
    answer = with_token(user).get(f"{API}/models").json()
    return {each["id"]: each["stronger"] for each in answer["results"]} | {"": answer["default"]}


def ask(user: User, **body: Any) -> Any:
    return post_json(with_token(user), f"{API}/messages", {"message": "Hello"} | body)


def ids() -> list[str]:
    from chat.engine import available_models

    return [choice.id for choice in available_models.configured().choices()]


def test_everybody_may_ask_all_that_is_configured_by_default(bob: User, demo_workspace: Workspace) -> None:
    known = ids()
    assert len(known) > 2
    assert [name for name in models(bob) if name] == known
    for name in known:
        assert ask(bob, model=name).status_code == 202, name


def test_each_is_told_and_may_ask_what_was_chosen_for_their_role(
    alice: User, bob: User, charlie: User, demo_workspace: Workspace
) -> None:
    first, second, third, *_rest = ids()
    offer(demo_workspace, f"viewer {first}", f"editor {second}", f"admin {third}")
    assert [name for name in models(bob) if name] == [first]
    assert [name for name in models(alice) if name] == [first, second]
    refused = problem(ask(bob, model=second), 422, "model_unavailable")
    assert refused["available"] == [first]
    assert second in refused["detail"]
    problem(ask(alice, model=third), 422, "model_unavailable")
    assert ask(alice, model=second).status_code == 202
    Membership.objects.filter(user=bob).update(role=Role.ADMIN)
    assert ask(bob, model=third).status_code == 202
    assert [name for name in models(charlie) if name] == ids()
    assert Session.objects.count() == 2


def test_an_absent_model_is_refused_as_one_that_is_not_offered(bob: User, demo_workspace: Workspace) -> None:
    first, second, *_rest = ids()
    offer(demo_workspace, f"viewer {first}")
    texts = {
        problem(ask(bob, model=name), 422, "model_unavailable")["detail"].replace(name, "")
        for name in (second, "no:such")
    }
    assert len(texts) == 1


def test_the_default_is_refused_where_it_is_not_offered(bob: User, demo_workspace: Workspace) -> None:
    default, second, *_rest = ids()
    offer(demo_workspace, f"viewer {second}")
    assert models(bob)[""] == ""
    assert default in problem(ask(bob), 422, "model_unavailable")["detail"]
    assert not Message.objects.exists()
    offer(demo_workspace)
    assert problem(ask(bob), 422, "model_unavailable")["detail"].startswith("No model is offered to you")
    assert models(bob) == {"": ""}


def test_a_conversation_whose_model_is_no_longer_offered_says_so(bob: User, demo_workspace: Workspace) -> None:
    first, second, *_rest = ids()
    session = ask(bob, model=second).json()["sessionId"]
    client = with_token(bob)
    assert client.get(f"{API}/sessions/{session}").json()["modelAvailable"]
    assert post_json(client, f"{API}/sessions/{session}/stop", {}).status_code < 300
    offer(demo_workspace, f"viewer {first}")
    assert not client.get(f"{API}/sessions/{session}").json()["modelAvailable"]
    assert not client.get(f"{API}/sessions").json()["results"][0]["modelAvailable"]
    problem(ask(bob, sessionId=session), 422, "model_unavailable")
    answer = client.patch(f"{API}/sessions/{session}", {"model": second}, content_type="application/json")
    problem(answer, 422, "model_unavailable")
    answer = client.patch(f"{API}/sessions/{session}", {"model": first}, content_type="application/json")
    assert answer.json()["modelAvailable"]


def chosen(client: Client, workspace: Workspace, *roles: str) -> Any:
    """Submits the form with a role for each configured model, in their order."""
    address = reverse("admin:chat_workspacemodels_change", args=[workspace.pk])
    return client.post(address, {f"model_{number}": role for number, role in enumerate(roles)})


def test_admins_choose_in_the_admin(demo_workspace: Workspace, other_workspace: Workspace, bob: User) -> None:
    admin, known = auditor(demo_workspace), ids()
    everybody = ["viewer"] * len(known)
    page = admin.get(reverse("admin:chat_workspacemodels_change", args=[demo_workspace.pk])).content.decode()
    assert all(name in page for name in known)
    assert chosen(admin, demo_workspace, "editor", "admin", "nobody", *everybody[3:]).status_code == 302
    demo_workspace.refresh_from_db()
    assert demo_workspace.offered_models == [
        f"editor {known[0]}", f"admin {known[1]}", *(f"viewer {name}" for name in known[3:])
    ]  # fmt: skip
    listed = admin.get(reverse("admin:chat_workspacemodels_changelist")).content.decode()
    assert known[0] in listed
    assert other_workspace.name not in listed
    assert chosen(admin, demo_workspace, *everybody).status_code == 302
    demo_workspace.refresh_from_db()
    assert demo_workspace.offered_models is None
    assert chosen(admin, demo_workspace).status_code == 200
    assert chosen(admin, demo_workspace, *("owner" for _name in known)).status_code == 200
    demo_workspace.refresh_from_db()
    assert demo_workspace.offered_models is None


def test_nobody_else_chooses(demo_workspace: Workspace, other_workspace: Workspace, alice: User) -> None:
    known = ids()
    admin = auditor(demo_workspace)
    assert chosen(admin, other_workspace, *("nobody" for _name in known)).status_code == 404
    User.objects.filter(pk=alice.pk).update(is_staff=True)
    assert chosen(signed_in(alice), demo_workspace, *("nobody" for _name in known)).status_code in {403, 404}
    for client in (admin, superuser()):
        assert client.get(reverse("admin:chat_workspacemodels_changelist")).status_code == 200
        assert client.get("/admin/chat/workspacemodels/add/").status_code == 403
    assert set(Workspace.objects.values_list("offered_models", flat=True)) == {None}


def test_what_was_said_of_models_that_are_configured_no_longer_is_kept(demo_workspace: Workspace) -> None:
    known = ids()
    offer(demo_workspace, "admin gone:model")
    assert chosen(superuser(), demo_workspace, "viewer", *("nobody" for _name in known[1:])).status_code == 302
    demo_workspace.refresh_from_db()
    assert demo_workspace.offered_models == [f"viewer {known[0]}", "admin gone:model"]
