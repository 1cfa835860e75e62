"""What a period of a budget has spent: all of it, also what no budget knew of when it began."""

import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from django.contrib.auth.models import User
from django.db import connections, transaction
from django.utils import timezone

from chat.models import Budget, BudgetPeriod, BudgetScope, BudgetUnit, SessionType
from chat.spending.reserving import reserve
from chat.spending.settling import record_now
from chat.spending.uses import begun
from graphs.models import Workspace
from tests.chat.engine.driving import until
from tests.chat.spending.paid import account, bound, budget, left, refusal, session_of, somebody_waits, took

pytestmark = pytest.mark.django_db


def switch(found: Budget, *, on: bool) -> None:
    Budget.objects.filter(pk=found.pk).update(active=on)


def test_a_budget_that_was_off_knows_what_was_spent_meanwhile(alice: User, demo_workspace: Workspace) -> None:
    session = session_of(alice, demo_workspace, SessionType.AUTOMATION)
    who = account(demo_workspace, alice, session)
    each = [budget(demo_workspace, 500, scope=scope, period=BudgetPeriod.TOTAL) for scope in BudgetScope]
    each.append(budget(demo_workspace, 5, unit=BudgetUnit.USD, period=BudgetPeriod.MONTH))
    reserve(who, bound(), first := uuid.uuid4())
    record_now(who, [took(first)])
    for found in each:
        switch(found, on=False)
    record_now(who, [took(None)])
    record_now(account(demo_workspace), [took(None, 5, 0, "1")])  # falls under those of the workspace alone
    for found in each:
        switch(found, on=True)
    assert reserve(who, bound(), uuid.uuid4())
    *tokens, money = [left(found) for found in each]
    assert tokens == [(85, 100), (80, 100), (80, 100), (80, 100)]
    assert money == (Decimal("1.5"), 1)


def test_a_call_under_way_counts_in_a_budget_that_is_made_meanwhile(alice: User, demo_workspace: Workspace) -> None:
    """Whether another one paid for it or none."""
    who = account(demo_workspace, alice)
    first = budget(demo_workspace, 500, scope=BudgetScope.USER)
    reserve(who, bound(), reservation := uuid.uuid4())
    second = budget(demo_workspace, 150)
    reserve(account(demo_workspace), bound(10), uuid.uuid4())
    record_now(who, [took(reservation), took(None)])
    assert left(first) == (80, 0)
    assert left(second) == (80, 10)
    refusal(account(demo_workspace), bound(61))


def test_the_local_model_counts_in_no_budget(demo_workspace: Workspace) -> None:
    tokens = budget(demo_workspace, 500)
    reserve(account(demo_workspace), bound(), uuid.uuid4())
    record_now(account(demo_workspace), [took(None, provider="local")])
    assert left(tokens) == (0, 100)


def test_a_call_from_before_midnight_counts_once_though_its_budget_was_off(
    demo_workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    moment = datetime(2026, 12, 31, 23, 59, tzinfo=UTC)
    monkeypatch.setattr(timezone, "now", lambda: moment)
    day = budget(demo_workspace, 500)
    reserve(account(demo_workspace), bound(), reservation := uuid.uuid4())
    switch(day, on=False)
    moment = datetime(2027, 1, 1, 0, 1, tzinfo=UTC)
    record_now(account(demo_workspace), [took(reservation)])
    switch(day, on=True)
    reserve(account(demo_workspace), bound(), uuid.uuid4())
    assert [(use.used, use.reserved) for use in day.uses.order_by("starts_on")] == [(40, 0), (0, 100)]


@pytest.mark.django_db(transaction=True)
def test_a_period_begins_with_what_is_recorded_at_the_same_time(demo_workspace: Workspace) -> None:
    """Neither the sum of what was spent before nor who records may miss it."""
    day = budget(demo_workspace, 500)

    def reserving() -> bool:
        try:
            return reserve(account(demo_workspace), bound(), uuid.uuid4())
        finally:
            connections.close_all()

    def recording() -> None:
        try:
            record_now(account(demo_workspace), [took(None)])
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as threads:
        with transaction.atomic():
            record_now(account(demo_workspace), [took(None)])
            begins = threads.submit(reserving)
            until(lambda: somebody_waits() or begins.done())
        assert begins.result()
        assert left(day) == (40, 100)
        month = budget(demo_workspace, 500, period=BudgetPeriod.MONTH)
        with transaction.atomic():
            begun([month], account(demo_workspace), timezone.localdate())
            records = threads.submit(recording)
            until(lambda: somebody_waits() or records.done())
        records.result()
    assert left(month) == (80, 0)
