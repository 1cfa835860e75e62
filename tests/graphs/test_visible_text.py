import pytest

from graphs.models.visible_text import is_blank, one_line


@pytest.mark.parametrize(
    "text",
    ["", " ", "\t\n", "\u200b", "\u200b\u200c\u200d\u2060\ufeff", "\u00a0\u202f", "\u3164", "\u2800", "\x01", "\ufe0f"],
)
def test_what_nobody_sees_is_blank(text: str) -> None:
    assert is_blank(text)


@pytest.mark.parametrize("text", ["a", "\u200ba", "日", "👩\u200d👩", "❤\ufe0f", "-", "\u0301", "\ue000"])
def test_what_somebody_sees_is_not(text: str) -> None:
    assert not is_blank(text)


@pytest.mark.parametrize(
    ("text", "line"),
    [("a\nb", "a b"), ("a\r\n\r\nb\n", "a b"), ("a\u2028b", "a b"), (" a  b ", " a  b "), ("", ""), ("\n", "")],
)
def test_breaks_of_lines_become_spaces(text: str, line: str) -> None:
    assert one_line(text) == line
