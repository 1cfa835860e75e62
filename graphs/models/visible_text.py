"""Texts of one line that people are to see."""

import unicodedata

#: What is drawn as nothing though Unicode counts it as a letter, a mark or a symbol.
_DRAWN_AS_NOTHING = {
    *"\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0",
    *map(chr, range(0xFE00, 0xFE10)),
    *map(chr, range(0xE0100, 0xE01F0)),
}


def is_blank(text: str) -> bool:
    """Whether nothing of a text can be seen: it has spaces, control characters and invisible ones alone."""
    return all(map(_is_unseen, text))


def _is_unseen(char: str) -> bool:
    return char.isspace() or unicodedata.category(char) in ("Cc", "Cf") or char in _DRAWN_AS_NOTHING


def one_line(text: str) -> str:
    """The text with a space in the place of each break of a line."""
    lines = text.splitlines()
    return text if lines == [text] else " ".join(filter(None, lines))
