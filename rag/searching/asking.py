"""Asks a search engine at the address that the operator gave; no redirect is followed, and no more read than fits."""

import time
from typing import Any, TypeVar

import httpx2
from pydantic import BaseModel, ValidationError

from rag.searching.search_engine import SearchFailed

SECONDS = 15.0
MOST_BYTES = 2_000_000
_UNUSABLE = "The search engine does not answer as it should. Go on without it, and say so."

Answer = TypeVar("Answer", bound=BaseModel)


def ask(shape: type[Answer], method: str, url: str, **request: Any) -> Answer:
    """The answer of an engine in this shape. Raises `SearchFailed`."""
    deadline = time.monotonic() + SECONDS
    body = bytearray()
    try:
        with (
            httpx2.Client(timeout=SECONDS, follow_redirects=False) as client,
            client.stream(method, url, **request) as response,
        ):
            _require_success(response.status_code)
            for part in response.iter_bytes():
                body += part
                if len(body) > MOST_BYTES or time.monotonic() > deadline:
                    raise SearchFailed(_UNUSABLE)
    except httpx2.HTTPError:
        raise SearchFailed("The search engine cannot be reached. Go on without it, and say so.") from None
    try:
        return shape.model_validate_json(bytes(body))
    except ValidationError:
        raise SearchFailed(_UNUSABLE) from None


def _require_success(status: int) -> None:
    if status in (401, 403):
        raise SearchFailed("The search engine refuses this site's key. Tell the person that its operator has to look.")
    if status == 429:
        raise SearchFailed("The search engine has been asked too often. Go on without it, or try again later.")
    if status != 200:
        raise SearchFailed(_UNUSABLE)
