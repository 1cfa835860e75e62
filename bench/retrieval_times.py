"""How long retrieval takes in one process, nothing cached. With the product's settings:

python -m bench.retrieval_times SCALE

The scale is that of `bench.retrieval` as JSON. Sizes, reference and product take turns. It writes one line: the seconds
of each question by what was done, the most statements of one, and how many of the true nearest were found.
"""

import json
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import django

from bench.history_times import Times, behave_like_a_web_process, timed

FOUND = 10


@dataclass(frozen=True)
class Asked:
    """A graph and what is asked of it."""

    size: int
    graph: Any
    floors: Any
    questions: Sequence[str]
    vectors: Sequence[Any]

    def ways(self, place: int) -> dict[str, Callable[[], Any]]:
        from rag.sources.graphs import retrieve

        def retrieved(question: str) -> Callable[[], Any]:
            return lambda: retrieve.look_up(self.graph, question)

        return {
            "floors": lambda: self.floors.take(self.vectors[place]),
            "retrieval": retrieved(self.questions[place]),
            "hub": retrieved("what is n0"),
            "leaf": retrieved(f"what is n{self.size - 1 - place % min(self.size, 100)}"),
        }


def questions(words: Any, count: int) -> list[str]:
    """Rare and common words mixed, two to five in each."""
    import numpy as np

    drawn = words.texts(words.draw(np.random.default_rng(7), count, 5))
    chosen = random.Random(7)
    return [" ".join(text.split()[: chosen.randint(2, 5)]) for text in drawn]


def measure(asked: Sequence[Asked], repeats: int) -> Times:
    """Of each question the fastest of its repetitions, between which all others were asked."""
    fastest: dict[str, dict[int, float]] = {}
    for _ in range(repeats):
        for place in range(len(asked[0].questions)):
            for one in asked:
                one.floors.look_at_as_many_candidates()
                for name, work in one.ways(place).items():
                    took: Times = {}
                    timed(took, name, work)
                    known = fastest.setdefault(f"{name} {one.size}", {})
                    known[place] = min(known.get(place, took[name][0]), took[name][0])
    return {name: list(known.values()) for name, known in fastest.items()}


def most_statements(asked: Sequence[Asked]) -> int:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    most = 0
    for one in asked:
        for place in range(len(one.questions)):
            with CaptureQueriesContext(connection) as captured:
                one.ways(place)["retrieval"]()
            most = max(most, len(captured))
    return most


def recall(one: Asked, model: str, questions: int) -> float:
    """Which part of the true ten is found the way retrieval looks for them."""
    from rag.embeddings.vector_search import nearest
    from rag.sources.graphs.nodes import collection_of
    from rag.sources.graphs.text_search import search

    hits = wanted = 0
    for question, vector in zip(one.questions[:questions], one.vectors[:questions], strict=True):
        true = set(one.floors.exactly(vector, FOUND))
        met = search(one.graph, question, FOUND).met
        found = {
            near.id
            for near in nearest(collection_of(one.graph.pk), ["node"], model, vector, FOUND, threshold=-1, also=met)
        }
        hits, wanted = hits + len(true & found), wanted + len(true)
    return hits / wanted


def main(scale: dict[str, Any]) -> None:
    from bench.copied_graphs import copied
    from bench.floors import Floors
    from bench.power_law import Words
    from graphs.models import Workspace
    from rag.embeddings import kept_signs
    from rag.embeddings.embedding_models import LOCAL_MODEL
    from rag.embeddings.local import LocalEmbedder
    from rag.embeddings.vector_search import EXACT
    from rag.sources.graphs.nodes import collection_of

    embedder = LocalEmbedder(LOCAL_MODEL)
    workspace, _ = Workspace.objects.get_or_create(slug="retrieval", defaults={"name": "Retrieval"})
    graphs = {size: copied(workspace, size, embedder) for size in scale["sizes"]}
    texts = questions(Words(embedder), scale["questions"])
    vectors = list(embedder.embed(texts, "question").vectors)
    asked = [
        Asked(size, graph, Floors(graph, embedder.name, embedder.dimensions, size), texts, vectors)
        for size, graph in graphs.items()
    ]
    large = [one for one in asked if one.size > EXACT]
    for one in large:
        # As a process has them that was asked about the graph before.
        of = kept_signs.CollectionOfModel(collection_of(one.graph.pk), embedder.name, embedder.dimensions)
        kept_signs.load(of)
    behave_like_a_web_process()
    statements = most_statements(asked)
    times = measure(asked, scale["times"])
    found = {one.size: recall(one, embedder.name, scale["recalled"]) for one in large}
    print(json.dumps({"times": times, "statements": statements, "recall": found}))


if __name__ == "__main__":
    django.setup()
    main(json.loads(sys.argv[1]))
