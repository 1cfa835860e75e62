"""Texts that a model refuses, and models that fail: each keeps nobody else waiting, and is asked again later."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.utils import timezone
from pytest_django import Settings

from rag.embeddings import background, embedding_models, openai, serving_model
from rag.embeddings.collections import waiting
from rag.embeddings.embedder import Embedder
from rag.models import EmbeddingFailure, EmbeddingModel
from tests.rag.embeddings.conftest import MODEL
from tests.rag.embeddings.steps import asked, work
from tests.rag.embeddings.three import KEYS, Three
from tests.vendors.scripts import Script
from tests.vendors.server import VendorServer


def test_one_text_that_is_refused_stands_alone_and_is_tried_again_when_due(
    remote: Embedder, three: Three, vendor: VendorServer
) -> None:
    three.say("fetch-api", "refused")
    three.say("return", "nonsense")
    work()
    assert set(three.hashes()) == {"root"}
    failures = EmbeddingFailure.objects.order_by("target_id")
    assert [(row.code, row.attempts) for row in failures] == [("internal", 1), ("internal", 1)]
    vendor.requests.clear()
    work()
    assert asked(vendor) == []
    failures.update(retry_at=timezone.now())
    work()
    assert [row.attempts for row in failures] == [2, 2]
    assert all((row.retry_at - row.failed_at).total_seconds() == 120 for row in failures)
    three.say("fetch-api", "Fetch")
    work()
    assert set(three.hashes()) == {"root", "fetch-api"}
    assert failures.all().count() == 1
    three.say("fetch-api", "refused")
    work()
    assert set(three.hashes()) == {"root"}, "the vector of its earlier text is gone"


@pytest.mark.parametrize(
    ("word", "code"), [("breaking", "server_error"), ("cutting", "network"), ("stalling", "timeout")]
)
def test_a_text_that_an_endpoint_breaks_at_keeps_no_other_waiting(
    remote: Embedder, three: Three, monkeypatch: pytest.MonkeyPatch, word: str, code: str
) -> None:
    """As Ollama does, whose model gives numbers for some texts that are none, or whose process ends."""
    if word == "stalling":
        monkeypatch.setattr(openai, "TIMEOUT_S", 2.0)
    three.say("fetch-api", word)
    work()
    assert set(three.hashes()) == {"root", "return"}
    assert EmbeddingFailure.objects.get().code == code
    assert EmbeddingModel.objects.get().failures == 0
    assert not waiting(MODEL)


@pytest.mark.parametrize(("headers", "calls"), [({}, 2), ({"retry-after": "600"}, 1)])
def test_an_endpoint_that_is_broken_is_not_asked_for_every_text(
    remote: Embedder, three: Three, vendor: VendorServer, headers: dict[str, str], calls: int
) -> None:
    serving_model.ensure_model(remote, three.account)
    vendor.requests.clear()
    vendor.script(*[Script(status=503, error="Service unavailable", headers=headers)] * 9)
    work()
    assert len(vendor.requests) == calls
    assert not EmbeddingFailure.objects.exists()
    assert EmbeddingModel.objects.get().code == "server_error"


def test_a_model_that_is_away_is_left_alone_for_a_while(remote: Embedder, three: Three, vendor: VendorServer) -> None:
    serving_model.ensure_model(remote, three.account)
    vendor.script(Script(status=429, error="Too many requests", headers={"retry-after": "600"}))
    work()
    row = EmbeddingModel.objects.get()
    assert (row.code, row.failures) == ("rate_limit", 1)
    assert row.retry_at is not None
    assert 590 < (row.retry_at - timezone.now()).total_seconds() <= 600
    vendor.requests.clear()
    work()
    assert vendor.requests == []
    EmbeddingModel.objects.update(retry_at=timezone.now())
    work()
    assert len(three.hashes()) == 3
    row.refresh_from_db()
    assert (row.code, row.failures, row.retry_at) == ("", 0, None)


def test_an_address_that_sends_elsewhere_is_not_asked_for_every_text(
    remote: Embedder, three: Three, vendor: VendorServer
) -> None:
    serving_model.ensure_model(remote, three.account)
    vendor.requests.clear()
    vendor.script(*[Script(status=308, error="", headers={"location": vendor.url})] * 9)
    work()
    assert len(vendor.requests) == 1
    assert not EmbeddingFailure.objects.exists()
    assert EmbeddingModel.objects.get().code == "auth_error"


def test_a_vendor_that_wants_to_be_left_alone_for_years_is_asked_again_after_a_day(
    remote: Embedder, three: Three, vendor: VendorServer
) -> None:
    serving_model.ensure_model(remote, three.account)
    vendor.script(Script(status=429, error="slow", headers={"retry-after": "9" * 30}))
    work()
    row = EmbeddingModel.objects.get()
    assert row.retry_at is not None
    assert row.retry_at - timezone.now() <= timedelta(days=1)


def test_an_endpoint_that_refuses_whatever_it_is_asked_is_left_alone(
    remote: Embedder, three: Three, vendor: VendorServer
) -> None:
    serving_model.ensure_model(remote, three.account)
    vendor.requests.clear()
    vendor.script(*[Script(status=400, error="this server does not support embeddings")] * 9)
    work()
    assert len(vendor.requests) == 2
    assert not EmbeddingFailure.objects.exists()
    row = EmbeddingModel.objects.get()
    assert (row.code, row.failures) == ("internal", 1)


def test_that_a_model_is_there_is_looked_at_once_in_a_batch(
    remote: Embedder, three: Three, vendor: VendorServer
) -> None:
    serving_model.ensure_model(remote, three.account)
    for key in KEYS:
        three.say(key, "refused")
    vendor.requests.clear()
    work()
    sizes = [len(request.body["input"]) for request in vendor.requests]
    assert sizes == [3, 1, 1, 2, 1, 1]
    assert EmbeddingFailure.objects.count() == 3


@pytest.mark.parametrize("known", [True, False])
def test_a_model_that_is_away_when_a_process_begins_is_in_the_queue_and_left_alone(
    remote: Embedder, three: Three, vendor: VendorServer, known: bool
) -> None:
    if known:
        work()
        embedding_models._remote.cache_clear()
        three.say("root", "Begin")
        vendor.requests.clear()
    vendor.script(Script(status=503, error="away"))
    work()
    row = EmbeddingModel.objects.get()
    assert (row.name, row.code, row.failures, row.serves) == (MODEL, "server_error", 1, known)
    assert row.retry_at is not None
    work()
    assert len(vendor.requests) == 1, "nobody asks it meanwhile"
    EmbeddingModel.objects.update(retry_at=None)
    work()
    row.refresh_from_db()
    assert (row.code, row.failures, row.dimensions, row.serves) == ("", 0, 8, True)
    assert len(three.hashes()) == 3


def test_a_first_model_that_never_answered_gives_way_to_another(
    remote: Embedder, three: Three, vendor: VendorServer, settings: Settings
) -> None:
    vendor.script(Script(status=404, error="no such model"))
    work()
    assert not EmbeddingModel.objects.get().serves
    settings.EMBEDDING_MODEL = "tinier"
    work()
    row = EmbeddingModel.objects.get()
    assert (row.name, row.serves) == ("custom/tinier", True)


def test_texts_that_failed_wait_where_there_is_no_time_left(
    remote: Embedder, three: Three, vendor: VendorServer
) -> None:
    for key in KEYS:
        three.say(key, "refused")
    work()
    EmbeddingFailure.objects.update(retry_at=timezone.now())
    vendor.requests.clear()
    background.work(until=0)
    assert vendor.requests == []


def test_what_a_model_refuses_now_keeps_the_vector_that_it_gave_for_the_same_text(
    remote: Embedder, three: Three, vendor: VendorServer
) -> None:
    work()
    before = three.hashes()
    vendor.script(Script(status=400, error="Invalid input"))
    out = StringIO()
    call_command("embed_nodes", "--force", "--batch", "1", "--delay", "0", stdout=out)
    assert "1 failed" in out.getvalue()
    assert three.hashes() == before
    assert not EmbeddingFailure.objects.exists(), "nothing lacks"
