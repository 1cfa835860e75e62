"""The `Member` from whom reads and writes start. What is absent and what is foreign both raise `NotFound`, a 404."""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import connection

from graphs.models import Membership, Role, Workspace


class NotFound(Exception):
    """What was asked for does not exist, or this person may not see it."""


class Forbidden(Exception):
    """The person may see the object, but their role does not allow this."""


@dataclass(frozen=True, slots=True)
class Member:
    """A person in one workspace, with the role they have there now."""

    user: User
    workspace: Workspace
    role: Role

    def require_editor(self) -> None:
        if not self.role.may_edit:
            raise Forbidden


def member_of(user: User, slug: str | None = None) -> Member:
    """The person in the workspace `slug`, or in their default one. Raises `NotFound` if they are no member."""
    memberships = Membership.objects.select_related("workspace").filter(user=user, user__is_active=True)
    membership = memberships.filter(workspace__slug=slug).first() if slug else memberships.first()
    if membership is None:
        raise NotFound
    return Member(user, membership.workspace, Role(membership.role))


_HOLD_ROLE = """
SELECT m.role FROM graphs_membership m JOIN auth_user u ON u.id = m.user_id
WHERE m.user_id = %s AND m.workspace_id = %s AND u.is_active FOR SHARE OF m
"""


def hold_role(member: Member) -> Member:
    """The member with their present role, held until the transaction ends. Raises `NotFound`."""
    with connection.cursor() as cursor:
        cursor.execute(_HOLD_ROLE, [member.user.pk, member.workspace.pk])
        row = cursor.fetchone()
    if row is None:
        raise NotFound
    return Member(member.user, member.workspace, Role(row[0]))
