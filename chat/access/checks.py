"""Checks whether people who were let in may stay, and read what they wish: one statement for any number of them."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from django.db import connection

from chat.access.identity import Identity
from chat.concurrency.batching import Batched
from chat.concurrency.database import in_db
from chat.queries.streams import READABLE_STREAMS, ReadableStream, hidden_streams
from graphs.models import Role

#: "expired" can be renewed with a new token; "ended" cannot.
End = Literal["expired", "ended"]

_RANK = {str(role): rank for rank, role in enumerate((Role.VIEWER, Role.EDITOR, Role.ADMIN))}
_CHECK = f"""
SELECT r.number, u.password,
    (r.session_key = '' OR EXISTS (SELECT FROM django_session AS b
        WHERE b.session_key = r.session_key AND b.expire_date > now()))
    AND (r.sign_in IS NULL OR EXISTS (SELECT FROM graphs_signin AS s WHERE s.id = r.sign_in AND s.user_id = u.id)),
    (SELECT jsonb_object_agg(workspace_id, role) FROM graphs_membership WHERE user_id = u.id),
    ARRAY(SELECT readable.id FROM ({READABLE_STREAMS} AND stream.id = ANY(r.streams)) AS readable),
    (SELECT jsonb_agg(to_jsonb(readable)) FROM ({READABLE_STREAMS} AND stream.name = ANY(r.wishes)) AS readable)
FROM jsonb_to_recordset(%s)
    AS r(number int, person int, session_key text, sign_in uuid, streams bigint[], wishes text[])
JOIN auth_user AS u ON u.id = r.person AND u.is_active
"""  # noqa: S608
#: What `_CHECK` would say of an account that is not there, or not active.
_NOBODY = (None, False, None, (), None)


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
    asked = [
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
    with connection.cursor() as cursor:
        cursor.execute(_CHECK, [json.dumps(asked)])
        found = {row[0]: row[1:] for row in cursor.fetchall()}
    answers = []
    for number, reader in enumerate(readers):
        known = reader.identity
        password, signed_in, roles, readable, granted = found.get(number, _NOBODY)
        if password != known.password or not signed_in or _lost_a_role(reader, json.loads(roles or "{}")):
            answers.append(Access("ended"))
        elif known.expires_at is not None and known.expires_at <= datetime.now(UTC):
            answers.append(Access("expired"))
        else:
            streams = [ReadableStream(**row) for row in json.loads(granted or "[]")]
            hidden = hidden_streams(known.user, {*readable, *(stream.id for stream in streams)})
            lost = frozenset(reader.streams) - (frozenset(readable) - hidden)
            answers.append(Access(None, lost, tuple(stream for stream in streams if stream.id not in hidden)))
    return answers


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
