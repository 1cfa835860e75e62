"""Keeps what was retrieved for `RETRIEVAL_CACHE_S`, until the graph or its workspace's node types change."""

import hashlib
import json
import logging
import uuid
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from django.conf import settings
from django.db import transaction
from django.dispatch import receiver
from redis.exceptions import RedisError

from graphs.history.recording import Applied, changed
from graphs.models import Graph, NodeType
from graphs.site import valkey
from rag.sources.graphs.context import GraphContext, GraphFacts, Options, RelevantEdge, RelevantNode, RelevantType

#: No retrieval takes longer.
LONGEST_S = 120
_PARTS = (GraphContext, GraphFacts, RelevantNode, RelevantEdge, RelevantType)
#: Differs between versions of this program whose contexts have other fields: these are stored without their names.
SHAPE = hashlib.sha256(repr([(part.__name__, part.__slots__) for part in _PARTS]).encode()).hexdigest()[:8]
_FACTS, _NODE, _EDGE, _TYPE = (attrgetter(*part.__slots__) for part in _PARTS[1:])
log = logging.getLogger("countersign.rag")


@dataclass(frozen=True, slots=True)
class Entry:
    """What is kept for a question, or its empty place. `types` names the state of node types when it was read."""

    key: str
    types: bytes
    context: GraphContext | None


def read(graph: Graph, question: str, options: Options) -> Entry:
    """What this question brought from the graph as it is now, to be read before anything that will be kept there.

    Nothing where the settings say that nothing is kept.
    """
    digest = hashlib.sha256(f"{options}{question}".encode()).hexdigest()
    state = f"{graph.pk}:{graph.version}:{graph.updated_at.timestamp()}"
    key = f"{settings.REDIS_PREFIX}:retrieval:{SHAPE}:{state}:{digest}"
    if not settings.RETRIEVAL_CACHE_S:
        return Entry(key, b"", None)
    try:
        with valkey.asked() as client:
            found: list[Any] = client.mget(_types(graph.workspace_id), key)
        types, kept = found
        of_types, context = _unpacked(kept) if kept else (b"", None)
    except (RedisError, ValueError, TypeError) as error:
        log.warning("Retrieval cannot read its cache: %s", error)
        return Entry(key, b"", None)
    return Entry(key, types or b"", context if of_types == (types or b"") else None)


def keep(entry: Entry, context: GraphContext) -> None:
    """Keeps a context in the place that was read, where the settings say so."""
    if settings.RETRIEVAL_CACHE_S:
        _write(entry.key, _packed(entry.types, context), settings.RETRIEVAL_CACHE_S)


def _packed(types: bytes, context: GraphContext) -> bytes:
    """A context and the state of node types that it is for. To pickle its rows would take four times as long."""
    rows = (context.relevant_nodes, _NODE), (context.relevant_edges, _EDGE), (context.node_types, _TYPE)
    return json.dumps([types.hex(), _FACTS(context.graph), *([*map(of, each)] for each, of in rows)]).encode()


def _unpacked(kept: bytes) -> tuple[bytes, GraphContext]:
    types, (key, name, description, sheets, metadata), nodes, edges, node_types = json.loads(kept)
    facts = GraphFacts(key, name, description, tuple((sheet, called) for sheet, called in sheets), metadata)
    nodes, edges = tuple(RelevantNode(*row) for row in nodes), tuple(RelevantEdge(*row) for row in edges)
    return bytes.fromhex(types), GraphContext(facts, nodes, edges, tuple(RelevantType(*row) for row in node_types))


@receiver(changed)
def name_types_anew(change: Applied, **_kwargs: Any) -> None:
    """Names the state of node types for as long as something read before may be kept, or is just being read."""
    if any(kind == NodeType.TYPE for kind, _field in change.touched):
        kept_s = LONGEST_S + settings.RETRIEVAL_CACHE_S
        transaction.on_commit(lambda: _write(_types(change.workspace_id), uuid.uuid4().bytes, kept_s))


def _types(workspace_id: int) -> str:
    return f"{settings.REDIS_PREFIX}:retrieval:types:{workspace_id}"


def _write(key: str, value: bytes, kept_s: int) -> None:
    """Stores a value for so many seconds; without Valkey not at all."""
    try:
        with valkey.asked() as client:
            client.set(key, value, ex=kept_s)
    except RedisError as error:
        log.warning("Retrieval cannot write its cache: %s", error)
