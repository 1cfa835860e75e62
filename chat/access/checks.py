"""Checks whether people who were let in may stay, and read what they wish: one statement for any number of them."""

import json
import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from django.db import connection

from chat.access.identity import Identity
from chat.concurrency.batching import Batched
from chat.concurrency.database import in_db
from chat.models import Run
from chat.queries.answers import ANSWER, result_of
from chat.queries.conversations import HELD, Held, held_of
from chat.queries.streams import READABLE_STREAMS, ReadableStream, hidden_streams
from graphs.models import Object, Role
from graphs.objects import membership
from graphs.objects.refs import Ref
from graphs.site.access import Member, NotFound, parsed_id

#: "expired" can be renewed with a new token; "ended" cannot.
End = Literal["expired", "ended"]

_RANK = {str(role): rank for rank, role in enumerate((Role.VIEWER, Role.EDITOR, Role.ADMIN))}
_PEOPLE = """
SELECT r.number, u.password,
    (r.session_key = '' OR EXISTS (SELECT FROM django_session AS b
        WHERE b.session_key = r.session_key AND b.expire_date > now()))
    AND (r.sign_in IS NULL OR EXISTS (SELECT FROM graphs_signin AS s WHERE s.id = r.sign_in AND s.user_id = u.id))
    AS signed_in,
    (SELECT jsonb_object_agg(workspace_id, role) FROM graphs_membership WHERE user_id = u.id) AS roles{more}
FROM jsonb_to_recordset(%s)
    AS r(number int, person int, session_key text, sign_in uuid, streams bigint[], wishes text[])
JOIN auth_user AS u ON u.id = r.person AND u.is_active
"""
_STREAMS = f""",
    ARRAY(SELECT readable.id FROM ({READABLE_STREAMS} AND stream.id = ANY(r.streams)) AS readable) AS readable,
    (SELECT jsonb_agg(to_jsonb(readable)) FROM ({READABLE_STREAMS} AND stream.name = ANY(r.wishes)) AS readable)
        AS granted
"""  # noqa: S608
_CHECK = _PEOPLE.format(more=_STREAMS)
#: Whether somebody may be here, and beside that what they ask in: nothing of it if it is none of theirs.
_WITH = f"""
WITH place AS MATERIALIZED ({{place}}), person AS ({_PEOPLE.format(more="")})
SELECT person.password, person.signed_in, person.roles, place.* FROM person LEFT JOIN place ON true
"""  # noqa: S608
_CHECK_AND_HOLD = _WITH.format(place=HELD)
_CHECK_AND_READ_ANSWER = f"""
WITH answer AS MATERIALIZED ({ANSWER}), person AS ({_CHECK})
SELECT person.password, person.signed_in, person.roles, person.readable, person.granted, answer.*
FROM person LEFT JOIN answer ON true
"""  # noqa: S608
#: What `_CHECK` would say of an account that is not there, or not active.
_NOBODY = (None, False, None, (), None)
_OF_PERSON = 3
_OF_READER = len(_NOBODY)


@dataclass(frozen=True, slots=True)
class Reader:
    """Somebody who was let in: workspaces and streams (ids) they read, and streams (names) they wish to read."""

    identity: Identity
    workspaces: Collection[int] = ()
    streams: Collection[int] = ()
    wishes: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class Access:
    """`end`: why the person may not stay. `lost`: what they read and may not read on. `granted`: the wishes."""

    end: End | None
    lost: frozenset[int] = frozenset()
    granted: tuple[ReadableStream, ...] = ()


def check_access(readers: Sequence[Reader]) -> list[Access]:
    """What each of them may do now: account, password, session, token and every membership are as they were."""
    with connection.cursor() as cursor:
        cursor.execute(_CHECK, [_asked(readers)])
        found = {row[0]: row[1:] for row in cursor.fetchall()}
    return [_access(reader, found.get(number, _NOBODY)) for number, reader in enumerate(readers)]


