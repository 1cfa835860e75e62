"""What budgets let through, and what they say where they do not."""

import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from django.contrib.auth.models import User
from django.db import connections, transaction
from django.utils import timezone, translation

from chat.models import Budget, BudgetPeriod, BudgetScope, BudgetUnit, BudgetUse, ModelCall, Reservation, SessionType
from chat.spending.refusing import BudgetRefused
from chat.spending.reserving import cover, reserve
from chat.spending.settling import record_costs_now, release
from chat.spending.uses import EVER
from graphs.models import Workspace
from tests.chat.engine.driving import until
from tests.chat.spending.paid import account, bound, budget, left, refusal, session_of, somebody_waits, took

pytestmark = pytest.mark.django_db


@pytest.mark.django_db(transaction=True)
def test_fifty_calls_at_once_cannot_overspend_by_one(alice: User, demo_workspace: Workspace) -> None:
    """Under two budgets, one of which has no period yet; what does not fit is refused, all else is let through."""
    money = budget(demo_workspace, 7, unit=BudgetUnit.USD, period=BudgetPeriod.MONTH)
    tokens = budget(demo_workspace, 100_000, scope=BudgetScope.USER)

    def call(_number: int) -> bool:
        reservation = uuid.uuid4()
        try:
            reserve(account(demo_workspace, alice), bound(), reservation)
            return True
        except BudgetRefused:
            return False
        finally:
            connections.close_all()

    with ThreadPoolExecutor(16) as threads:
        let_through = sum(threads.map(call, range(50)))
    assert let_through == 7
    assert refusal(account(demo_workspace, alice), bound()).retryable  # what is in the way is under way
    assert left(money) == (0, 7)
    assert left(tokens) == (0, 700)
    assert Reservation.objects.count() == 7


@pytest.mark.django_db(transaction=True)
def test_it_locks_in_the_order_of_who_settles(demo_workspace: Workspace) -> None:
    """The second budget's period began before the first one's: neither may hold what the other waits for."""
    days, ever = budget(demo_workspace, 500), budget(demo_workspace, 500, period=BudgetPeriod.TOTAL)
    first = ever.uses.create(starts_on=EVER)
    second = days.uses.create(starts_on=timezone.localdate())

    def reserving() -> bool:
        try:
            return reserve(account(demo_workspace), bound(), uuid.uuid4())
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as threads:
        with transaction.atomic():
            settling = BudgetUse.objects.select_for_update(no_key=True)
            settling.get(pk=first.pk)
            waiting = threads.submit(reserving)
            until(somebody_waits)
            settling.select_for_update(no_key=True, nowait=True).get(pk=second.pk)
        assert waiting.result()


def test_it_settles_with_what_was_taken_more_or_less(demo_workspace: Workspace) -> None:
    tokens = budget(demo_workspace, 500)
    money = budget(demo_workspace, 5, unit=BudgetUnit.USD)
    for prompt, cost in ((30, "0.25"), (300, "3.5")):
        reservation = uuid.uuid4()
        assert reserve(account(demo_workspace), bound(), reservation)
        record_costs_now(account(demo_workspace), [took(reservation, prompt, 10, cost)])
    assert left(tokens) == (350, 0)
    assert left(money) == (Decimal("3.75"), 0)
    assert not Reservation.objects.exists()
    record_costs_now(account(demo_workspace), [took(reservation)])  # settled already: no budget pays twice
    assert left(tokens) == (350, 0)


def test_a_reservation_that_is_repeated_is_one(demo_workspace: Workspace) -> None:
    tokens, same = budget(demo_workspace, 500), uuid.uuid4()
    assert reserve(account(demo_workspace), bound(), same)
    assert reserve(account(demo_workspace), bound(), same)
    assert left(tokens) == (0, 100)
    release(same)
    release(same)
    assert left(tokens) == (0, 0)


def test_without_a_budget_nothing_is_reserved(demo_workspace: Workspace, other_workspace: Workspace) -> None:
    budget(demo_workspace, 1, active=False)
    budget(other_workspace, 1)
    assert not reserve(account(demo_workspace), bound(cost=None), uuid.uuid4())
    assert not Reservation.objects.exists()


