"""Engines that speak as SearxNG or as Tavily do."""

from dataclasses import dataclass

from pydantic import BaseModel

from rag.fetching.fetching import Page
from rag.searching.asking import get, post
from rag.searching.search_engine import MOST_FOUND, Hit, hits_of

TAVILY = "https://api.tavily.com"


class _Result(BaseModel):
    url: str
    title: str | None = None
    content: str | None = None


class _Found(BaseModel):
    """Both answer in this shape, with more beside it."""

    results: list[_Result]

    def hits(self) -> list[Hit]:
        return hits_of([(each.url, each.title or "", each.content or "") for each in self.results])


@dataclass(frozen=True, slots=True)
class SearxNG:
    """`GET /search?format=json`, which its settings have to allow; a key is sent as a bearer token."""

    base_url: str
    api_key: str = ""

    def search(self, query: str) -> list[Hit]:
        headers = {"Authorization": f"Bearer {self.api_key}"} if self.api_key else {}
        asked = {"q": query, "format": "json"}
        return get(_Found, f"{self.base_url.rstrip('/')}/search", asked, headers).hits()

    def page(self, url: str) -> Page | None:
        return None


@dataclass(frozen=True, slots=True)
class Tavily:
    """`POST /search` with a bearer token."""

    base_url: str
    api_key: str

    def search(self, query: str) -> list[Hit]:
        headers = {"Authorization": f"Bearer {self.api_key}"}
        asked = {"query": query, "max_results": MOST_FOUND}
        return post(_Found, f"{self.base_url.rstrip('/')}/search", asked, headers).hits()

    def page(self, url: str) -> Page | None:
        return None
