"""A tiny site for the drawing: one page with a `<graph-view>`, the static files, and graphs that a test sets up."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.browser import listener

STATIC = Path(__file__).parents[2] / "graphs" / "static"
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:"
TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Graph</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,"><link rel="stylesheet" href="/page.css">
<script type="module" src="/static/graphs/graph-view.js"></script></head>
<body><graph-view src="/graph.json" proposals="/proposals.json" ATTRIBUTES></graph-view></body></html>"""


@dataclass
class Site:
    """`graph` is what /graph.json answers, with `status`; `proposals` are those that wait; `attributes` more of it."""

    url: str = ""
    graph: dict[str, Any] = field(default_factory=dict)
    proposals: list[dict[str, Any]] = field(default_factory=list)
    status: int = 200
    attributes: str = ""

    def answer(self, path: str) -> tuple[int, str, bytes]:
        if path == "/":
            return 200, "text/html; charset=utf-8", PAGE.replace("ATTRIBUTES", self.attributes).encode()
        if path == "/page.css":
            return (
                200,
                "text/css",
                b"html, body { margin: 0; height: 100% } graph-view { display: block; height: 100vh }",
            )
        if path == "/graph.json":
            return self.status, "application/json", json.dumps(self.graph).encode()
        if path == "/proposals.json":
            return 200, "application/json", json.dumps({"results": self.proposals}).encode()
        file = STATIC / path.removeprefix("/static/")
        if path.startswith("/static/") and file.is_file():
            return 200, TYPES[file.suffix], file.read_bytes()
        return 404, "text/plain", b""


@contextmanager
def served() -> Iterator[Site]:
    site = Site()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, content_type, body = site.answer(self.path.partition("?")[0])
            self.send_response(status)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Security-Policy", POLICY)
            self.send_header("Cache-Control", "max-age=600" if self.path.startswith("/static/") else "no-store")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(listener().getsockname(), Handler, bind_and_activate=False)
    server.socket.close()
    server.socket = listener().dup()
    site.url = f"http://127.0.0.1:{listener().getsockname()[1]}/"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield site
    server.shutdown()
    thread.join()
    server.server_close()


def node(key: str, x: float, y: float, **changes: object) -> dict[str, Any]:
    """A node of the API with one handle on each side."""
    handles = {"R": [{"id": "out", "type": "out", "accept": "any"}], "L": [{"id": "in", "type": "in", "accept": "any"}]}
    plain: dict[str, Any] = {
        "key": key,
        "type": "api-call",
        "sheet": "main",
        "name": key.replace("-", " ").capitalize(),
        "process": "",
        "data": {},
        "handles": handles,
        "posX": x,
        "posY": y,
        "width": None,
        "height": None,
        "version": 1,
    }
    return plain | changes


def edge(source: str, target: str, **changes: object) -> dict[str, Any]:
    plain: dict[str, Any] = {
        "key": f"{source}-{target}",
        "source": source,
        "sourceHandle": "out",
        "target": target,
        "targetHandle": "in",
        "label": "",
        "sheet": "main",
        "version": 1,
    }
    return plain | changes


def graph(nodes: list[dict[str, Any]], edges: list[dict[str, Any]] | None = None, **changes: object) -> dict[str, Any]:
    sheets = [{"key": "main", "name": "Main"}, {"key": "stats", "name": "Statistics"}]
    plain: dict[str, Any] = {"key": "players", "name": "Players", "version": 1, "sheets": sheets, "nodeTypes": []}
    return plain | {"nodes": nodes, "edges": edges or []} | changes


def players() -> dict[str, Any]:
    """Four nodes and a note on one sheet, one node on another."""
    code = 'async function load() {\n  return fetch("https://example.com"); // all of them\n}'
    nodes = [
        node("start", 0, 0, type="starter"),
        node("fetch-api", 300, 0, process=code, data={"retries": 3, "headers": {"Accept": "application/json"}}),
        node("filter", 600, -100),
        node("error-log", 600, 100),
        node("reminder", 0, 200, type="note", data={"content": "## To do\nAdd a **retry**."}, width=260, height=120),
        node(
            "sort", 0, 0, sheet="stats", process="def main(rows):\n    return sorted(rows)", data={"language": "python"}
        ),
    ]
    edges = [
        edge("start", "fetch-api"),
        edge("fetch-api", "filter", label="players"),
        edge("fetch-api", "error-log", sourceHandle="error", targetHandle=""),
        edge("filter", "sort", sheet="stats"),
    ]
    api_call = {
        "key": "api-call",
        "displayName": "API call",
        "description": "Calls an API.",
        "category": "http",
        "icon": "",
        "handles": {},
        "process": "",
    }
    return graph(nodes, edges, nodeTypes=[api_call])


def changed(type_: str, key: str, action: str, label: str = "", /, **fields: tuple[Any, Any]) -> dict[str, Any]:
    """An entry of a diff; fields are (old, new)."""
    forms = {"posX": "number", "posY": "number", "data": "json", "handles": "json", "sheet": "key", "process": "code"}
    return {
        "object": {"type": type_, "id": key},
        "label": label or key,
        "action": action,
        "fields": [
            {"field": name, "label": name, "form": forms.get(name, "text"), "old": old, "new": new}
            for name, (old, new) in fields.items()
        ],
    }


def added(key: str, x: float, y: float, **changes: object) -> dict[str, Any]:
    record = {name: value for name, value in node(key, x, y, **changes).items() if name not in ("key", "version")}
    return changed("node", key, "create", record["name"], **{name: (None, value) for name, value in record.items()})


def connected(source: str, target: str) -> dict[str, Any]:
    record = {name: value for name, value in edge(source, target).items() if name not in ("key", "version")}
    label = f"{source} → {target}"
    return changed(
        "edge", f"{source}-{target}", "create", label, **{name: (None, value) for name, value in record.items()}
    )


def proposal(id_: str, *diff: dict[str, Any], reason: str = "") -> dict[str, Any]:
    return {"id": id_, "status": "pending", "tool": "propose_batch", "reason": reason, "diff": list(diff)}
