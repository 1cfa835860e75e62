"""Records what calls took, and gives back what was reserved for them."""

import uuid
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import F

from chat.models import BudgetUse, Reservation, Session
from chat.spending import free_questions, recording
from chat.spending.calls import CallCost
from chat.spending.uses import begin_periods, locked_uses, present_periods
from graphs.site.accounts import Account
from rag.embeddings.embedding_models import LOCAL


@dataclass(frozen=True, slots=True)
class Due:
    """Attempts that are to be stored by the caller's transaction, and the reservations that are `held` for them."""

    account: Account
    costs: Sequence[CallCost]
    held: Collection[uuid.UUID]
    known: recording.Known

    @property
    def values(self) -> dict[str, Any]:
        """The parameters of a statement that stores the attempts: `RECORDED`, `USAGE` and `BUDGETS`."""
        return recording.to_record(self.account, self.costs, self.known)

    def settle(self, *, budgets: bool) -> None:
        """Settles once they are stored; `budgets` as that statement says."""
        if (budgets and self.costs) or self.held:  # Also where the budget was deleted meanwhile.
            _settle(self.held, self.costs, present_periods(self.account))


def due(account: Account, costs: Sequence[CallCost]) -> Due:
    """What is to be stored of attempts, once. The caller holds the session, stores it and settles.

    All costs of a reservation have to come at once.
    """
    held = _held(account, {cost.reservation for cost in costs if cost.reservation is not None})
    costs = [cost for cost in costs if cost.reservation is None or cost.reservation in held]
    costs += free_questions.take(account.run_id)
    if not costs:
        return Due(account, (), (), recording.Known())
    known = recording.known(account, costs)
    return Due(account, [cost for cost in costs if cost.attempt not in known.attempts], held, known)


def record_costs(account: Account, costs: Sequence[CallCost]) -> None:
    """Stores attempts and settles their reservations, once, in the transaction of the caller, who holds the session.

    All costs of a reservation have to come at once.
    """
    found = due(account, costs)
    budgets = bool(found.costs) and recording.record(account, found.costs, found.known)
    found.settle(budgets=budgets)


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


def _held(account: Account, reservations: Collection[uuid.UUID]) -> set[uuid.UUID]:
    """The reservations that are still held, locked: a lost commit, or who took the run over, may have settled some."""
    if not reservations:
        return set()
    reserved = Reservation.objects.select_for_update(no_key=True).filter(pk__in=reservations).order_by("pk")
    begin_periods(account, reserved)
    return {each.pk for each in reserved}
