"""Writes vectors as fast as PostgreSQL takes them: binary COPY, in one transaction with the look at what is still true.

The format is PostgreSQL's own: https://www.postgresql.org/docs/current/sql-copy.html#SQL-COPY-FILE-FORMATS
"""

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection, transaction

from rag.embeddings.base import Vectors
from rag.models import Target

_HEADER = b"PGCOPY\n\xff\r\n\0" + struct.pack("!ii", 0, 0)
_END = struct.pack("!h", -1)
_COPY = (
    "COPY rag_embedding (target_type, target_id, graph_id, part, model, dimensions, content_hash, vector) "
    "FROM STDIN (FORMAT BINARY)"
)
#: Together with a graph's number it names a lock, which the trigger that deletes vectors takes too: holding the rows of
#: a thousand nodes would cost as much as writing their vectors.
ADVISORY_LOCK = 0x52414700
LOCKS = 2**31 - 1


@dataclass(frozen=True, slots=True)
class NodeVersion:
    """A node as it was when its text was taken."""

    id: int
    version: int
    content_hash: bytes


def store_nodes(graph_id: int, model: str, nodes: Sequence[NodeVersion], vectors: Vectors) -> int:
    """Stores the vectors of those nodes that are as they were, and says how many. The others changed and come again.

    A failure of theirs is forgotten. Who stores or deletes in the same graph meanwhile waits.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [ADVISORY_LOCK, graph_id % LOCKS])
        cursor.execute(
            "SELECT place FROM graphs_node AS node "
            "JOIN unnest(%s::bigint[], %s::int[]) WITH ORDINALITY AS was(id, version, place) USING (id, version) "
            "ORDER BY id",
            [[node.id for node in nodes], [node.version for node in nodes]],
        )
        places = [place - 1 for (place,) in cursor.fetchall()]
        values: list[Any] = [model, [nodes[place].id for place in places]]
        for table in ("rag_embedding", "rag_embeddingfailure"):
            cursor.execute(
                f"DELETE FROM {table} WHERE target_type = 'node' AND part = 0 AND model = %s "  # noqa: S608
                "AND target_id = ANY(%s)",
                values,
            )
        with cursor.copy(_COPY) as copy:
            copy.write(b"".join(_rows(graph_id, model, [nodes[place] for place in places], vectors[places])))
    return len(places)


def _rows(graph_id: int, model: str, nodes: Sequence[NodeVersion], vectors: Vectors) -> Iterator[bytes]:
    dimensions = vectors.shape[1]
    name = model.encode()
    kind = Target.NODE.encode()
    before_id = struct.pack("!h", 8) + _field(kind) + struct.pack("!i", 8)
    before_hash = (
        _field(struct.pack("!q", graph_id))
        + _field(struct.pack("!h", 0))
        + _field(name)
        + _field(struct.pack("!h", dimensions))
        + struct.pack("!i", 16)
    )
    before_vector = struct.pack("!ihh", 4 + 2 * dimensions, dimensions, 0)
    halves = vectors.astype(">f2")
    yield _HEADER
    for node, half in zip(nodes, halves, strict=True):
        yield before_id + struct.pack("!q", node.id) + before_hash + node.content_hash + before_vector + half.tobytes()
    yield _END


def _field(value: bytes) -> bytes:
    return struct.pack("!i", len(value)) + value
