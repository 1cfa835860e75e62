import pytest

from rag.retrieval.fusion import fused


def test_texts_count_as_shares_of_the_best_and_cosines_as_they_are() -> None:
    assert fused({"a": 8.0, "b": 2.0}, {"b": 0.6, "c": 0.4}) == pytest.approx({"a": 1.0, "b": 0.85, "c": 0.4})


def test_a_name_counts_as_much_as_the_best_text() -> None:
    assert fused({"a": 3.0, "b": 3.0}, {}, ["b", "c"]) == {"a": 1.0, "b": 2.0, "c": 1.0}


def test_words_that_weigh_nothing_find_without_a_score() -> None:
    assert fused({"a": 0.0}, {}) == {"a": 0.0}
    assert fused({}, {}) == {}
