"""Who looks at the admin in these tests."""

from django.contrib.auth.models import User
from django.test import Client

from graphs.models import Role, Workspace
from tests.cast import member, signed_in


def superuser() -> Client:
    return signed_in(User.objects.create_superuser("root"))


def auditor(workspace: Workspace, name: str = "auditor") -> Client:
    """Staff who is admin of one workspace."""
    return _staff(member(name, workspace, Role.ADMIN))


def mere_staff(workspace: Workspace) -> Client:
    """Staff who is only editor there."""
    return _staff(member("clerk", workspace, Role.EDITOR))


def _staff(user: User) -> Client:
    user.is_staff = True
    user.save()
    return signed_in(user)
