"""Reads what an endpoint of OpenAI's kind answers; whatever is wrong with it becomes an `EmbeddingFailed`."""

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import httpx2
import numpy as np
import openai

from graphs.site.retry_after import retry_after
from graphs.site.vendor_errors import ErrorCode
from rag.embeddings.embedder import Embedded, EmbeddingFailed, Vectors, normalised

#: More than a vector takes, as the longest that can be kept (16,000 numbers) is written.
BYTES_PER_TEXT = 524_288
MAX_ERROR_BYTES = 65_536
#: pgvector's limit of half vectors.
MAX_DIMENSIONS = 16_000
#: About this many bytes make a token, where the vendor does not count.
BYTES_PER_TOKEN = 4
#: What an endpoint may add to a text.
FRAME_TOKENS = 10
#: 404 is a model or an address that is not there: as with a wrong key, no other text would fare better.
_BY_STATUS: dict[int, ErrorCode] = {
    401: "auth_error",
    402: "rate_limit",
    403: "auth_error",
    404: "auth_error",
    408: "timeout",
    409: "server_error",
    413: "context_length",
    429: "rate_limit",
    504: "timeout",
}
#: An account that is used up does not come back by waiting a little.
_SPENT = ("insufficient_quota", "billing_error")


def read_body(response: httpx2.Response, texts: int, until: float) -> bytes:
    """Reads the whole answer for so many texts; raises if it is too long, or not there when the clock shows `until`."""
    body = bytearray()
    for chunk in response.iter_bytes():
        body += chunk
        if len(body) > (1 + texts) * BYTES_PER_TEXT:
            raise EmbeddingFailed("server_error", detail="an answer that is too long", answered=True)
        if time.monotonic() > until:
            raise EmbeddingFailed("timeout", detail="no whole answer in time")
    return bytes(body)


def embedded(body: bytes, texts: Sequence[str]) -> Embedded:
    """The vectors in the order of the texts."""
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        raise EmbeddingFailed("server_error", detail="an answer that is not JSON", answered=True) from None
    try:
        vectors = normalised(_rows(answer, len(texts)))
    except EmbeddingFailed as failure:
        failure.answered = True
        raise
    sizes = [len(text.encode("utf-8", "replace")) for text in texts]
    usage = answer.get("usage")
    counted = usage.get("prompt_tokens") if isinstance(usage, dict) else None
    # A token has one byte at least.
    if type(counted) is int and 0 < counted <= sum(size + FRAME_TOKENS for size in sizes):
        return Embedded(vectors, counted, estimated=False)
    return Embedded(vectors, sum(-(-size // BYTES_PER_TOKEN) for size in sizes), estimated=True)


def _rows(answer: Any, count: int) -> Vectors:
    try:
        rows = {int(item["index"]): item["embedding"] for item in answer["data"]}
        with np.errstate(over="ignore"):  # What is too big becomes infinite, which `normalised` refuses.
            vectors = np.array([rows[number] for number in range(count)], np.float32)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise EmbeddingFailed("server_error", detail=f"an answer without vectors ({type(error).__name__})") from None
    if vectors.ndim != 2 or len(answer["data"]) != count:
        raise EmbeddingFailed("server_error", detail="an answer with other vectors than were asked for")
    if vectors.shape[1] > MAX_DIMENSIONS:
        detail = f"vectors of {vectors.shape[1]} dimensions; at most {MAX_DIMENSIONS} can be kept"
        raise EmbeddingFailed("server_error", retryable=False, detail=detail)
    return vectors


def failure_of(error: openai.APIError | httpx2.HTTPError) -> EmbeddingFailed:
    """The failure that says why there is no whole answer."""
    if isinstance(error, (openai.APITimeoutError, httpx2.TimeoutException)):
        return EmbeddingFailed("timeout", detail="no answer in time")
    if isinstance(error, httpx2.HTTPError):
        return EmbeddingFailed("network", detail=f"the answer was cut ({type(error).__name__})")
    if isinstance(error, openai.APIConnectionError):
        return EmbeddingFailed("network", detail="no connection")
    if not isinstance(error, openai.APIStatusError):
        return EmbeddingFailed("server_error", detail=type(error).__name__)
    status = error.status_code
    return EmbeddingFailed(
        _of_status(status, str(error.message)),
        retryable=False if str(error.code) in _SPENT else None,
        detail=f"HTTP {status}",
        retry_after=retry_after(error.response.headers),
    )


def _of_status(status: int, message: str) -> ErrorCode:
    """What a request was refused for; a redirection, which is not followed, is an address that is not there."""
    if code := _BY_STATUS.get(404 if status < 400 else status):
        return code
    if status >= 500:
        return "server_error"
    long = any(words in message.lower() for words in ("context length", "too long", "too many tokens", "maximum input"))
    return "context_length" if long else "internal"


def shorten_error(response: httpx2.Response) -> None:
    """The SDK reads whole what is no success; that ends early where it does not end by itself. A hook of its client."""
    if not response.is_success and isinstance(response.stream, httpx2.SyncByteStream):
        response.encoding = "utf-8"  # Whatever it says: JSON is, and Python knows encodings that are of no text.
        seconds = response.request.extensions["timeout"]["read"]
        response.stream = _Beginning(response.stream, time.monotonic() + seconds)


class _Beginning(httpx2.SyncByteStream):
    """A body up to `MAX_ERROR_BYTES`, or as much of it as came until the process's clock showed `until`."""

    def __init__(self, whole: httpx2.SyncByteStream, until: float) -> None:
        self._whole = whole
        self._until = until

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        with suppress(httpx2.HTTPError):  # Cut or stalled, it is known by its status all the same.
            for chunk in self._whole:
                yield chunk
                size += len(chunk)
                if size > MAX_ERROR_BYTES or time.monotonic() > self._until:
                    return

    def close(self) -> None:
        self._whole.close()
