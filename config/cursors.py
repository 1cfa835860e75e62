"""The cursor of Django's connections: PostgreSQL puts parameters in, as far as it takes so many."""

from typing import Any

import psycopg
from django.db.backends.postgresql.base import ServerBindingCursor
from psycopg.errors import FeatureNotSupported, InvalidSqlStatementName

from config.database.prepared import Connection

#: What the protocol counts in two bytes.
MOST_PARAMETERS = 65_535
#: What PostgreSQL says of a prepared statement whose tables another process has changed, and of one that is gone.
_OUTDATED = (FeatureNotSupported, InvalidSqlStatementName)
_Base: Any = ServerBindingCursor


class Cursor(_Base):
    """Puts the parameters in itself where a statement has too many, such as the ids of a large graph.

    What PostgreSQL calls outdated fails, and is prepared anew when it is asked again.
    """

    def execute(self, query: Any, params: Any = None, **options: Any) -> Any:
        if params is not None and len(params) > MOST_PARAMETERS:
            query, params = psycopg.ClientCursor(self.connection).mogrify(query, params), None
        try:
            return super().execute(query, params, **options)
        except _OUTDATED:
            if isinstance(self.connection, Connection):
                self.connection.forget_prepared()
            raise
