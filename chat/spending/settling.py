"""Records what calls took, and gives back what was reserved for them."""

import uuid
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import F

from chat.models import BudgetUse, ModelCall, Purpose, Reservation, Session
from chat.sent_requests.keeping import keep
from chat.spending import free_questions
from chat.spending.calls import CallCost
from chat.spending.uses import begin_periods, locked_uses, present_periods
from graphs.site.accounts import Account
from rag.embeddings.registry import LOCAL

#: What a conversation's figures count; vectors are for the graph and counted there.
OF_CONVERSATION = frozenset({Purpose.CHAT, Purpose.SUMMARY})
COUNTS = ("promptTokens", "completionTokens", "cachedTokens", "cacheWriteTokens", "reasoningTokens")


def record_costs(account: Account, costs: Sequence[CallCost]) -> None:
    """Stores attempts and settles their reservations, once, in the transaction of the caller, who holds the session.

    All costs of a reservation have to come at once.
    """
    costs = [*_unrecorded(account, costs), *free_questions.take(account.run_id)]
    if not costs:
        return
    sent = {cost.sent.id: cost.sent for cost in costs if cost.sent}
    kept: Collection[uuid.UUID] = ()
    if sent and account.session_id is not None and account.run_id is not None:
        kept = keep(account.session_id, account.run_id, sent.values())
    present = present_periods(account)
    ModelCall.objects.bulk_create(_row(account, cost, kept) for cost in costs)
    if account.session_id is not None:
        _count(account.session_id, [cost for cost in costs if cost.purpose in OF_CONVERSATION])
    _settle({cost.reservation for cost in costs if cost.reservation is not None}, costs, present)


def record_costs_now(account: Account, costs: Sequence[CallCost]) -> None:
    """Stores the attempts and settles their reservations in a transaction of its own."""
    with transaction.atomic():
        if account.session_id is not None:
            Session.objects.select_for_update(no_key=True).values_list("pk").get(pk=account.session_id)
        record_costs(account, costs)


def release(reservation_id: uuid.UUID) -> None:
    """Gives back what was set aside for a call that was never made."""
    with transaction.atomic():
        _settle({reservation_id}, (), {})


def _settle(settled: Collection[uuid.UUID], costs: Sequence[CallCost], present: Mapping[int, int]) -> None:
    """Gives back what was reserved, once, and counts what was taken. Locks in the order of ids."""
    reserved = Reservation.objects.select_for_update(no_key=True).filter(pk__in=settled).order_by("pk")
    reservations = {each.pk: each for each in reserved} if settled else {}
    ids = {pk for each in reservations.values() for pk in each.uses}
    uses = {use.pk: use for use in locked_uses({*ids, *present.values()})}
    held: dict[int, Decimal] = defaultdict(Decimal)
    spent: dict[int, Decimal] = defaultdict(Decimal)
    for reservation in reservations.values():
        for pk in uses.keys() & set(reservation.uses):
            held[pk] += uses[pk].budget.amount(reservation.tokens, reservation.cost) or 0
    for cost in costs:
        own = reservations[cost.reservation].uses if cost.reservation else ()
        for pk in _counting(uses, own, present):
            bought = 0 if cost.provider == LOCAL else cost.tokens
            spent[pk] += uses[pk].budget.amount(bought, cost.cost) or 0
    for pk in held.keys() | spent.keys():
        BudgetUse.objects.filter(pk=pk).update(reserved=F("reserved") - held[pk], used=F("used") + spent[pk])
    Reservation.objects.filter(pk__in=list(reservations)).delete()


def _counting(uses: Mapping[int, BudgetUse], own: Collection[int], present: Mapping[int, int]) -> Collection[int]:
    """The periods in which a call counts: its `own`, in which it was reserved, and those `present` of other budgets."""
    reserved = {uses[pk].budget_id: pk for pk in own if pk in uses}
    return {budget: pk for budget, pk in {**present, **reserved}.items() if pk in uses}.values()


def _unrecorded(account: Account, costs: Sequence[CallCost]) -> list[CallCost]:
    """The costs that are not recorded yet, by a commit whose answer was lost or by a process that took the run over."""
    held: set[uuid.UUID] = set()
    if reservations := {cost.reservation for cost in costs if cost.reservation is not None}:
        reserved = Reservation.objects.select_for_update(no_key=True).filter(pk__in=reservations).order_by("pk")
        begin_periods(account, reserved)
        held = {each.pk for each in reserved}
    recorded: set[uuid.UUID | None] = set()
    if attempts := [cost.attempt for cost in costs if cost.reservation is None]:
        recorded = set(ModelCall.objects.filter(attempt__in=attempts).values_list("attempt", flat=True))
    return [
        cost
        for cost in costs
        if (cost.reservation in held if cost.reservation is not None else cost.attempt not in recorded)
    ]


def _row(account: Account, cost: CallCost, kept: Collection[uuid.UUID]) -> ModelCall:
    of_account = {name: value for name, value in asdict(account).items() if name != "epoch"}
    return ModelCall(
        request_id=cost.sent.id if cost.sent and cost.sent.id in kept else None,
        **of_account,
        attempt=cost.attempt,
        purpose=cost.purpose,
        provider=cost.provider,
        model=cost.model,
        **asdict(cost.usage),
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
        event = cost.to_event()
        for name in COUNTS:
            usage[name] = usage.get(name, 0) + event[name]
        usage["cost"] = usage.get("cost", 0) + (event["cost"] or 0)
        if cost.cost is None:
            usage["unpricedTokens"] = usage.get("unpricedTokens", 0) + cost.tokens
        if cost.usage.estimated:
            usage["estimated"] = True
    session.update(usage=usage)
