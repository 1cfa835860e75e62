from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from pytest_django import DjangoAssertNumQueries

from chat.admin import price_sources
from chat.engine import calling
from chat.engine.available_models import configured
from chat.models import EnteredPrice, ModelCall
from chat.providers.model_request import ModelRequest, PromptMessage
from chat.providers.pieces import TurnEnd, Usage, UsageReport
from chat.providers.provider import Price
from chat.spending import entered_prices
from chat.spending.calls import cost_of
from chat.spending.settling import record_costs_now
from graphs.models import Workspace
from graphs.site.accounts import Account
from tests.graphs.admin.staff import auditor, mere_staff, superuser

pytestmark = pytest.mark.django_db(transaction=True)
CHOICE = "custom:llama"


@pytest.fixture(autouse=True)
def custom(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUSTOM_BASE_URL", "http://c.example")
    monkeypatch.setattr(entered_prices, "_kept", {})


def enter(client: Client, **fields: Any) -> int:
    values = {"provider": "custom", "model": "llama", "input": "0.5", "cached_input": "0.1", "output": "1.5"}
    values |= {"valid_from": str(timezone.localdate()), "note": "on their page", **fields}
    return client.post(reverse("admin:chat_enteredprice_add"), values).status_code


def test_a_price_is_entered_with_its_day_and_its_person_and_holds_at_once() -> None:
    assert configured().resolve(CHOICE).price is None
    assert enter(superuser()) == 302
    row = EnteredPrice.objects.get()
    assert (row.entered_by, row.valid_from) == (User.objects.get(username="root"), timezone.localdate())
    assert configured().resolve(CHOICE).price == Price(0.5, 0.1, 1.5)
    assert cost_of(configured().resolve(CHOICE), Usage(1_000_000, 0)) == Decimal("0.5")


def test_the_page_says_what_the_numbers_are() -> None:
    page = superuser().get(reverse("admin:chat_enteredprice_add"), headers={"Accept-Language": "fr"}).content.decode()
    assert "en dollars américains par million de jetons" in page
    assert "au plus tard après une demi-minute dans chaque processus" in page


def test_the_latest_whose_day_has_come_holds() -> None:
    client, today = superuser(), timezone.localdate()
    for output, days in (("1", -2), ("2", -1), ("9", 1), ("3", -1)):
        assert enter(client, output=output, valid_from=str(today + timedelta(days=days))) == 302
    assert configured().resolve(CHOICE).price == Price(0.5, 0.1, 3)
    shown = client.get(reverse("admin:chat_enteredprice_changelist")).content.decode()
    assert shown.count("yes") - shown.count("yes.svg") == 1


def test_it_goes_before_that_of_the_table_and_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    monkeypatch.setenv("CUSTOM_PRICE", "input=7,output=7")
    model = configured().resolve("openai").model
    client = superuser()
    assert enter(client) == enter(client, provider="openai", model=model) == 302
    assert configured().resolve(CHOICE).price == configured().resolve("openai").price == Price(0.5, 0.1, 1.5)


def test_no_question_asks_for_it(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    assert enter(superuser()) == 302
    with django_assert_num_queries(0):
        assert configured().resolve(CHOICE).price


def test_only_superusers_enter_one_and_nobody_changes_or_deletes_it(demo_workspace: Workspace) -> None:
    for client in (auditor(demo_workspace), mere_staff(demo_workspace)):
        assert enter(client) == 403
    root = superuser()
    assert enter(root) == 302
    row = EnteredPrice.objects.get()
    for page in ("change", "delete"):
        assert root.post(reverse(f"admin:chat_enteredprice_{page}", args=[row.pk]), {"output": "0"}).status_code == 403
    assert (EnteredPrice.objects.get().output, EnteredPrice.objects.count()) == (Decimal("1.5"), 1)


def billed(choice: str, workspace: Workspace) -> ModelCall:
    """A call of a model that read a million tokens, recorded as it is after an answer."""
    config = configured().resolve(choice)
    request = ModelRequest((PromptMessage("user", "Hi"),), (), config.model, 10)
    call = calling.LiveCall(config, request, started=0, outcome="complete")
    call.take(UsageReport(Usage(1_000_000, 0)))
    call.take(TurnEnd("stop"))
    record_costs_now(Account(workspace.pk), call.costs())
    return ModelCall.objects.latest("pk")


def test_a_call_says_by_which_price_it_was_billed(demo_workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    client = superuser()
    model = configured().resolve("openai").model
    free = billed(CHOICE, demo_workspace)
    table = billed("openai", demo_workspace)
    monkeypatch.setenv("CUSTOM_PRICE", "input=7,output=7")
    variable = billed(CHOICE, demo_workspace)
    assert enter(client) == enter(client, provider="openai", model=model, input="3") == 302
    own, entered = billed(CHOICE, demo_workspace), billed("openai", demo_workspace)
    assert enter(client, input="99") == 302
    old = ModelCall.objects.create(workspace=demo_workspace, provider="openai", model="gpt", cost=1, outcome="complete")
    day = date_format(timezone.localdate(), "DATE_FORMAT")
    said = {
        free: ("—", "—"),
        table: ("the site’s table of vendors", "la table des fournisseurs du site"),
        variable: ("the variable CUSTOM_PRICE", "la variable CUSTOM_PRICE"),
        own: (f"0.5 · 0.1 · 1.5, entered by root on {day}", "0.5 · 0.1 · 1.5, saisi par root le"),
        entered: (f"3 · 0.1 · 1.5, entered by root on {day}", "3 · 0.1 · 1.5, saisi par root le"),
        old: ("not recorded", "non enregistré"),
    }
    spent = {
        language: client.get(reverse("admin:chat_spend"), headers={"Accept-Language": language})
        for language in ("en", "fr")
    }
    for call, words in said.items():
        for language, sentence in zip(spent, words, strict=True):
            address = reverse("admin:chat_modelcall_change", args=[call.pk])
            page = client.get(address, headers={"Accept-Language": language}).content.decode()
            assert f'<div class="readonly">{sentence}' in page
            assert call in (free, old) or sentence in spent[language].content.decode()
    assert "By price" in spent["en"].content.decode()
    assert "no price, or one that was not recorded" in spent["en"].content.decode()


def test_the_page_of_what_is_spent_asks_once_for_all_prices(
    demo_workspace: Workspace, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    client = superuser()
    for output in range(1, 6):
        assert enter(client, output=str(output)) == 302
        billed(CHOICE, demo_workspace)
    assert len(set(ModelCall.objects.values_list("price_source", flat=True))) == 5
    sources = [f"entered:{row.pk}" for row in EnteredPrice.objects.all()]
    with django_assert_num_queries(1):
        assert len(set(price_sources.in_words(sources).values())) == 5


@pytest.mark.parametrize(
    "wrong",
    [
        *({"input": "-1"}, {"output": "NaN"}, {"output": "1000001"}, {"provider": "nobody"}, {"model": "a b"}),
        *({"model": ""}, {"valid_from": "soon"}, {"cached_input": ""}, {"note": "x" * 201}),
    ],
)
def test_what_is_no_price_is_not_entered(wrong: dict[str, str]) -> None:
    assert enter(superuser(), **wrong) == 200
    assert not EnteredPrice.objects.exists()
