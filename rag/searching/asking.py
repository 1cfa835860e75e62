"""Asks a search engine at the address that the operator gave: all of it in a time, and as much as fits.

That may be a private one. No redirect is followed, and no proxy of the environment asked.
"""

import json
import time
from collections.abc import Mapping
from typing import Any, TypeVar
from urllib.parse import quote, urlencode, urlsplit

import idna
from pydantic import BaseModel, ValidationError

from rag.fetching.connecting import Network, TimedBackend
from rag.fetching.exchange import Request, answer_to
from rag.fetching.refusals import Code, FetchRefused
from rag.fetching.targets import PORTS, SAFE, Target
from rag.searching.search_engine import SearchFailed

SECONDS = 15.0
_NETWORK = Network()
_HEADERS = {"User-Agent": "Countersign/1", "Accept": "application/json"}
_UNUSABLE = "The search engine does not answer as it should. Go on without it, and say so."
_UNREACHED = "The search engine cannot be reached. Go on without it, and say so."
#: What means that it did not answer, or not to the end.
_NO_ANSWER: frozenset[Code] = frozenset({"unknown_host", "unreachable", "too_slow", "tls", "broken"})

Answer = TypeVar("Answer", bound=BaseModel)


def get(shape: type[Answer], url: str, asked: Mapping[str, str], headers: Mapping[str, str]) -> Answer:
    """The answer of an engine in this shape, to a question in the address. Raises `SearchFailed`."""
    return _answer(shape, _request("GET", f"{url}?{urlencode(asked)}", headers))


def post(shape: type[Answer], url: str, asked: Mapping[str, Any], headers: Mapping[str, str]) -> Answer:
    """The answer of an engine in this shape, to a question as JSON. Raises `SearchFailed`."""
    content = json.dumps(asked).encode()
    sent = {"Content-Type": "application/json", "Content-Length": str(len(content))}
    return _answer(shape, _request("POST", url, {**headers, **sent}, content))


def _request(method: str, url: str, headers: Mapping[str, str], content: bytes | None = None) -> Request:
    parts = urlsplit(url)
    port = parts.port or PORTS[parts.scheme]
    asked = f"{parts.path}?{parts.query}" if parts.query else parts.path
    target = Target(parts.scheme, _in_ascii(parts.hostname or ""), port, quote(asked, safe=SAFE))
    named = {"Host": target.authority}
    return Request(method, target.scheme, target.host, port, target.asked, {**named, **_HEADERS, **headers}, content)


def _in_ascii(host: str) -> str:
    try:
        return host if host.isascii() else idna.encode(host, uts46=True).decode()
    except idna.IDNAError:
        raise SearchFailed(_UNREACHED) from None


def _answer(shape: type[Answer], request: Request) -> Answer:
    try:
        with answer_to(request, _NETWORK, TimedBackend(_NETWORK, time.monotonic() + SECONDS)) as answer:
            _require_success(answer.status)
            body = answer.body()
        return shape.model_validate_json(body)
    except FetchRefused as refused:
        raise SearchFailed(_UNREACHED if refused.code in _NO_ANSWER else _UNUSABLE) from None
    except ValidationError:
        raise SearchFailed(_UNUSABLE) from None


def _require_success(status: int) -> None:
    if status in (401, 403):
        raise SearchFailed("The search engine refuses this site's key. Tell the person that its operator has to look.")
    if status == 429:
        raise SearchFailed("The search engine has been asked too often. Go on without it, or try again later.")
    if status != 200:
        raise SearchFailed(_UNUSABLE)
