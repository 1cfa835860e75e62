"""Search engines as they answer, and as they do not; where one cannot be asked, no model is offered the web."""

import gzip
import json
import socket
import threading
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest

from chat.checks import problems
from chat.prompts.system import system_prompt
from chat.subjects.subject import Subject
from chat.subjects.tools import specs
from graphs.models import Role
from rag.checks import search_engine_is_usable
from rag.fetching.fetching import Page
from rag.fetching.targets import parse
from rag.searching import asking, configured, search_engine
from rag.searching.demo import Demo, pages
from rag.searching.search_engine import MOST_FOUND, Hit, SearchFailed
from tests.rag.fetching.stage import Act, Site, leads_to, says, site
from tests.seeded import world

ASKED = "/search?q=two+words&format=json"
RESULTS = [
    {"url": "https://example.org/a", "title": " A\n<b>title</b> ", "content": "Some\u200b text", "score": 0.9},
    {"url": "https://example.org/a#again", "title": "Twice", "content": None},
    {"url": "http://localhost/", "title": "Inside", "content": "x"},
    {"url": "javascript:alert(1)", "title": "No page", "content": "x"},
    {"url": "https://example.org/b", "title": None, "content": "x" * 5_000},
]


@pytest.fixture
def stage() -> Iterator[Site]:
    with site() as stage:
        yield stage


def answers(results: Any = RESULTS) -> Act:
    return says(json.dumps({"query": "two words", "results": results}).encode(), kind="application/json")


def padded_json(size: int) -> bytes:
    """An answer that finds nothing, with so many characters besides."""
    return json.dumps({"results": [], "query": "0" * size}).encode()


def padded(size: int) -> Act:
    return says(padded_json(size), kind="application/json")


def packed(body: bytes, *, twice: bool = False) -> Act:
    """As a body packed by gzip, or packed again."""
    names = "gzip, gzip" if twice else "gzip"
    body = gzip.compress(gzip.compress(body) if twice else body)
    return says(body, f"Content-Encoding: {names}", kind="application/json")


def searxng(stage: Site, settings: Any) -> Any:
    settings.SEARCH_PROVIDER, settings.SEARCH_BASE_URL = "searxng", f"http://127.0.0.1:{stage.port}/"
    return configured.search_engine()


def test_searxng_is_asked_as_it_wants_to_be(stage: Site, settings: Any) -> None:
    stage.pages[ASKED] = answers()
    found = searxng(stage, settings).search("two words")
    assert found[0] == Hit("https://example.org/a", "A <b>title</b>", "Some text")
    assert [hit.url for hit in found] == ["https://example.org/a", "https://example.org/b"]
    assert len(found[1].text) <= 501
    assert "authorization" not in stage.asked[0].lower()


