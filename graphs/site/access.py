"""The `Member` from whom reads and writes start. What is absent and what is foreign both raise `NotFound`, a 404."""

import re
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from django.contrib.auth.models import User
from django.db import connection

from graphs.models import Role, Workspace
from graphs.site import row_store


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


#: Written out: every request asks, and the ORM composes it in three times the time that the answer takes.
MEMBERSHIP = f"""
SELECT {row_store.columns(Workspace, of="w")}, m.role
FROM graphs_membership AS m JOIN graphs_workspace AS w ON w.id = m.workspace_id JOIN auth_user AS u ON u.id = m.user_id
WHERE m.user_id = %s AND u.is_active AND (%s::text = '' OR w.slug = %s::text) ORDER BY m.created_at, m.id LIMIT 1
"""  # noqa: S608 - what is inserted are names of columns


def member_of(user: User, slug: str | None = None) -> Member:
    """The person in the workspace `slug`, or in their default one. Raises `NotFound` if they are no member."""
    with connection.cursor() as cursor:
        cursor.execute(MEMBERSHIP, membership_asked(user, slug))
        return member_of_row(user, or_not_found(cursor.fetchone()))[0]


def membership_asked(user: User, slug: str | None) -> list[Any]:
    """The parameters of `MEMBERSHIP`; of what is no name of a workspace nobody is a member."""
    named = slug or ""
    asked = named if not named or _SLUG.fullmatch(named) else None
    return [user.pk, asked, asked]


def member_of_row(user: User, row: Sequence[Any]) -> tuple[Member, Sequence[Any]]:
    """The member of a row that begins as one of `MEMBERSHIP`, asked for this person, and the columns after these."""
    workspace, (role, *more) = row_store.row_of(Workspace, row)
    return Member(user, workspace, Role(role)), more


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
