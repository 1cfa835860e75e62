"""The provider for a configuration. Called by `chat/models_available.py`, the only door of this package to a vendor."""

from chat.providers.base import Provider, ProviderConfig
from chat.providers.retrying import RetryingProvider


def build(config: ProviderConfig) -> Provider:
    """A provider with one HTTP client of its own, to be used in one event loop. The SDKs are imported on first use."""
    match config.kind:
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
            from chat.providers.demo import DemoProvider

            return DemoProvider(config)
