import pytest
from django.contrib.auth.models import Permission, User
from django.urls import reverse

from graphs.models import Membership, Role, Workspace
from tests.graphs.admin.staff import auditor, superuser

pytestmark = pytest.mark.django_db
INLINE = {"memberships-INITIAL_FORMS": "0", "memberships-MIN_NUM_FORMS": "0", "memberships-MAX_NUM_FORMS": "1000"}


def person(user: User, **memberships: str) -> dict[str, str]:
    """The form of a person as the page sends it."""
    joined = {"date_joined_0": "2026-01-01", "date_joined_1": "00:00:00"}
    rows = {"memberships-TOTAL_FORMS": "0", **INLINE, **memberships}
    return {"username": user.username, "email": user.email, "is_active": "on", **joined, **rows}


def test_a_superuser_gives_a_role(alice: User, other_workspace: Workspace) -> None:
    row = {"memberships-0-workspace": str(other_workspace.pk), "memberships-0-role": "viewer"}
    existing = alice.memberships.get()
    kept = {
        "memberships-1-id": str(existing.pk), "memberships-1-user": str(alice.pk),
        "memberships-1-workspace": str(existing.workspace_id), "memberships-1-role": "editor",
    }  # fmt: skip
    # Django's formset wants the existing rows first.
    form = {name.replace("-1-", "-0-"): value for name, value in kept.items()}
    form |= {name.replace("-0-", "-1-"): value for name, value in row.items()}
    form |= {"memberships-TOTAL_FORMS": "2", "memberships-INITIAL_FORMS": "1"}
    response = superuser().post(reverse("admin:auth_user_change", args=[alice.pk]), person(alice, **form))
    assert response.status_code == 302, response.content.decode()
    assert Membership.objects.get(user=alice, workspace=other_workspace).role == Role.VIEWER


def test_a_second_role_in_the_same_workspace_is_refused(alice: User, demo_workspace: Workspace) -> None:
    form = {"user": str(alice.pk), "workspace": str(demo_workspace.pk), "role": "admin"}
    response = superuser().post(reverse("admin:graphs_membership_add"), form)
    assert response.status_code == 200
    assert "already exists" in response.content.decode()
    assert alice.memberships.get().role == Role.EDITOR


def test_a_superuser_sets_a_password(alice: User) -> None:
    form = {"password1": "another good passphrase", "password2": "another good passphrase"}
    address = reverse("admin:auth_user_password_change", args=[alice.pk])
    assert superuser().post(address, form).status_code == 302
    alice.refresh_from_db()
    assert alice.check_password("another good passphrase")


def test_people_and_workspaces_are_not_deleted(alice: User, demo_workspace: Workspace) -> None:
    client = superuser()
    for name, row in (("auth_user", alice), ("graphs_workspace", demo_workspace)):
        assert client.post(reverse(f"admin:{name}_delete", args=[row.pk]), {"post": "yes"}).status_code == 403
        chosen = {"action": "delete_selected", "_selected_action": [row.pk], "post": "yes"}
        client.post(reverse(f"admin:{name}_changelist"), chosen)
        assert type(row).objects.filter(pk=row.pk).exists()


@pytest.mark.parametrize("name", ["auth_user", "graphs_membership", "graphs_workspace"])
def test_others_see_none_of_it_whatever_django_permits(name: str, alice: User, demo_workspace: Workspace) -> None:
    client = auditor(demo_workspace)
    auditing = User.objects.get(username="auditor")
    auditing.user_permissions.set(Permission.objects.all())
    rows = {"auth_user": auditing, "graphs_membership": auditing.memberships.get(), "graphs_workspace": demo_workspace}
    assert client.get(reverse(f"admin:{name}_changelist")).status_code == 403
    assert client.post(reverse(f"admin:{name}_add"), {}).status_code == 403
    change = reverse(f"admin:{name}_change", args=[rows[name].pk])
    assert client.post(change, {"is_superuser": "on"}).status_code == 403
    assert client.get("/admin/autocomplete/?app_label=graphs&model_name=membership&field_name=user").status_code == 403
    auditing.refresh_from_db()
    assert not auditing.is_superuser


def test_the_list_of_people_tells_their_roles(alice: User, charlie: User) -> None:
    text = superuser().get(reverse("admin:auth_user_changelist")).content.decode()
    assert "demo: editor" in text
    assert "other: editor" in text
