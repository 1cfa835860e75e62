"""Embeddings of OpenAI and of every endpoint that speaks the same, such as Ollama. Built by `embedding_models.py`."""

import time
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from rag.embeddings.embedder import OF_THE_TEXT, Embedded, EmbeddingFailed, Purpose

if TYPE_CHECKING:
    from openai import OpenAI

NO_KEY = "none"
TIMEOUT_S = 60.0
#: A person waits for the answer to a question: words alone find something too.
QUESTION_TIMEOUT_S = 5.0
#: For so long no question waits for an endpoint that failed one.
AWAY_S = 30.0
CONNECT_TIMEOUT_S = 10.0


class OpenAIEmbedder:
    """A model of an endpoint; `dimensions` is None until it is known or has answered."""

    def __init__(self, name: str, base_url: str, api_key: str, dimensions: int | None) -> None:
        self.name = name
        self._model = name.partition("/")[2]
        self._base_url = base_url
        self._api_key = api_key
        self._described = dimensions is not None
        self.dimensions = dimensions
        self._away_until = float("-inf")

    def embed(self, texts: Sequence[str], purpose: Purpose) -> Embedded:
        found = self._answered(texts) if purpose == "question" else self._asked(texts, TIMEOUT_S)
        dimensions = found.vectors.shape[1]
        expected = self.dimensions or dimensions
        # Where nobody described it, its next answer says what it has become.
        self.dimensions = expected if dimensions == expected or self._described else None
        if dimensions != expected:
            detail = f"{self.name} answered with {dimensions} dimensions, not {expected}"
            raise EmbeddingFailed("server_error", retryable=False, detail=detail, answered=True)
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
        import httpx2
        import openai

        from rag.embeddings.openai_answers import embedded, failure_of, read_body

        until = time.monotonic() + timeout_s
        ask = self._client.embeddings.with_streaming_response.create
        try:
            # Not base64, the SDK's own choice: compatible endpoints do not know it.
            with ask(model=self._model, input=list(texts), encoding_format="float", timeout=timeout_s) as answer:
                body = read_body(answer.http_response, len(texts), until)
        except (openai.APIError, httpx2.HTTPError) as error:
            raise failure_of(error) from None
        return embedded(body, texts)

    @cached_property
    def _client(self) -> "OpenAI":
        """The SDK's client, made at the first use (a second). Retries are ours; a redirect would get the key."""
        import httpx2
        from openai import DefaultHttpxClient, OpenAI

        from rag.embeddings.openai_answers import shorten_error

        timeout = httpx2.Timeout(TIMEOUT_S, connect=CONNECT_TIMEOUT_S)
        client = OpenAI(
            api_key=self._api_key or NO_KEY,
            base_url=self._base_url,
            max_retries=0,
            timeout=timeout,
            http_client=DefaultHttpxClient(
                timeout=timeout, follow_redirects=False, event_hooks={"response": [shorten_error]}
            ),
        )
        # The SDK takes these from the environment and would tell them to every endpoint.
        client.organization = client.project = None
        return client
