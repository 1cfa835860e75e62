"""Reads one answer of a vendor: time limits, closing, every failure a `ProviderError`. Called by the providers."""

import asyncio
import logging
import math
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, aclosing
from typing import Any

import aiohttp
import httpx2

from chat.providers.base import Piece, ProviderConfig, ProviderError
from chat.providers.cleaning import parse_json
from chat.providers.decoding import Decoder
from chat.providers.errors import classify, error_in_stream, redacted

CONNECT_TIMEOUT_S = 10.0
SETTLE_S = 5.0
DRAIN_S = 0.05
MAX_ERROR_BYTES = 65_536
HEADERS = {"Accept-Encoding": "identity"}

log = logging.getLogger("countersign.providers")

#: Calls `with_streaming_response.create(...)` of an SDK; what that gives holds, once entered, `http_response`.
Open = Callable[[], AbstractAsyncContextManager[Any]]
_LOST = (OSError, httpx2.HTTPError, aiohttp.ClientError)


def http_timeout(config: ProviderConfig) -> httpx2.Timeout:
    """Connecting is limited here; reading by `read_pieces`, which knows both limits."""
    return httpx2.Timeout(None, connect=min(CONNECT_TIMEOUT_S, config.idle_timeout_s))


async def read_pieces(
    open_answer: Open, decoder: Decoder, config: ProviderConfig, deadline: float = math.inf
) -> AsyncGenerator[Piece]:
    """Pieces of the answer that `open_answer` asks for, the last one a `TurnEnd`.

    Whatever way this is left (end, error, closing, cancelling), the connection is closed or given back.
    """
    clock = _Clock(config, deadline)
    answered = False
    try:
        async with AsyncExitStack() as stack:
            async with clock.limit():
                opened = await stack.enter_async_context(open_answer())
            answered = True
            response: httpx2.Response = opened.http_response
            await _refuse_plain_json(response, clock, config)
            chunks = await stack.enter_async_context(aclosing(response.aiter_bytes()))
            while not decoder.done and (chunk := await _next_chunk(chunks, decoder, clock)):
                for piece in decoder.feed(chunk):
                    yield piece
            await _drain(chunks)
            for piece in decoder.close():
                yield piece
    except Exception as exception:
        failure = clock.error() if isinstance(exception, TimeoutError) else classify(exception, config.api_key)
        if failure.code == "internal" and failure.status is None:
            log.error("%s: an unexpected failure: %s", config.name, failure.detail)
        detail = redacted(failure.detail, config.api_key)
        raise failure.retold(detail, billed=failure.billed or answered) from None


class _Clock:
    """The two limits of a call: between chunks, and in all."""

    def __init__(self, config: ProviderConfig, deadline: float) -> None:
        self._config = config
        self._now = asyncio.get_running_loop().time
        self._deadline = min(deadline, self._now() + config.total_timeout_s)

    def limit(self, seconds: float | None = None) -> asyncio.Timeout:
        pause = self._config.idle_timeout_s if seconds is None else min(seconds, self._config.idle_timeout_s)
        return asyncio.timeout_at(min(self._now() + pause, self._deadline))

    def error(self) -> ProviderError:
        if self._now() >= self._deadline:
            limit = self._config.total_timeout_s
            return ProviderError("timeout", f"the answer took longer than {limit:g} s", billed=True)
        return ProviderError("timeout", f"nothing came for {self._config.idle_timeout_s:g} s", billed=True)


async def _next_chunk(chunks: AsyncIterator[bytes], decoder: Decoder, clock: _Clock) -> bytes:
    """Bytes, empty at the end. Once the vendor said that the turn is over, a failure is only an end."""
    if decoder.ended is None:
        async with clock.limit():
            return await anext(chunks, b"")
    try:
        async with clock.limit(SETTLE_S):
            return await anext(chunks, b"")
    except _LOST:
        return b""


async def _drain(chunks: AsyncIterator[bytes]) -> None:
    """Reads the few bytes after the last event, so that the connection can serve the next call."""
    try:
        async with asyncio.timeout(DRAIN_S):
            await anext(chunks, b"")
    except _LOST:
        return


async def _refuse_plain_json(response: httpx2.Response, clock: _Clock, config: ProviderConfig) -> None:
    """Some endpoints answer 200 with an error as plain JSON where a stream was asked for."""
    if not response.headers.get("content-type", "").startswith("application/json"):
        return
    body = b""
    async with clock.limit(), aclosing(response.aiter_bytes()) as chunks:
        async for chunk in chunks:
            body += chunk
            if len(body) > MAX_ERROR_BYTES:
                break
    try:
        answer = parse_json(body)
    except ValueError:
        answer = None
    if isinstance(answer, dict) and answer.get("error"):
        raise error_in_stream(answer)
    raise ProviderError("server_error", "the answer is plain JSON, not an event stream")
