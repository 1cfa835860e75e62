"""Tokens of links to conversations: whoever has one reads. Only their digests are stored."""

import hashlib
import secrets

from django.db import connection

from chat.models import Session, SharedLink
from chat.rights.conversations import ACCESS
from graphs.site import row_store
from graphs.site.access import or_not_found

TOKEN_BYTES = 32

#: One statement for whatever is asked, so that nothing of what is revoked, late or never was can be told apart. A link
#: gives what its owner may read.
_LINKED = f"""
SELECT {row_store.columns(SharedLink, of="link")}, {row_store.columns(Session, of="session")}
FROM chat_sharedlink AS link JOIN chat_session AS session ON session.id = link.session_id
JOIN auth_user AS u ON u.id = session.owner_id
WHERE link.digest = %s AND link.expires_at > now() AND {ACCESS} = 'owner'
"""  # noqa: S608 - what is inserted are names of columns and a constant


def new_token() -> str:
    return secrets.token_urlsafe(TOKEN_BYTES)


def digest_of(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def linked(token: str) -> tuple[SharedLink, Session]:
    """The link of a token and the conversation that it leads to; raises `NotFound`."""
    with connection.cursor() as cursor:
        cursor.execute(_LINKED, [digest_of(token)])
        link, rest = row_store.row_of(SharedLink, or_not_found(cursor.fetchone()))
    session, _more = row_store.row_of(Session, rest)
    return link, session
