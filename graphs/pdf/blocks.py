"""What a document consists of: blocks of text, each with its direction and script for whoever sets them."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["speaker", "heading", "text", "item", "code", "quote", "note"]
Style = Literal["", "strong", "emph", "code"]
#: Characters of one block: a longer text becomes several.
MOST_CHARS = 20_000
#: Letters by which Chinese characters are known to be of one language; their forms differ.
_KANA, _HANGUL = re.compile("[\u3040-\u30ff]"), re.compile("[\u1100-\u11ff\uac00-\ud7af]")
#: Spreadsheets and terminals have them, and no font.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f\u2028\u2029\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class Block:
    """`level` is that of a heading, or how deep an item is in lists; `marker` stands before an item."""

    kind: Kind
    runs: tuple[tuple[str, Style], ...]
    level: int = 0
    marker: str = ""

    @property
    def text(self) -> str:
        return "".join(text for text, _style in self.runs)

    def to_json(self) -> dict[str, Any]:
        """The block with the direction of its first letter and the language of its Chinese characters."""
        return {
            "kind": self.kind,
            "runs": [[_CONTROL.sub("", text), style] for text, style in self.runs],
            "level": self.level,
            "marker": self.marker,
            "rtl": self.kind != "code" and _is_right_to_left(self.text),
            "script": "kr" if _HANGUL.search(self.text) else "jp" if _KANA.search(self.text) else "sc",
        }


def plain(kind: Kind, text: str) -> Iterator[Block]:
    """A text as it is, in blocks that are no longer than one may be; paragraphs are blocks of their own.

    Empty ones are none: whoever sets them leaves room between paragraphs.
    """
    for paragraph in [text] if kind == "code" else text.split("\n"):
        for begin in range(0, len(paragraph), MOST_CHARS):
            yield Block(kind, ((paragraph[begin : begin + MOST_CHARS], ""),))


def _is_right_to_left(text: str) -> bool:
    """By the first letter that has a direction."""
    for letter in text:
        direction = unicodedata.bidirectional(letter)
        if direction in ("L", "R", "AL"):
            return direction != "L"
    return False
