"""Writes vectors as fast as PostgreSQL takes them: binary COPY, in one transaction with the look at what is still true.

The format is PostgreSQL's own: https://www.postgresql.org/docs/current/sql-copy.html#SQL-COPY-FILE-FORMATS
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, connection, transaction

from rag.embeddings.collections import Collection
from rag.embeddings.embedder import Vectors

_HEADER = b"PGCOPY\n\xff\r\n\0" + struct.pack("!ii", 0, 0)
_HOW_MANY = struct.pack("!h", 8)
_END = struct.pack("!h", -1)
_COPY = (
    "COPY rag_embedding (target_type, target_id, collection, part, model, dimensions, content_hash, vector) "
    "FROM STDIN (FORMAT BINARY)"
)
#: The next store waits here. What is lost with the power is embedded again, so no batch waits for the disk: the commit
#: that says how far a collection is embedded comes later and takes all before it along.
_BEGIN = "SELECT pg_advisory_xact_lock(%s, hashtext(%s::text)), set_config('synchronous_commit', 'off', true)"
#: Each row is looked up by its key: of a model that has just begun PostgreSQL believes that it has no rows yet, and
#: would go through all of them for every thousand nodes.
_CHANGED = """
WITH failures AS (
    DELETE FROM rag_embeddingfailure WHERE id = ANY(ARRAY(
        SELECT had.id FROM unnest(%(targets)s::bigint[]) AS target(id) CROSS JOIN LATERAL (
            SELECT id FROM rag_embeddingfailure
            WHERE target_type = %(type)s AND target_id = target.id AND part = 0 AND model = %(model)s OFFSET 0
        ) AS had
    ))
)
SELECT number - 1
FROM unnest(%(targets)s::bigint[], %(versions)s::int[]) WITH ORDINALITY AS was(id, version, number)
LEFT JOIN LATERAL (
    SELECT true AS there FROM {table} AS target WHERE target.id = was.id AND target.version = was.version OFFSET 0
) AS target ON true
WHERE there IS NULL
"""
_FORGET = """
DELETE FROM rag_embedding WHERE id = ANY(ARRAY(
    SELECT had.id FROM unnest(%(targets)s::bigint[]) AS target(id) CROSS JOIN LATERAL (
        SELECT id FROM rag_embedding
        WHERE target_type = %(type)s AND target_id = target.id AND part = 0 AND model = %(model)s OFFSET 0
    ) AS had
))
"""
#: Together with a collection's name it names a lock, which the trigger that deletes vectors takes too: holding the rows
#: of a thousand targets would cost as much as writing their vectors.
ADVISORY_LOCK = 0x52414700


@dataclass(frozen=True, slots=True)
class TargetVersion:
    """A target as it was when its `text` was read; `embedded` if it had a vector of the model then."""

    type: str
    id: int
    version: int
    content_hash: bytes
    embedded: bool = False
    text: str = ""


def store_vectors(collection: Collection, model: str, targets: Sequence[TargetVersion], vectors: Vectors) -> int:
    """Stores the vectors of the targets, all of one kind, that did not change since; gives their number.

    Forgets their failures and locks the collection. Not within a transaction: its commit would not wait for the disk.
    """
    was: dict[str, Any] = {
        "model": model,
        "type": targets[0].type,
        "targets": [target.id for target in targets],
        "versions": [target.version for target in targets],
    }
    anew = any(target.embedded for target in targets)
    while True:
        try:
            with transaction.atomic(), connection.cursor() as cursor, connection.wrap_database_errors:
                cursor.execute(_BEGIN, [ADVISORY_LOCK, collection.name])
                cursor.execute(_CHANGED.format(table=collection.table), was)
                changed = {index for (index,) in cursor.fetchall()}
                kept = [index for index in range(len(targets)) if index not in changed]
                unchanged = [targets[index] for index in kept]
                if anew:
                    cursor.execute(_FORGET, was | {"targets": [target.id for target in unchanged]})
                with cursor.copy(_COPY) as copy:
                    copy.write(_rows(collection.name, model, unchanged, vectors[kept]))
            return len(kept)
        except IntegrityError:  # Somebody stored some of them meanwhile.
            if anew:
                raise
            anew = True


def _rows(collection: str, model: str, targets: Sequence[TargetVersion], vectors: Vectors) -> bytes:
    """The rows of a COPY. All are alike but for id, hash and vector, which are written into copies of one row."""
    import numpy as np

    if not targets:
        return _HEADER + _END
    dimensions = vectors.shape[1]
    row = _HOW_MANY + _field(targets[0].type.encode())
    id_at = len(row) + 4
    row += _field(bytes(8)) + _field(collection.encode()) + _field(struct.pack("!h", 0))
    row += _field(model.encode()) + _field(struct.pack("!h", dimensions))
    hash_at = len(row) + 4
    row += _field(bytes(16))
    vector_at = len(row) + 8
    row += _field(struct.pack("!hh", dimensions, 0) + bytes(2 * dimensions))

    rows = np.tile(np.frombuffer(row, np.uint8), (len(targets), 1))
    ids = np.array([target.id for target in targets], ">i8")
    hashes = np.frombuffer(b"".join(target.content_hash for target in targets), np.uint8)
    rows[:, id_at : id_at + 8] = ids.view(np.uint8).reshape(-1, 8)
    rows[:, hash_at : hash_at + 16] = hashes.reshape(-1, 16)
    rows[:, vector_at:] = np.ascontiguousarray(vectors, ">f2").view(np.uint8)
    return _HEADER + rows.tobytes() + _END


def _field(value: bytes) -> bytes:
    return struct.pack("!i", len(value)) + value