def check_and_read_answer(reader: Reader, run_id: uuid.UUID) -> tuple[Access, dict[str, Any] | None]:
    """What the person may do now, and how a run ended; None while it is on its way, and if they may not read on.

    Raises `Run.DoesNotExist`.
    """
    with connection.cursor() as cursor:
        cursor.execute(_CHECK_AND_READ_ANSWER, [run_id, _asked([reader])])
        row = cursor.fetchone() or _NOBODY
    access = _access(reader, row[:_OF_READER])
    if access.end or access.lost:
        return access, None
    answer = row[_OF_READER:]
    if answer[0] is None:
        raise Run.DoesNotExist
    return access, result_of(answer)


def check_and_hold(reader: Reader, session_id: str) -> tuple[End | None, Held | None]:
    """Why the person may not stay, and the session, held until the transaction ends; None if it is not for them.

    Raises `Problem` 403 for who may stay, and may read the session only.
    """
    try:
        session = parsed_id(session_id)
    except NotFound:
        session = None
    user = reader.identity.user
    end, held = _check_with(_CHECK_AND_HOLD, [session, user.pk], reader)
    return end, held_of(user, held) if held and not end else None


def check_and_join(
    reader: Reader, workspace: str, about: Ref | None = None
) -> tuple[End | None, Member | None, Object | None]:
    """Why the person may not stay, and who they are in a workspace, named by its slug; None if they are no member.

    With them the object of that name there, as `member_and_object` finds it.
    """
    user = reader.identity.user
    statement = _WITH.format(place=membership.statement(about))
    end, joined = _check_with(statement, membership.values(user, workspace, about), reader)
    return end, *(membership.of_row(user, about, joined) if joined else (None, None))


def _check_with(statement: str, values: list[Any], reader: Reader) -> tuple[End | None, Sequence[Any]]:
    """Why the person may not stay, and the row of what stands beside that in the statement, empty if there is none."""
    with connection.cursor() as cursor:
        cursor.execute(statement, [*values, _asked([reader])])
        row = cursor.fetchone() or (*_NOBODY[:_OF_PERSON], None)
    beside = row[_OF_PERSON:]
    return _end(reader, *row[:_OF_PERSON]), beside if beside[0] else ()


def _asked(readers: Sequence[Reader]) -> str:
    """The parameter of `_CHECK`."""
    return json.dumps(
        [
            {
                "number": number,
                "person": reader.identity.user.pk,
                "session_key": reader.identity.session_key,
                "sign_in": reader.identity.sign_in and str(reader.identity.sign_in),
                "streams": list(reader.streams),
                "wishes": [name for name in reader.wishes if "\x00" not in name],
            }
            for number, reader in enumerate(readers)
        ]
    )


def _end(reader: Reader, password: str | None, signed_in: bool, roles: str | None) -> End | None:
    """Why somebody may not stay, as what was found of them says beside how they came in."""
    known = reader.identity
    if password != known.password or not signed_in or _lost_a_role(reader, json.loads(roles or "{}")):
        return "ended"
    return "expired" if known.expires_at is not None and known.expires_at <= datetime.now(UTC) else None


def _access(reader: Reader, found: Sequence[Any]) -> Access:
    """What `_CHECK` found of a reader, behind the number, compared with how they came in."""
    *of_person, readable, granted = found
    if end := _end(reader, *of_person):
        return Access(end)
    streams = [ReadableStream(**row) for row in json.loads(granted or "[]")]
    hidden = hidden_streams(reader.identity.user, {*readable, *(stream.id for stream in streams)})
    lost = frozenset(reader.streams) - (frozenset(readable) - hidden)
    return Access(None, lost, tuple(stream for stream in streams if stream.id not in hidden))


#: What one reader may do, asked together with others who come at the same time.
batched_checks: Batched[Reader, Access] = Batched(lambda readers: in_db(check_access, readers))


def _lost_a_role(reader: Reader, roles: dict[str, str]) -> bool:
    """Whether the person lost their membership of a workspace they read from, or has a lesser role there."""
    before = {known.workspace_id: known.role for known in reader.identity.memberships}
    for workspace_id in reader.workspaces:
        now = _RANK.get(roles.get(str(workspace_id), ""), -1)
        if now < _RANK.get(before.get(workspace_id, Role.VIEWER), 0):
            return True
    return False
