"""What a search engine is."""

from dataclasses import dataclass
from typing import Protocol

from rag.fetching.fetching import Page
from rag.fetching.refusals import FetchRefused
from rag.fetching.targets import parse
from rag.fetching.texts import tidy
from rag.texts.shortening import cut

MOST_FOUND = 10
QUERY_CHARS = 400
TITLE_CHARS = 200
TEXT_CHARS = 500


@dataclass(frozen=True, slots=True)
class Hit:
    """A page that an engine found, with what it says of it."""

    url: str
    title: str
    text: str


class SearchFailed(Exception):
    """The engine gave no answer that can be used; the text says what is wrong, and quotes nothing of it."""


class SearchEngine(Protocol):
    def search(self, query: str) -> list[Hit]:
        """At most `MOST_FOUND` pages, the best first. Raises `SearchFailed`."""

    def page(self, url: str) -> Page | None:
        """A page that the engine keeps itself; None for all others."""


def hits_of(found: list[tuple[str, str, str]]) -> list[Hit]:
    """The pages among `(url, title, text)` that can be read, as plain text that fits."""
    hits: list[Hit] = []
    for url, title, text in found:
        try:
            hit = Hit(parse(url).url, *_plain(title, text))
        except FetchRefused:
            continue
        if hit.url not in {each.url for each in hits}:
            hits.append(hit)
        if len(hits) == MOST_FOUND:
            break
    return hits


def _plain(title: str, text: str) -> tuple[str, str]:
    one_line = (" ".join(tidy(each).split()) for each in (title, text))
    return cut(next(one_line), TITLE_CHARS), cut(next(one_line), TEXT_CHARS)
