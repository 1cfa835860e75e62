"""What vectors cost: `rag` asks through `meter`, which reserves before the call and records after it."""

import time
import uuid
from collections.abc import Callable, Sequence
from functools import partial

from chat.models import Purpose
from chat.providers.estimating import estimated_tokens, size
from chat.providers.pieces import Usage
from chat.providers.provider import Price
from chat.spending import free_questions
from chat.spending.calls import Bound, CallCost, counted, dollars
from chat.spending.refusing import BudgetRefused
from chat.spending.reserving import reserve
from chat.spending.settling import record_costs_now, release
from graphs.site.accounts import Account
from rag.embeddings import embedder, embedding_models
from rag.embeddings.embedder import Embedded, EmbeddingFailed
from rag.embeddings.metering import OverBudget

#: After these nobody knows whether the vendor did the work.
_PERHAPS_BILLED = frozenset({"timeout", "network"})


def meter(
    name: str, texts: Sequence[str], purpose: embedder.Purpose, account: Account, ask: Callable[[], Embedded]
) -> Embedded:
    """Makes the call if budgets pay for it. What the local model does for nobody's run is not recorded."""
    bound = _bound(name, texts, purpose, size)
    if bound.provider == embedding_models.LOCAL:
        return _local(bound, purpose, account, ask)
    reservation = _reserved(account, bound, partial(_bound, name, texts, purpose, counted))
    started = time.monotonic()
    try:
        embedded = ask()
    except EmbeddingFailed as failure:
        perhaps = failure.asked and (failure.answered or failure.code in _PERHAPS_BILLED)
        usage = Usage(bound.prompt_tokens, estimated=True) if perhaps else Usage()
        if failure.asked:
            record_costs_now(account, [_cost(bound, usage, started, failure.code, reservation)])
        elif reservation is not None:
            release(reservation)
        raise
    usage = Usage(embedded.tokens, estimated=embedded.estimated)
    record_costs_now(account, [_cost(bound, usage, started, "complete", reservation)])
    return embedded


def _reserved(account: Account, bound: Bound, closer: Callable[[], Bound]) -> uuid.UUID | None:
    """Reserves by the bytes of the texts, or by their tokens if those have no room. Raises `OverBudget`."""
    reservation = uuid.uuid4()
    try:
        try:
            reserved = reserve(account, bound, reservation)
        except BudgetRefused:
            reserved = reserve(account, closer(), reservation)
    except BudgetRefused as refusal:
        raise OverBudget(str(refusal), refusal.frees_in_s, too_large=refusal.too_large) from None
    return reservation if reserved else None


def _local(bound: Bound, purpose: embedder.Purpose, account: Account, ask: Callable[[], Embedded]) -> Embedded:
    started = time.monotonic()
    embedded = ask()
    cost = _cost(bound, Usage(embedded.tokens, estimated=embedded.estimated), started, "complete", None)
    if purpose == "stored":
        record_costs_now(account, [cost])
    elif account.run_id is not None:
        free_questions.add(account.run_id, cost)
    return embedded


def _bound(name: str, texts: Sequence[str], purpose: embedder.Purpose, most_of: Callable[[str], int]) -> Bound:
    provider, _, model = name.partition("/")
    per_million = embedding_models.price(name)
    price = None if per_million is None else Price(per_million, per_million, 0, source="table")
    most = sum(most_of(text) + 1 for text in texts)
    return Bound(
        purpose=Purpose.EMBEDDING if purpose == "stored" else Purpose.QUESTION,
        provider=provider,
        model=model,
        prompt_tokens=sum(estimated_tokens(size(text)) for text in texts),
        tokens=most,
        cost=dollars(price.cost(Usage(most))) if price else None,
        price=price,
    )


def _cost(bound: Bound, usage: Usage, started: float, outcome: str, reservation: uuid.UUID | None) -> CallCost:
    return CallCost(
        provider=bound.provider,
        model=bound.model,
        usage=usage,
        cost=dollars(bound.price.cost(usage)) if bound.price else None,
        price_source=bound.price.source if bound.price else "",
        latency_ms=int((time.monotonic() - started) * 1000),
        outcome=outcome,
        purpose=bound.purpose,
        reservation=reservation,
    )
