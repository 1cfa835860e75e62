"""Before a call: every budget that it falls under sets aside the most that it can take, or refuses it.

Budgets are locked in the order of their ids, so calls of a workspace are reserved one after the other, and no number of
them at once spends more than a limit.
"""

import uuid
from collections.abc import Iterable
from datetime import date, datetime
from decimal import Decimal

from django.db import transaction
from django.db.models import Exists, F, Q, QuerySet, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from chat.models import (
    Budget,
    BudgetPeriod,
    BudgetScope,
    BudgetUnit,
    BudgetUse,
    ModelCall,
    Reservation,
    Session,
    SessionType,
)
from chat.spending import refusing
from chat.spending.calls import Bound, CallCost
from chat.spending.periods import ends_at, midnight, starts_on
from chat.spending.refusing import BudgetRefused
from rag.embeddings.registry import LOCAL
from rag.metering import Account


def budgets_of(account: Account) -> QuerySet[Budget]:
    """The active budgets that a call falls under, in the order in which they are locked."""
    holds = Q(scope=BudgetScope.WORKSPACE)
    if account.user_id is not None:
        holds |= Q(scope=BudgetScope.USER) & (Q(user=None) | Q(user=account.user_id))
    if account.session_id is not None:
        of_session = Q(session=None) | Q(session=account.session_id)
        automated = Session.objects.filter(pk=account.session_id, type=SessionType.AUTOMATION)
        holds |= Q(scope=BudgetScope.SESSION) & of_session
        holds |= Q(scope=BudgetScope.AUTOMATION) & of_session & Q(Exists(automated))
    return Budget.objects.filter(holds, workspace=account.workspace_id, active=True).order_by("pk")


def reserve(account: Account, bound: Bound, reservation_id: uuid.UUID) -> bool:
    """Sets aside what a call can take, in a transaction of its own; False where no budget concerns it.

    Repeated with the same id it does nothing more. Raises `BudgetRefused`, and has set aside nothing then.
    """
    refusal: BudgetRefused | None = None
    with transaction.atomic(durable=True):
        budgets = list(budgets_of(account).select_for_update(no_key=True))
        if not budgets:
            return False
        if Reservation.objects.filter(pk=reservation_id).exists():
            return True  # the commit had happened, only its answer was lost
        uses = {use.budget_id: use for use in _periods(budgets, account, timezone.localdate())}
        try:
            for budget in budgets:
                _require_room(budget, uses.get(budget.pk), bound)
        except BudgetRefused as no_room:
            refusal = no_room  # raised after the commit: whoever may raise the limit sees what the period has spent
        else:
            for use in uses.values():
                BudgetUse.objects.filter(pk=use.pk).update(reserved=F("reserved") + _amount(use.budget, bound))
            _store(account, bound, reservation_id, [use.pk for use in uses.values()])
    if refusal is not None:
        raise refusal
    return True


def cover(reservation_id: uuid.UUID, spent: CallCost) -> None:
    """Before a call is made again: what the failed attempt took is set aside beside the bound of the next one.

    Raises `BudgetRefused` where there is no room for both.
    """
    with transaction.atomic(durable=True):
        reservation = Reservation.objects.select_for_update(no_key=True).filter(pk=reservation_id).first()
        if reservation is None:
            return
        for use in locked_uses(reservation.uses):
            held, more = _held_and_more(use.budget, reservation, spent)
            if use.used + use.reserved + more > use.budget.limit:
                raise refusing.used_up(use.budget, held + more, use.used, use.reserved - held, _frees_at(use))
            BudgetUse.objects.filter(pk=use.pk).update(reserved=F("reserved") + more)
        _require_room_for_all_attempts(reservation, spent)
        reservation.tokens += spent.tokens
        reservation.prompt_tokens += spent.usage.prompt_tokens
        reservation.cost = None if reservation.cost is None else reservation.cost + (spent.cost or 0)
        reservation.save(update_fields=["tokens", "prompt_tokens", "cost"])


def begin_periods(account: Account, reserved: Iterable[Reservation]) -> None:
    """Before a call is recorded that was reserved before midnight, and counts in the periods of then.

    Those of now begin with what was recorded in them: begun later, they would count the call once more.
    """
    today = timezone.localdate()
    late = [pk for each in reserved if timezone.localdate(each.created_at) != today for pk in each.uses]
    if late:
        budgets = budgets_of(account).filter(uses__in=late).distinct()
        for budget in Budget.objects.filter(pk__in=budgets).order_by("pk").select_for_update(no_key=True):
            _period(budget, account, today)


