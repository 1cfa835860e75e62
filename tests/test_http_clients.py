"""Every place of the product that can open a connection of its own, and why it may.

An address that comes from a person, a model or a document is followed by `rag.fetching` alone.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
APPS = ("graphs", "rag", "chat", "config")
#: Modules that speak HTTP, or open sockets of any kind.
CLIENTS = frozenset(
    {"httpx", "httpx2", "httpcore", "httpcore2", "aiohttp", "requests", "urllib3", "urllib.request", "http.client"}
    | {"socket", "pycurl", "httplib2", "websockets", "websocket", "ftplib", "smtplib", "telnetlib", "xmlrpc.client"}
    | {"anyio", "trio", "twisted.web.client", "asyncio.open_connection", "asyncio.create_connection"}
    # The SDKs of the vendors, which ask any address that they are given.
    | {"openai", "anthropic"}
    # What asks any host that it is given: the fetcher checks each before, the search engine is the operator's.
    | {"rag.fetching.exchange"}
    | {"urllib.robotparser", "imaplib", "poplib", "nntplib", "dulwich", "treq", "tornado.httpclient"}
)
#: Calls that open connections without such an import.
CALLS = frozenset({"open_connection", "create_connection", "open_unix_connection", "urlopen", "urlretrieve"})
#: Calls that import what they are given.
LOADERS = frozenset({"import_module", "__import__", "import_string"})
ALLOWED = {
    "rag/fetching/connecting.py": "connects: for the one that follows addresses to checked ones only",
    "rag/fetching/exchange.py": "asks over what connecting.py gives it, and over nothing else; follows nothing",
    "rag/fetching/fetching.py": "the one that follows addresses: each is checked, after every redirect",
    "rag/searching/asking.py": "asks the search engine that the operator names, and follows nothing that it answers",
    "rag/embeddings/openai.py": "asks the vendor; its address is the operator's",
    "rag/embeddings/openai_answers.py": "tells the errors of the vendor's SDK apart",
    "chat/providers/openai.py": "asks the vendor; its address is the operator's",
    "chat/providers/anthropic.py": "asks the vendor; its address is the operator's",
    "chat/providers/streaming.py": "reads what the vendors' SDKs receive; their addresses are the operator's",
    "chat/providers/classifying.py": "tells the errors of the vendors' SDKs apart",
    "chat/engine/error_texts.py": "names a status by its constant",
    "chat/engine/runner.py": "the name of this machine",
    "chat/sockets/backpressure.py": "the buffers of connections that others opened",
    "chat/web/server.py": "the socket on which it listens",
    "graphs/site/valkey.py": "how long the client of Valkey waits; its address is the operator's",
    "config/fork_server.py": "hears from the supervisor, over a pair of sockets without an address",
    "config/forking.py": "asks a process of the supervisor, over a pair of sockets without an address",
    "config/listening.py": "asks this site on this machine whether it is ready",
    "config/postgres.py": "asks the embedded server on this machine whether it is ready",
    "config/startup.py": "looks whether the port to listen on is free",
    "config/valkey.py": "asks the embedded server on this machine whether it is ready",
}


def clients_in(source: str) -> Iterator[str]:
    """The clients that a module imports, and the calls that are one."""
    for node in ast.walk(ast.parse(source)):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module or "", *(f"{node.module}.{each.name}" for each in node.names)]
        elif isinstance(node, ast.Attribute):
            yield from {ast.unparse(node)} & CLIENTS
        elif isinstance(node, ast.Call):
            called = ast.unparse(node.func).rpartition(".")[2]
            if called in CALLS:
                yield called
            if called in LOADERS:
                names = [
                    each.value for each in node.args if isinstance(each, ast.Constant) and isinstance(each.value, str)
                ]
        for name in names:
            parts = name.split(".")
            yield from {".".join(parts[:length]) for length in range(1, len(parts) + 1)} & CLIENTS


def places() -> dict[str, set[str]]:
    files = (file for app in APPS for file in sorted((ROOT / app).rglob("*.py")))
    found = {str(file.relative_to(ROOT)): set(clients_in(file.read_text())) for file in files}
    return {place: clients for place, clients in found.items() if clients}


def test_every_client_is_named_with_its_reason() -> None:
    for place, clients in places().items():
        assert place in ALLOWED, f"{place} uses {clients}: read pages with rag.fetching, or name it with a reason"


def test_what_is_named_is_one() -> None:
    assert ALLOWED.keys() <= places().keys()


@pytest.mark.parametrize(
    ("source", "client"),
    [
        ("import requests", "requests"),
        ("import urllib.request as fetcher", "urllib.request"),
        ("from urllib import request", "urllib.request"),
        ("from urllib.request import urlopen", "urllib.request"),
        ("def f():\n    from httpx2 import get", "httpx2"),
        ("import http.client", "http.client"),
        ("from openai import AsyncOpenAI", "openai"),
        ("from anthropic import AsyncAnthropic", "anthropic"),
        ("from asyncio import open_connection", "asyncio.open_connection"),
        ("asyncio.open_connection(host)", "open_connection"),
        ("loop.create_connection(make, host)", "create_connection"),
        ("from socket import socket", "socket"),
        ("import urllib\nurllib.request.build_opener().open(url)", "urllib.request"),
        ("importlib.import_module('requests')", "requests"),
        ("import_string('http.client.HTTPConnection')", "http.client"),
        ("from rag.fetching.exchange import answer_to", "rag.fetching.exchange"),
    ],
)
def test_it_would_be_found(source: str, client: str) -> None:
    assert client in set(clients_in(source))


@pytest.mark.parametrize(
    "source", ["from http import HTTPStatus", "from urllib.parse import urlsplit", "import asyncio"]
)
def test_others_are_none(source: str) -> None:
    assert not set(clients_in(source))
