"""Anthropic's Messages. Built by `building.py`."""

from collections.abc import AsyncGenerator

from anthropic import AsyncAnthropic, DefaultAioHttpClient

from chat.providers.anthropic_messages import messages_body
from chat.providers.anthropic_stream import MessagesDecoder
from chat.providers.model_request import ModelRequest
from chat.providers.pieces import Piece
from chat.providers.provider import ProviderConfig
from chat.providers.streaming import HEADERS, http_options, http_timeout, posting, read_pieces


class AnthropicProvider:
    def __init__(self, config: ProviderConfig) -> None:
        self.config = config
        self._client = AsyncAnthropic(
            api_key=config.api_key,
            base_url=config.base_url,
            max_retries=0,
            timeout=http_timeout(config),
            http_client=DefaultAioHttpClient(**http_options(config)),
            default_headers=HEADERS,
        )

    def stream(self, request: ModelRequest) -> AsyncGenerator[Piece]:
        body = request.body(self.config, lambda: messages_body(request, self.config))
        ask = posting(self._client.post, "/v1/messages", body)
        return read_pieces(ask, MessagesDecoder(request), self.config, request.deadline)

    async def close(self) -> None:
        await self._client.close()
