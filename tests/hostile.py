"""What a model that attacks its reader writes, and how a test sees whether an attack had any effect.

`fixtures/hostile_output.json` holds markdown by kind. In it `$RUN` is a script that leaves a mark on the window, and
`$EVIL` is the host and port of a foreign server, which here really listens and must never hear anything.
"""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, Page

_FILE = Path(__file__).parent / "fixtures" / "hostile_output.json"
RUN = "window.ran=1"
#: Everything that an answer may consist of, wherever it is shown.
ALLOWED_TAGS = {
    *("A", "ARTICLE", "BDI", "BLOCKQUOTE", "BR", "BUTTON", "CODE", "DEL", "DETAILS", "DIV", "EM", "FOOTER"),
    *("H3", "H4", "H5", "H6", "HR", "I", "INPUT", "LI", "OL", "P", "PRE", "SPAN", "STRONG", "SUMMARY", "TABLE"),
    *("TD", "TH", "TR", "UL", "path", "svg"),
}
#: The admin's pages show answers as HTML from the server.
ALLOWED_TAGS_OF_PAGES = ALLOWED_TAGS | {"H1", "H2", "HEADER", "S", "TBODY", "THEAD"}
#: What nothing that people or models write may bring onto any page.
LOADING_TAGS = {
    *("animate", "applet", "audio", "base", "embed", "foreignobject", "frame", "frameset", "iframe", "image"),
    *("math", "object", "portal", "set", "source", "track", "video"),
}
LINK_RELATION = {"noopener", "noreferrer", "nofollow"}
_OWN = re.compile("src=/[^/]")
_WATCH = """
window.violations = [];
document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
  window.violations.push(`${violatedDirective} ${blockedURI}`));
"""
_INSPECT = """([component, selector]) => {
  const root = component ? document.querySelector(component).shadowRoot : document;
  const found = [...root.querySelectorAll(selector)].flatMap((each) => [each, ...each.querySelectorAll("*")]);
  const shownBehind = (link) => (link.nextElementSibling?.matches(".host") ? link.nextElementSibling.textContent : "");
  const attributes = found.flatMap((each) => [...each.attributes].map(({ name, value }) => `${name}=${value}`));
  return {
    tags: [...new Set(found.map((each) => each.tagName))],
    acting: attributes.filter((each) => /^(on|srcdoc|src=|formaction|ping)/.test(each)),
    links: found.filter((each) => each.matches("a[href]"))
      .map((each) => [each.href, each.rel, each.target, each.textContent + shownBehind(each)]),
    ran: window.ran ?? null,
    violations: window.violations,
  };
}"""


def payloads(host: str) -> dict[str, list[str]]:
    """The attacks by kind, aimed at `host`."""
    written: dict[str, list[str]] = json.loads(_FILE.read_text())
    return {
        kind: [text.replace("$RUN", RUN).replace("$EVIL", host) for text in texts] for kind, texts in written.items()
    }


class _Recorder(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        assert isinstance(self.server, ForeignServer)
        page = self.server.pages.get(self.path)
        if page is None:
            self.server.seen.append(self.path)
        self.send_response(204 if page is None else 200)
        self.send_header("Access-Control-Allow-Origin", "*")
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write((page or "").encode())

    do_POST = do_HEAD = do_OPTIONS = do_GET

    def log_message(self, *_args: Any) -> None: ...


class ForeignServer(ThreadingHTTPServer):
    """`seen` are the paths that anybody asked for, except those of its own `pages`."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Recorder)
        self.seen: list[str] = []
        self.pages: dict[str, str] = {}

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.server_port}"


@contextmanager
def foreign_server() -> Iterator[ForeignServer]:
    with ForeignServer() as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()


class Watch:
    """Notes what a browser does beside showing its pages: dialogs, windows, requests to other hosts, errors."""

    def __init__(self, context: BrowserContext, url: str) -> None:
        self.noted: list[str] = []
        self._own = (url, url.replace("http", "ws", 1), "data:")
        context.add_init_script(_WATCH)
        context.on("request", lambda request: self._request(request.url))
        context.on("dialog", lambda dialog: (self.noted.append(f"dialog {dialog.message}"), dialog.dismiss()))
        context.on("weberror", lambda error: self.noted.append(f"error {error.error}"))
        context.on("console", lambda said: self.noted.append(said.text) if said.type == "error" else None)

    def _request(self, url: str) -> None:
        if not url.startswith(self._own):
            self.noted.append(f"request {url}")


def check_answers(page: Page, host: str) -> None:
    """Nothing in the answers of the open conversation acts, loads, or hides where it leads."""
    _check(page.evaluate(_INSPECT, ["chat-widget", ".assistant"]), host, allowed=ALLOWED_TAGS)


def check_page(page: Page, host: str, selector: str = "body", component: str = "", *, answers: bool = False) -> None:
    """The same for a part of the page, or of a component on it; `answers` says that it is only answers."""
    _check(page.evaluate(_INSPECT, [component, selector]), host, allowed=ALLOWED_TAGS_OF_PAGES if answers else None)


def _check(found: dict[str, Any], host: str, allowed: set[str] | None) -> None:
    assert found["ran"] is None, "a script ran"
    assert found["violations"] == [], "only the policy stopped it"
    assert [each for each in found["acting"] if not _OWN.match(each)] == []
    if allowed is None:
        assert {tag.lower() for tag in found["tags"]} & LOADING_TAGS == set()
    else:
        assert set(found["tags"]) <= allowed
    for href, relation, target, text in found["links"]:
        assert href.startswith(("http://", "https://", "mailto:")), f"{text!r} leads to {href!r}"
        if host in href:
            assert host in text, f"{href} is shown as {text!r}"
            assert set(relation.split()) >= LINK_RELATION, href
            assert target == "_blank", href
