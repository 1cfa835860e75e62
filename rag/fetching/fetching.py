"""Reads a page of the web: every address on the way is checked, and all of it ends after a time."""

import time
from dataclasses import dataclass

from rag.fetching import bodies, targets, texts
from rag.fetching.connecting import CheckedBackend, Network
from rag.fetching.exchange import Request, answer_to
from rag.fetching.refusals import FetchRefused
from rag.fetching.rules import Rules
from rag.fetching.targets import Target

#: For everything: looking up, connecting, every redirect, the whole body, reading it.
SECONDS = 20.0
MOST_REDIRECTS = 5
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_OK = 200
_INTERNET = Network()
_HEADERS = {
    "User-Agent": "Countersign/1 (reads pages that people ask for)",
    "Accept": "text/html, application/xhtml+xml, text/plain, text/markdown, application/json;q=0.8, text/*;q=0.5",
}


@dataclass(frozen=True, slots=True)
class Page:
    """A page as text; `url` is where it was found in the end."""

    url: str
    title: str
    text: str


def fetch(url: str, rules: Rules, network: Network = _INTERNET, seconds: float = SECONDS) -> Page:
    """The page at an address. Raises `FetchRefused`; then nothing else than public hosts on the way was asked."""
    deadline = time.monotonic() + seconds
    target = targets.parse(url)
    for _ in range(MOST_REDIRECTS + 1):
        rules.check(target.host)
        answer = _ask(target, deadline, network)
        if isinstance(answer, Page):
            return answer
        target = answer
    raise FetchRefused("redirects", f"The address leads on more than {MOST_REDIRECTS} times.")


def _ask(target: Target, deadline: float, network: Network) -> Page | Target:
    """What the host answers: the page, or where else to ask."""
    headers = {"Host": target.authority} | _HEADERS
    request = Request("GET", target.scheme, target.host, target.port, target.asked, headers)
    with answer_to(request, network, CheckedBackend(network, deadline)) as answer:
        if answer.status in _REDIRECTS and "location" in answer.headers:
            return targets.redirected(target, answer.headers["location"])
        if answer.status != _OK:
            raise FetchRefused("status", f"The host answers with the status {answer.status}.")
        kind = bodies.content_type(answer.headers)
        body = answer.body()
    return _page(target, kind, bodies.decoded(body, answer.headers), deadline)


def _page(target: Target, kind: str, text: str, deadline: float) -> Page:
    title, plain = texts.of_html(text, deadline) if kind in bodies.HTML else ("", texts.tidy(text))
    if not plain:
        raise FetchRefused("content_type", "The page has no text.")
    return Page(target.url, title, plain)
