import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from bench import retrieval_quality
from bench.question_sets import Corpus, read
from bench.retrieval_quality import Retriever, measure, recall, reciprocal_rank, report
from bench.titles import links_by_title
from rag.embeddings.embedder import Embedded, Purpose, normalised

CORPUS = {
    "Bridge (song)": ["Bridge is a song.", " It was written by Ann Miller for New York City."],
    "Ann Miller": ["Ann Miller was born in Oslo."],
    "New York": ["A state."],
    "New York City": ["A city on the coast."],
    "Bread": ["Bread is baked from flour."],
}
QUESTIONS = [
    {"question": "Where was the writer of Bridge born?", "supporting_facts": [["Bridge (song)", 1], ["Ann Miller", 0]]},
    {"question": "What is baked from flour?", "supporting_facts": [["Bread", 0], ["Bread", 1]]},
    {"question": "Of what no passage tells?", "supporting_facts": [["Elsewhere", 0]]},
]


class LettersEmbedder:
    """Two texts are alike that have the same letters."""

    name = "local/letters"
    dimensions = 26

    def embed(self, texts: Sequence[str], purpose: Purpose) -> Embedded:
        counts = [[text.lower().count(chr(97 + letter)) + 0.01 for letter in range(26)] for text in texts]
        return Embedded(normalised(np.array(counts, np.float32)), 0, estimated=True)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    questions, corpus = tmp_path / "questions.json", tmp_path / "corpus.json"
    questions.write_text(json.dumps(QUESTIONS))
    corpus.write_text(json.dumps(CORPUS))
    return questions, corpus


def test_passages_are_linked_by_the_titles_they_name() -> None:
    titles = list(CORPUS)
    links = links_by_title(titles, ["".join(sentences) for sentences in CORPUS.values()])
    assert {titles[0]: [titles[place] for place in links[0]]} == {"Bridge (song)": ["Ann Miller", "New York City"]}
    assert links == [[1, 3], [0], [], [0], []]


def test_it_measures_every_way_of_finding(files: tuple[Path, Path]) -> None:
    questions, corpus = read(*files)
    assert [sorted(question.gold) for question in questions] == [[0, 1], [4]]
    measured = measure(Retriever(corpus, LettersEmbedder()), questions)
    assert list(measured) == ["text", "vector", "fused", "graph"]
    assert measured["graph"]["recall@2"] == 1.0
    assert measured["graph"]["MRR"] == 1.0
    assert "| graph         | 1.000" in report(measured)


def test_links_bring_what_shares_no_word_with_the_question() -> None:
    corpus = Corpus(["Bridge", "Ann", "Zoo", "Zinc"], ["Written by Ann.", "Oslo.", "Animals.", "Metal."])
    rankings = Retriever(corpus, LettersEmbedder()).rankings("Bridge")
    assert rankings["text"] == [0]
    assert rankings["graph"][:2] == [0, 1]


def test_recall_and_reciprocal_rank_of_a_ranking() -> None:
    ranking, gold = [5, 3, 9, 1], frozenset({3, 1, 7})
    assert (recall(ranking, gold, 2), recall(ranking, gold, 4)) == (1 / 3, 2 / 3)
    assert (reciprocal_rank(ranking, gold), reciprocal_rank([5], gold)) == (0.5, 0.0)


def test_the_shared_questions_have_a_table_of_their_own(
    files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = files[0].parent
    monkeypatch.setattr(retrieval_quality, "DATA", folder)
    monkeypatch.setattr(retrieval_quality, "_embedder", LettersEmbedder)
    assert "Nothing to measure: questions (hotpotqa)" in retrieval_quality.measured_hotpotqa()
    (folder / "hotpotqa").mkdir()
    for file in files:
        file.rename(folder / "hotpotqa" / file.name)
    assert "| graph         | 1.000" in retrieval_quality.measured_hotpotqa()


def test_nothing_is_measured_without_an_embedder(files: tuple[Path, Path], settings) -> None:
    settings.EMBEDDING_PROVIDER = "none"
    with pytest.raises(SystemExit, match="nothing to measure"):
        retrieval_quality.main([str(file) for file in files])
