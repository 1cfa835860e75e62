"""Marks a conversation that was given something from outside its workspace, in the statement that stores what it was.

Nothing takes that mark away: what a model has read, it may do as long as the conversation lasts.
"""

import uuid
from collections.abc import Collection
from typing import Any

from django.db import connection

from graphs.objects.kinds import whole_of
from graphs.objects.refs import Ref

#: The name of an object that was read and is untrusted, or was as it went while the run was at work, or of what came
#: from the web (`chat.tools.web`); nothing where there is none.
_SOURCE = """
SELECT r.type || ':' || r.key AS name FROM unnest(%(read_types)s::text[], %(read_keys)s::text[]) AS r(type, key)
LEFT JOIN graphs_object AS o ON o.workspace_id = %(workspace)s AND o.type = r.type AND o.key = r.key
WHERE o.untrusted_since IS NOT NULL OR r.type = 'web'
    OR (o.id IS NULL AND chat_went_untrusted(%(workspace)s, %(session)s, r.type, r.key)) ORDER BY o.id LIMIT 1
"""
#: A relation that marks the conversation, for a statement that writes elsewhere. Only a source makes it hold the row.
MARKED = f"""
source AS MATERIALIZED ({_SOURCE}), marked AS (
    UPDATE chat_session SET untrusted_since = statement_timestamp(), untrusted_source = source.name
    FROM source WHERE id = %(session)s AND untrusted_since IS NULL
)
"""  # noqa: S608 - the only insertion is a constant
#: What an UPDATE of the conversation sets besides.
MARKING = f"""
    untrusted_source = CASE WHEN untrusted_since IS NULL THEN coalesce(({_SOURCE}), '') ELSE untrusted_source END,
    untrusted_since = CASE WHEN untrusted_since IS NULL AND EXISTS ({_SOURCE}) THEN statement_timestamp()
        ELSE untrusted_since END
"""
_MARK = f"WITH {MARKED} SELECT 1"


def mark(workspace_id: int, session_id: uuid.UUID, read: Collection[Ref]) -> None:
    """Marks the conversation if something that was read is untrusted, before what was read is stored."""
    with connection.cursor() as cursor:
        cursor.execute(_MARK, values(workspace_id, session_id, read))


def values(workspace_id: int, session_id: uuid.UUID, read: Collection[Ref]) -> dict[str, Any]:
    """The parameters of these statements for a conversation whose model is told of the objects that were `read`.

    A view is called as its whole is: who has read the one has read of the other.
    """
    told = dict.fromkeys((*read, *map(whole_of, read)))
    return {
        "workspace": workspace_id,
        "session": session_id,
        "read_types": [ref.type for ref in told],
        "read_keys": [ref.key for ref in told],
    }
