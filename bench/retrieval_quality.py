"""`python -m bench.retrieval_quality QUESTIONS.json CORPUS.json [--half even|odd]`: how well retrieval finds.

QUESTIONS is a list with `question` and `supporting_facts` (pairs of title and sentence), CORPUS maps titles to
sentences (`bench.question_sets`). Questions without any fact in the corpus are left out. Two passages are linked where
one names the title of the other. What is measured is what the product does with nodes: `rag.retrieval.naming`,
`rag.retrieval.fusion`, `rag.retrieval.ranking` and the embedder of the settings; only the words of the passages are
counted here (BM25) and not by PostgreSQL. No model is called for a question but the embedder.
"""

import argparse
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import django
import numpy as np

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from bench.bm25 import Bm25
from bench.figures import ratio
from bench.question_sets import Corpus, Question, Unreadable, read
from bench.shared_data import DATA, absent
from bench.titles import links_by_title, without_suffix
from rag.embeddings.embedder import Embedder, Vectors
from rag.retrieval.fusion import fused
from rag.retrieval.naming import said
from rag.retrieval.ranking import best_first, with_links

#: Candidates that each way of finding hands on.
CANDIDATES = 100
#: Linked passages that one passage shows.
PER_PASSAGE = 10
BATCH = 256


class Retriever:
    """Finds passages in four ways, by one preparation of the corpus."""

    def __init__(self, corpus: Corpus, embedder: Embedder) -> None:
        self.names = [without_suffix(title) for title in corpus.titles]
        self.words = Bm25(corpus.titles, corpus.texts)
        self.links = links_by_title(corpus.titles, corpus.texts)
        self.embedder = embedder
        self.vectors = self._embed([f"{t}\n{x}" for t, x in zip(corpus.titles, corpus.texts, strict=True)])

    def _embed(self, texts: Sequence[str]) -> Vectors:
        parts = [texts[start : start + BATCH] for start in range(0, len(texts), BATCH)]
        return np.vstack([self.embedder.embed(part, "stored").vectors for part in parts])

    def rankings(self, question: str) -> dict[str, list[int]]:
        """The passages best first: by words, by vectors, by both, and by both with links."""
        text = self.words.scores(question, CANDIDATES)
        cosines = self._nearest(question)
        named = said(question, [(place, "", self.names[place]) for place in text], self.words.common)
        found = fused(text, cosines, named)
        linked = with_links(found, named, lambda place: self.links[place][:PER_PASSAGE])
        return {
            "text": best_first(text, {}),
            "vector": best_first(cosines, {}),
            "fused": best_first(found, named),
            "graph": best_first(linked, named),
        }

    def _nearest(self, question: str) -> dict[int, float]:
        # Here, since it loads models, which other benchmarks have no settings for.
        from rag.embeddings.vector_search import THRESHOLD

        cosines = self.vectors @ self.embedder.embed([question], "question").vectors[0]
        nearest = np.argsort(-cosines, kind="stable")[:CANDIDATES]
        return {int(place): float(cosines[place]) for place in nearest if cosines[place] >= THRESHOLD}


def recall(ranking: Sequence[int], gold: frozenset[int], most: int) -> float:
    return len(gold.intersection(ranking[:most])) / len(gold)


def reciprocal_rank(ranking: Sequence[int], gold: frozenset[int]) -> float:
    return next((1 / place for place, passage in enumerate(ranking, 1) if passage in gold), 0.0)


#: What is printed of each way of finding.
FIGURES: dict[str, Callable[[Sequence[int], frozenset[int]], float]] = {
    "recall@2": lambda ranking, gold: recall(ranking, gold, 2),
    "recall@5": lambda ranking, gold: recall(ranking, gold, 5),
    "recall@10": lambda ranking, gold: recall(ranking, gold, 10),
    "MRR": reciprocal_rank,
    "all gold in 8": lambda ranking, gold: float(gold.issubset(ranking[:8])),
}

Measured = dict[str, dict[str, float]]


def measure(retriever: Retriever, questions: Sequence[Question]) -> Measured:
    """The mean of each figure for each way of finding."""
    rankings = [retriever.rankings(question.text) for question in questions]
    return {
        way: {
            name: sum(figure(r[way], q.gold) for r, q in zip(rankings, questions, strict=True)) / len(questions)
            for name, figure in FIGURES.items()
        }
        for way in rankings[0]
    }


def report(measured: Measured) -> str:
    """A table, and the two ratios that the design asks for."""
    lines = [["", *FIGURES]] + [[way, *(f"{row[name]:.3f}" for name in FIGURES)] for way, row in measured.items()]
    table = ["| " + " | ".join(cell.ljust(13) for cell in line) + " |" for line in lines]
    table.insert(1, "|" + "|".join(["-" * 15] * len(lines[0])) + "|")
    single = max(measured["text"]["MRR"], measured["vector"]["MRR"])
    gain = ratio(measured["graph"]["recall@5"], measured["vector"]["recall@5"])
    kept = ratio(measured["graph"]["MRR"], single)
    return "\n".join(
        [
            *table,
            "",
            f"recall@5, graph / vector: {gain:.2f} (>= 1.25)",
            f"MRR, graph / best single: {kept:.2f} (>= 0.98)",
        ]
    )


class NothingToMeasure(Exception):
    """Says why."""


def _embedder() -> Embedder:
    """The one that the settings ask for."""
    django.setup()
    from rag.embeddings.embedding_models import by_name, configured

    if not configured():
        raise NothingToMeasure("EMBEDDING_PROVIDER is none: there is nothing to measure.")
    return by_name(configured())


def measured_set(questions_file: Path, corpus_file: Path, half: str | None = None) -> str:
    """What is printed of a set of questions. Raises `Unreadable` and `NothingToMeasure`."""
    embedder = _embedder()
    questions, corpus = read(questions_file, corpus_file)
    chosen = questions[{"even": 0, "odd": 1}[half] :: 2] if half else questions
    if not chosen:
        raise NothingToMeasure(
            "No question has a supporting fact whose title is in the corpus: there is nothing to measure."
        )
    began = time.perf_counter()
    retriever = Retriever(corpus, embedder)
    ready = time.perf_counter()
    measured = measure(retriever, chosen)
    took = (time.perf_counter() - ready) / len(chosen) * 1000
    return (
        f"{len(chosen)} questions, {len(corpus.titles)} passages, {embedder.name}; no other model is asked\n"
        f"prepared in {ready - began:.1f} s, {took:.1f} ms a question\n\n{report(measured)}"
    )


def measured_hotpotqa() -> str:
    """The same of the questions in the shared data, or why there is nothing to print."""
    folder = DATA / "hotpotqa"
    if not folder.is_dir():
        return absent("questions (hotpotqa)")
    try:
        return measured_set(folder / "questions.json", folder / "corpus.json")
    except (NothingToMeasure, Unreadable) as problem:
        return str(problem)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.retrieval_quality", description=__doc__)
    parser.add_argument("questions", type=Path)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--half", choices=["even", "odd"], help="only every second question: tune on one, report both")
    options = parser.parse_args(arguments)
    try:
        print(measured_set(options.questions, options.corpus, options.half))
    except (NothingToMeasure, Unreadable) as problem:
        raise SystemExit(str(problem)) from None


if __name__ == "__main__":
    main()
