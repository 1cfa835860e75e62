"""Keys for things whose names come from foreign files: readable, short, unique in their graph."""

import unicodedata
from collections.abc import Iterable

from django.utils.text import slugify

from graphs.models.objects import MAX_KEY

#: Characters that a number takes at most, with what separates it.
LONGEST_SUFFIX = 10


def slug(text: str, fallback: str) -> str:
    """A key made of a text: `HTTP Request` gives `http-request`; `fallback` where no letter or digit is left."""
    without_underscores = unicodedata.normalize("NFKD", text[: 4 * MAX_KEY]).replace("_", "-")
    return slugify(without_underscores)[:MAX_KEY].strip("-") or fallback


class UniqueTexts:
    """Hands out texts, each only once and none of the `taken`: a second `set` becomes `set-2`."""

    def __init__(self, taken: Iterable[str] = (), max_length: int = MAX_KEY, separator: str = "-") -> None:
        self._taken = set(taken)
        self._counts: dict[str, int] = {}
        self._max_length = max_length
        self._separator = separator

    def take(self, wanted: str) -> str:
        text = wanted
        # Long ones are cut for their number: those that are then alike are counted together, or each tries them all.
        stem = wanted[: max(1, self._max_length - LONGEST_SUFFIX)]
        while text in self._taken:
            self._counts[stem] = self._counts.get(stem, 1) + 1
            suffix = f"{self._separator}{self._counts[stem]}"
            text = wanted[: self._max_length - len(suffix)] + suffix
        self._taken.add(text)
        return text
