"""Keeps the vectors of a collection true for one model. Called by the background task and by the commands."""

import time
from collections import deque
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from hashlib import blake2b
from operator import add
from typing import Any

from django.db import connection
from django.db.models.functions import Now

from rag.embeddings import vector_indexes
from rag.embeddings.batch_embed import BatchEmbedding
from rag.embeddings.collections import Collection, Targets
from rag.embeddings.embedder import Embedder, EmbeddingFailed, length
from rag.embeddings.storing import TargetVersion, store_vectors
from rag.models import EmbeddedCollection, Embedding, EmbeddingFailure

#: Texts that a model gets at once, unless somebody says otherwise.
BATCH = 100
#: Targets that are read together, and stored together if that takes no longer than `STORED_S`.
STORED = 1_000
#: Seconds of work that a killed process may lose, and the vendor's calls with it.
STORED_S = 1.0

#: The row of the model is read and held: a change of its dimensions comes before or after this.
_NOTE = """
UPDATE rag_embeddedcollection SET version = greatest(version, %(version)s), fitted = false
WHERE collection = %(collection)s AND model = %(model)s AND EXISTS (
    SELECT FROM rag_embeddingmodel WHERE name = %(model)s AND dimensions = %(dimensions)s FOR SHARE
)
"""


@dataclass(frozen=True, slots=True)
class Progress:
    """How many targets were looked at, embedded anew, and refused by the model; tokens that the model read."""

    seen: int = 0
    embedded: int = 0
    failed: int = 0
    tokens: int = 0

    def __add__(self, other: "Progress") -> "Progress":
        return Progress(*map(add, astuple(self), astuple(other)))


@dataclass(frozen=True, slots=True)
class EmbedOptions:
    """Texts a call, the pause after it, and whether texts are embedded anew that have their vector.

    In the background failed texts wait until they are due, and nobody waits for another index.
    """

    batch: int = BATCH
    delay_s: float = 0
    force: bool = False
    background: bool = False


DEFAULTS = EmbedOptions()


def embed_changes(collection: Collection, embedder: Embedder, options: EmbedOptions = DEFAULTS) -> Iterator[Progress]:
    """Brings the vectors of a collection to its present version, and fits its index. Raises `EmbeddingFailed`.

    Not within a transaction, and only while collection and model are held (`rag.embeddings.locks`).
    """
    state = EmbeddedCollection.objects.filter(collection=collection.name, model=embedder.name).first()
    if state is None or state.version == 0:
        yield from embed_all(collection, embedder, options)
        return
    version = collection.settled_version()
    for targets in collection.changed_since(state.version, STORED):
        yield from embed_targets(collection, embedder, targets, options)
    _finish(collection, embedder, version, options)


def embed_all(collection: Collection, embedder: Embedder, options: EmbedOptions = DEFAULTS) -> Iterator[Progress]:
    """Embeds the targets that have no vector of their present text, or all; may be interrupted and run twice."""
    version = collection.settled_version()
    # By it the vectors of a process that is killed on the way are found when the model is dropped.
    mark_begun(collection.name, embedder.name)
    for targets in collection.all_targets(STORED):
        yield from embed_targets(collection, embedder, targets, options)
    _finish(collection, embedder, version, options)


def embed_targets(
    collection: Collection, embedder: Embedder, targets: Targets, options: EmbedOptions = DEFAULTS
) -> Iterator[Progress]:
    """Embeds those of the targets whose text has no vector yet; reports each part once it is stored."""
    dimensions = length(embedder)
    stale = _to_embed(collection, embedder.name, dimensions, targets, options)
    yield Progress(len(targets.ids) - len(stale))
    batches = deque(stale[start : start + options.batch] for start in range(0, len(stale), options.batch))
    while batches:
        one_by_one = options.background and options.batch == 1
        embedding = BatchEmbedding(collection, embedder, dimensions, one_by_one)
        progress, failure = _embed_some(embedding, batches, options)
        yield progress
        if failure:
            raise failure
        time.sleep(options.delay_s)


def mark_begun(collection: str, model: str) -> None:
    """Notes that there may be vectors of the collection."""
    state = EmbeddedCollection(collection=collection, model=model)
    EmbeddedCollection.objects.bulk_create([state], ignore_conflicts=True)


def text_hash(text: str) -> bytes:
    """What `content_hash` holds of a text."""
    return blake2b(text.encode(), digest_size=16).digest()


def _finish(collection: Collection, embedder: Embedder, version: int, options: EmbedOptions) -> None:
    """Notes that the vectors are true for that version, and fits the indexes; if one is not built, that alone waits.

    Notes nothing if the model is gone or its dimensions changed meanwhile.
    """
    name, model, dimensions = collection.name, embedder.name, length(embedder)
    with connection.cursor() as cursor:
        cursor.execute(_NOTE, {"collection": name, "model": model, "version": version, "dimensions": dimensions})
        noted = bool(cursor.rowcount)
    wait = not options.background
    if noted and vector_indexes.fit(name, model, dimensions, wait=wait) and collection.fit(wait=wait):
        EmbeddedCollection.objects.filter(collection=name, model=model, version=version).update(fitted=True)


def _to_embed(
    collection: Collection, model: str, dimensions: int, targets: Targets, options: EmbedOptions
) -> list[TargetVersion]:
    """The targets that need a vector of their text now. Vectors of targets without a text are deleted."""
    of_these = {"target_type": targets.type, "target_id__in": targets.ids, "part": 0, "model": model}
    embedded = _hashes(Embedding.objects.filter(dimensions=dimensions, **of_these))
    failed = _hashes(EmbeddingFailure.objects.filter(retry_at__gt=Now(), **of_these)) if options.background else {}
    found = []
    texts = collection.read(targets)
    if gone := set(targets.ids) - {each.id for each in texts}:
        for table in (Embedding, EmbeddingFailure):
            table.objects.filter(target_type=targets.type, target_id__in=gone).delete()
    for each in texts:
        digest = text_hash(each.text)
        is_there = embedded.get(each.id) == digest and not options.force
        if not is_there and failed.get(each.id) != digest:
            version = TargetVersion(targets.type, each.id, each.version, digest, each.id in embedded, each.text)
            found.append(version)
    return found


def _hashes(rows: Any) -> dict[int, bytes]:
    """The hashes of texts by the ids of their targets."""
    return {id_: bytes(digest) for id_, digest in rows.order_by().values_list("target_id", "content_hash")}


def _embed_some(
    embedding: BatchEmbedding, batches: deque[list[TargetVersion]], options: EmbedOptions
) -> tuple[Progress, EmbeddingFailed | None]:
    """Takes batches for a second, one at least. What was embedded before a failure is stored."""
    import numpy as np

    until = time.monotonic() + STORED_S
    seen = failed = stored = 0
    failure: EmbeddingFailed | None = None
    try:
        while batches:
            some = batches.popleft()
            failed += embedding.embed(some)
            seen += len(some)
            if time.monotonic() + options.delay_s >= until:
                break
            time.sleep(options.delay_s)
    except EmbeddingFailed as error:
        failure = error
    finally:
        if done := embedding.done:
            collection, model = embedding.collection, embedding.embedder.name
            targets = [target for batch, _embedded in done for target in batch]
            vectors = np.concatenate([embedded.vectors for _batch, embedded in done])
            stored = store_vectors(collection, model, targets, vectors)
            # Dropping the model meanwhile deleted this row, by which these vectors are found.
            mark_begun(collection.name, model)
    return Progress(seen, stored, failed, sum(embedded.tokens for _batch, embedded in done)), failure
