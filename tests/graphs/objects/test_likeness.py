from difflib import SequenceMatcher
from itertools import islice, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphs.objects import likeness
from graphs.objects.likeness import in_common, most_alike, places


@given(st.text("abc", max_size=12), st.text("abc", max_size=12))
def test_it_knows_what_two_texts_have_in_common(one: str, other: str) -> None:
    rows = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i, first in enumerate(one):
        for j, second in enumerate(other):
            rows[i + 1][j + 1] = rows[i][j] + 1 if first == second else max(rows[i][j + 1], rows[i + 1][j])
    assert in_common(one, places(other), len(other)) == rows[-1][-1]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [("fetch-ap", ["fetch-api"]), ("etch-api", ["fetch-api"]), ("retrun", ["return"]), ("zzz", []), ("", [])],
)
def test_it_finds_what_a_slip_of_the_finger_made(wanted: str, found: list[str]) -> None:
    assert most_alike(wanted, ["root", "fetch-api", "return", "log"]) == found


def test_the_most_alike_come_first_and_they_are_three() -> None:
    assert most_alike("step-10", ["x", "step-1", "step-10b", "step-100", "step-2"]) == [
        "step-10b",
        "step-100",
        "step-1",
    ]


@given(st.text("abcdef-", min_size=1, max_size=12), st.lists(st.text("abcdef-", max_size=12), max_size=8))
def test_it_finds_all_that_was_found_by_the_slow_way(wanted: str, texts: list[str]) -> None:
    slowly = [text for text in texts if SequenceMatcher(None, text, wanted).ratio() >= 0.6]
    assert set(slowly) <= set(most_alike(wanted, texts, most=len(texts)))


def test_what_is_compared_is_bounded_and_begins_with_what_begins_in_the_same_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compared: list[str] = []

    def counted(text: str, wanted: dict[str, int], length: int) -> int:
        compared.append(text)
        return in_common(text, wanted, length)

    monkeypatch.setattr(likeness, "in_common", counted)
    texts = ["".join(each) + "ab" * 44 for each in islice(product("ab", repeat=12), 4_000)]
    wanted = "bbb" + "ab" * 48 + "a"
    assert most_alike(wanted, texts)
    assert 0 < sum(map(len, compared)) <= likeness.COMPARED_CHARS < sum(map(len, texts))
    assert compared[0].startswith("bbb")
