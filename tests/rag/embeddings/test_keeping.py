"""Vectors follow what nodes say, in the background, whatever the model does meanwhile."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from io import StringIO
from threading import Barrier
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import psycopg
import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection, connections
from django.db.models import Model, QuerySet
from django.utils import timezone
from pytest_django import Settings

from graphs import writing
from graphs.models import Graph, Node, Origin
from graphs.operations import Delete, Item, Update
from graphs.recording import Because
from rag import vector_indexes
from rag.embeddings import keeping, locks, registry, served
from rag.embeddings.base import Embedded, Embedder, EmbeddingFailed, Purpose
from rag.embeddings.waking import wake
from rag.models import EmbeddedGraph, Embedding, EmbeddingFailure, EmbeddingModel
from rag.tasks import keep_embeddings
from rag.vector_search import nearest
from tests.rag.embeddings.conftest import MODEL
from tests.vendors import embeddings_wire
from tests.vendors.scripts import Script
from tests.vendors.server import VendorServer

BECAUSE = Because(None, Origin.MANUAL)


def work() -> None:
    keeping.work(until=time.monotonic() + 60)


def change(graph: Graph, key: str, **fields: tuple[object, object]) -> None:
    old, new = ({name: pair[number] for name, pair in fields.items()} for number in (0, 1))
    writing.apply(graph, [Update(Item("node", key), old, new)], BECAUSE)


def hashes() -> dict[str, bytes]:
    keys = dict(Node.objects.values_list("pk", "key"))
    return {keys[row.target_id]: bytes(row.content_hash) for row in Embedding.objects.all()}


def asked(vendor: VendorServer) -> list[str]:
    return [text for request in vendor.requests for text in request.body["input"] if text != "dimensions"]


def test_a_new_graph_is_embedded_and_the_first_model_serves(remote: Embedder, nba: Graph, vendor: VendorServer) -> None:
    work()
    assert len(asked(vendor)) == 3
    assert set(hashes()) == {"root", "fetch-api", "return"}
    assert served.serving() == MODEL
    question = remote.embed([asked(vendor)[0]], "question").vectors[0]
    (best, cosine), *_ = nearest(nba.pk, MODEL, question, 3)
    assert (best, round(cosine, 2)) == (nba.nodes.get(key="root").pk, 1.0)


def test_only_what_changed_is_embedded_again(remote: Embedder, nba: Graph, vendor: VendorServer) -> None:
    work()
    before = hashes()
    vendor.requests.clear()
    change(nba, "root", posX=(0, 50), width=(None, 10))
    work()
    assert asked(vendor) == []
    change(nba, "root", posX=(50, 60))
    change(nba, "fetch-api", process=("return fetch(url)", "return 1"), data=({"url": "https://example.org"}, {}))
    work()
    assert asked(vendor) == ["fetch api. api call. return 1"]
    after = hashes()
    assert after.pop("fetch-api") != before.pop("fetch-api")
    assert after == before
    assert not keeping.waiting(MODEL).exists()


def test_what_is_deleted_has_no_vector_and_what_is_put_back_gets_one(remote: Embedder, nba: Graph) -> None:
    work()
    lonely = Node.objects.create(graph=nba, sheet=nba.sheets.get(), key="lonely", type="note")
    call_command("embed_nodes", "--graph", "nba", stdout=StringIO())
    assert "lonely" in hashes()
    record = {
        "type": "note", "sheet": "main", "name": "", "process": "", "data": {}, "handles": {}, "posX": 0, "posY": 0,
        "width": None, "height": None,
    }  # fmt: skip
    writing.apply(nba, [Delete(Item("node", "lonely"), record)], BECAUSE)
    assert "lonely" not in hashes()
    assert not Embedding.objects.filter(target_id=lonely.pk).exists()
    work()
    assert len(hashes()) == 3


def test_one_text_that_is_refused_stands_alone_and_is_tried_again_when_due(
    remote: Embedder, nba: Graph, vendor: VendorServer
) -> None:
    nba.nodes.filter(key="fetch-api").update(name="refused")
    nba.nodes.filter(key="return").update(process="nonsense")
    work()
    assert set(hashes()) == {"root"}
    failures = EmbeddingFailure.objects.order_by("target_id")
    assert [(row.code, row.attempts) for row in failures] == [("internal", 1), ("internal", 1)]
    vendor.requests.clear()
    work()
    assert asked(vendor) == []
    failures.update(retry_at=timezone.now())
    work()
    assert [row.attempts for row in failures] == [2, 2]
    assert all((row.retry_at - row.failed_at).total_seconds() == 120 for row in failures)
    change(nba, "fetch-api", name=("refused", "Fetch"))
    work()
    assert set(hashes()) == {"root", "fetch-api"}
    assert failures.all().count() == 1
    change(nba, "fetch-api", name=("Fetch", "refused"))
    work()
    assert set(hashes()) == {"root"}, "the vector of its earlier text is gone"


def test_a_text_that_an_endpoint_breaks_at_keeps_no_other_waiting(remote: Embedder, nba: Graph) -> None:
    """As Ollama does, whose model gives numbers for some texts that are none."""
    nba.nodes.filter(key="fetch-api").update(name="breaking")
    work()
    assert set(hashes()) == {"root", "return"}
    assert EmbeddingFailure.objects.get().code == "server_error"
    assert EmbeddingModel.objects.get().failures == 0


@pytest.mark.parametrize(("headers", "calls"), [({}, 2), ({"retry-after": "600"}, 1)])
def test_an_endpoint_that_is_broken_is_not_asked_for_every_text(
    remote: Embedder, nba: Graph, vendor: VendorServer, headers: dict[str, str], calls: int
) -> None:
    served.keep(remote)
    vendor.requests.clear()
    vendor.script(*[Script(status=503, error="Service unavailable", headers=headers)] * 9)
    work()
    assert len(vendor.requests) == calls
    assert not EmbeddingFailure.objects.exists()
    assert EmbeddingModel.objects.get().code == "server_error"


def test_a_model_that_is_away_is_left_alone_for_a_while(remote: Embedder, nba: Graph, vendor: VendorServer) -> None:
    served.keep(remote)
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
    assert len(hashes()) == 3
    row.refresh_from_db()
    assert (row.code, row.failures, row.retry_at) == ("", 0, None)


def test_an_address_that_sends_elsewhere_is_not_asked_for_every_text(
    remote: Embedder, nba: Graph, vendor: VendorServer
) -> None:
    served.keep(remote)
    vendor.requests.clear()
    vendor.script(*[Script(status=308, error="", headers={"location": vendor.url})] * 9)
    work()
    assert len(vendor.requests) == 1
    assert not EmbeddingFailure.objects.exists()
    assert EmbeddingModel.objects.get().code == "auth_error"


def test_a_vendor_that_wants_to_be_left_alone_for_years_is_asked_again_after_a_day(
    remote: Embedder, nba: Graph, vendor: VendorServer
) -> None:
    served.keep(remote)
    vendor.script(Script(status=429, error="slow", headers={"retry-after": "9" * 30}))
    work()
    row = EmbeddingModel.objects.get()
    assert row.retry_at is not None
    assert row.retry_at - timezone.now() <= timedelta(days=1)


def test_a_model_that_fails_while_others_drop_it_keeps_no_other_waiting(
    remote: Embedder, nba: Graph, vendor: VendorServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = EmbeddingModel.objects.create(name=registry.LOCAL_MODEL, dimensions=256, serves=True)
    served.keep(remote)

    def dropped(_graph: Graph, embedder: Embedder) -> Iterator[None]:
        if embedder.name == MODEL:
            served.forget_all_but(other.name)
            raise EmbeddingFailed("timeout")
        yield

    looked_at: list[bool] = []
    monkeypatch.setattr(keeping, "embed_changes", dropped)
    monkeypatch.setattr(keeping, "drop_forgotten", lambda: looked_at.append(True))
    work()
    assert looked_at
    assert EmbeddingModel.objects.get() == other


def test_a_model_that_was_dropped_while_another_one_was_kept_stays_away(
    remote: Embedder, nba: Graph, vendor: VendorServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    EmbeddingModel.objects.create(name=registry.LOCAL_MODEL, dimensions=256, serves=True)
    served.keep(remote)
    vendor.requests.clear()
    fit = vector_indexes.fit

    def dropped(graph_id: int, model: str, dimensions: int) -> None:
        fit(graph_id, model, dimensions)
        if model == registry.LOCAL_MODEL:
            served.forget_all_but(model)

    monkeypatch.setattr(vector_indexes, "fit", dropped)
    work()
    assert asked(vendor) == []
    assert EmbeddingModel.objects.get().name == registry.LOCAL_MODEL


@pytest.mark.django_db(transaction=True)
def test_of_two_first_models_at_once_one_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both find that none serves yet."""
    both, both_looked = ("custom/one", "custom/two"), Barrier(2, timeout=20)
    get_or_create, tries = QuerySet.get_or_create, Counter[str]()

    def together(self: QuerySet[Model], *args: Any, **kwargs: Any) -> Any:
        tries[kwargs["name"]] += 1
        if tries[kwargs["name"]] == 1:
            both_looked.wait()
        return get_or_create(self, *args, **kwargs)

    def keep(name: str) -> str:
        try:
            return served.keep(SimpleNamespace(name=name, dimensions=8)).name  # type: ignore[arg-type]
        finally:
            connections.close_all()

    monkeypatch.setattr(QuerySet, "get_or_create", together)
    with ThreadPoolExecutor(2) as threads:
        assert tuple(threads.map(keep, both)) == both
    assert sorted(EmbeddingModel.objects.values_list("serves", flat=True)) == [False, True]


