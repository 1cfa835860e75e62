"""Budgets, bounds and costs for tests of money."""

import uuid
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection

from chat.models import Budget, BudgetPeriod, BudgetUnit, Purpose, Session, SessionType, Stream
from chat.providers.pieces import Usage
from chat.providers.provider import Price
from chat.spending.calls import Bound, CallCost
from chat.spending.refusing import BudgetRefused
from chat.spending.reserving import reserve
from graphs.models import Workspace
from graphs.site.accounts import Account


def budget(workspace: Workspace, limit: float, **fields: Any) -> Budget:
    """Of tokens, for a day, unless something else is said."""
    fields = {"unit": BudgetUnit.TOKENS, "period": BudgetPeriod.DAY, **fields}
    return Budget.objects.create(workspace=workspace, limit=Decimal(str(limit)), **fields)


def bound(tokens: int = 100, cost: str | None = "1") -> Bound:
    price = None if cost is None else Price(2.0, 1.0, 4.0)
    return Bound(Purpose.CHAT, "custom", "scripted", 60, tokens, None if cost is None else Decimal(cost), price)


def took(
    reservation: uuid.UUID | None,
    prompt: int = 30,
    completion: int = 10,
    cost: str | None = "0.25",
    provider: str = "custom",
) -> CallCost:
    amount = None if cost is None else Decimal(cost)
    return CallCost(provider, "scripted", Usage(prompt, completion), amount, 5, "complete", reservation=reservation)


def session_of(user: User, workspace: Workspace, type_: SessionType = SessionType.CHAT) -> Session:
    id_ = uuid.uuid4()
    stream = Stream.objects.create(name=f"session_{id_}", workspace=workspace)
    return Session.objects.create(id=id_, workspace=workspace, owner=user, stream=stream, type=type_)


def account(workspace: Workspace, user: User | None = None, session: Session | None = None) -> Account:
    return Account(workspace.pk, user and user.pk, session and session.pk)


def left(found: Budget) -> tuple[Decimal, Decimal]:
    """Spent and reserved in the only period of a budget."""
    (use,) = found.uses.all()
    return use.used, use.reserved


def refusal(*args: object) -> BudgetRefused:
    with pytest.raises(BudgetRefused) as refused:
        reserve(*args, uuid.uuid4())  # type: ignore[arg-type]
    return refused.value


def somebody_waits() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT 1 FROM pg_locks JOIN pg_stat_activity USING (pid) "
            "WHERE NOT granted AND datname = current_database()"
        )
        return cursor.fetchone() is not None
