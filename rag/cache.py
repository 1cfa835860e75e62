"""What was retrieved stays in the cache for two minutes. A change of the graph raises its version and so empties it.

Without Valkey everything works, only slower.
"""

import hashlib
import logging

from django.core.cache import cache
from redis.exceptions import RedisError

from graphs import valkey
from graphs.models import Graph
from rag.context import GraphContext

TTL_S = 120
log = logging.getLogger("countersign.rag")


def kept(graph: Graph, question: str) -> GraphContext | None:
    """What was retrieved for this question from this version of the graph, if that is less than two minutes ago."""
    try:
        with valkey.asked():
            return cache.get(_key(graph, question))
    except RedisError as error:
        log.warning("Retrieval cannot read its cache: %s", error)
        return None


def keep(graph: Graph, question: str, context: GraphContext) -> None:
    """For `TTL_S` seconds; without Valkey not at all."""
    try:
        with valkey.asked():
            cache.set(_key(graph, question), context, TTL_S)
    except RedisError as error:
        log.warning("Retrieval cannot write its cache: %s", error)


def _key(graph: Graph, question: str) -> str:
    state = f"{graph.pk}:{graph.version}:{graph.updated_at.timestamp()}"
    return f"retrieval:{state}:{hashlib.sha256(question.encode()).hexdigest()}"