@pytest.mark.parametrize(("provider", "model"), [("none", ""), ("openai", ""), ("custom", "x")])
def test_without_a_model_nothing_happens(nba: Graph, settings: Settings, provider: str, model: str) -> None:
    settings.EMBEDDING_PROVIDER, settings.EMBEDDING_MODEL = provider, model
    served.forget()
    work()
    change(nba, "root", name=("Start", "Begin"))
    assert not Embedding.objects.exists()
    assert registry.current() is None


def test_the_worker_is_woken_for_texts_and_not_for_places(
    nba: Graph, django_capture_on_commit_callbacks: Callable[..., list[object]]
) -> None:
    with django_capture_on_commit_callbacks() as after_commit:
        change(nba, "root", posX=(0, 9))
    assert wake not in after_commit
    with django_capture_on_commit_callbacks() as after_commit:
        change(nba, "root", name=("Start", "Begin"))
    assert wake in after_commit


def test_who_is_second_leaves_a_graph_to_the_first(remote: Embedder, nba: Graph, vendor: VendorServer) -> None:
    other = psycopg.connect(**connection.get_connection_params())
    try:
        other.execute("SELECT pg_advisory_lock(%s, %s)", [locks.ADVISORY_LOCK, locks.number(nba.pk, MODEL)])
        work()
        assert asked(vendor) == []
    finally:
        other.close()
    work()
    assert len(hashes()) == 3


