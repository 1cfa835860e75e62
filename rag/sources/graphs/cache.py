"""Keeps what was retrieved for `RETRIEVAL_CACHE_S`; the keys change with the graph and its workspace's node types."""

import hashlib
import logging
import uuid
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.core.cache import BaseCache, caches
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
#: Differs between versions of this program whose contexts have other fields: these are pickled without their names.
SHAPE = hashlib.sha256(repr([(part.__name__, part.__slots__) for part in _PARTS]).encode()).hexdigest()[:8]
log = logging.getLogger("countersign.rag")


def cache_key(graph: Graph, question: str, options: Options) -> str:
    """The key of what this question brings from the graph as it is now; taken before anything is read."""
    types = read(_types(graph.workspace_id)) or ""
    state = f"{graph.pk}:{graph.version}:{graph.updated_at.timestamp()}:{types}"
    return f"retrieval:{SHAPE}:{state}:{hashlib.sha256(f'{options}{question}'.encode()).hexdigest()}"


@receiver(changed)
def name_types_anew(change: Applied, **_kwargs: Any) -> None:
    """Names the state of node types for as long as something read before may be cached, or is just being read."""
    if any(kind == NodeType.TYPE for kind, _field in change.touched):
        kept_s = LONGEST_S + settings.RETRIEVAL_CACHE_S
        transaction.on_commit(lambda: write(_types(change.workspace_id), uuid.uuid4().hex, kept_s))


@lru_cache
def _shared(_settings: str) -> BaseCache:
    """The cache of all threads: Django makes one, with a connection of its own, for each run."""
    return caches.create_connection("default")


def _types(workspace_id: int) -> str:
    return f"retrieval:types:{workspace_id}"


def read(key: str) -> Any:
    """What was stored under a key, if that is not too long ago."""
    try:
        with valkey.asked():
            return _shared(repr(settings.CACHES)).get(key)
    except Exception as error:  # Any: of Valkey, and of an entry that cannot be read, unpickling raises what it likes.
        log.warning("Retrieval cannot read its cache: %s", error)
        return None


def write(key: str, value: object, ttl_s: int) -> None:
    """Stores a value for so many seconds; without Valkey not at all."""
    try:
        with valkey.asked():
            _shared(repr(settings.CACHES)).set(key, value, ttl_s)
    except RedisError as error:
        log.warning("Retrieval cannot write its cache: %s", error)
