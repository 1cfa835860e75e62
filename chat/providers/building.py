"""The provider for a configuration, and what it sends: the only door of this package to a vendor."""

from typing import Any

from chat.providers.model_request import ModelRequest
from chat.providers.provider import Provider, ProviderConfig
from chat.providers.retrying import RetryingProvider


def build(config: ProviderConfig) -> Provider:
    """A provider with one HTTP client, for one event loop. The SDKs are imported on first use."""
    match config.wire:
        case "openai":
            from chat.providers.openai import OpenAIProvider

            return RetryingProvider(OpenAIProvider(config))
        case "anthropic":
            from chat.providers.anthropic import AnthropicProvider

            return RetryingProvider(AnthropicProvider(config))
        case "openai-responses":
            from chat.providers.openai_responses import ResponsesProvider

            return RetryingProvider(ResponsesProvider(config))
        case "demo":
            from chat.providers.demo.provider import DemoProvider

            return DemoProvider(config)


def body_of(config: ProviderConfig, request: ModelRequest) -> dict[str, Any]:
    """The JSON that the provider of a configuration sends for a request; the demo sends nothing, it is what it sees."""
    return request.body(config, lambda: _made(config, request))


def _made(config: ProviderConfig, request: ModelRequest) -> dict[str, Any]:
    match config.wire:
        case "openai" | "demo":
            from chat.providers.openai_chat import chat_body

            return chat_body(request, config)
        case "anthropic":
            from chat.providers.anthropic_messages import messages_body

            return messages_body(request, config)
        case "openai-responses":
            from chat.providers.openai_responses import responses_body

            return responses_body(request, config)