def test_the_command_embeds_what_lacks_and_says_how_many(remote: Embedder, nba: Graph, vendor: VendorServer) -> None:
    nba.nodes.filter(key="return").update(process="refused")
    out = StringIO()
    call_command("embed_nodes", "--batch", "2", "--delay", "0", stdout=out)
    assert "3 of 3 nodes" in out.getvalue()
    assert "custom/tiny: 2 embedded" in out.getvalue()
    assert "1 failed" in out.getvalue()
    vendor.requests.clear()
    call_command("embed_nodes", "--graph", "nba", "--delay", "0", stdout=out)
    assert asked(vendor) == [asked(vendor)[0]], "only the one that failed"
    vendor.requests.clear()
    call_command("embed_nodes", "--force", "--delay", "0", stdout=out)
    assert len(set(asked(vendor))) == 3


def test_the_command_goes_on_where_it_was_interrupted(remote: Embedder, nba: Graph, vendor: VendorServer) -> None:
    assert remote.dimensions == 8
    vendor.script(*[Script(status=500, error="away")] * 2)
    with pytest.raises(CommandError, match="server_error"):
        call_command("embed_nodes", "--batch", "1", "--delay", "0", stdout=StringIO())
    assert not EmbeddedGraph.objects.filter(version__gt=0).exists()
    call_command("embed_nodes", "--batch", "1", "--delay", "0", stdout=StringIO())
    assert len(hashes()) == 3


@pytest.mark.parametrize("arguments", [["--batch", "0"], ["--model", "local/x"], ["--graph", "nowhere"]])
def test_the_command_refuses_nonsense(nba: Graph, arguments: list[str]) -> None:
    with pytest.raises(CommandError):
        call_command("embed_nodes", *arguments, stdout=StringIO())


