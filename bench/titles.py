"""Links between passages: one names the title of another. Used by `bench.retrieval_quality`."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

_SUFFIX = re.compile(r"\s*\([^()]*\)$")
_WORDS = re.compile(r"\w+|[^\w\s]")


def without_suffix(title: str) -> str:
    """`Lilu (mythology)` is called Lilu."""
    return _SUFFIX.sub("", title) or title


def links_by_title(titles: Sequence[str], texts: Sequence[str]) -> list[list[int]]:
    """For each passage those that it names and those that name it, the former first."""
    names = _Names(titles)
    named = [sorted({other for other in names.in_text(text) if other != place}) for place, text in enumerate(texts)]
    links = [dict.fromkeys(others) for others in named]
    for place, others in enumerate(named):
        for other in others:
            links[other].setdefault(place)
    return [list(others) for others in links]


class _Names:
    """Titles by their words."""

    def __init__(self, titles: Sequence[str]) -> None:
        self.places: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
        self.longest: defaultdict[str, int] = defaultdict(int)
        for place, title in enumerate(titles):
            words = tuple(_WORDS.findall(without_suffix(title)))
            if words:
                self.places[words].append(place)
                self.longest[words[0]] = max(self.longest[words[0]], len(words))

    def in_text(self, text: str) -> Iterator[int]:
        """The titles that stand in a text word for word; the longest where several begin."""
        words = _WORDS.findall(text)
        at = 0
        while at < len(words):
            furthest = min(at + self.longest.get(words[at], 0), len(words))
            ends = (end for end in range(furthest, at, -1) if tuple(words[at:end]) in self.places)
            end = next(ends, at)
            yield from self.places.get(tuple(words[at:end]), ())
            at = max(end, at + 1)
