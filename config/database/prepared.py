"""Connections to PostgreSQL that keep the statements they have prepared when a transaction is rolled back.

The driver forgets all of them then, as they may name a table that was made in that transaction: one refused request,
and the next ten plan each of their statements anew. Here they are forgotten where tables were made or changed, and
where PostgreSQL says that one is outdated, because another process has changed its tables.
"""

import re
from collections.abc import Generator, Sequence
from typing import Any

import psycopg
from psycopg._preparing import Prepare, PrepareManager
from psycopg.pq import TransactionStatus

_Connection: Any = psycopg.Connection
#: What PostgreSQL says that it did, where statements may name what is no longer there.
_OUTDATES = re.compile(rb"(?:CREATE|ALTER|DROP|DISCARD ALL|DEALLOCATE ALL)\b").match


class Prepared(PrepareManager):
    """The statements that a connection has prepared."""

    def __init__(self) -> None:
        super().__init__()
        self.may_be_outdated = False

    def _should_discard(self, prep: Prepare, results: Sequence[Any], *_: Any) -> bool:
        """Asked by the driver after each statement that is new to it."""
        if any(_OUTDATES(result.command_status or b"") for result in results):
            self.may_be_outdated = True
        return super()._should_discard(prep, results)

    def clear(self) -> bool:
        """Called by the driver when tables were changed, and after each rollback."""
        return self.may_be_outdated and super().clear()


class Connection(_Connection):
    """A connection that prepares statements as it always does, and forgets them less often."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._prepared = Prepared()

    def forget_prepared(self) -> None:
        """Has all statements prepared anew: at once, or when the transaction that has failed is rolled back."""
        self._prepared.may_be_outdated = True
        if self.pgconn.transaction_status == TransactionStatus.IDLE:
            self._prepared.clear()
            self.wait(self._prepared.maintain_gen(self))

    def _rollback_gen(self) -> Generator[Any, Any, None]:
        takes_back = self.pgconn.transaction_status != TransactionStatus.IDLE
        yield from super()._rollback_gen()
        if takes_back:
            self._prepared.may_be_outdated = False
