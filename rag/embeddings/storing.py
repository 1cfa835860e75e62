"""Writes vectors as fast as PostgreSQL takes them: binary COPY, in one transaction with the look at what is still true.

The format is PostgreSQL's own: https://www.postgresql.org/docs/current/sql-copy.html#SQL-COPY-FILE-FORMATS
"""

import struct
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, connection, transaction

from graphs.site.prepared import prepared
from rag.embeddings.base import Vectors
from rag.models import Target

_HEADER = b"PGCOPY\n\xff\r\n\0" + struct.pack("!ii", 0, 0)
_HOW_MANY = struct.pack("!h", 8)
_END = struct.pack("!h", -1)
_COPY = (
    "COPY rag_embedding (target_type, target_id, graph_id, part, model, dimensions, content_hash, vector) "
    "FROM STDIN (FORMAT BINARY)"
)
#: Who stores next waits here. What is lost with the power is embedded again, so no batch waits for the disk: the commit
#: that says how far a graph is embedded comes later and takes all before it along.
_BEGIN = "SELECT pg_advisory_xact_lock(%s, %s), set_config('synchronous_commit', 'off', true)"
#: Each row is looked up by its key: of a model that has just begun PostgreSQL believes that it has no rows yet, and
#: would go through all of them for every thousand nodes.
_CHANGED = """
WITH failures AS (
    DELETE FROM rag_embeddingfailure WHERE id = ANY(ARRAY(
        SELECT had.id FROM unnest(%(nodes)s::bigint[]) AS node(id) CROSS JOIN LATERAL (
            SELECT id FROM rag_embeddingfailure
            WHERE target_type = 'node' AND target_id = node.id AND part = 0 AND model = %(model)s OFFSET 0
        ) AS had
    ))
)
SELECT place - 1
FROM unnest(%(nodes)s::bigint[], %(versions)s::int[]) WITH ORDINALITY AS was(id, version, place)
LEFT JOIN LATERAL (
    SELECT true AS there FROM graphs_node AS node WHERE node.id = was.id AND node.version = was.version OFFSET 0
) AS node ON true
WHERE there IS NULL
"""
_FORGET = """
DELETE FROM rag_embedding WHERE id = ANY(ARRAY(
    SELECT had.id FROM unnest(%(nodes)s::bigint[]) AS node(id) CROSS JOIN LATERAL (
        SELECT id FROM rag_embedding
        WHERE target_type = 'node' AND target_id = node.id AND part = 0 AND model = %(model)s OFFSET 0
    ) AS had
))
"""
#: Together with a graph's number it names a lock, which the trigger that deletes vectors takes too: holding the rows of
#: a thousand nodes would cost as much as writing their vectors.
ADVISORY_LOCK = 0x52414700
LOCKS = 2**31 - 1


@dataclass(frozen=True, slots=True)
class NodeVersion:
    """A node as it was when its text was taken; `embedded` where it had a vector of the model then."""

    id: int
    version: int
    content_hash: bytes
    embedded: bool = False


def store_nodes(graph_id: int, model: str, nodes: Sequence[NodeVersion], vectors: Vectors) -> int:
    """Stores the vectors of those nodes that are as they were, and says how many. The others changed and come again.

    A failure of theirs is forgotten. Who stores or deletes in the same graph meanwhile waits. Not within a transaction:
    its commit would not wait for the disk.
    """
    with suppress(IntegrityError):
        return _store(graph_id, model, nodes, vectors, anew=any(node.embedded for node in nodes))
    # Somebody stored some of them meanwhile.
    return _store(graph_id, model, nodes, vectors, anew=True)


def _store(graph_id: int, model: str, nodes: Sequence[NodeVersion], vectors: Vectors, *, anew: bool) -> int:
    """`anew`: some have a vector, which goes. Raises `IntegrityError` where one has a vector all the same."""
    with transaction.atomic(), prepared() as cursor, connection.wrap_database_errors:
        cursor.execute(_BEGIN, [ADVISORY_LOCK, graph_id % LOCKS])
        was: dict[str, Any] = {
            "model": model,
            "nodes": [node.id for node in nodes],
            "versions": [node.version for node in nodes],
        }
        cursor.execute(_CHANGED, was)
        changed = {place for (place,) in cursor.fetchall()}
        places = [place for place in range(len(nodes)) if place not in changed]
        if anew:
            cursor.execute(_FORGET, {"model": model, "nodes": [nodes[place].id for place in places]})
        with cursor.copy(_COPY) as copy:
            copy.write(_rows(graph_id, model, [nodes[place] for place in places], vectors[places]))
    return len(places)


def _rows(graph_id: int, model: str, nodes: Sequence[NodeVersion], vectors: Vectors) -> bytes:
    """The rows of a COPY. All are alike but for id, hash and vector, which are written into copies of one row."""
    import numpy as np

    dimensions = vectors.shape[1]
    row = _HOW_MANY + _field(Target.NODE.encode())
    id_at = len(row) + 4
    row += _field(bytes(8)) + _field(struct.pack("!q", graph_id)) + _field(struct.pack("!h", 0))
    row += _field(model.encode()) + _field(struct.pack("!h", dimensions))
    hash_at = len(row) + 4
    row += _field(bytes(16))
    vector_at = len(row) + 8
    row += _field(struct.pack("!hh", dimensions, 0) + bytes(2 * dimensions))

    rows = np.tile(np.frombuffer(row, np.uint8), (len(nodes), 1))
    ids = np.array([node.id for node in nodes], ">i8")
    hashes = np.frombuffer(b"".join(node.content_hash for node in nodes), np.uint8)
    rows[:, id_at : id_at + 8] = ids.view(np.uint8).reshape(-1, 8)
    rows[:, hash_at : hash_at + 16] = hashes.reshape(-1, 16)
    rows[:, vector_at:] = np.ascontiguousarray(vectors, ">f2").view(np.uint8)
    return _HEADER + rows.tobytes() + _END


def _field(value: bytes) -> bytes:
    return struct.pack("!i", len(value)) + value
