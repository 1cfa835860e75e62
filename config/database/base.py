"""Connections of Django to PostgreSQL, and the pool that they come from: the oldest of those that rest is given out.

Each connection keeps plans of its own, of a statement that it has run ten times. The library's pool gives out the one
that rested for longest: after a rush twenty took turns, and a question that one person asks met plans of none of them.
The one that came back last would change whenever two are out at the same moment. The oldest has the most plans.

Those that rest may have been closed by the other side long ago: each is looked at before it is given out.
"""

import select
from operator import attrgetter
from typing import Any

from django.db.backends.base.base import NO_DB_ALIAS
from django.db.backends.postgresql import base
from psycopg_pool import ConnectionPool

from config.database.prepared import Connection

_Pool: Any = ConnectionPool
_Wrapper: Any = base.DatabaseWrapper


class OldestFirst(_Pool):
    """A pool of which few connections work where there is little to do; those that rest are closed in time."""

    def _add_to_pool(self, connection: Any) -> None:
        super()._add_to_pool(connection)
        with self._lock:
            # The youngest comes first, as the library closes the first where more rest than are needed.
            resting = sorted(self._pool, key=attrgetter("_created_at"), reverse=True)
            self._pool.clear()
            self._pool.extend(resting)

    def _get_ready_connection(self, timeout: float | None) -> Any:
        self._pool.rotate(1)
        return super()._get_ready_connection(timeout)


def has_not_ended(connection: Any) -> None:
    """Raises `psycopg.OperationalError` for a connection that the other side has closed.

    One that rests has nothing to read but its end, or a word of the server: only then the server is asked whether it is
    well.
    """
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    if poll.poll(0):
        OldestFirst.check_connection(connection)


class DatabaseWrapper(_Wrapper):
    """Django's, which would make a pool of the library's."""

    @property
    def pool(self) -> Any:
        """The pool, made as Django makes it. Django itself refuses one beside connections that persist."""
        options, checks = self.settings_dict["OPTIONS"].get("pool"), self.settings_dict["CONN_HEALTH_CHECKS"]
        is_refused = self.alias == NO_DB_ALIAS or self.settings_dict["CONN_MAX_AGE"] != 0
        if options and not is_refused and self.alias not in self._connection_pools:
            made = OldestFirst(
                kwargs=self.get_connection_params() | {"autocommit": True},
                connection_class=Connection,
                open=False,
                configure=self._configure_connection,
                check=OldestFirst.check_connection if checks else has_not_ended,
                **({} if options is True else options),
            )
            self._connection_pools.setdefault(self.alias, made)
        return super().pool
