"""The search engine of this site, as its environment names it."""

from django.conf import settings

from rag.searching.demo import Demo
from rag.searching.engines import TAVILY, SearxNG, Tavily
from rag.searching.search_engine import SearchEngine


def search_engine() -> SearchEngine | None:
    """The engine that is asked; None without one, or where something is missing (`problem`)."""
    if problem():
        return None
    match settings.SEARCH_PROVIDER:
        case "searxng":
            return SearxNG(settings.SEARCH_BASE_URL, settings.SEARCH_API_KEY)
        case "tavily":
            return Tavily(settings.SEARCH_BASE_URL or TAVILY, settings.SEARCH_API_KEY)
        case "demo":
            return Demo()
        case _:
            return None


def problem() -> str:
    """The name of a variable that the engine needs and that has no value; "" if it can be asked."""
    if settings.SEARCH_PROVIDER == "searxng" and not settings.SEARCH_BASE_URL:
        return "SEARCH_BASE_URL"
    if settings.SEARCH_PROVIDER == "tavily" and not settings.SEARCH_API_KEY:
        return "SEARCH_API_KEY"
    return ""
