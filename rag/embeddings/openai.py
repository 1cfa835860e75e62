"""Embeddings of OpenAI and of every endpoint that speaks the same, such as Ollama. Built by `registry.py`."""

import time
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from rag.embeddings.base import OF_THE_TEXT, Embedded, EmbeddingFailed, Purpose, Vectors, normalised
from rag.vendor_errors import ErrorCode

if TYPE_CHECKING:
    from openai import OpenAI
    from openai.types import CreateEmbeddingResponse

NO_KEY = "none"
TIMEOUT_S = 60.0
#: A person waits for the answer to a question: words alone find something too.
QUESTION_TIMEOUT_S = 5.0
#: For so long no question waits for an endpoint that failed one.
AWAY_S = 30.0
CONNECT_TIMEOUT_S = 10.0
#: About this many bytes make a token, where the vendor does not count.
BYTES_PER_TOKEN = 4
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


class OpenAIEmbedder:
    """`dimensions` is None where nobody knows them before the first answer."""

    def __init__(self, name: str, base_url: str, api_key: str, dimensions: int | None) -> None:
        self.name = name
        self._model = name.partition("/")[2]
        self._base_url = base_url
        self._api_key = api_key
        self._dimensions = dimensions
        self._away_until = float("-inf")

    @property
    def dimensions(self) -> int:
        if self._dimensions is None:
            self._dimensions = self._asked(["dimensions"], TIMEOUT_S).vectors.shape[1]
        return self._dimensions

    def embed(self, texts: Sequence[str], purpose: Purpose) -> Embedded:
        found = self._answered(texts) if purpose == "question" else self._asked(texts, TIMEOUT_S)
        if self._dimensions is None:
            self._dimensions = found.vectors.shape[1]
        if found.vectors.shape[1] != self.dimensions:
            detail = f"{self.name} answered with {found.vectors.shape[1]} dimensions, not {self.dimensions}"
            raise EmbeddingFailed("server_error", retryable=False, detail=detail)
        return found

    def _answered(self, questions: Sequence[str]) -> Embedded:
        if time.monotonic() < self._away_until:
            raise EmbeddingFailed("network", detail="it failed a moment ago", asked=False)
        try:
            return self._asked(questions, QUESTION_TIMEOUT_S)
        except EmbeddingFailed as failure:
            if failure.code not in OF_THE_TEXT:
                self._away_until = time.monotonic() + AWAY_S
            raise

    def _asked(self, texts: Sequence[str], timeout_s: float) -> Embedded:
        import openai

        try:
            # Not base64, the SDK's own choice: compatible endpoints do not know it.
            answer = self._client.embeddings.create(
                model=self._model, input=list(texts), encoding_format="float", timeout=timeout_s
            )
        except openai.APIError as error:
            raise _failure(error) from None
        vectors = normalised(_rows(answer, len(texts)))
        tokens = getattr(answer.usage, "prompt_tokens", None)
        estimate = sum(-(-len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN) for text in texts)
        return Embedded(vectors, estimate if tokens is None else int(tokens), estimated=tokens is None)

    @cached_property
    def _client(self) -> "OpenAI":
        """Made at the first use: importing the SDK takes a second. Retries are ours; a redirect would get the key."""
        import httpx2
        from openai import DefaultHttpxClient, OpenAI

        timeout = httpx2.Timeout(TIMEOUT_S, connect=CONNECT_TIMEOUT_S)
        client = OpenAI(
            api_key=self._api_key or NO_KEY,
            base_url=self._base_url,
            max_retries=0,
            timeout=timeout,
            http_client=DefaultHttpxClient(timeout=timeout, follow_redirects=False),
        )
        # The SDK takes these from the environment and would tell them to every endpoint.
        client.organization = client.project = None
        return client


def _rows(answer: "CreateEmbeddingResponse", count: int) -> Vectors:
    """The vectors in the order of the texts; the SDK does not check what it was sent."""
    try:
        rows = {int(item.index): item.embedding for item in answer.data}
        vectors = np.array([rows[number] for number in range(count)], np.float32)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise EmbeddingFailed("server_error", detail=f"an answer without vectors ({type(error).__name__})") from None
    if vectors.ndim != 2 or len(answer.data) != count:
        raise EmbeddingFailed("server_error", detail="an answer with other vectors than were asked for")
    return vectors


def _failure(error: Any) -> EmbeddingFailed:
    import openai

    if isinstance(error, openai.APITimeoutError):
        return EmbeddingFailed("timeout", detail="no answer in time")
    if isinstance(error, openai.APIConnectionError):
        return EmbeddingFailed("network", detail="no connection")
    if not isinstance(error, openai.APIStatusError):
        return EmbeddingFailed("server_error", detail=type(error).__name__)
    status = error.status_code
    code: ErrorCode = _BY_STATUS.get(status) or ("server_error" if status >= 500 else _of_words(str(error.message)))
    return EmbeddingFailed(
        code,
        retryable=False if str(error.code) in _SPENT else None,
        detail=f"HTTP {status}",
        retry_after=_seconds(error.response.headers.get("retry-after", "")),
    )


def _of_words(message: str) -> ErrorCode:
    """What a refused request was refused for."""
    long = any(words in message.lower() for words in ("context length", "too long", "too many tokens", "maximum input"))
    return "context_length" if long else "internal"


def _seconds(text: str) -> float | None:
    return float(text) if text.replace(".", "", 1).isdigit() else None
