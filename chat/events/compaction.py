"""Compaction: the adjacent deltas of runs that ended long ago become few rows; see `folding` for their shape.

A step takes a stretch of one run in one statement. The run remembers how far it came, so it may end anywhere, and go on
later or beside another one: each takes a run that no other one holds. Readers see the rows before or after a step.
The statement is a function in the database (`chat_fold_events`): who runs may call it, and change no event otherwise.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db import connection, transaction

#: Numbers of the log that one step looks at, and so the most events of a folded row.
STRETCH = 10_000
#: Where the text of a row has grown so long, another row begins.
ROW_CHARS = 65_536


@dataclass(frozen=True, slots=True)
class Folded:
    """Events folded, and the rows and bytes they no longer need (bytes of rows, uncompressed, without indexes)."""

    events: int = 0
    rows: int = 0
    bytes: int = 0

    def __add__(self, other: "Folded") -> "Folded":
        return Folded(self.events + other.events, self.rows + other.rows, self.bytes + other.bytes)


def steps(days: int) -> Iterator[Folded]:
    """Folds the deltas of runs that ended more than so many days ago, one transaction for each step."""
    while (step := _step(days)) is not None:
        yield step


def _step(days: int) -> Folded | None:
    """Folds the next rows; None if nothing is left, or others hold all that is."""
    with transaction.atomic(), connection.cursor() as cursor:
        # A step that a crash undoes is done again: there is no need to wait for the disk.
        cursor.execute("SET LOCAL synchronous_commit = off")
        cursor.execute("SELECT * FROM chat_fold_events(%s, %s, %s)", [days, STRETCH, ROW_CHARS])
        row = cursor.fetchone()
    return None if row is None else Folded(*map(int, row))
