"""Compaction: the adjacent deltas of runs that ended long ago become few rows; see `folding` for their shape.

A step takes a stretch of one run in one statement. The run remembers how far it came, so it may end anywhere, and go on
later or beside another one: each takes a run that no other one holds. Readers see the rows before or after a step.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db import connection, transaction

from chat.events.folding import MARK
from chat.events.vocabulary import MERGEABLE

#: Numbers of the log that one step looks at, and so the most events of a folded row.
STRETCH = 10_000
#: Where the text of a row has grown so long, another row begins.
ROW_CHARS = 65_536

_STEP = f"""
WITH run AS (
    SELECT id, stream_id, after, least(after + %(stretch)s, last_sequence) AS up_to FROM (
        SELECT r.id, s.stream_id, greatest(r.folded_to, r.first_sequence - 1) AS after, r.last_sequence
        FROM chat_run r JOIN chat_session s ON s.id = r.session_id
        WHERE r.last_sequence > r.folded_to AND r.ended_at < now() - make_interval(days => %(days)s)
        ORDER BY r.ended_at LIMIT 1 FOR NO KEY UPDATE OF r SKIP LOCKED
    ) AS oldest
), delta AS (
    SELECT e.stream_id, e.sequence, e.version, e.type, e.message_id, e.created_at, e.data->>'delta' AS text,
           pg_column_size(e.*) AS bytes,
           e.sequence - row_number() OVER (PARTITION BY e.version, e.type, e.message_id ORDER BY e.sequence) AS island
    FROM run JOIN chat_streamevent e ON e.stream_id = run.stream_id AND e.run_id = run.id
        AND e.sequence > run.after AND e.sequence <= run.up_to
    WHERE e.type = ANY(%(types)s) AND NOT e.data ? '{MARK}'
), cut AS (
    SELECT *, (sum(char_length(text)) OVER neighbours - char_length(text)) / %(row_chars)s AS piece FROM delta
    WINDOW neighbours AS (PARTITION BY version, type, message_id, island ORDER BY sequence)
), timed AS (
    SELECT *, (1000000 * extract(epoch FROM created_at - lag(created_at, 1, created_at) OVER piece))::bigint AS gap
    FROM cut WINDOW piece AS (PARTITION BY version, type, message_id, island, piece ORDER BY sequence)
), folded AS (
    SELECT stream_id, max(sequence) AS last, count(*) AS count, sum(bytes) AS bytes,
        jsonb_build_object('delta', string_agg(text, '' ORDER BY sequence), '{MARK}', jsonb_build_object(
            'count', count(*),
            'sizes', string_agg(char_length(text)::text, ' ' ORDER BY sequence),
            'gaps', string_agg(gap::text, ' ' ORDER BY sequence)
        )) AS data
    FROM timed GROUP BY stream_id, version, type, message_id, island, piece HAVING count(*) > 1
), kept AS (
    UPDATE chat_streamevent e SET data = f.data FROM folded f
    WHERE e.stream_id = f.stream_id AND e.sequence = f.last RETURNING pg_column_size(e.*) AS bytes
), deleted AS (
    DELETE FROM chat_streamevent e USING folded f
    WHERE e.stream_id = f.stream_id AND e.sequence > f.last - f.count AND e.sequence < f.last RETURNING 1
), noted AS (
    UPDATE chat_run r SET folded_to = run.up_to FROM run WHERE r.id = run.id
)
SELECT coalesce((SELECT sum(count) FROM folded), 0), (SELECT count(*) FROM deleted),
    coalesce((SELECT sum(bytes) FROM folded), 0) - coalesce((SELECT sum(bytes) FROM kept), 0)
FROM run
"""  # noqa: S608 - what is inserted are constants


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
        bounds = {"stretch": STRETCH, "row_chars": ROW_CHARS}
        cursor.execute(_STEP, {"days": days, "types": sorted(MERGEABLE), **bounds})
        row = cursor.fetchone()
    return None if row is None else Folded(*map(int, row))
