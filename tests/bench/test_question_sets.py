import json
from pathlib import Path
from typing import Any

import pytest

from bench import retrieval_quality
from bench.question_sets import Corpus, Unreadable, read
from bench.retrieval_quality import Retriever, measure
from tests.bench.test_retrieval_quality import LettersEmbedder

#: Quotes, an empty title, one sentence as a text, no sentence at all.
ODD = {'The "Blue" (Café) \'62': ["It is blue."], "": ["Nothing."], "One": "One sentence.", "Empty": [], "?!": ["?!"]}


@pytest.fixture
def files(tmp_path: Path) -> Any:
    def written(questions: Any, corpus: Any) -> tuple[Path, Path]:
        for name, content in (("questions", questions), ("corpus", corpus)):
            data = content if isinstance(content, bytes) else json.dumps(content).encode()
            (tmp_path / f"{name}.json").write_bytes(data)
        return tmp_path / "questions.json", tmp_path / "corpus.json"

    return written


def asked(question: str, *titles: Any) -> dict[str, Any]:
    return {"question": question, "supporting_facts": [[title, 0] for title in titles], "level": "hard"}


def test_odd_sets_are_measured(files: Any) -> None:
    """Facts that are not there, the same question twice, a fact without a title, one that names nothing."""
    blue = next(iter(ODD))
    questions = [
        asked('What is "Blue"?', blue, blue),
        asked('What is "Blue"?', blue),
        asked("Which one?", "One", "Empty", "", "elsewhere", None),
        asked("?!", "?!"),
        asked("Of nothing?", "elsewhere"),
        asked("   ", "One"),
        {"question": "Without facts?", "supporting_facts": []},
        {"question": "With an empty fact?", "supporting_facts": [[]]},
    ]
    found, corpus = read(*files(questions, b"\xef\xbb\xbf" + json.dumps(ODD).encode()))
    assert corpus == Corpus(list(ODD), ["It is blue.", "Nothing.", "One sentence.", "", "?!"])
    assert [sorted(question.gold) for question in found] == [[0], [0], [1, 2, 3], [4]]
    measured = measure(Retriever(corpus, LettersEmbedder()), found)
    assert set(measured) == {"text", "vector", "fused", "graph"}
    assert all(0 <= figure <= 1 for row in measured.values() for figure in row.values())


def test_passages_without_a_word_are_passages(files: Any) -> None:
    found, corpus = read(*files([asked("Anything?", "")], {"": [], " ": [""]}))
    assert measure(Retriever(corpus, LettersEmbedder()), found)["text"]["MRR"] == 0


@pytest.mark.parametrize(
    ("questions", "corpus", "told"),
    [
        ({"question": "Not a list?"}, ODD, "questions.json is not what it should be"),
        ([{"question": "Without facts?"}], ODD, "0.supporting_facts: Field required"),
        ([{"question": 7, "supporting_facts": []}], ODD, "0.question: Input should be a valid string"),
        ([], [["One", ["A list."]]], "corpus.json is not what it should be"),
        ([], {"One": [None]}, "One"),
        ([], b'{"One": ["cut', "corpus.json is not what it should be"),
        ([], b"\xff\xfe\x00", "corpus.json is not what it should be"),
        ([{}] * 20, ODD, "and 35 more"),
    ],
)
def test_what_is_no_set_is_told(files: Any, questions: Any, corpus: Any, told: str) -> None:
    with pytest.raises(Unreadable, match=told):
        read(*files(questions, corpus))


def test_files_that_are_not_there_are_told(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match="cannot be read: No such file"):
        read(tmp_path / "questions.json", tmp_path / "corpus.json")


def test_the_command_ends_with_a_sentence(files: Any) -> None:
    with pytest.raises(SystemExit, match="No question has a supporting fact"):
        retrieval_quality.main([str(file) for file in files([asked("Of what?", "elsewhere")], ODD)])
    with pytest.raises(SystemExit, match="is not what it should be"):
        retrieval_quality.main([str(file) for file in files([{}], ODD)])
    one = files([asked("Only one?", "One")], ODD)
    with pytest.raises(SystemExit, match="No question"):
        retrieval_quality.main([*map(str, one), "--half", "odd"])
