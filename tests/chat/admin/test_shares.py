"""Shares and links in the admin: who gave what to whom, never what opens it, and how it is revoked."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from chat.actions import sharing
from chat.models import Share, SharedLink
from graphs.models import Graph, Membership, Role, Workspace
from graphs.site.access import member_of
from tests.cast import signed_in
from tests.chat.admin.talk import Talk, talk

pytestmark = pytest.mark.django_db


@pytest.fixture
def own(alice: User, bob: User, nba: Graph) -> Talk:
    told = talk(alice, nba.workspace)
    sharing.share_with(member_of(alice), str(told.session.pk), "bob", "write")
    return told


@pytest.fixture
def token(own: Talk) -> str:
    until = timezone.now() + timedelta(days=1)
    member = member_of(own.session.owner)
    return sharing.share_by_link(member, str(own.session.pk), until, reasoning=False, tool_results=True)[1]


@pytest.fixture
def auditor(bob: User, demo_workspace: Workspace) -> Client:
    """Bob, who is an admin of the workspace and staff."""
    User.objects.filter(pk=bob.pk).update(is_staff=True)
    Membership.objects.filter(user=bob).update(role=Role.ADMIN)
    return signed_in(User.objects.get(pk=bob.pk))


def listed(client: Client, model: str, **query: str) -> str:
    answer = client.get(reverse(f"admin:chat_{model}_changelist", query=query))
    assert answer.status_code == 200
    return answer.content.decode()


def test_who_gave_what_to_whom_is_listed_and_nothing_that_opens_it(auditor: Client, own: Talk, token: str) -> None:
    shown = listed(auditor, "share")
    for told in ("alice", "bob", "Where is the API?", "read and write along", "icon-yes"):
        assert told in shown, told
    link = SharedLink.objects.get()
    page = reverse("admin:chat_sharedlink_change", args=[link.pk])
    for shown in (listed(auditor, "sharedlink"), auditor.get(page).content.decode()):
        assert "Where is the API?" in shown
        assert "icon-yes" in shown
        assert token not in shown
        assert link.digest not in shown
    assert auditor.post(page, {"tool_results": "", "expires_at": "2027-01-01"}).status_code == 403


def test_the_digest_is_not_searched_nor_filtered_by(auditor: Client, own: Talk, token: str) -> None:
    digest = SharedLink.objects.get().digest
    found = listed(auditor, "sharedlink", q=digest)
    assert "Where is the API?" not in found
    for lookup in ("digest", "digest__startswith", "digest__gt"):
        answer = auditor.get(reverse("admin:chat_sharedlink_changelist", query={lookup: digest[:2]}))
        assert answer.status_code == 400, lookup


def test_what_gives_nothing_any_more_is_told(auditor: Client, own: Talk, token: str) -> None:
    SharedLink.objects.update(expires_at=timezone.now() - timedelta(hours=1))
    assert "icon-no" in listed(auditor, "sharedlink", ended="yes")
    assert "Where is the API?" not in listed(auditor, "sharedlink", ended="no")
    Membership.objects.filter(user__username="alice").delete()
    assert "icon-no" in listed(auditor, "share")


@pytest.mark.parametrize("model", [Share, SharedLink])
@pytest.mark.parametrize("several", [True, False])
def test_it_is_revoked_at_once(auditor: Client, own: Talk, token: str, model: type, several: bool) -> None:
    name, row = f"admin:chat_{model._meta.model_name}", model.objects.get()
    assert Client().get(f"/shared/{token}/").status_code == 200
    if several:
        chosen = {"action": "delete_selected", "_selected_action": [str(row.pk)], "post": "yes"}
        assert auditor.post(reverse(f"{name}_changelist"), chosen).status_code == 302
    else:
        assert auditor.post(reverse(f"{name}_delete", args=[row.pk]), {"post": "yes"}).status_code == 302
    assert not model.objects.exists()
    assert Client().get(f"/shared/{token}/").status_code == (404 if model is SharedLink else 200)


def test_those_of_other_workspaces_are_neither_seen_nor_revoked(
    auditor: Client, charlie: User, other_workspace: Workspace
) -> None:
    foreign = talk(charlie, other_workspace, "Foreign")
    share = Share.objects.create(session=foreign.session, user=charlie)
    assert "Foreign" not in listed(auditor, "share")
    chosen = {"action": "delete_selected", "_selected_action": [str(share.pk)], "post": "yes"}
    auditor.post(reverse("admin:chat_share_changelist"), chosen)
    assert Share.objects.filter(pk=share.pk).exists()