def test_a_model_without_a_price_is_refused_under_dollars_only(demo_workspace: Workspace) -> None:
    tokens = budget(demo_workspace, 500)
    assert reserve(account(demo_workspace), bound(cost=None), uuid.uuid4())
    budget(demo_workspace, 5, unit=BudgetUnit.USD)
    refused = refusal(account(demo_workspace), bound(cost=None))
    assert "is in dollars, and nobody knows what scripted costs" in str(refused)
    assert not refused.retryable
    assert left(tokens) == (0, 100)


def test_a_free_model_is_let_through_whatever_was_spent(demo_workspace: Workspace) -> None:
    budget(demo_workspace, 0, unit=BudgetUnit.USD)
    assert reserve(account(demo_workspace), bound(cost="0"), uuid.uuid4())
    refusal(account(demo_workspace), bound(cost="0.00000001"))


def test_a_budget_of_each_call_looks_at_each_alone(demo_workspace: Workspace) -> None:
    budget(demo_workspace, 100, period=BudgetPeriod.CALL)
    for _ in range(3):
        assert reserve(account(demo_workspace), bound(100), uuid.uuid4())
    refused = refusal(account(demo_workspace), bound(101))
    assert "for each call is 100 tokens, and this one may take up to 101 tokens" in str(refused)
    assert not BudgetUse.objects.exists()


def test_each_person_conversation_and_automation_has_its_own(alice: User, bob: User, demo_workspace: Workspace) -> None:
    each = budget(demo_workspace, 100, scope=BudgetScope.USER)
    for user in (alice, bob):
        assert reserve(account(demo_workspace, user), bound(), uuid.uuid4())
        refusal(account(demo_workspace, user), bound(1))
    assert reserve(account(demo_workspace), bound(), uuid.uuid4()) is False  # nobody's, such as a graph's vectors
    each.delete()
    budget(demo_workspace, 50, scope=BudgetScope.USER, user=bob)
    chat, automation = session_of(alice, demo_workspace), session_of(alice, demo_workspace, SessionType.AUTOMATION)
    budget(demo_workspace, 100, scope=BudgetScope.AUTOMATION, period=BudgetPeriod.TOTAL)
    budget(demo_workspace, 200, scope=BudgetScope.SESSION, period=BudgetPeriod.TOTAL, session=chat)
    assert reserve(account(demo_workspace, alice, automation), bound(), uuid.uuid4())
    assert "The budget of this automation in total" in str(
        refusal(account(demo_workspace, alice, automation), bound(1))
    )
    assert reserve(account(demo_workspace, alice, chat), bound(200), uuid.uuid4())
    assert "The budget of this conversation in total" in str(refusal(account(demo_workspace, alice, chat), bound(1)))
    refusal(account(demo_workspace, bob), bound(60))


def test_it_knows_what_was_spent_before_it(alice: User, demo_workspace: Workspace) -> None:
    record_costs_now(account(demo_workspace, alice), [took(None, 80, 10)])
    record_costs_now(account(demo_workspace), [took(None, 5, 0)])
    budget(demo_workspace, 100, scope=BudgetScope.USER)
    assert reserve(account(demo_workspace, alice), bound(10), uuid.uuid4())
    refused = refusal(account(demo_workspace, alice), bound(11))
    assert "may take up to 11 tokens, and 10 of 100 tokens are left" in str(refused)


def test_who_may_raise_a_limit_sees_what_was_spent_before_it(alice: User, demo_workspace: Workspace) -> None:
    record_costs_now(account(demo_workspace, alice), [took(None, 80, 10)])
    found = budget(demo_workspace, 100, scope=BudgetScope.USER)
    refusal(account(demo_workspace, alice), bound(11))
    assert left(found) == (90, 0)


