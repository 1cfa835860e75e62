"""Sets aside the most that a call can take, before it, in every budget that it falls under; or refuses it.

Budgets are locked in the order of their ids, so that no number of calls at once spends more than a limit.
"""

import uuid
from dataclasses import asdict
from datetime import datetime
from decimal import Decimal

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from chat.events.append import Fenced
from chat.models import Budget, BudgetPeriod, BudgetUse, Reservation
from chat.spending import refusing
from chat.spending.calls import Bound, CallCost
from chat.spending.refusing import BudgetRefused
from chat.spending.uses import begun, budgets_of, ends_at, locked_uses
from graphs.site.accounts import Account


def reserve(account: Account, bound: Bound, reservation_id: uuid.UUID) -> bool:
    """Sets aside once, in its own transaction, what a call can take; False without a budget. Raises `BudgetRefused`."""
    refusal: BudgetRefused | None = None
    with transaction.atomic(durable=True):
        budgets = list(budgets_of(account).filter(active=True).select_for_update(no_key=True))
        if not budgets:
            return False
        if Reservation.objects.filter(pk=reservation_id).exists():
            return True  # the commit had happened, only its answer was lost
        uses = {use.budget_id: use for use in begun(budgets, account, timezone.localdate())}
        try:
            for budget in budgets:
                _require_room(budget, uses.get(budget.pk), bound)
        except BudgetRefused as no_room:
            refusal = no_room  # raised after the commit, so that admins see what the period has spent
        else:
            for use in uses.values():
                amount = use.budget.amount(bound.tokens, bound.cost)
                BudgetUse.objects.filter(pk=use.pk).update(reserved=F("reserved") + amount)
            _store(account, bound, reservation_id, [use.pk for use in uses.values()])
    if refusal is not None:
        raise refusal
    return True


def cover(reservation_id: uuid.UUID, spent: CallCost) -> None:
    """Sets aside what a failed attempt took beside the bound of the next one. Raises `BudgetRefused`, `Fenced`."""
    with transaction.atomic(durable=True):
        reservation = Reservation.objects.select_for_update(no_key=True).filter(pk=reservation_id).first()
        if reservation is None:
            raise Fenced
        for use in locked_uses(reservation.uses):
            held, more = _held_and_more(use.budget, reservation, spent)
            if use.budget.active and use.used + use.reserved + more > use.budget.limit:
                raise refusing.used_up(use.budget, held + more, use.used, use.reserved - held, _frees_at(use))
            BudgetUse.objects.filter(pk=use.pk).update(reserved=F("reserved") + more)
        _require_room_for_all_attempts(reservation, spent)
        reservation.tokens += spent.tokens
        reservation.prompt_tokens += spent.usage.prompt_tokens
        reservation.cost = None if reservation.cost is None else reservation.cost + (spent.cost or 0)
        reservation.save(update_fields=["tokens", "prompt_tokens", "cost"])


def _require_room_for_all_attempts(reservation: Reservation, spent: CallCost) -> None:
    """A budget of each call limits what its attempts take together. Raises `BudgetRefused`."""
    account = Account(reservation.workspace_id, reservation.user_id, reservation.session_id)
    for budget in budgets_of(account).filter(active=True, period=BudgetPeriod.CALL):
        held, more = _held_and_more(budget, reservation, spent)
        if held + more > budget.limit:
            raise refusing.too_large(budget, held + more)


def _held_and_more(budget: Budget, reservation: Reservation, spent: CallCost) -> tuple[Decimal, Decimal]:
    """What is set aside for a call, and what its failed attempt took, in a budget's unit."""
    held, more = budget.amount(reservation.tokens, reservation.cost), budget.amount(spent.tokens, spent.cost)
    return held or Decimal(0), more or Decimal(0)


def _require_room(budget: Budget, use: BudgetUse | None, bound: Bound) -> None:
    """Raises `BudgetRefused` if a call may not fit. `use` is its present period, None for a budget of each call."""
    amount = budget.amount(bound.tokens, bound.cost)
    if amount is None:
        raise refusing.without_price(budget, bound.model)
    if use is None:
        if amount > budget.limit:
            raise refusing.too_large(budget, amount)
    elif amount and use.used + use.reserved + amount > budget.limit:
        raise refusing.used_up(budget, amount, use.used, use.reserved, _frees_at(use))


def _frees_at(use: BudgetUse) -> datetime | None:
    return ends_at(use.budget.period, use.starts_on)


def _store(account: Account, bound: Bound, reservation_id: uuid.UUID, uses: list[int]) -> None:
    columns = asdict(account) | {name: value for name, value in asdict(bound).items() if name != "price"}
    price = bound.price
    if price is not None:
        columns |= {"input_price": price.input, "output_price": price.output, "price_source": price.source}
    Reservation.objects.create(id=reservation_id, uses=uses, **columns)
