"""The demo's own sentences (`phrases.toml`), and how it writes what others wrote. Called by the other modules."""

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from chat.providers.demo.intents import Language

#: Entries of one list, characters of one value and lines of one code.
MAX_LISTED = 50
MAX_CHARS = 200
MAX_LINES = 12
_TABLE = tomllib.loads(Path(__file__).with_name("phrases.toml").read_text("utf-8"))


class Phrases:
    """Sentences in one language."""

    def __init__(self, language: Language) -> None:
        self._table = _TABLE[language]

    def __call__(self, phrase: str, /, **parts: object) -> str:
        return self._table[phrase].format(**parts)

    def __contains__(self, name: str) -> bool:
        return name in self._table

    def listed(self, parts: Sequence[str], total: int = 0) -> str:
        """ "A, B and C", and how many more there are."""
        shown = [*parts[:MAX_LISTED], *self._more(parts, total)]
        return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} {self('and')} {shown[-1]}"

    def lines(self, parts: Sequence[str], total: int = 0) -> str:
        """Each on a line of a list, and how many more there are."""
        return "\n".join(f"- {part}" for part in [*parts[:MAX_LISTED], *self._more(parts, total)])

    def _more(self, parts: Sequence[str], total: int) -> list[str]:
        more = max(total, len(parts)) - min(len(parts), MAX_LISTED)
        return [self("more", count=more)] if more > 0 else []

    def code(self, text: str) -> str:
        """The beginning of some code, in a fence that it cannot end."""
        lines = text.strip().splitlines()
        fence = "`" * max(3, 1 + max(map(len, re.findall(r"`+", text)), default=0))
        heading = self("code" if len(lines) <= MAX_LINES else "code_begins")
        return "\n".join([heading, "", f"{fence}js", *lines[:MAX_LINES], fence])


def plain(value: Any) -> str:
    """A value on one line, without what Markdown would read as its own."""
    text = value if isinstance(value, str) else "" if value is None else str(value)
    text = " ".join(re.sub(r"[`*_\[\]<>{}|\\]", " ", text).split()) if re.search(r"[`*\[\]<>{}|\\\s]", text) else text
    return text if len(text) <= MAX_CHARS else f"{text[:MAX_CHARS]}…"


def paragraphs(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)