def test_tavily_is_asked_as_it_wants_to_be(stage: Site, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.SEARCH_PROVIDER, settings.SEARCH_API_KEY = "tavily", "tvly-canary"
    settings.SEARCH_BASE_URL = f"http://127.0.0.1:{stage.port}"
    stage.pages["/search"] = answers([{"url": f"https://example.org/{n}", "title": "T"} for n in range(30)])
    engine = configured.search_engine()
    assert engine is not None
    looked_at = []
    monkeypatch.setattr(search_engine, "parse", lambda url: looked_at.append(url) or parse(url))
    assert len(engine.search("two words")) == len(looked_at) == MOST_FOUND
    assert stage.asked[0].startswith("POST /search")
    assert "authorization: bearer tvly-canary" in stage.asked[0].lower()


@pytest.mark.parametrize(
    ("act", "why"),
    [
        (says(b"", status="500 Oh"), "does not answer"), (says(b"", status="401 No"), "refuses this site's key"),
        (says(b"", status="429 Slow"), "too often"),
        (says(b"<html>"), "does not answer"),
        (answers("none"), "does not answer"),
        (answers([{"title": "No address"}]), "does not answer"), (lambda client: client.close(), "cannot be reached"),
        (leads_to("http://127.0.0.1/elsewhere"), "does not answer"), (padded(3_000_000), "does not answer"),
        (packed(padded_json(10), twice=True), "does not answer"),
    ],
)  # fmt: skip
def test_what_is_no_answer_is_told_without_a_word_of_it(stage: Site, settings: Any, act: Act, why: str) -> None:
    stage.pages[ASKED] = act
    with pytest.raises(SearchFailed, match=why):
        searxng(stage, settings).search("two words")
    assert len(stage.asked) == 1


@pytest.mark.parametrize(
    ("at_once", "drop"),
    [(b"", b""), (b"HTTP/1.1 200 OK\r\nX: ", b"x"), (b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n", b" ")],
    ids=["says nothing", "headers", "body"],
)
def test_an_engine_that_drips_ends(
    stage: Site, settings: Any, monkeypatch: pytest.MonkeyPatch, at_once: bytes, drop: bytes
) -> None:
    """Whatever it drips: the time is that of all of it."""
    monkeypatch.setattr(asking, "SECONDS", 0.3)
    late, over = threading.Event(), threading.Event()

    def drips(client: socket.socket) -> None:
        client.sendall(at_once)
        while not over.wait(0.02):
            client.sendall(drop)

    def end_it() -> None:
        late.set()
        over.set()

    stage.pages[ASKED] = drips
    cut = threading.Timer(10, end_it)
    cut.start()
    with pytest.raises(SearchFailed, match="cannot be reached"):
        searxng(stage, settings).search("two words")
    cut.cancel()
    over.set()
    assert not late.is_set()


@pytest.mark.parametrize("host", ["é..example", f"é.{'a' * 64}.example"])
def test_a_host_that_cannot_be_is_not_reached(settings: Any, host: str) -> None:
    settings.SEARCH_PROVIDER, settings.SEARCH_BASE_URL = "searxng", f"http://{host}"
    found = configured.search_engine()
    assert found is not None
    with pytest.raises(SearchFailed, match="cannot be reached"):
        found.search("two words")


def test_an_answer_that_unpacks_to_more_is_read_no_further(stage: Site, settings: Any) -> None:
    stage.pages[ASKED] = packed(padded_json(30_000_000))
    tracemalloc.start()
    try:
        with pytest.raises(SearchFailed, match="does not answer"):
            searxng(stage, settings).search("two words")
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


def test_an_answer_may_come_packed(stage: Site, settings: Any) -> None:
    stage.pages[ASKED] = packed(json.dumps({"results": RESULTS}).encode())
    assert len(searxng(stage, settings).search("two words")) == 2
    assert "accept-encoding: gzip, deflate\r" in stage.asked[0].lower()


def test_no_proxy_of_the_environment_is_asked(stage: Site, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    stage.pages[ASKED] = answers()
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert len(searxng(stage, settings).search("two words")) == 2


def test_the_demo_finds_its_own_pages_and_reads_no_other() -> None:
    found = Demo().search("Which picking routes do warehouses plan?")
    assert found[0].url == "https://pages.example/picking-routes"
    assert Demo().search("zeppelins") == []
    assert Demo().page(f"{found[0].url}#part") == pages()[found[0].url]
    assert isinstance(Demo().page(found[0].url), Page)
    assert Demo().page("https://example.org/") is None


@pytest.mark.parametrize(
    ("provider", "missing"), [("searxng", "SEARCH_BASE_URL"), ("tavily", "SEARCH_API_KEY"), ("demo", ""), ("", "")]
)
def test_what_is_missing_is_said(settings: Any, provider: str, missing: str) -> None:
    settings.SEARCH_PROVIDER = provider
    found = [str(check.msg) for check in search_engine_is_usable()]
    assert [missing in sentence for sentence in found] == ([True] if missing else [])
    assert (configured.search_engine() is not None) == (provider == "demo")


@pytest.mark.django_db
def test_models_are_offered_the_web_and_told_of_it_where_there_is_an_engine(settings: Any) -> None:
    here = world()
    for provider, offered in (("", False), ("demo", True), ("searxng", False)):
        settings.SEARCH_PROVIDER = provider
        for role in Role:
            names = {spec.name for spec in specs(role, Subject())}
            assert ({"web_search", "web_extract"} <= names) is offered
        assert ("# The web" in system_prompt(here.nba, here.alice)) is offered
    assert any("SEARCH_BASE_URL" in sentence for sentence in problems())
