"""What a model was sent is kept as it was sent, once, and forgotten in time."""

import time
import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import F
from pytest_django import Settings

from chat.models import ModelCall, RequestEntry, SentRequest
from chat.sent_requests import keeping, kept_requests
from chat.sent_requests.keeping import forget_old
from graphs.models import Graph
from tests.chat.engine.driving import Engine, ask, rested
from tests.vendors import Script, ScriptedCall, VendorServer

pytestmark = pytest.mark.django_db(transaction=True)

SEARCH = ScriptedCall("search_nodes", {"query": "fetch"})
KEYS = {"custom": "CUSTOM", "anthropic": "ANTHROPIC", "openai-reasoning": "OPENAI"}


def bodies() -> list[dict[str, Any]]:
    requests = SentRequest.objects.select_related("run").order_by("created_at", "number")
    return [kept_requests.body_of(request.run.session_id, request) for request in requests]


@pytest.fixture
def vendors(vendor: VendorServer, monkeypatch: pytest.MonkeyPatch) -> VendorServer:
    for name, url in {"ANTHROPIC": vendor.anthropic_url, "OPENAI": vendor.openai_url}.items():
        monkeypatch.setenv(f"{name}_API_KEY", "key-of-a-test")
        monkeypatch.setenv(f"{name}_BASE_URL", url)
    return vendor


@pytest.mark.parametrize("provider", KEYS)
def test_every_request_of_a_conversation_is_kept_as_the_vendor_got_it(
    running: Engine, vendors: VendorServer, alice: User, nba: Graph, provider: str
) -> None:
    vendors.script(*[Script(tool_calls=(SEARCH,))] * 3, Script(text="Found."), Script(text="And more."))
    first = ask(alice, "Where?", model=provider)
    rested(first.run_id)
    rested(ask(alice, "And then?", session_id=str(first.session_id), model=provider).run_id)
    assert [request.body for request in vendors.requests] == bodies()
    assert [call.request_id for call in ModelCall.objects.order_by("id")] == list(
        SentRequest.objects.order_by("created_at", "number").values_list("pk", flat=True)
    )
    assert list(SentRequest.objects.order_by("created_at", "number").values_list("round", flat=True)) == [0, 1, 2, 3, 0]
    whole = max(SentRequest.objects.values_list("entries", flat=True))
    assert RequestEntry.objects.filter(session=first.session_id).count() == whole + 1, "nothing twice, and the tools"


def test_a_failed_call_is_kept_once_for_all_its_attempts(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph
) -> None:
    rested(ask(alice, "SCRIPT:server_error_once").run_id)
    (request,) = SentRequest.objects.all()
    assert list(request.model_calls.order_by("id").values_list("outcome", flat=True)) == ["server_error", "complete"]


def test_nothing_is_kept_where_nothing_shall_be(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph, settings: Settings
) -> None:
    settings.AI_KEEP_REQUESTS_DAYS = 0
    rested(ask(alice, "SCRIPT:hello").run_id)
    assert ModelCall.objects.count() == 1
    assert not SentRequest.objects.exists()
    assert not RequestEntry.objects.exists()


def test_what_is_too_old_is_forgotten_and_the_rest_stays_whole(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph
) -> None:
    vendor.script(Script(text="One."), Script(text="Two."), Script(text="Other."))
    first = ask(alice, "First?")
    rested(first.run_id)
    rested(ask(alice, "Second?", session_id=str(first.session_id)).run_id)
    other = ask(alice, "In another conversation?")
    rested(other.run_id)
    old = SentRequest.objects.exclude(run__session=first.session_id) | SentRequest.objects.filter(run=first.run_id)
    SentRequest.objects.filter(pk__in=old.values("pk")).update(created_at=F("created_at") - timedelta(days=31))
    assert forget_old(time.monotonic() + 10) == 2
    assert bodies() == [vendor.requests[1].body]
    assert not RequestEntry.objects.filter(session=other.session_id).exists()
    assert ModelCall.objects.filter(request=None).count() == 2
    SentRequest.objects.update(created_at=F("created_at") - timedelta(days=31))
    assert forget_old(time.monotonic()) == 0, "its time was over"
    assert forget_old(time.monotonic() + 10) == 1
    assert not RequestEntry.objects.exists()


def test_a_conversation_that_is_deleted_meanwhile_is_passed_over() -> None:
    assert keeping._forget(uuid.uuid4()) == 0


def test_no_key_is_in_it(running: Engine, vendors: VendorServer, alice: User, nba: Graph) -> None:
    rested(ask(alice, "SCRIPT:hello", model="anthropic").run_id)
    with connection.cursor() as cursor:
        for table in ("chat_sentrequest", "chat_requestentry"):
            cursor.execute(f"SELECT count(*) FROM {table} AS row WHERE row::text LIKE '%key-of-a-test%'")
            assert cursor.fetchone() == (0,)
    assert SentRequest.objects.exists()
