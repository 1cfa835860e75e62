"""Reads a page of the web: every address on the way is checked, and all of it ends after a time."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import httpcore2

from rag.fetching import bodies, targets, texts
from rag.fetching.connecting import CheckedBackend, Network, broken, too_slow
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
    "Accept-Encoding": "gzip, deflate",
    "Connection": "close",
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
    pool = httpcore2.ConnectionPool(
        ssl_context=network.tls() if target.scheme == "https" else None,
        max_connections=1,
        http2=False,
        network_backend=CheckedBackend(network, deadline),
    )
    asked = httpcore2.URL(scheme=target.scheme, host=target.host, port=target.port, target=target.asked)
    headers = {"Host": target.authority} | _HEADERS
    with _as_refusals(), pool, pool.stream("GET", asked, headers=list(headers.items())) as response:
        said = _headers(response)
        if response.status in _REDIRECTS and "location" in said:
            return targets.redirected(target, said["location"])
        if response.status != _OK:
            raise FetchRefused("status", f"The host answers with the status {response.status}.")
        response.extensions["network_stream"].let_body_come()
        kind = bodies.content_type(said)
        body = bodies.read(response.iter_stream(), said)
    return _page(target, kind, bodies.decoded(body, said), deadline)


def _page(target: Target, kind: str, text: str, deadline: float) -> Page:
    title, plain = texts.of_html(text, deadline) if kind in bodies.HTML else ("", texts.tidy(text))
    if not plain:
        raise FetchRefused("content_type", "The page has no text.")
    return Page(target.url, title, plain)


def _headers(response: httpcore2.Response) -> Mapping[str, str]:
    """The first header of each name; what is not ASCII is read as UTF-8, as browsers do."""
    found: dict[str, str] = {}
    for name, value in response.headers:
        found.setdefault(name.decode("latin-1").lower(), value.decode("utf-8", "replace"))
    return found


@contextmanager
def _as_refusals() -> Iterator[None]:
    try:
        yield
    except httpcore2.TimeoutException:
        raise too_slow() from None
    except (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.UnsupportedProtocol):
        raise broken() from None
