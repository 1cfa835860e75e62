"""How the SDKs' HTTP clients are set up. Called by the providers."""

from collections.abc import AsyncIterator
from typing import Any

import httpx2

from chat.providers.base import ProviderConfig

CONNECT_TIMEOUT_S = 10.0
MAX_ERROR_BYTES = 65_536
HEADERS = {"Accept-Encoding": "identity"}


def http_timeout(config: ProviderConfig) -> httpx2.Timeout:
    """Connecting is limited here; reading by `read_pieces`, which knows both limits."""
    return httpx2.Timeout(None, connect=min(CONNECT_TIMEOUT_S, config.idle_timeout_s))


def http_options(config: ProviderConfig) -> dict[str, Any]:
    """The keyword arguments of an SDK's `DefaultAioHttpClient`. The key is for one address: no redirect is followed."""
    return {
        "timeout": http_timeout(config),
        "follow_redirects": False,
        "event_hooks": {"response": [_shorten_error]},
    }


async def _shorten_error(response: httpx2.Response) -> None:
    """The SDKs read whole what is no success; that ends early where it does not end by itself."""
    if not response.is_success and isinstance(response.stream, httpx2.AsyncByteStream):
        response.encoding = "utf-8"  # Whatever it says: JSON is, and Python knows encodings that are of no text.
        response.stream = _Beginning(response.stream)


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
