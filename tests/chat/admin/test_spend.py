import csv
import io
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import User
from django.http import StreamingHttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from chat.models import ModelCall
from graphs.models import Workspace
from tests.graphs.admin.staff import auditor, mere_staff, superuser

#: The table is read in threads of its own.
pytestmark = pytest.mark.django_db(transaction=True)


def call(workspace: Workspace, cost: str | None, at: str = "", **fields: Any) -> ModelCall:
    values = {"provider": "openai", "model": "gpt-4o", "prompt_tokens": 900, "completion_tokens": 100, **fields}
    made = ModelCall.objects.create(workspace=workspace, cost=cost and Decimal(cost), outcome="complete", **values)
    if at:
        ModelCall.objects.filter(pk=made.pk).update(
            created_at=datetime.fromisoformat(f"{at}T12:00:00").replace(tzinfo=UTC)
        )
    return made


def page(client: Client, **query: str) -> str:
    response = client.get(reverse("admin:chat_spend"), query)
    assert response.status_code == 200
    return response.content.decode()


def rows(client: Client, **query: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO("".join(parts(client, **query)))))


def parts(client: Client, **query: str) -> list[str]:
    """Of the table, as they are sent."""
    response = client.get(reverse("admin:chat_spend_csv"), query)
    assert isinstance(response, StreamingHttpResponse)
    assert response["Content-Type"] == "text/csv; charset=utf-8"

    async def read() -> list[str]:
        return [part.decode() async for part in response]

    return async_to_sync(read)()


def test_it_shows_who_spent_what_on_what(alice: User, demo_workspace: Workspace, other_workspace: Workspace) -> None:
    call(demo_workspace, "1.5", user=alice, object="graph:nba")
    call(demo_workspace, "0.25", model="gpt-4o-mini", purpose="summary")
    call(demo_workspace, None, provider="custom", model="llama")
    call(other_workspace, "77", object="graph:secret")
    client = auditor(demo_workspace)
    text = page(client)
    for shown in ("$1.7500", "3,000 tokens in 3 calls", "1,000 tokens of models without a price", "alice", "graph:nba"):
        assert shown in text
    assert "openai · gpt-4o-mini" in text
    assert text.count("<rect") > 30  # a column for each day
    assert "secret" not in text
    assert len(rows(client)) == 3
    root = superuser()
    assert "$78.7500" in page(root)
    assert "$77.0000" in page(root, workspace="other")


def test_only_the_days_that_were_asked_for_count(demo_workspace: Workspace) -> None:
    call(demo_workspace, "1", "2026-03-01")
    call(demo_workspace, "2", "2026-03-31")
    call(demo_workspace, "4", "2026-04-01")
    client = auditor(demo_workspace)
    query = {"from": "2026-03-01", "to": "2026-03-31"}
    assert "$3.0000" in page(client, **query)
    assert [(row["day"], row["spent"]) for row in rows(client, **query)] == [
        ("2026-03-01", "1.00000000"),
        ("2026-03-31", "2.00000000"),
    ]
    assert "No model was called in these days" in page(client, period="7")


@pytest.mark.parametrize(
    "wrong",
    [
        {"from": "yesterday"},
        {"from": "2026-03-31", "to": "2026-03-01"},
        {"from": "1990-01-01", "to": "2026-03-01"},
        {"from": "9999-12-31", "to": "9999-12-31"},
        {"to": "2026-03-01"},
    ],
)
def test_days_that_make_no_period_are_told(demo_workspace: Workspace, wrong: dict[str, str]) -> None:
    client = auditor(demo_workspace)
    assert "Give two days" in page(client, **wrong)
    response = client.get(reverse("admin:chat_spend_csv"), wrong)
    assert (response.status_code, response.content[:13]) == (400, b"Give two days")


def test_months_and_unknown_periods(demo_workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    call(demo_workspace, "1", "2026-02-28")
    client = auditor(demo_workspace)
    monkeypatch.setattr(timezone, "localdate", lambda: datetime(2026, 3, 15, tzinfo=UTC).date())
    assert "$1.0000" in page(client, period="before")
    assert "No model was called" in page(client, period="month")
    assert "$1.0000" in page(client, period="nonsense")


@pytest.mark.parametrize("first", ["=", "+", "-", "@", "\t", "\r"])
def test_spreadsheets_get_no_formula(demo_workspace: Workspace, first: str) -> None:
    call(demo_workspace, "1", object=f'{first}HYPERLINK("http://x")', model=f"{first}1+1")
    (row,) = rows(auditor(demo_workspace))
    assert row["object"] == f'\'{first}HYPERLINK("http://x")'
    assert row["model"] == f"'{first}1+1"


def test_a_spreadsheet_is_sent_a_day_at_a_time(demo_workspace: Workspace, other_workspace: Workspace) -> None:
    for day in (1, 2, 28):
        for number in range(3):
            call(demo_workspace, "1", f"2026-02-{day:02}", model=f"model-{number}")
    call(other_workspace, "77", "2026-02-03")
    sent = parts(auditor(demo_workspace), **{"from": "2026-02-01", "to": "2026-02-28"})
    assert [part.count("\r\n") for part in sent] == [1, 3, 3, 3]
    assert sent[0].startswith("day,workspace,user,provider,model,purpose,object,calls,prompt_tokens,")
    assert sent[-1].startswith("2026-02-28,demo,")
    assert "77" not in "".join(sent)


def test_a_spreadsheet_gets_amounts_in_digits(demo_workspace: Workspace) -> None:
    for number, cost in enumerate(["0", "0.0000001", None]):
        call(demo_workspace, cost, model=f"model-{number}")
    assert [row["spent"] for row in rows(auditor(demo_workspace))] == ["0.00000000", "0.00000010", ""]


def test_others_see_nothing(demo_workspace: Workspace, other_workspace: Workspace) -> None:
    clerk, client = mere_staff(demo_workspace), auditor(demo_workspace)
    for name in ("admin:chat_spend", "admin:chat_spend_csv"):
        assert clerk.get(reverse(name)).status_code == 403
        assert client.get(reverse(name), {"workspace": "other"}).status_code == 404
        assert client.get(reverse(name), {"workspace": "absent"}).status_code == 404
