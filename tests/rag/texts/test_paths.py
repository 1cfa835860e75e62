from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from rag.texts.paths import paths

keys = st.sampled_from("abcdef")


def test_a_chain_is_one_path() -> None:
    assert paths([("b", "c"), ("a", "b"), ("c", "d")]) == [["a", "b", "c", "d"]]


def test_a_branch_and_a_circle_are_paths_too() -> None:
    assert paths([("a", "b"), ("a", "c")]) == [["a", "b"], ["a", "c"]]
    assert paths([("a", "b"), ("b", "a")]) == [["a", "b", "a"]]


@given(st.lists(st.tuples(keys, keys), max_size=20))
def test_every_pair_is_walked_once(given_pairs: list[tuple[str, str]]) -> None:
    walked = [pair for path in paths(given_pairs) for pair in pairwise(path)]
    assert sorted(walked) == sorted(given_pairs)
    assert all(len(path) > 1 for path in paths(given_pairs))