def test_a_period_ends(demo_workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    moment = datetime(2026, 12, 31, 12, tzinfo=UTC)
    monkeypatch.setattr(timezone, "now", lambda: moment)
    day, month = budget(demo_workspace, 100), budget(demo_workspace, 250, period=BudgetPeriod.MONTH)
    assert reserve(account(demo_workspace), bound(), uuid.uuid4())
    refused = refusal(account(demo_workspace), bound())
    assert refused.retryable  # it is only set aside
    record_costs_now(account(demo_workspace), [took(Reservation.objects.get().pk, 90, 10)])
    refused = refusal(account(demo_workspace), bound())
    assert "for today does not cover this" in str(refused)
    assert "Jan. 1, 2027" in str(refused)
    assert refused.frees_in_s == 12 * 3600
    with translation.override("fr"):
        assert "1 janvier 2027" in str(refusal(account(demo_workspace), bound()))
    moment = datetime(2027, 1, 1, 0, 1, tzinfo=UTC)
    assert reserve(account(demo_workspace), bound(), uuid.uuid4())
    assert day.uses.count() == month.uses.count() == 2


def test_what_changes_while_a_call_is_under_way(demo_workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Midnight, a limit that is lowered, a budget that is deleted or switched off: each settles what it reserved."""
    moment = datetime(2026, 12, 31, 23, 59, tzinfo=UTC)
    monkeypatch.setattr(timezone, "now", lambda: moment)
    day, gone = budget(demo_workspace, 500), budget(demo_workspace, 500)
    off = budget(demo_workspace, 500, period=BudgetPeriod.MONTH)
    reservation = uuid.uuid4()
    reserve(account(demo_workspace), bound(), reservation)
    moment = datetime(2027, 1, 1, 0, 1, tzinfo=UTC)
    Budget.objects.filter(pk=off.pk).update(active=False)
    Budget.objects.filter(pk=day.pk).update(limit=50)
    gone.delete()
    record_costs_now(account(demo_workspace), [took(reservation)])
    for found in (day, off):
        before, present = found.uses.order_by("starts_on")
        assert before.starts_on.isoformat() == ("2026-12-31" if found == day else "2026-12-01")
        assert (before.used, before.reserved) == (40, 0)
        assert (present.used, present.reserved) == (0, 0)  # it counts once, in the period of its reservation
    assert not Reservation.objects.exists()
    refusal(account(demo_workspace), bound(51))
    assert reserve(account(demo_workspace), bound(50), uuid.uuid4())


def test_a_failed_attempt_needs_room_beside_the_next_one(demo_workspace: Workspace) -> None:
    tokens, reservation = budget(demo_workspace, 250), uuid.uuid4()
    reserve(account(demo_workspace), bound(), reservation)
    cover(reservation, took(None, 100, 0))
    assert left(tokens) == (0, 200)
    with pytest.raises(BudgetRefused, match="may take up to 300 tokens"):
        cover(reservation, took(None, 100, 0))
    record_costs_now(account(demo_workspace), [took(reservation, 100, 0), took(reservation, 100, 0)])
    assert left(tokens) == (200, 0)


def test_a_budget_that_was_switched_off_refuses_no_further_attempt(demo_workspace: Workspace) -> None:
    day, month = budget(demo_workspace, 150), budget(demo_workspace, 150, period=BudgetPeriod.MONTH)
    reserve(account(demo_workspace), bound(), reservation := uuid.uuid4())
    Budget.objects.filter(pk=day.pk).update(active=False)
    with pytest.raises(BudgetRefused):
        cover(reservation, took(None, 100, 0))
    assert left(day) == left(month) == (0, 100)
    Budget.objects.filter(pk=month.pk).update(active=False)
    cover(reservation, took(None, 100, 0))
    assert left(day) == left(month) == (0, 200)
    record_costs_now(account(demo_workspace), [took(reservation), took(reservation)])
    assert left(day) == left(month) == (80, 0)


def test_a_budget_of_each_call_limits_all_its_attempts_together(alice: User, demo_workspace: Workspace) -> None:
    budget(demo_workspace, 250, period=BudgetPeriod.CALL, scope=BudgetScope.USER)
    money = budget(demo_workspace, 2, period=BudgetPeriod.CALL, unit=BudgetUnit.USD, active=False)
    reserve(account(demo_workspace, alice), bound(), reservation := uuid.uuid4())
    cover(reservation, took(None, 100, 0, "0.75"))
    with pytest.raises(BudgetRefused, match="for each call is 250 tokens, and this one may take up to 300 tokens"):
        cover(reservation, took(None, 100, 0))
    assert Reservation.objects.get().tokens == 200
    Budget.objects.filter(pk=money.pk).update(active=True)
    with pytest.raises(BudgetRefused, match=r"up to \$2.2500"):
        cover(reservation, took(None, 1, 0, "0.5"))


def test_what_was_reserved_is_settled_once_though_its_budget_was_deleted(demo_workspace: Workspace) -> None:
    only, reservation = budget(demo_workspace, 500), uuid.uuid4()
    assert reserve(account(demo_workspace), bound(), reservation)
    only.delete()
    record_costs_now(account(demo_workspace), [took(reservation=reservation)])
    assert not Reservation.objects.exists()
    assert ModelCall.objects.count() == 1
