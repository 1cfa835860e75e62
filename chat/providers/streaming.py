"""Asks a vendor and reads one answer: HTTP client, time limits, closing, failures as `ProviderError`."""

import asyncio
import logging
import math
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, aclosing
from functools import cache
from typing import Any

import aiohttp
import httpx2
from pydantic_core import to_json

from chat.providers.classifying import classify, error_in_stream, redacted
from chat.providers.cleaning import parse_json
from chat.providers.clock import Clock
from chat.providers.decoding import Decoder
from chat.providers.pieces import Piece
from chat.providers.provider import ProviderConfig
from chat.providers.provider_error import ProviderError

CONNECT_TIMEOUT_S = 10.0
MAX_ERROR_BYTES = 65_536
HEADERS = {"Accept-Encoding": "identity"}
SETTLE_S = 5.0
DRAIN_S = 0.05

log = logging.getLogger("countersign.providers")

#: Sends a request by `post` of an SDK.
Ask = Callable[[], Awaitable[httpx2.Response]]
_LOST = (OSError, httpx2.HTTPError, aiohttp.ClientError)


def http_timeout(config: ProviderConfig) -> httpx2.Timeout:
    """The limits for connecting; reading is limited by `read_pieces`, which knows both limits."""
    return httpx2.Timeout(None, connect=min(CONNECT_TIMEOUT_S, config.idle_timeout_s))


def http_options(config: ProviderConfig) -> dict[str, Any]:
    """The keyword arguments of an SDK's `DefaultAioHttpClient`. The key is for one address: no redirect is followed."""
    return {
        "timeout": http_timeout(config),
        "follow_redirects": False,
        "verify": _trusted(),
        "event_hooks": {"response": [_shorten_error]},
    }


@cache
def _trusted() -> ssl.SSLContext:
    """The authorities that this process trusts: reading their list takes 25 ms, and each client would by itself."""
    return httpx2.create_ssl_context()


async def _shorten_error(response: httpx2.Response) -> None:
    """Cuts a response that is no success, which the SDKs read whole, even if it does not end."""
    if not response.is_success and isinstance(response.stream, httpx2.AsyncByteStream):
        response.encoding = "utf-8"  # Whatever it says: JSON is, and Python knows encodings that are of no text.
        response.stream = _Beginning(response.stream)


def posting(post: Callable[..., Awaitable[Any]], path: str, body: dict[str, Any]) -> Ask:
    """A request that is made by `post` of an SDK's client, whose answer nobody reads yet.

    Not by the SDK's methods for each endpoint, which compare every value with its type: 25 ms of CPU for a conversation
    of 200 messages, in which all other streams stand still. Nor is the JSON the SDK's, which takes six times as long.
    """

    async def ask() -> httpx2.Response:
        response: httpx2.Response = await post(path, content=to_json(body), cast_to=httpx2.Response, stream=True)
        return response

    return ask


class _Beginning(httpx2.AsyncByteStream):
    """A body up to `MAX_ERROR_BYTES`."""

    def __init__(self, whole: httpx2.AsyncByteStream) -> None:
        self._whole = whole

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._whole:
            yield chunk
            size += len(chunk)
            if size > MAX_ERROR_BYTES:
                return

    async def aclose(self) -> None:
        await self._whole.aclose()


async def read_pieces(
    ask: Ask, decoder: Decoder, config: ProviderConfig, deadline: float = math.inf
) -> AsyncGenerator[Piece]:
    """Pieces of the answer, the last a `TurnEnd`. However it is left, the connection is closed or given back."""
    clock = Clock(config, deadline)
    answered = False
    try:
        async with AsyncExitStack() as stack:
            stack.callback(clock.close)
            response = await clock.wait(ask())
            stack.push_async_callback(response.aclose)
            answered = True
            await _refuse_plain_json(response, clock)
            chunks = await stack.enter_async_context(aclosing(_body(response)))
            while not decoder.done:
                try:
                    chunk = await clock.wait(anext(chunks, b""), SETTLE_S if decoder.ended else math.inf)
                except _LOST:
                    if decoder.ended is None:
                        raise
                    break  # Once the vendor said that the turn is over, a failure is only an end.
                if not chunk:
                    break
                for piece in decoder.feed(chunk):
                    yield piece
            await _drain(chunks)
            for piece in decoder.close():
                yield piece
    except Exception as exception:  # Any: of the SDK, of HTTP, of the network; `classify` knows them.
        failure = clock.error() if isinstance(exception, TimeoutError) else classify(exception)
        detail, said = (redacted(text, config.api_key) for text in (failure.detail, failure.said))
        if failure.code == "internal" and failure.status is None:
            log.error("%s: an unexpected failure: %s", config.name, detail)
        raise failure.reworded(detail, said, billed=failure.billed or answered) from None


def _body(response: httpx2.Response) -> AsyncGenerator[bytes]:
    """The body's chunks as they come; unpacked where a vendor packed it although we asked it not to."""
    packed = "content-encoding" in response.headers
    return response.aiter_bytes() if packed else response.aiter_raw()


async def _drain(chunks: AsyncIterator[bytes]) -> None:
    """Reads the few bytes after the last event, so that the connection can serve the next call."""
    try:
        async with asyncio.timeout(DRAIN_S):
            await anext(chunks, b"")
    except _LOST:
        return


async def _refuse_plain_json(response: httpx2.Response, clock: Clock) -> None:
    """Raises for an answer 200 with an error as plain JSON, which some endpoints send where a stream was asked for."""
    if not response.headers.get("content-type", "").startswith("application/json"):
        return
    try:
        answer = parse_json(await clock.wait(_beginning(response)))
    except ValueError:
        answer = None
    if isinstance(answer, dict) and answer.get("error"):
        raise error_in_stream(answer)
    raise ProviderError("server_error", "the answer is plain JSON, not an event stream")


async def _beginning(response: httpx2.Response) -> bytes:
    """The beginning of a body, as long as an error may need it."""
    body = b""
    async with aclosing(response.aiter_bytes()) as chunks:
        async for chunk in chunks:
            body += chunk
            if len(body) > MAX_ERROR_BYTES:
                break
    return body
