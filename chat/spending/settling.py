"""After a call: what it took is recorded, and what was reserved for it given back."""

import uuid
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import F

from chat.models import BudgetUnit, BudgetUse, ModelCall, Purpose, Reservation, Session
from chat.sent_requests.keeping import keep
from chat.spending import free_questions
from chat.spending.calls import CallCost
from chat.spending.reserving import begin_periods, locked_uses
from rag.metering import Account

#: What a conversation's figures count; vectors are for the graph and counted there.
OF_CONVERSATION = frozenset({Purpose.CHAT, Purpose.SUMMARY})
COUNTS = ("promptTokens", "completionTokens", "cachedTokens", "cacheWriteTokens", "reasoningTokens")


def record(account: Account, costs: Sequence[CallCost]) -> None:
    """Stores the attempts of calls and settles their reservations, in the caller's transaction.

    Whoever calls this for a session holds it. What belongs to one reservation comes in one call of this; one that is
    gone was settled before, by a commit whose answer was lost or by who took the run over.
    """
    costs = [*_unsettled(account, costs), *free_questions.taken(account.run_id)]
    if not costs:
        return
    kept = _kept(account, costs)
    ModelCall.objects.bulk_create(_row(account, cost, kept) for cost in costs)
    if account.session_id is not None:
        _count(account.session_id, [cost for cost in costs if cost.purpose in OF_CONVERSATION])
    settled: dict[uuid.UUID, list[CallCost]] = defaultdict(list)
    for cost in costs:
        if cost.reservation is not None:
            settled[cost.reservation].append(cost)
    settle(settled)


def record_now(account: Account, costs: Sequence[CallCost]) -> None:
    """The same in a transaction of its own."""
    with transaction.atomic():
        if account.session_id is not None:
            Session.objects.select_for_update(no_key=True).values_list("pk").get(pk=account.session_id)
        record(account, costs)


def release(reservation_id: uuid.UUID) -> None:
    """Gives back what was set aside for a call that was never made."""
    with transaction.atomic():
        settle({reservation_id: ()})


def settle(took: Mapping[uuid.UUID, Sequence[CallCost]]) -> None:
    """Replaces what was reserved by what was taken, more or less; nothing for a reservation that is settled already.

    In the caller's transaction; all that it locks it locks in the order of ids.
    """
    if not took:
        return
    reserved = Reservation.objects.select_for_update(no_key=True).filter(pk__in=took).order_by("pk")
    reservations = list(reserved)
    uses = {use.pk: use for use in locked_uses([pk for each in reservations for pk in each.uses])}
    for reservation in reservations:
        costs = took[reservation.pk]
        for use in (uses[pk] for pk in reservation.uses if pk in uses):
            held, spent = amounts(use.budget.unit, reservation, costs)
            BudgetUse.objects.filter(pk=use.pk).update(reserved=F("reserved") - held, used=F("used") + spent)
    Reservation.objects.filter(pk__in=[each.pk for each in reservations]).delete()


def amounts(unit: str, reservation: Reservation, costs: Collection[CallCost]) -> tuple[Decimal, Decimal]:
    """What was reserved and what was taken, in a budget's unit."""
    if unit == BudgetUnit.TOKENS:
        return Decimal(reservation.tokens), Decimal(sum(cost.tokens for cost in costs))
    return reservation.cost or Decimal(0), sum((cost.cost or Decimal(0) for cost in costs), Decimal(0))


def _unsettled(account: Account, costs: Sequence[CallCost]) -> list[CallCost]:
    wanted = {cost.reservation for cost in costs if cost.reservation is not None}
    if not wanted:
        return list(costs)
    reserved = Reservation.objects.select_for_update(no_key=True).filter(pk__in=wanted).order_by("pk")
    begin_periods(account, reserved)
    held = {each.pk for each in reserved}
    return [cost for cost in costs if cost.reservation is None or cost.reservation in held]


def _kept(account: Account, costs: Sequence[CallCost]) -> set[uuid.UUID]:
    """The ids of the requests that are kept for people who may look at them."""
    sent = {cost.sent.id: cost.sent for cost in costs if cost.sent}
    if not sent or account.session_id is None or account.run_id is None:
        return set()
    return keep(account.session_id, account.run_id, sent.values())


def _row(account: Account, cost: CallCost, kept: Collection[uuid.UUID]) -> ModelCall:
    usage = cost.usage
    return ModelCall(
        request_id=cost.sent.id if cost.sent and cost.sent.id in kept else None,
        workspace_id=account.workspace_id,
        user_id=account.user_id,
        session_id=account.session_id,
        run_id=account.run_id,
        object=account.object,
        purpose=cost.purpose,
        provider=cost.provider,
        model=cost.model,
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        cached_tokens=usage.cached_tokens,
        cache_write_tokens=usage.cache_write_tokens,
        reasoning_tokens=usage.reasoning_tokens,
        estimated=usage.estimated,
        cost=cost.cost,
        latency_ms=cost.latency_ms,
        first_token_ms=cost.first_token_ms,
        retries=cost.retries,
        outcome=cost.outcome,
    )


def _count(session_id: uuid.UUID, costs: Sequence[CallCost]) -> None:
    """Adds to the conversation's figures. `cost` is of the calls that have a price, `unpricedTokens` of the others."""
    if not costs:
        return
    session = Session.objects.filter(pk=session_id)
    usage: dict[str, Any] = dict(session.values_list("usage", flat=True).get())
    for cost in costs:
        told = cost.to_event()
        for name in COUNTS:
            usage[name] = usage.get(name, 0) + told[name]
        usage["cost"] = usage.get("cost", 0) + (told["cost"] or 0)
        if cost.cost is None:
            usage["unpricedTokens"] = usage.get("unpricedTokens", 0) + cost.tokens
        if cost.usage.estimated:
            usage["estimated"] = True
    session.update(usage=usage)
