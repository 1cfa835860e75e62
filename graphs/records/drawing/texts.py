"""How wide texts are, and texts cut to a width. The figures are those of Helvetica, Arial and Liberation Sans."""

import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate, pairwise

FAMILY = "Liberation Sans, Arial, Helvetica, Noto Sans, sans-serif"
#: Letters by their width, in thousandths of the size of the font.
_LETTERS = {
    191: "'",
    222: "ijl‘’ł",
    260: "|",
    278: " !,./:;I[\\]ft·",
    333: "()-`r“”¡",
    334: "{}",
    350: "•",
    355: '"',
    389: "*",
    400: "°",
    469: "^",
    500: "Jcksvxyz",
    556: "#$0123456789?L_abdeghnopqu–«»Ł€",
    584: "+<=>~×",
    611: "FTZßø¿",
    667: "&ABEKPSVXY",
    722: "CDHNRUw",
    778: "GOQØ",
    833: "Mm",
    889: "%æ",
    944: "Wœ",
    1000: "…—ŒÆ",
    1015: "@",
}
_WIDTHS = {letter: width for width, letters in _LETTERS.items() for letter in letters}
#: About as wide as letters of other alphabets are in such fonts, those of Hebrew and Arabic last.
_CAPITAL, _LETTER, _FROM_RIGHT = 650, 560, 450
_EM = 1000
#: Letters that stand on others, or are not seen.
_ON_OTHERS = ("Mn", "Me", "Cf")
_JOINER = "\u200d"


def width(text: str, size: float) -> float:
    """The width of a text in a font of this size."""
    return sum(_widths(text)) * size / _EM


def cut(text: str, size: float, most: float) -> str:
    """The text, or as much of its beginning as is no wider than this, with an ellipsis.

    Marks that belong to a letter that is cut off go with it.
    """
    if width(text, size) <= most:
        return text
    ends = list(accumulate(_widths(text)))
    kept = text[: max(bisect_right(ends, most * _EM / size - _width("…")), 1)]
    while len(kept) > 1 and (unicodedata.combining(text[len(kept)]) or _JOINER in kept[-1] + text[len(kept)]):
        kept = kept[:-1]
    return f"{kept.rstrip()}…"


def _widths(text: str) -> Iterator[int]:
    """The widths of letters; what is joined to another picture shows one with it."""
    for before, letter in pairwise(f" {text}"):
        is_joined = before == _JOINER and unicodedata.east_asian_width(letter) == "W"
        yield 0 if is_joined else _width(letter)


def _width(letter: str) -> int:
    if known := _WIDTHS.get(letter):
        return known
    if unicodedata.category(letter) in _ON_OTHERS:
        return 0
    if letter.isspace():
        return _WIDTHS[" "]
    if unicodedata.east_asian_width(letter) in ("W", "F"):
        return _EM
    plain = unicodedata.normalize("NFD", letter)[0]
    if plain != letter:
        return _width(plain)
    if unicodedata.bidirectional(letter) in ("R", "AL"):
        return _FROM_RIGHT
    return _CAPITAL if letter.isupper() else _LETTER
