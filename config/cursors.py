"""The cursor of Django's connections: PostgreSQL puts parameters in, as far as it takes so many."""

from typing import Any

import psycopg
from django.db.backends.postgresql.base import ServerBindingCursor

#: What the protocol counts in two bytes.
MOST_PARAMETERS = 65_535
_Base: Any = ServerBindingCursor


class Cursor(_Base):
    """Puts the parameters in itself where a statement has too many, such as the ids of a large graph."""

    def execute(self, query: Any, params: Any = None, **options: Any) -> Any:
        if params is not None and len(params) > MOST_PARAMETERS:
            query, params = psycopg.ClientCursor(self.connection).mogrify(query, params), None
        return super().execute(query, params, **options)
