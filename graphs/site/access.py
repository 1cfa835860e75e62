"""The `Member` from whom reads and writes start. What is absent and what is foreign both raise `NotFound`, a 404."""

import re
import uuid
from dataclasses import dataclass
from typing import TypeVar

from django.contrib.auth.models import User
from django.db import connection

from graphs.models import Membership, Role, Workspace


class NotFound(Exception):
    """What was asked for does not exist, or this person may not see it."""


T = TypeVar("T")
_SLUG = re.compile(r"[-\w]{1,50}", re.ASCII)


def or_not_found(found: T | None) -> T:
    """What was found; raises `NotFound` if that is nothing."""
    if found is None:
        raise NotFound
    return found


def parsed_id(text: str) -> uuid.UUID:
    """An id from outside; whatever is not one names nothing and raises `NotFound`."""
    try:
        return uuid.UUID(text)
    except ValueError:
        raise NotFound from None


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
    if slug and not _SLUG.fullmatch(slug):
        raise NotFound
    memberships = Membership.objects.select_related("workspace").filter(user=user, user__is_active=True)
    membership = or_not_found((memberships.filter(workspace__slug=slug) if slug else memberships).first())
    return Member(user, membership.workspace, Role(membership.role))


_HOLD_ROLE = """
SELECT m.role FROM graphs_membership m JOIN auth_user u ON u.id = m.user_id
WHERE m.user_id = %s AND m.workspace_id = %s AND u.is_active FOR SHARE OF m
"""


def hold_role(member: Member) -> Member:
    """The member with their present role, held until the transaction ends. Raises `NotFound`."""
    with connection.cursor() as cursor:
        cursor.execute(_HOLD_ROLE, [member.user.pk, member.workspace.pk])
        (role,) = or_not_found(cursor.fetchone())
    return Member(member.user, member.workspace, Role(role))
