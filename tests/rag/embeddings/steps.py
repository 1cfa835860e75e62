"""What the tests of embeddings do and look at."""

import time
from typing import Any

from graphs.history import changes
from graphs.history.recording import Because
from graphs.models import Graph, Node, Origin
from graphs.objects.operations import Update
from graphs.objects.refs import Ref
from graphs.workflows.kinds import NODE
from rag.embeddings import background
from rag.embeddings.embedder import Vectors
from rag.embeddings.vector_search import nearest
from rag.models import Embedding
from rag.sources.graphs.nodes import collection_of
from tests.vendors.server import VendorServer

BECAUSE = Because(None, Origin.MANUAL)


def work() -> None:
    background.work(until=time.monotonic() + 60)


def change(graph: Graph, key: str, **fields: tuple[object, object]) -> None:
    old, new = ({name: pair[number] for name, pair in fields.items()} for number in (0, 1))
    changes.apply(graph, [Update(Ref("node", key), old, new)], BECAUSE)


def hashes() -> dict[str, bytes]:
    """By the keys of nodes."""
    keys = dict(Node.objects.values_list("pk", "key"))
    return {keys[row.target_id]: bytes(row.content_hash) for row in Embedding.objects.all()}


def asked(vendor: VendorServer) -> list[str]:
    """The texts that went to the model, but for those that only look whether it is there."""
    return [text for request in vendor.requests for text in request.body["input"] if text != "dimensions"]


def nearest_nodes(graph: Graph, model: str, vector: Vectors, limit: int, **options: Any) -> list[tuple[int, float]]:
    """The nodes of a graph by their ids, with their cosines."""
    found = nearest(collection_of(graph.pk), [NODE.name], model, vector, limit, **options)
    return [(near.id, near.cosine) for near in found]
