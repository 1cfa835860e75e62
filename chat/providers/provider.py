"""What a provider of models is: how it is configured, what its tokens cost, and how it is asked.

Nothing here or in the providers knows Django.
"""

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Literal, Protocol

from chat.providers.model_request import ModelRequest
from chat.providers.pieces import Piece, Usage

Wire = Literal["openai", "openai-responses", "anthropic", "demo"]


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens. `cache_write` is for what a vendor keeps in its cache; None: as other input.

    `source` says where it is written: "table", "variable:CUSTOM_PRICE", or "entered:7" for a row that people entered.
    """

    input: float
    cached_input: float
    output: float
    cache_write: float | None = None
    source: str = field(default="", compare=False)

    def cost(self, usage: Usage) -> float:
        """What a call cost, in US dollars."""
        fresh = usage.prompt_tokens - usage.cached_tokens - usage.cache_write_tokens
        written = self.input if self.cache_write is None else self.cache_write
        total = (
            fresh * self.input
            + usage.cached_tokens * self.cached_input
            + usage.cache_write_tokens * written
            + usage.completion_tokens * self.output
        )
        return total / 1_000_000


@dataclass(frozen=True, slots=True)
class ProviderConfig:
    """One entry of `CHAT_PROVIDERS`, completed from the environment.

    `wire` is "openai" (Chat Completions), "openai-responses" (Responses, for reasoning summaries),
    "anthropic" or "demo". `price` is None where nobody knows it. `context_window` is what prompt and answer may take
    together, in tokens.

    Facts about a vendor: `max_tokens_field` is what Chat Completions calls its limit there; `echo_reasoning`: it wants
    the reasoning of turns with tool calls back; `tool_choice_none`: its Chat Completions take tools that may not be
    called; `thinking_tokens`: what Anthropic's model may think with, 0 is off;
    `adaptive_thinking`: it decides itself how much, as those since 2026 do.
    """

    name: str
    wire: Wire
    base_url: str
    model: str
    max_tokens: int
    price: Price | None
    context_window: int = 32_768
    api_key: str = field(default="", repr=False)
    max_tokens_field: str = "max_tokens"
    echo_reasoning: bool = False
    tool_choice_none: bool = False
    thinking_tokens: int = 0
    adaptive_thinking: bool = False
    idle_timeout_s: float = 60
    total_timeout_s: float = 600

    @property
    def id(self) -> str:
        """The name of this choice, "provider:model"."""
        return f"{self.name}:{self.model}"


class Provider(Protocol):
    """One vendor's wire. Instances live as long as the process and keep one HTTP client."""

    config: ProviderConfig

    def stream(self, request: ModelRequest) -> AsyncGenerator[Piece]:
        """Yields pieces, at last a `TurnEnd`, or raises `ProviderError`; closing it closes the connection at once."""
        ...

    async def close(self) -> None:
        """Gives back the HTTP client."""
        ...
