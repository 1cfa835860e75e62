"""Looks at a token together with what its person asks in: one statement, where others look at the token first."""

from collections.abc import Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db import connection

from chat.queries.conversations import HELD, Held, held_of
from graphs.models import Object
from graphs.objects import membership
from graphs.objects.refs import Ref
from graphs.site import row_store
from graphs.site.access import Member, NotFound, parsed_id
from graphs.site.api.tokens import PERSON, Claim, TokenRefused, person_asked

#: Nothing of the place where there is no such person, and nothing but the person where the place is none of theirs.
_WITH = f"""
WITH place AS MATERIALIZED ({{place}}), person AS ({PERSON})
SELECT person.*, place.* FROM person LEFT JOIN place ON true
"""  # noqa: S608 - constants


def look_and_hold(claim: Claim, session_id: str) -> tuple[User, Held | None]:
    """The token's person, and the session, held until the transaction ends; None if it is not for them.

    Raises `TokenRefused`, and `Problem` 403 for who may read the session only.
    """
    try:
        session = parsed_id(session_id)
    except NotFound:
        session = None
    user, held = _look_with(_WITH.format(place=HELD), [session, claim.user_id], claim)
    return user, held_of(user, held) if held else None


def look_and_join(claim: Claim, workspace: str | None, about: Ref | None) -> tuple[User, Member | None, Object | None]:
    """The token's person, and who they are in a workspace, with the object; see `checks.check_and_join`.

    Raises `TokenRefused`.
    """
    statement = _WITH.format(place=membership.statement(about))
    user, joined = _look_with(statement, membership.values(User(pk=claim.user_id), workspace, about), claim)
    return user, *(membership.of_row(user, about, joined) if joined else (None, None))


def _look_with(statement: str, values: list[Any], claim: Claim) -> tuple[User, Sequence[Any]]:
    """The person, and the row of what stands beside them in the statement, empty if there is none."""
    with connection.cursor() as cursor:
        cursor.execute(statement, [*values, *person_asked(claim)])
        row = cursor.fetchone()
    if row is None:
        raise TokenRefused
    user, place = row_store.row_of(User, row)
    if not claim.holds_for(user):
        raise TokenRefused
    return user, place if place[0] is not None else ()
