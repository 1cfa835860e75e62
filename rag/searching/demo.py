"""An engine without a network: it finds the pages of a folder here, under addresses that lead nowhere else."""

from functools import cache
from pathlib import Path

from rag.fetching.fetching import Page
from rag.searching.search_engine import MOST_FOUND, TEXT_CHARS, Hit
from rag.texts.shortening import cut
from rag.texts.words import beginning, plain, search_words

#: Nobody can own a name that ends so (RFC 2606).
SITE = "https://pages.example/"
_FOLDER = Path(__file__).with_name("demo_pages")


class Demo:
    def search(self, query: str) -> list[Hit]:
        """The pages that have any of the words, those first that have most of them."""
        wanted = {beginning(word) for word in search_words(query)}
        counted = [(len(wanted & _words(page)), page) for page in pages().values()]
        found = sorted((each for each in counted if each[0]), key=lambda each: -each[0])[:MOST_FOUND]
        return [Hit(page.url, page.title, cut(" ".join(page.text.split()), TEXT_CHARS)) for _count, page in found]

    def page(self, url: str) -> Page | None:
        return pages().get(url.partition("#")[0])


def _words(page: Page) -> set[str]:
    return {beginning(word) for word in plain(f"{page.title} {page.text}").split()}


@cache
def pages() -> dict[str, Page]:
    """The pages by their addresses: of each file the first line is the title."""
    found = {}
    for file in sorted(_FOLDER.glob("*.md")):
        title, _newline, text = file.read_text("utf-8").partition("\n")
        url = f"{SITE}{file.stem}"
        found[url] = Page(url, title.removeprefix("# "), text.strip())
    return found
