import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphs.history import code_diff
from graphs.history.code_diff import lines, visible
from graphs.history.diffs import diff_of
from graphs.objects.operations import Update
from graphs.objects.refs import Ref

texts = st.lists(st.sampled_from(["a", "b", "", "return x", "x\r", "é"]), max_size=12).map("\n".join)


def shown(old: str, new: str, context: int | None = 3) -> list[str]:
    return [f"{line.op}{line.text}" for line in lines(old, new, context)]


def test_a_changed_line_is_removed_and_added() -> None:
    assert shown("a\nb\nc", "a\nB\nc") == [" a", "-b", "+B", " c"]


def test_lines_have_their_numbers_in_both_texts() -> None:
    found = lines("a\nb\nc\n", "new\na\nc\n")
    assert [(line.op, line.old, line.new) for line in found] == [
        ("+", None, 1), (" ", 1, 2), ("-", 2, None), (" ", 3, 3)
    ]  # fmt: skip
    assert found[0].to_json() == {"op": "+", "new": 1, "text": "new"}


def test_only_the_neighbourhood_of_a_change_is_kept() -> None:
    old = "\n".join(map(str, range(100)))
    new = old.replace("50", "fifty")
    assert shown(old, new) == [" 47", " 48", " 49", "-50", "+fifty", " 51", " 52", " 53"]
    assert len(lines(old, new, context=None)) == 101


@pytest.mark.parametrize(
    ("old", "new", "expected"), [("", "a\n", ["+a"]), ("a", "", ["-a"]), ("", "", []), ("\n", "", ["-"])]
)
def test_texts_that_are_empty(old: str, new: str, expected: list[str]) -> None:
    assert shown(old, new) == expected


@given(texts, texts)
def test_the_lines_are_both_texts(old: str, new: str) -> None:
    found = lines(old, new, context=None)
    assert [line.text for line in found if line.op != "+"] == [visible(line) for line in code_diff._split(old)]
    assert [line.text for line in found if line.op != "-"] == [visible(line) for line in code_diff._split(new)]
    assert [line.old for line in found if line.old] == list(range(1, len(code_diff._split(old)) + 1))
    assert [line.new for line in found if line.new] == list(range(1, len(code_diff._split(new)) + 1))


def test_a_hostile_text_is_not_compared_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines that stand often in both would be compared each with each."""
    asked: list[int] = []
    matcher = difflib.SequenceMatcher

    def counted(junk: None, a: list[str], b: list[str], autojunk: bool) -> "difflib.SequenceMatcher[str]":
        asked.append(len(a) * len(b))
        return matcher(junk, a, b, autojunk)

    monkeypatch.setattr(difflib, "SequenceMatcher", counted)
    old = "\n".join(["x", "y"] * 5_000)
    found = lines(old, "\n".join(["y", "x", "x"] * 5_000))
    assert len(found) == 25_000
    assert max(asked, default=0) <= code_diff.MOST_PAIRS
    # Ties make many stretches of it, of which each could be compared; so could each field of a diff.
    asked.clear()
    short = [["x", "y"] * 200, ["y", "x", "x"] * 130]
    old, new = ("\n".join(f"tie {n}\n" + "\n".join(part) for n in range(40)) for part in short)
    item = Ref("node", "root")
    diff_of([Update(item, {"process": old, "data": {"a": 1}}, {"process": new, "data": {"a": 2}}) for _ in range(3)])
    assert 0 < sum(asked) <= code_diff.MOST_PAIRS_OF_ALL
    assert all(asked)


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("if admin:\u202e # x", "if admin:⟦U+202E⟧ # x"),
        ("a\u200bb", "a⟦U+200B⟧b"),
        ("a\u00a0b", "a⟦U+00A0⟧b"),
        ("end\r", "end⟦U+000D⟧"),
        ("\x1b[2K", "⟦U+001B⟧[2K"),
        ("\u3164", "⟦U+3164⟧"),
        ("\U000e0041", "⟦U+E0041⟧"),
        ("a\ufe0f", "a⟦U+FE0F⟧"),
        ("été → 漢字\tx\n", "été → 漢字\tx\n"),
    ],
)
def test_what_would_not_be_seen_is_made_visible(text: str, seen: str) -> None:
    assert visible(text) == seen
