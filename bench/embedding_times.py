"""How long vectors take to be written and found in one process. With the product's settings:

python -m bench.embedding_times SCALE

The scale is that of `bench.embeddings` as JSON. Reference and product take turns. It writes one line: the seconds of
each time by what was done, how many of the true nearest were found, and the seconds that indexes took.
"""

import json
import sys
import time
from collections.abc import Iterator
from typing import Any

import django
import numpy as np

from bench.history_times import Times, timed

MODEL = "bench/words"
BATCHES = (100, 1_000)
#: Words of a text, and how the vocabulary is used: few words often, most rarely.
WORDS = 12
ZIPF = 1.3
CHUNK = 20_000
FOUND = 10


def texts(count: int, seed: int) -> Iterator[Any]:
    """Vectors as the local model gives them to made-up texts, by the chunk."""
    from rag.embeddings.embedder import normalised
    from rag.embeddings.local import LocalEmbedder

    _tokenizer, table = LocalEmbedder("local/bench")._model
    random = np.random.default_rng(seed)
    for start in range(0, count, CHUNK):
        size = min(CHUNK, count - start)
        words = random.zipf(ZIPF, (size, WORDS)) * 2_654_435_761 % (len(table) - 300) + 300
        yield normalised(sum(table[words[:, place]].astype(np.float32) for place in range(WORDS)))


def writes(times: Times, workspace: Any, nodes: int, rounds: int) -> None:
    """Into the same table with the same indexes, each time under a new name of a model."""
    from django.db import connection

    from bench import long_history
    from rag.embeddings import storing
    from rag.sources.graphs.nodes import GraphNodes

    graph = long_history.create(workspace, "written", nodes)
    versions = [
        storing.TargetVersion("node", id_, version, id_.to_bytes(16))
        for id_, version in graph.nodes.order_by("pk").values_list("pk", "version")
    ]
    vectors = np.concatenate(list(texts(nodes, 1)))
    collection = GraphNodes(graph)

    def bare(rows: bytes) -> None:
        with connection.cursor() as cursor, cursor.copy(storing._COPY) as copy:
            copy.write(rows)

    def stored(model: str, batch: int) -> None:
        for start in range(0, nodes, batch):
            end = start + batch
            storing.store_vectors(collection, model, versions[start:end], vectors[start:end])

    def bare_by(model: str, batch: int) -> None:
        for start in range(0, nodes, batch):
            end = start + batch
            bare(storing._rows(collection.name, model, versions[start:end], vectors[start:end]))

    for number in range(rounds):
        rows = storing._rows(collection.name, f"bench/bare-{number}", versions, vectors)
        timed(times, "bare copy", lambda r=rows: bare(r))
        for batch in BATCHES:
            timed(times, f"bare copy by {batch}", lambda n=number, b=batch: bare_by(f"bench/bare-{b}-{n}", b))
            timed(times, f"stored by {batch}", lambda n=number, b=batch: stored(f"bench/{b}-{n}", b))
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM rag_embedding")
        cursor.execute("VACUUM (ANALYZE) rag_embedding")


def searches(times: Times, workspace: Any, size: int, questions: int) -> tuple[float, float]:
    """The part of the true nearest that was found, and the seconds that building the index took."""
    from django.db import connection

    from graphs.models import Graph
    from rag.embeddings import storing, vector_indexes
    from rag.embeddings.vector_search import nearest
    from rag.models import EmbeddedCollection
    from rag.sources.graphs.nodes import collection_of

    graph = Graph.objects.create(workspace=workspace, key=f"searched-{size}")
    collection = collection_of(graph.pk)
    EmbeddedCollection.objects.create(collection=collection, model=MODEL, version=1)
    asked = next(texts(questions, 2))
    best: list[list[tuple[float, int]]] = [[] for _ in asked]
    # No nodes stand behind these.
    first = graph.pk * 10**9
    for vectors in texts(size, 3):
        rows = [storing.TargetVersion("node", first + place, 1, bytes(16)) for place in range(len(vectors))]
        with connection.cursor() as cursor, cursor.copy(storing._COPY) as copy:
            copy.write(storing._rows(collection, MODEL, rows, vectors))
        _keep_best(best, asked @ vectors.T, first)
        first += len(vectors)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM (ANALYZE) rag_embedding")
    began = time.perf_counter()
    vector_indexes.fit(collection, MODEL, asked.shape[1])
    built = time.perf_counter() - began
    nearest(collection, ["node"], MODEL, asked[0], FOUND)
    found = []
    for question in asked:
        name = f"nearest of {size}"
        timed(
            times, name, lambda q=question: found.append(nearest(collection, ["node"], MODEL, q, FOUND, threshold=-1))
        )
    hits = sum(
        len({near.id for near in each} & {target for _, target in truth})
        for each, truth in zip(found, best, strict=True)
    )
    return hits / (FOUND * len(asked)), built


def _keep_best(best: list[list[tuple[float, int]]], cosines: Any, first: int) -> None:
    for row, kept in zip(cosines, best, strict=True):
        places = np.argpartition(-row, min(FOUND, len(row) - 1))[:FOUND]
        kept[:] = sorted([*kept, *((float(row[place]), first + int(place)) for place in places)], reverse=True)[:FOUND]


def main() -> None:
    django.setup()
    from graphs.models import Workspace
    from rag.embeddings.vector_search import EXACT

    scale = json.loads(sys.argv[1])
    workspace = Workspace.objects.get(slug="demo")
    times: Times = {}
    writes(times, workspace, scale["nodes"], scale["rounds"])
    found = {size: searches(times, workspace, size, scale["questions"]) for size in scale["graphs"]}
    print(
        json.dumps(
            {
                "times": times,
                "batches": BATCHES,
                "recall": {size: recall for size, (recall, _) in found.items()},
                "built": {size: built for size, (_, built) in found.items() if size > EXACT},
            }
        )
    )


if __name__ == "__main__":
    main()
