import pytest

from graphs.admin.side_by_side import MOST_ROWS, Row, side_by_side


def shown(rows: list[Row]) -> list[str]:
    """ "old | new" of every row, with what is marked in brackets."""

    def text(row: Row, side: str) -> str:
        found = getattr(row, side)
        return "".join(f"[{part.text}]" if part.marked else part.text for part in found.parts) if found else "-"

    return [f"… {row.folded}" if row.folded else f"{text(row, 'old')} | {text(row, 'new')}" for row in rows]


def test_what_changed_in_a_line_is_marked_from_the_first_word_to_the_last() -> None:
    assert shown(side_by_side("return fetch(url)", "return await fetch(url, 3)")) == [
        "return [fetch(url]) | return [await fetch(url, 3])"
    ]


def test_lines_that_went_stand_beside_those_that_came() -> None:
    assert shown(side_by_side("a\nb\nc\nd", "a\nx\nd")) == ["a | a", "[b] | [x]", "[c] | -", "d | d"]


def test_lines_are_numbered_on_both_sides() -> None:
    rows = side_by_side("a\nb", "new\na\nb")
    assert [(row.old and row.old.number, row.new and row.new.number) for row in rows] == [(None, 1), (1, 2), (2, 3)]


@pytest.mark.parametrize(("old", "new", "expected"), [("", "a", ["- | [a]"]), ("a", "", ["[a] | -"]), ("", "", [])])
def test_a_side_that_is_not_there_is_empty(old: str, new: str, expected: list[str]) -> None:
    assert shown(side_by_side(old, new)) == expected


def test_what_stayed_is_folded_and_counted() -> None:
    old = "\n".join(map(str, range(100)))
    rows = side_by_side(old, old.replace("50", "fifty"))
    assert shown(rows) == [
        "… 47", "47 | 47", "48 | 48", "49 | 49", "[50] | [fifty]", "51 | 51", "52 | 52", "53 | 53", "… 46"
    ]  # fmt: skip
    assert len(side_by_side(old, old.replace("50", "fifty"), whole=True)) == 100


def test_a_long_text_ends_somewhere_and_tells_how_much_there_is() -> None:
    rows = side_by_side("", "\n".join(map(str, range(10_000))))
    assert len(rows) == MOST_ROWS + 1
    assert rows[-1].folded == 10_000 - MOST_ROWS
    assert len(side_by_side("", "\n".join(map(str, range(10_000))), whole=True)) == 10_000


def test_invisible_characters_are_seen() -> None:
    assert shown(side_by_side("admin", "admin\u202e")) == ["admin | admin[⟦U+202E⟧]"]
