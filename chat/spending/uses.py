"""The periods of budgets: each begins with what was spent in it before, and gains what is recorded later."""

from collections.abc import Collection, Iterable
from datetime import date, datetime, time, timedelta
from decimal import Decimal

from django.db import connection
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
from graphs.site.accounts import Account
from rag.embeddings.embedding_models import LOCAL

#: Together with a workspace's number it names a lock, shared to record calls, exclusive to begin a period: what is
#: recorded is in the sum that a period begins with, or counts in it afterwards.
ADVISORY_LOCK = 0x5370656E
LOCKS = 2**31 - 1
#: When the one period of a budget that never begins anew began.
EVER = date(1970, 1, 1)


def starts_on(period: str, today: date) -> date:
    if period == BudgetPeriod.DAY:
        return today
    return today.replace(day=1) if period == BudgetPeriod.MONTH else EVER


def ends_at(period: str, start: date) -> datetime | None:
    """The moment from which the next period counts; None if there is none."""
    if period == BudgetPeriod.DAY:
        return midnight(start + timedelta(days=1))
    return midnight((start + timedelta(days=32)).replace(day=1)) if period == BudgetPeriod.MONTH else None


def midnight(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time.min))


def budgets_of(account: Account) -> QuerySet[Budget]:
    """The budgets that a call falls under, also those that are off, in the order in which they are locked."""
    holds = Q(scope=BudgetScope.WORKSPACE)
    if account.user_id is not None:
        holds |= Q(scope=BudgetScope.USER) & (Q(user=None) | Q(user=account.user_id))
    if account.session_id is not None:
        of_session = Q(session=None) | Q(session=account.session_id)
        automated = Session.objects.filter(pk=account.session_id, type=SessionType.AUTOMATION)
        holds |= Q(scope=BudgetScope.SESSION) & of_session
        holds |= Q(scope=BudgetScope.AUTOMATION) & of_session & Q(Exists(automated))
    return Budget.objects.filter(holds, workspace=account.workspace_id).order_by("pk")


def begun(budgets: Iterable[Budget], account: Account, today: date) -> list[BudgetUse]:
    """The present periods of these budgets, which are locked; the periods are locked in the order of their own ids."""
    return locked_uses([_begun(each, account, today) for each in budgets if each.period != BudgetPeriod.CALL])


def begin_periods(account: Account, reserved: Iterable[Reservation]) -> None:
    """Begins the present periods before calls are recorded; a period begun after a call would count it once more."""
    today = timezone.localdate()
    late = [pk for each in reserved if timezone.localdate(each.created_at) != today for pk in each.uses]
    if late:
        budgets = budgets_of(account).filter(uses__in=late).distinct()
        for budget in Budget.objects.filter(pk__in=budgets).order_by("pk").select_for_update(no_key=True):
            _begun(budget, account, today)


def present_periods(account: Account) -> dict[int, int]:
    """The ids of the present periods by budget, in which a call counts that is recorded now.

    Until the caller's transaction ends nobody begins another one, which would count this call once more.
    """
    _hold("pg_advisory_xact_lock_shared", account.workspace_id)
    today = timezone.localdate()
    now = Q()
    for period in (BudgetPeriod.DAY, BudgetPeriod.MONTH, BudgetPeriod.TOTAL):
        now |= Q(budget__period=period, starts_on=starts_on(period, today))
    whose = ["", str(account.user_id), str(account.session_id)]
    uses = BudgetUse.objects.filter(now, budget__in=budgets_of(account), subject__in=whose)
    return dict(uses.values_list("budget", "pk"))


def locked_uses(ids: Collection[int]) -> list[BudgetUse]:
    """These uses with their budgets, locked in the order in which all code locks them."""
    if not ids:
        return []
    uses = BudgetUse.objects.select_related("budget").filter(pk__in=ids).order_by("pk")
    return list(uses.select_for_update(of=("self",), no_key=True))


def _begun(budget: Budget, account: Account, today: date) -> int:
    """The id of the present period of a budget that is locked."""
    subjects = {BudgetScope.WORKSPACE: "", BudgetScope.USER: str(account.user_id)}
    subject = subjects.get(BudgetScope(budget.scope), str(account.session_id))
    start = starts_on(budget.period, today)
    use = budget.uses.filter(subject=subject, starts_on=start).first()
    if use is None:
        _hold("pg_advisory_xact_lock", account.workspace_id)
        use = budget.uses.create(subject=subject, starts_on=start, used=_spent(budget, account, start))
    return use.pk


def _hold(lock: str, workspace_id: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {lock}(%s, %s)", [ADVISORY_LOCK, workspace_id % LOCKS])


def _spent(budget: Budget, account: Account, start: date) -> Decimal:
    calls = ModelCall.objects.filter(workspace=budget.workspace_id, created_at__gte=midnight(start))
    if budget.scope == BudgetScope.USER:
        calls = calls.filter(user=account.user_id)
    elif budget.scope != BudgetScope.WORKSPACE:
        calls = calls.filter(session=account.session_id)
    if budget.unit == BudgetUnit.TOKENS:
        calls = calls.exclude(provider=LOCAL)
        total = Sum(F("prompt_tokens") + F("completion_tokens"))
    else:
        total = Sum("cost")
    return Decimal(calls.order_by().aggregate(total=Coalesce(total, 0, output_field=BudgetUse.used.field))["total"])
