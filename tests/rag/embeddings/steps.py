"""What the tests of embeddings do and look at."""

import time

from graphs.history import changes
from graphs.history.recording import Because
from graphs.models import Graph, Node, Origin
from graphs.objects.operations import Update
from graphs.objects.refs import Ref
from rag.embeddings import keeping
from rag.models import Embedding
from tests.vendors.server import VendorServer

BECAUSE = Because(None, Origin.MANUAL)


def work() -> None:
    keeping.work(until=time.monotonic() + 60)


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
