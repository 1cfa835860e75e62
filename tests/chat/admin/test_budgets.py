import uuid
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from chat.models import Budget, BudgetScope, BudgetUnit, SessionType
from chat.spending.refusing import BudgetRefused
from chat.spending.reserving import reserve
from chat.spending.settling import record_costs_now
from graphs.models import Workspace
from tests.chat.spending.paid import account, bound, budget, session_of, took
from tests.graphs.admin.staff import auditor

pytestmark = pytest.mark.django_db
LIST = "admin:chat_budget_changelist"


def add(client: Client, workspace: Workspace, **fields: Any) -> str:
    """What is wrong with it; nothing where it was taken."""
    values = {"scope": "workspace", "unit": "usd", "period": "month", "limit": "5", "active": "on", **fields}
    response = client.post(reverse("admin:chat_budget_add"), {"workspace": workspace.pk, **values})
    return "" if response.status_code == 302 else response.content.decode()


def test_admins_of_a_workspace_limit_what_it_spends(
    alice: User, charlie: User, demo_workspace: Workspace, other_workspace: Workspace
) -> None:
    client = auditor(demo_workspace)
    assert add(client, demo_workspace) == ""
    assert add(client, demo_workspace, scope="user", person="alice", unit="tokens", limit="1000") == ""
    assert add(client, demo_workspace, scope="automation") == ""
    assert "has no member with this name" in add(client, demo_workspace, scope="user", person="charlie")
    assert "Only a budget of a person names one" in add(client, demo_workspace, person="alice")
    assert "Tokens are counted whole" in add(client, demo_workspace, unit="tokens", limit="1.5")
    assert add(client, demo_workspace, limit="-1")
    assert add(client, other_workspace)
    assert Budget.objects.count() == 3
    text = client.get(reverse(LIST)).content.decode()
    assert "$5.0000 each month" in text
    assert "1,000 tokens each month" in text
    assert "each automation" in text


def test_a_conversation_is_one_of_the_workspace(
    alice: User, charlie: User, demo_workspace: Workspace, other_workspace: Workspace
) -> None:
    client = auditor(demo_workspace)
    chat, foreign = session_of(alice, demo_workspace), session_of(charlie, other_workspace)
    automation = session_of(alice, demo_workspace, SessionType.AUTOMATION)
    assert add(client, demo_workspace, scope="session", conversation=chat.pk) == ""
    assert add(client, demo_workspace, scope="automation", conversation=automation.pk) == ""
    refused = "has no such session"
    assert refused in add(client, demo_workspace, scope="automation", conversation=chat.pk)
    assert refused in add(client, demo_workspace, scope="session", conversation=foreign.pk)
    assert refused in add(client, demo_workspace, scope="session", conversation="nonsense")


def test_what_a_budget_measures_stays(demo_workspace: Workspace, other_workspace: Workspace) -> None:
    client, found = auditor(demo_workspace), budget(demo_workspace, 100)
    address = reverse("admin:chat_budget_change", args=[found.pk])
    found.uses.create(starts_on=timezone.localdate(), used=25, reserved=50)
    text = client.get(address).content.decode()
    assert "25 of 100 tokens, 50 reserved" in text
    changed = {"limit": "200", "unit": "usd", "period": "total", "workspace": other_workspace.pk}
    assert client.post(address, changed).status_code == 302
    found.refresh_from_db()
    assert (found.limit, found.unit, found.period, found.workspace, found.active) == (
        200, BudgetUnit.TOKENS, "day", demo_workspace, False,
    )  # fmt: skip
    foreign = budget(other_workspace, 1)
    assert client.get(reverse("admin:chat_budget_change", args=[foreign.pk])).status_code == 404
    assert client.post(reverse("admin:chat_budget_delete", args=[foreign.pk]), {"post": "yes"}).status_code == 404
    assert client.post(reverse("admin:chat_budget_delete", args=[found.pk]), {"post": "yes"}).status_code == 302
    assert list(Budget.objects.all()) == [foreign]


def test_what_is_spent_while_a_budget_is_off_counts_when_it_is_on_again(demo_workspace: Workspace) -> None:
    client, found, reservation = auditor(demo_workspace), budget(demo_workspace, 100), uuid.uuid4()
    address = reverse("admin:chat_budget_change", args=[found.pk])
    reserve(account(demo_workspace), bound(), reservation)
    record_costs_now(account(demo_workspace), [took(reservation)])
    assert client.post(address, {"limit": "100"}).status_code == 302
    record_costs_now(account(demo_workspace), [took(None)])
    assert client.post(address, {"limit": "100", "active": "on"}).status_code == 302
    assert found.uses.get().used == 80
    with pytest.raises(BudgetRefused):
        reserve(account(demo_workspace), bound(21), uuid.uuid4())


def test_the_list_shows_who_spent_most(
    alice: User, bob: User, demo_workspace: Workspace, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for _ in range(10):
        found = budget(demo_workspace, 100, scope=BudgetScope.USER)
        found.uses.create(subject=str(alice.pk), starts_on=timezone.localdate(), used=10)
        found.uses.create(subject=str(bob.pk), starts_on=timezone.localdate(), used=20)
        found.uses.create(subject=str(alice.pk), starts_on="2020-01-01", used=90)
    client = auditor(demo_workspace)
    with django_assert_max_num_queries(12):
        text = client.get(reverse(LIST)).content.decode()
    assert text.count("bob: 20 of 100 tokens") >= 10
    assert "alice" not in text.partition('id="result_list"')[2]
