"""Vectors follow what nodes and objects say, in the background, whatever the model does meanwhile."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
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
from pytest_django import Settings

from graphs.history import changes
from graphs.models import Graph, Node
from graphs.objects.operations import Delete
from graphs.objects.refs import Ref
from graphs.site.accounts import Account, account_of
from rag.embeddings import (
    background,
    collections,
    embedding_models,
    held_back,
    locks,
    serving_model,
    updating,
    vector_indexes,
)
from rag.embeddings.collections import Collection, waiting
from rag.embeddings.embedder import Embedded, Embedder, EmbeddingFailed, Purpose
from rag.embeddings.metering import OverBudget
from rag.embeddings.updating import EmbedOptions, Progress, embed_all
from rag.embeddings.waking import wake
from rag.models import EmbeddedCollection, Embedding, EmbeddingModel
from rag.sources.graphs.nodes import GraphNodes
from rag.tasks import keep_embeddings
from tests.rag.embeddings.conftest import MODEL
from tests.rag.embeddings.steps import BECAUSE, asked, change, hashes, work
from tests.rag.embeddings.three import KEYS, Three
from tests.vendors import embeddings_wire
from tests.vendors.scripts import Script
from tests.vendors.server import VendorServer


def test_what_is_new_is_embedded_and_the_first_model_serves(
    remote: Embedder, three: Three, vendor: VendorServer
) -> None:
    work()
    assert len(asked(vendor)) == 3
    assert set(three.hashes()) == {"root", "fetch-api", "return"}
    assert serving_model.serving() == MODEL
    question = remote.embed([asked(vendor)[0]], "question").vectors[0]
    (best, cosine), *_ = three.nearest(MODEL, question, 3)
    assert (best, round(cosine, 2)) == (three.rows["root"][0], 1.0)


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
    assert not waiting(MODEL)


@pytest.mark.parametrize(
    ("field", "old", "new"),
    [
        ("name", "Start", "Begin"),
        ("type", "start", "entry"),
        ("process", "", "return 1"),
        ("data", {}, {"retries": 0}),
        ("handles", {}, {"R": [{"id": "R-0", "type": "out", "label": "on error"}]}),
    ],
)
def test_whatever_a_node_says_is_embedded_again(
    remote: Embedder, nba: Graph, vendor: VendorServer, field: str, old: object, new: object
) -> None:
    nba.nodes.filter(key="root").update(**{field: old})
    work()
    vendor.requests.clear()
    change(nba, "root", **{field: (old, new)})
    work()
    assert len(asked(vendor)) == 1


def test_what_is_deleted_has_no_vector_and_what_is_put_back_gets_one(remote: Embedder, nba: Graph) -> None:
    work()
    lonely = Node.objects.create(graph=nba, sheet=nba.sheets.get(), key="lonely", type="note")
    call_command("embed_nodes", "--graph", "nba", stdout=StringIO())
    assert "lonely" in hashes()
    record = {
        "type": "note", "sheet": "main", "name": "", "process": "", "data": {}, "handles": {}, "posX": 0, "posY": 0,
        "width": None, "height": None,
    }  # fmt: skip
    changes.apply(nba, [Delete(Ref("node", "lonely"), record)], BECAUSE)
    assert "lonely" not in hashes()
    assert not Embedding.objects.filter(target_id=lonely.pk).exists()
    work()
    assert len(hashes()) == 3


def test_a_model_that_fails_while_others_drop_it_keeps_no_other_waiting(
    remote: Embedder, three: Three, vendor: VendorServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = EmbeddingModel.objects.create(name=embedding_models.LOCAL_MODEL, dimensions=256, serves=True)
    serving_model.ensure_model(remote, three.account)

    def dropped(_graph: Graph, embedder: Embedder, _manner: EmbedOptions) -> Iterator[Progress]:
        if embedder.name == MODEL:
            serving_model.delete_all_but(other.name)
            raise EmbeddingFailed("timeout")
        yield Progress()

    looked_at: list[bool] = []
    monkeypatch.setattr(background, "embed_changes", dropped)
    monkeypatch.setattr(background, "drop_forgotten", lambda: looked_at.append(True))
    work()
    assert looked_at
    assert EmbeddingModel.objects.get() == other


def test_a_model_that_was_dropped_while_another_one_was_kept_stays_away(
    remote: Embedder, three: Three, vendor: VendorServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    EmbeddingModel.objects.create(name=embedding_models.LOCAL_MODEL, dimensions=256, serves=True)
    serving_model.ensure_model(remote, three.account)
    vendor.requests.clear()
    fit = vector_indexes.fit

    def dropped(graph_id: int, model: str, dimensions: int, *, wait: bool) -> None:
        fit(graph_id, model, dimensions, wait=wait)
        if model == embedding_models.LOCAL_MODEL:
            serving_model.delete_all_but(model)

    monkeypatch.setattr(vector_indexes, "fit", dropped)
    work()
    assert asked(vendor) == []
    assert EmbeddingModel.objects.get().name == embedding_models.LOCAL_MODEL


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
            return serving_model.ensure_model(SimpleNamespace(name=name, dimensions=8), Account(0)).name  # type: ignore[arg-type]
        finally:
            connections.close_all()

    monkeypatch.setattr(QuerySet, "get_or_create", together)
    with ThreadPoolExecutor(2) as threads:
        assert tuple(threads.map(keep, both)) == both
    assert sorted(EmbeddingModel.objects.values_list("serves", flat=True)) == [False, True]


@pytest.mark.django_db(transaction=True)
def test_of_two_migrations_that_are_ready_at_once_one_serves() -> None:
    for name in ("custom/one", "custom/two", "custom/three"):
        EmbeddingModel.objects.create(name=name, dimensions=8, serves=name == "custom/one")

    def serve(name: str) -> None:
        try:
            for _ in range(20):
                serving_model.switch_to(name)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(serve, ("custom/two", "custom/three")))
    assert EmbeddingModel.objects.filter(serves=True).count() == 1


@pytest.mark.parametrize(("provider", "model"), [("none", ""), ("openai", ""), ("custom", "x")])
def test_without_a_model_nothing_happens(three: Three, settings: Settings, provider: str, model: str) -> None:
    settings.EMBEDDING_PROVIDER, settings.EMBEDDING_MODEL = provider, model
    serving_model.clear_cache()
    work()
    three.say("root", "Begin")
    assert not Embedding.objects.exists()
    assert embedding_models.current() is None


def test_the_worker_is_woken_for_texts_and_not_for_places(
    nba: Graph, django_capture_on_commit_callbacks: Callable[..., list[object]]
) -> None:
    with django_capture_on_commit_callbacks() as after_commit:
        change(nba, "root", posX=(0, 9))
    assert wake not in after_commit
    for field, old, new in (
        ("name", "Start", "Begin"),
        ("type", "start", "entry"),
        ("process", "", "return 1"),
        ("data", {}, {"a": 1}),
        ("handles", {}, {"R": [{"id": "R-0", "type": "out"}]}),
    ):
        nba.nodes.filter(key="root").update(**{field: old})
        with django_capture_on_commit_callbacks() as after_commit:
            change(nba, "root", **{field: (old, new)})
        assert wake in after_commit, field


def test_who_is_second_leaves_a_collection_to_the_first(remote: Embedder, three: Three, vendor: VendorServer) -> None:
    other = psycopg.connect(**connection.get_connection_params())
    try:
        other.execute("SELECT pg_advisory_lock(%s, %s)", [locks.ADVISORY_LOCK, locks.number(three.name, MODEL)])
        work()
        assert asked(vendor) == []
        other.execute("SELECT pg_advisory_unlock_all()")
    finally:
        other.close()
    work()
    assert len(three.hashes()) == 3


def test_the_command_embeds_what_lacks_and_says_how_many(remote: Embedder, nba: Graph, vendor: VendorServer) -> None:
    nba.nodes.filter(key="return").update(process="refused")
    out = StringIO()
    call_command("embed_nodes", "--batch", "2", "--delay", "0", stdout=out)
    assert "3 of 3 texts" in out.getvalue()
    assert "custom/tiny: 2 embedded" in out.getvalue()
    assert "1 failed" in out.getvalue()
    vendor.requests.clear()
    call_command("embed_nodes", "--graph", "nba", "--delay", "0", stdout=out)
    assert asked(vendor) == [asked(vendor)[0]], "only the one that failed"
    vendor.requests.clear()
    call_command("embed_nodes", "--force", "--delay", "0", stdout=out)
    assert len(set(asked(vendor))) == 3


def test_the_command_goes_on_where_it_was_interrupted(remote: Embedder, three: Three, vendor: VendorServer) -> None:
    serving_model.ensure_model(remote, three.account)
    vendor.script(*[Script(status=500, error="away")] * 2)
    with pytest.raises(CommandError, match="server_error"):
        call_command("embed_nodes", "--batch", "1", "--delay", "0", stdout=StringIO())
    assert not EmbeddedCollection.objects.filter(version__gt=0).exists()
    call_command("embed_nodes", "--batch", "1", "--delay", "0", stdout=StringIO())
    assert len(three.hashes()) == 3


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


def test_what_changes_while_its_vector_is_made_gets_another_one(
    remote: Embedder, three: Three, monkeypatch: pytest.MonkeyPatch
) -> None:
    embed, words = remote.embed, iter(["Begin"])

    def changing(texts: Sequence[str], purpose: Purpose) -> Embedded:
        for word in words if texts != ["dimensions"] else ():
            three.say("root", word)
        return embed(texts, purpose)

    monkeypatch.setattr(remote, "embed", changing)
    work()
    work()
    assert not waiting(MODEL)
    found = three.hashes()
    call_command("embed_nodes", "--force", "--delay", "0", stdout=StringIO())
    assert (set(found), three.hashes()) == (set(KEYS), found)


def test_what_is_deleted_while_its_vector_is_made_has_none(
    remote: Embedder, three: Three, monkeypatch: pytest.MonkeyPatch
) -> None:
    embed = remote.embed

    def deleting(texts: Sequence[str], purpose: Purpose) -> Embedded:
        if texts != ["dimensions"]:
            three.delete("return")
        return embed(texts, purpose)

    monkeypatch.setattr(remote, "embed", deleting)
    work()
    assert set(three.hashes()) == {"root", "fetch-api"}
    assert Embedding.objects.count() == 2


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("by_worker", [True, False])
def test_an_index_whose_building_was_interrupted_is_built_later(
    remote: Embedder, three: Three, monkeypatch: pytest.MonkeyPatch, by_worker: bool
) -> None:
    monkeypatch.setattr(vector_indexes, "EXACT", 2)
    with monkeypatch.context() as broken:
        broken.setattr(vector_indexes, "_create", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            work()
    assert not EmbeddedCollection.objects.get().indexed
    if by_worker:
        work()
    else:
        call_command("migrate_embeddings", "--to", MODEL, "--delay", "0", stdout=StringIO())
    assert EmbeddedCollection.objects.get().indexed
    vector_indexes.drop(three.name, MODEL)


@pytest.mark.django_db(transaction=True)
def test_vectors_of_another_length_under_the_same_name_are_made_anew(
    remote: Embedder, three: Three, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_indexes, "EXACT", 2)
    work()
    assert EmbeddedCollection.objects.get().indexed
    before = embedding_models.by_name(MODEL)
    # The endpoint is started again with another model; this process and another one learn of it.
    monkeypatch.setattr(embeddings_wire, "OTHERS", 12)
    three.say("root", "Begin")
    work()
    assert EmbeddingModel.objects.get().code == "server_error"
    embedding_models._remote.cache_clear()
    EmbeddingModel.objects.update(retry_at=None)
    work()
    assert set(Embedding.objects.values_list("dimensions", flat=True)) == {12}
    assert (EmbeddingModel.objects.get().dimensions, len(three.hashes())) == (12, 3)
    assert EmbeddedCollection.objects.get().indexed
    question = embedding_models.by_name(MODEL).embed(["api"], "question").vectors[0]
    assert len(three.nearest(MODEL, question, 3, threshold=-1)) == 3
    serving_model.ensure_model(before, three.account)
    assert EmbeddingModel.objects.get().dimensions == 12
    vector_indexes.drop(three.name, MODEL)


def test_a_process_that_learned_of_another_length_too_late_takes_nothing_away(
    remote: Embedder, three: Three, monkeypatch: pytest.MonkeyPatch
) -> None:
    remote.embed(["a"], "stored")
    monkeypatch.setattr(embeddings_wire, "OTHERS", 12)
    embedding_models._remote.cache_clear()
    work()
    with pytest.raises(EmbeddingFailed, match="12 dimensions, not 8"):
        serving_model.ensure_model(remote, three.account)
    assert serving_model.ensure_model(remote, three.account).dimensions == 12
    assert not waiting(MODEL)


def test_what_was_made_with_another_length_is_not_taken_for_true(remote: Embedder, three: Three) -> None:
    """Another process began anew while this one was at its last text."""
    serving_model.ensure_model(remote, three.account)
    for _progress in embed_all(three.collection, remote):
        EmbeddingModel.objects.update(dimensions=12)
    assert waiting(MODEL)


def test_nothing_is_left_of_a_graph_that_is_deleted_while_it_is_embedded(remote: Embedder, nba: Graph) -> None:
    serving_model.ensure_model(remote, account_of(nba))
    graph = Graph.objects.get(pk=nba.pk)
    for _progress in embed_all(GraphNodes(graph), remote):
        Graph.objects.filter(pk=nba.pk).delete()
    collections.forget_gone()
    assert not EmbeddedCollection.objects.exists()
    assert not Embedding.objects.exists()


def test_a_new_model_is_made_beside_the_old_one_and_then_serves(
    three: Three, vendor: VendorServer, remote: Embedder, settings: Settings, alice: User
) -> None:
    settings.EMBEDDING_PROVIDER = ""
    work()
    assert serving_model.serving() == embedding_models.LOCAL_MODEL
    out = StringIO()
    call_command("migrate_embeddings", "--to", MODEL, "--delay", "0", stdout=out)
    assert "custom/tiny answers questions now, local/wordllama-256 no longer" in out.getvalue()
    assert (serving_model.serving(), Embedding.objects.count()) == (MODEL, 6)
    three.say("root", "Begin")
    work()
    assert {row["model"] for row in Embedding.objects.values("model")} == {MODEL, embedding_models.LOCAL_MODEL}
    assert not waiting(MODEL)
    assert not waiting(embedding_models.LOCAL_MODEL)
    vendor.requests.clear()
    call_command("migrate_embeddings", "--to", MODEL, "--drop-old", stdout=out)
    assert asked(vendor) == []
    assert {row["model"] for row in Embedding.objects.values("model")} == {MODEL}
    assert list(EmbeddingModel.objects.values_list("name", "serves")) == [(MODEL, True)]


def test_a_migration_that_fails_changes_nothing_for_who_asks(
    three: Three, vendor: VendorServer, remote: Embedder, settings: Settings
) -> None:
    settings.EMBEDDING_PROVIDER = ""
    work()
    remote.embed(["a"], "stored")
    vendor.script(Script(status=401, error="Incorrect API key"))
    with pytest.raises(CommandError, match="auth_error"):
        call_command("migrate_embeddings", "--to", MODEL, stdout=StringIO())
    assert serving_model.serving() == embedding_models.LOCAL_MODEL
    with pytest.raises(CommandError, match="makes no embeddings"):
        call_command("migrate_embeddings", "--to", "nowhere/x", stdout=StringIO())


def test_the_task_says_in_a_line_that_the_database_is_away(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def away() -> None:
        raise OperationalError("the connection is closed")

    monkeypatch.setattr(embedding_models, "configured", away)
    keep_embeddings()
    (record,) = caplog.records
    assert record.getMessage() == "Embeddings wait until the database is back: OperationalError"
    assert record.exc_info is None


def test_what_a_person_holds_back_stops_and_goes_on(
    remote: Embedder, three: Three, vendor: VendorServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also a budget that is short leaves it held back."""
    monkeypatch.setattr(background, "BATCH", 1)
    monkeypatch.setattr(updating, "STORED_S", 0)
    store = updating.store_vectors

    def hold_then_store(collection: Collection, *more: Any) -> int:
        held_back.hold_back(collection.name)
        return store(collection, *more)

    monkeypatch.setattr(updating, "store_vectors", hold_then_store)
    work()
    assert len(asked(vendor)) == 1
    (state,) = EmbeddedCollection.objects.filter(paused_until=held_back.WITHOUT_END)
    background._pause(state.collection, MODEL, OverBudget("Too dear.", 1))
    monkeypatch.setattr(updating, "store_vectors", store)
    work()
    assert len(asked(vendor)) == 1
    held_back.let_go_on(state.collection)
    work()
    assert len(asked(vendor)) == 3
