"""Calls of models in terms of money: the most that one can take before it is made, and what it took after."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from chat.models import Purpose
from chat.providers.estimating import prompt_bound, size, tokens_of
from chat.providers.model_request import ModelRequest
from chat.providers.pieces import Usage
from chat.providers.provider import Price, ProviderConfig
from chat.sent_requests.keeping import KeptRequest
from rag.texts.tokens import count_tokens

#: What the database keeps of a dollar.
_SMALLEST = Decimal("0.00000001")


@dataclass(frozen=True, slots=True)
class Bound:
    """The most that a call can take; `cost` is None without a price, `prompt_tokens` an estimate."""

    purpose: Purpose
    provider: str
    model: str
    prompt_tokens: int
    tokens: int
    cost: Decimal | None
    price: Price | None


@dataclass(frozen=True, slots=True)
class CallCost:
    """One attempt, to be recorded once; all of a call share its `reservation` and what was `sent`. Times are in ms."""

    provider: str
    model: str
    usage: Usage
    cost: Decimal | None
    latency_ms: int
    outcome: str
    first_token_ms: int | None = None
    retries: int = 0
    purpose: Purpose = Purpose.CHAT
    reservation: uuid.UUID | None = None
    sent: KeptRequest | None = None
    price_source: str = ""
    attempt: uuid.UUID = field(default_factory=uuid.uuid4)

    @property
    def tokens(self) -> int:
        return self.usage.prompt_tokens + self.usage.completion_tokens

    def to_event(self) -> dict[str, Any]:
        """The data of a `usage` event."""
        return {
            "promptTokens": self.usage.prompt_tokens,
            "completionTokens": self.usage.completion_tokens,
            "cachedTokens": self.usage.cached_tokens,
            "cacheWriteTokens": self.usage.cache_write_tokens,
            "reasoningTokens": self.usage.reasoning_tokens,
            "cost": None if self.cost is None else float(self.cost),
            "model": self.model,
            "modelId": f"{self.provider}:{self.model}",
            **({"estimated": True} if self.usage.estimated else {}),
        }


def dollars(amount: float) -> Decimal:
    """An amount of US dollars, as exact as the database keeps it."""
    return Decimal(amount).quantize(_SMALLEST)


def cost_of(config: ProviderConfig, usage: Usage) -> Decimal | None:
    return dollars(config.price.cost(usage)) if config.price else None


def price_source_of(config: ProviderConfig) -> str:
    """Where the price of a model is written; "" without one."""
    return config.price.source if config.price else ""


def counted(text: str) -> int:
    """The most tokens of a text, closer than its bytes: twice what our tokenizer counts. Not for the event loop."""
    return min(size(text), 2 * count_tokens(text))


def bound_of(
    config: ProviderConfig, request: ModelRequest, purpose: Purpose, most: Callable[[str], int] = size
) -> Bound:
    """The bound of a call that keeps its whole prompt in the cache and answers at full length; `most` bounds texts."""
    prompt = prompt_bound(request, most)
    kept = Usage(prompt, request.max_tokens, cache_write_tokens=prompt)
    plain = Usage(prompt, request.max_tokens)
    costs = [cost for cost in (cost_of(config, kept), cost_of(config, plain)) if cost is not None]
    return Bound(
        purpose=purpose,
        provider=config.name,
        model=config.model,
        prompt_tokens=tokens_of(request),
        tokens=prompt + request.max_tokens,
        cost=max(costs) if costs else None,
        price=config.price,
    )