def count_anew(budget: Budget) -> None:
    """When a budget is active again: what was spent meanwhile counts. Belongs into the transaction that makes it so."""
    Budget.objects.select_for_update(no_key=True).get(pk=budget.pk)
    start = starts_on(budget.period, timezone.localdate())
    for use in locked_uses(list(budget.uses.filter(starts_on=start).values_list("pk", flat=True))):
        BudgetUse.objects.filter(pk=use.pk).update(used=_spent(budget, use.subject, start))


def locked_uses(ids: list[int]) -> list[BudgetUse]:
    """In the order in which everybody locks them."""
    uses = BudgetUse.objects.select_related("budget").filter(pk__in=ids).order_by("pk")
    return list(uses.select_for_update(of=("self",), no_key=True))


def _require_room_for_all_attempts(reservation: Reservation, spent: CallCost) -> None:
    """A budget of each call limits what its attempts take together. Raises `BudgetRefused`."""
    account = Account(reservation.workspace_id, reservation.user_id, reservation.session_id)
    for budget in budgets_of(account).filter(period=BudgetPeriod.CALL):
        held, more = _held_and_more(budget, reservation, spent)
        if held + more > budget.limit:
            raise refusing.too_large(budget, held + more)


def _held_and_more(budget: Budget, reservation: Reservation, spent: CallCost) -> tuple[Decimal, Decimal]:
    """What is set aside for a call, and what its failed attempt took, in a budget's unit."""
    if budget.unit == BudgetUnit.TOKENS:
        return Decimal(reservation.tokens), Decimal(spent.tokens)
    return reservation.cost or Decimal(0), spent.cost or Decimal(0)


def _require_room(budget: Budget, use: BudgetUse | None, bound: Bound) -> None:
    """`use` is its present period, None for a budget of each call. Raises `BudgetRefused`."""
    amount = _amount(budget, bound)
    if amount is None:
        raise refusing.without_price(budget, bound.model)
    if use is None:
        if amount > budget.limit:
            raise refusing.too_large(budget, amount)
    elif amount and use.used + use.reserved + amount > budget.limit:
        raise refusing.used_up(budget, amount, use.used, use.reserved, _frees_at(use))


def _periods(budgets: Iterable[Budget], account: Account, today: date) -> list[BudgetUse]:
    """The present period of each budget that has one, with what was spent in it before the budget knew of it.

    Their ids follow the days on which they began, not those of the budgets: they are locked in an order of their own.
    """
    return locked_uses([_period(each, account, today) for each in budgets if each.period != BudgetPeriod.CALL])


def _period(budget: Budget, account: Account, today: date) -> int:
    """The id of the present period of a budget that is locked; it begins with what was spent before."""
    subject, start = _subject(budget, account), starts_on(budget.period, today)
    use = budget.uses.filter(subject=subject, starts_on=start).first()
    if use is None:
        use = budget.uses.create(subject=subject, starts_on=start, used=_spent(budget, subject, start))
    return use.pk


def _subject(budget: Budget, account: Account) -> str:
    match budget.scope:
        case BudgetScope.WORKSPACE:
            return ""
        case BudgetScope.USER:
            return str(account.user_id)
        case _:
            return str(account.session_id)


def _spent(budget: Budget, subject: str, start: date) -> Decimal:
    calls = ModelCall.objects.filter(workspace=budget.workspace_id, created_at__gte=midnight(start))
    if budget.scope == BudgetScope.USER:
        calls = calls.filter(user=int(subject))
    elif budget.scope != BudgetScope.WORKSPACE:
        calls = calls.filter(session=uuid.UUID(subject))
    if budget.unit == BudgetUnit.TOKENS:
        calls = calls.exclude(provider=LOCAL)
        total = Sum(F("prompt_tokens") + F("completion_tokens"))
    else:
        total = Sum("cost")
    return Decimal(calls.order_by().aggregate(total=Coalesce(total, 0, output_field=BudgetUse.used.field))["total"])


def _amount(budget: Budget, bound: Bound) -> Decimal | None:
    return Decimal(bound.tokens) if budget.unit == BudgetUnit.TOKENS else bound.cost


def _frees_at(use: BudgetUse) -> datetime | None:
    return ends_at(use.budget.period, use.starts_on)


def _store(account: Account, bound: Bound, reservation_id: uuid.UUID, uses: list[int]) -> None:
    Reservation.objects.create(
        id=reservation_id,
        workspace_id=account.workspace_id,
        user_id=account.user_id,
        session_id=account.session_id,
        run_id=account.run_id,
        epoch=account.epoch,
        object=account.object,
        purpose=bound.purpose,
        provider=bound.provider,
        model=bound.model,
        prompt_tokens=bound.prompt_tokens,
        tokens=bound.tokens,
        cost=bound.cost,
        input_price=bound.price.input if bound.price else None,
        output_price=bound.price.output if bound.price else None,
        uses=uses,
    )
