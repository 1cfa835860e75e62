"""Chat Completions of OpenAI, DeepSeek and every compatible endpoint. Built by `building.py`."""

from collections.abc import AsyncGenerator

from openai import AsyncOpenAI, DefaultAioHttpClient

from chat.providers.model_request import ModelRequest
from chat.providers.openai_chat import chat_body
from chat.providers.openai_chat_stream import ChatDecoder
from chat.providers.pieces import Piece
from chat.providers.provider import ProviderConfig
from chat.providers.streaming import HEADERS, http_options, http_timeout, posting, read_pieces

NO_KEY = "none"


class OpenAIProvider:
    """A provider on the SDK with aiohttp, a third of the CPU; retries are ours, in `retrying.py`."""

    def __init__(self, config: ProviderConfig) -> None:
        self.config = config
        self._client = AsyncOpenAI(
            api_key=config.api_key or NO_KEY,
            base_url=config.base_url,
            max_retries=0,
            timeout=http_timeout(config),
            http_client=DefaultAioHttpClient(**http_options(config)),
            default_headers=HEADERS,
        )
        # The SDK takes these from the environment and would tell them to every endpoint.
        self._client.organization = self._client.project = self._client.admin_api_key = None

    def stream(self, request: ModelRequest) -> AsyncGenerator[Piece]:
        body = request.body(self.config, lambda: chat_body(request, self.config))
        ask = posting(self._client.post, "/chat/completions", body)
        return read_pieces(ask, ChatDecoder(request), self.config, request.deadline)

    async def close(self) -> None:
        await self._client.close()
