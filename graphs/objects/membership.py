"""A person in a workspace with an object there, in one statement where the object is its own header, as a graph is."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from django.contrib.auth.models import User
from django.db import connection

from graphs.models import Object
from graphs.objects.headers import model_of_header, statement_by_key
from graphs.objects.refs import Ref
from graphs.site import row_store
from graphs.site.access import MEMBERSHIP, Member, NotFound, member_of_row, membership_asked


def member_and_object(user: User, slug: str | None, ref: Ref | None) -> tuple[Member, Object | None]:
    """The member as `member_of` finds them, and the object if it was found with them. Raises `NotFound` for the former.

    Whether they may see the object is not asked.
    """
    with connection.cursor() as cursor:
        cursor.execute(statement(ref), values(user, slug, ref))
        row = cursor.fetchone()
    if row is None:
        raise NotFound
    return of_row(user, ref, row)


def statement(ref: Ref | None) -> str:
    """What asks for both, or for the member alone where the object is not its own header."""
    return _statement(model_of_header(ref) if ref else None)


@cache
def _statement(model: type[Object] | None) -> str:
    if model is None:
        return MEMBERSHIP
    named = statement_by_key(model) % ("member.id", "%s::text")
    return f"SELECT member.*, about.* FROM ({MEMBERSHIP}) AS member LEFT JOIN LATERAL ({named}) AS about ON true"  # noqa: S608 - constants


def values(user: User, slug: str | None, ref: Ref | None) -> list[Any]:
    """The parameters of the statement."""
    asked = membership_asked(user, slug)
    return [*asked, ref.key] if ref and model_of_header(ref) else asked


def of_row(user: User, ref: Ref | None, row: Sequence[Any]) -> tuple[Member, Object | None]:
    """What a row of the statement says, which was asked for this person."""
    member, found = member_of_row(user, row)
    model = model_of_header(ref) if ref else None
    return member, row_store.row_of(model, found)[0] if model and found[0] is not None else None