def test_a_node_that_is_moved_while_its_vector_is_made_gets_it_later(
    remote: Embedder, nba: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    work()
    before = hashes()
    change(nba, "root", name=("Start", "Begin"))
    asked_before = remote.embed
    moves = iter([(0, 50)])

    def moving(texts: Sequence[str], purpose: Purpose) -> Embedded:
        for move in moves:
            change(nba, "root", posX=move)
        return asked_before(texts, purpose)

    monkeypatch.setattr(remote, "embed", moving)
    work()
    assert hashes()["root"] == before["root"], "it is another version"
    work()
    assert hashes()["root"] != before["root"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("by_worker", [True, False])
def test_an_index_whose_building_was_interrupted_is_built_later(
    remote: Embedder, nba: Graph, monkeypatch: pytest.MonkeyPatch, by_worker: bool
) -> None:
    monkeypatch.setattr(vector_indexes, "EXACT", 2)
    with monkeypatch.context() as broken:
        broken.setattr(vector_indexes, "_create", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            work()
    assert not EmbeddedGraph.objects.get().indexed
    if by_worker:
        work()
    else:
        call_command("migrate_embeddings", "--to", MODEL, "--delay", "0", stdout=StringIO())
    assert EmbeddedGraph.objects.get().indexed
    vector_indexes.drop(nba.pk, MODEL)


@pytest.mark.django_db(transaction=True)
def test_vectors_of_another_length_under_the_same_name_are_made_anew(
    remote: Embedder, nba: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_indexes, "EXACT", 2)
    work()
    assert EmbeddedGraph.objects.get().indexed
    # The endpoint is started again with another model, and so is the worker.
    monkeypatch.setattr(embeddings_wire, "OTHERS", 12)
    registry._remote.cache_clear()
    work()
    assert set(Embedding.objects.values_list("dimensions", flat=True)) == {12}
    assert (EmbeddingModel.objects.get().dimensions, len(hashes())) == (12, 3)
    assert EmbeddedGraph.objects.get().indexed
    question = registry.by_name(MODEL).embed(["api"], "question").vectors[0]
    assert len(nearest(nba.pk, MODEL, question, 3, threshold=-1)) == 3
    vector_indexes.drop(nba.pk, MODEL)


def test_a_new_model_is_made_beside_the_old_one_and_then_serves(
    nba: Graph, vendor: VendorServer, remote: Embedder, settings: Settings, alice: User
) -> None:
    settings.EMBEDDING_PROVIDER = ""
    work()
    assert served.serving() == registry.LOCAL_MODEL
    out = StringIO()
    call_command("migrate_embeddings", "--to", MODEL, "--delay", "0", stdout=out)
    assert "custom/tiny answers questions now, local/wordllama-256 no longer" in out.getvalue()
    assert (served.serving(), Embedding.objects.count()) == (MODEL, 6)
    change(nba, "root", name=("Start", "Begin"))
    work()
    assert {row["model"] for row in Embedding.objects.values("model")} == {MODEL, registry.LOCAL_MODEL}
    assert not keeping.waiting(MODEL).exists()
    assert not keeping.waiting(registry.LOCAL_MODEL).exists()
    vendor.requests.clear()
    call_command("migrate_embeddings", "--to", MODEL, "--drop-old", stdout=out)
    assert asked(vendor) == []
    assert {row["model"] for row in Embedding.objects.values("model")} == {MODEL}
    assert list(EmbeddingModel.objects.values_list("name", "serves")) == [(MODEL, True)]


def test_a_migration_that_fails_changes_nothing_for_who_asks(
    nba: Graph, vendor: VendorServer, remote: Embedder, settings: Settings
) -> None:
    settings.EMBEDDING_PROVIDER = ""
    work()
    assert remote.dimensions == 8
    vendor.script(Script(status=401, error="Incorrect API key"))
    with pytest.raises(CommandError, match="auth_error"):
        call_command("migrate_embeddings", "--to", MODEL, stdout=StringIO())
    assert served.serving() == registry.LOCAL_MODEL
    with pytest.raises(CommandError, match="makes no embeddings"):
        call_command("migrate_embeddings", "--to", "nowhere/x", stdout=StringIO())


def test_the_task_says_in_a_line_that_the_database_is_away(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def away() -> None:
        raise OperationalError("the connection is closed")

    monkeypatch.setattr(registry, "configured", away)
    keep_embeddings()
    (record,) = caplog.records
    assert record.getMessage() == "Embeddings wait until the database is back: OperationalError"
    assert record.exc_info is None
