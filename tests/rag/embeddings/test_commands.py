"""`embed_nodes` and `migrate_embeddings` where something comes between."""

import logging
import time
from collections.abc import Callable, Sequence
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from graphs.history.changes import apply
from graphs.history.recording import Because
from graphs.models import Graph, Origin, Workspace
from graphs.objects.operations import Update
from graphs.objects.refs import Ref
from graphs.site.accounts import account_of
from rag.embeddings import background, dropping, serving_model, updating
from rag.embeddings.embedder import Embedded, Embedder
from rag.embeddings.embedding_models import LOCAL_MODEL
from rag.embeddings.openai import OpenAIEmbedder
from rag.models import EmbeddedCollection, Embedding, EmbeddingModel
from rag.sources.graphs.nodes import GraphNodes
from tests.cast import draw_nba
from tests.rag.embeddings.conftest import MODEL
from tests.rag.embeddings.steps import asked, change
from tests.vendors.server import VendorServer

AT_ONCE = ("--delay", "0")


def run(*command: str) -> str:
    out = StringIO()
    call_command(*command, stdout=out)
    return out.getvalue()


def test_no_line_of_the_log_comes_between_those_of_the_bar(
    remote: Embedder, nba: Graph, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging.getLogger("countersign.events"), "handlers", [caplog.handler])
    run("embed_nodes", *AT_ONCE)
    assert not caplog.records
    run("embed_nodes", "--force", "--verbosity", "2", *AT_ONCE)
    assert "embedding_batch" in caplog.text


@pytest.fixture
def local_serves(nba: Graph, remote: Embedder, settings: Settings) -> None:
    """The local model answers, an endpoint is there to go to."""
    settings.EMBEDDING_PROVIDER = ""
    run("embed_nodes")
    serving_model.clear_cache()
    assert serving_model.serving() == LOCAL_MODEL


def test_what_a_vendor_answered_is_stored_before_it_is_asked_again(
    remote: Embedder, nba: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(updating, "STORED_S", 0.0)
    serving_model.ensure_model(remote, account_of(nba))
    progress = updating.embed_all(GraphNodes(nba), remote, updating.EmbedOptions(batch=1))
    assert [(step.seen, Embedding.objects.count()) for step in progress] == [(0, 0), (1, 1), (1, 2), (1, 3)]


def test_it_is_stored_before_the_pause(remote: Embedder, nba: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    stored: list[int] = []
    serving_model.ensure_model(remote, account_of(nba))
    monkeypatch.setattr(updating.time, "sleep", lambda _seconds: stored.append(Embedding.objects.count()))
    list(updating.embed_all(GraphNodes(nba), remote, updating.EmbedOptions(batch=1, delay_s=2)))
    assert stored == [1, 2, 3]


@pytest.mark.parametrize("command", [("embed_nodes", "--batch", "1"), ("migrate_embeddings", "--to", MODEL)])
def test_ctrl_c_keeps_what_was_done_and_says_so(
    remote: Embedder, nba: Graph, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    answer = OpenAIEmbedder.embed
    monkeypatch.setattr("rag.management.commands.migrate_embeddings.BATCH", 1)
    calls_before_it = iter(["of the length of its vectors", "of a text"])

    def interrupted(embedder: OpenAIEmbedder, texts: Sequence[str], purpose: str) -> Embedded:
        if next(calls_before_it, None) is None:
            raise KeyboardInterrupt
        return answer(embedder, texts, "stored")

    monkeypatch.setattr(OpenAIEmbedder, "embed", interrupted)
    with pytest.raises(CommandError, match="what was embedded is kept") as stopped:
        run(*command, *AT_ONCE)
    assert stopped.value.returncode == 130
    assert Embedding.objects.count() == 1
    monkeypatch.setattr(OpenAIEmbedder, "embed", answer)
    run(*command, *AT_ONCE)
    assert Embedding.objects.count() == 3


@pytest.mark.parametrize("command", [("embed_nodes",), ("migrate_embeddings", "--to", MODEL)])
def test_where_embeddings_are_off_nothing_is_embedded(
    local_serves: None, settings: Settings, command: tuple[str, ...]
) -> None:
    settings.EMBEDDING_PROVIDER = "none"
    with pytest.raises(CommandError, match="switched off"):
        run(*command)
    assert not EmbeddingModel.objects.filter(name=MODEL).exists()


def test_a_negative_pause_is_refused(local_serves: None) -> None:
    with pytest.raises(CommandError, match="--delay"):
        run("migrate_embeddings", "--to", MODEL, "--delay", "-1")


def test_the_bar_comes_to_its_end_where_little_has_changed(local_serves: None, nba: Graph) -> None:
    run("migrate_embeddings", "--to", MODEL, *AT_ONCE)
    apply(nba, [Update(Ref("node", "root"), {"name": "Start"}, {"name": "Begin"})], Because(None, Origin.MANUAL))
    assert "100%  3 of 3 texts" in run("migrate_embeddings", "--to", MODEL, *AT_ONCE)


def test_dropping_that_was_interrupted_is_finished_by_the_next(
    local_serves: None, monkeypatch: pytest.MonkeyPatch, vendor: VendorServer
) -> None:
    run("migrate_embeddings", "--to", MODEL, *AT_ONCE)

    def killed(model: str) -> int:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(dropping, "_delete_some", killed)
        with pytest.raises(CommandError, match="Run this again"):
            run("migrate_embeddings", "--to", MODEL, "--drop-old")
    assert Embedding.objects.filter(model=LOCAL_MODEL).count() == 3
    said = run("migrate_embeddings", "--to", MODEL, "--drop-old")
    assert f"The vectors of {LOCAL_MODEL} are dropped." in said
    assert set(Embedding.objects.values_list("model", flat=True)) == {MODEL}
    assert set(EmbeddedCollection.objects.values_list("model", flat=True)) == {MODEL}


def test_the_worker_drops_what_was_made_in_part_for_a_model_that_others_dropped(
    local_serves: None, nba: Graph, remote: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(updating, "STORED_S", 0.0)
    serving_model.ensure_model(remote, account_of(nba))
    killed = updating.embed_all(GraphNodes(nba), remote, updating.EmbedOptions(batch=1))
    while not Embedding.objects.filter(model=MODEL).exists():
        next(killed)
    EmbeddingModel.objects.filter(name=MODEL).delete()
    dropping.drop_forgotten()
    assert set(Embedding.objects.values_list("model", flat=True)) == {LOCAL_MODEL}


def test_a_migration_whose_model_is_dropped_on_its_way_says_so_and_asks_no_more(
    local_serves: None, nba: Graph, other_workspace: Workspace, vendor: VendorServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw_nba(other_workspace)
    answer = OpenAIEmbedder.embed

    def dropped(embedder: OpenAIEmbedder, texts: Sequence[str], purpose: str) -> Embedded:
        serving_model.delete_all_but(LOCAL_MODEL)
        return answer(embedder, texts, "stored")

    monkeypatch.setattr(OpenAIEmbedder, "embed", dropped)
    with pytest.raises(CommandError, match=FIRST):
        run("migrate_embeddings", "--to", MODEL, *AT_ONCE)
    assert len(asked(vendor)) == 3
    assert not EmbeddingModel.objects.filter(name=MODEL).exists()


def test_a_migration_ends_where_people_edit_on_and_on(
    local_serves: None, nba: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    finish, edits = updating._finish, iter(range(9))

    def edited(*given: Any) -> None:
        finish(*given)
        x = next(edits)
        change(nba, "root", posX=(x, x + 1))

    monkeypatch.setattr(updating, "_finish", edited)
    assert f"{MODEL} answers questions now" in run("migrate_embeddings", "--to", MODEL, *AT_ONCE)


def test_a_site_without_graphs_changes_its_model_too(remote: Embedder, db: None) -> None:
    assert f"{MODEL} answers questions now" in run("migrate_embeddings", "--to", MODEL, *AT_ONCE)
    background.work(until=time.monotonic() + 60)
    assert EmbeddingModel.objects.get().serves


def test_what_a_worker_still_stores_of_a_model_that_others_dropped_goes_too(
    local_serves: None, nba: Graph, other_workspace: Workspace, remote: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw_nba(other_workspace)
    serving_model.ensure_model(remote, account_of(nba))
    answer = OpenAIEmbedder.embed

    def dropped(embedder: OpenAIEmbedder, texts: Sequence[str], purpose: str) -> Embedded:
        dropping.drop_all_but(LOCAL_MODEL)
        return answer(embedder, texts, "stored")

    monkeypatch.setattr(OpenAIEmbedder, "embed", dropped)
    background.work(until=time.monotonic() + 60)
    assert set(Embedding.objects.values_list("model", flat=True)) == {LOCAL_MODEL}
    assert not EmbeddingModel.objects.filter(name=MODEL).exists()


def test_a_first_model_that_is_dropped_in_its_first_turn_does_not_come_back(
    remote: Embedder, nba: Graph, other_workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw_nba(other_workspace)
    finish = updating._finish

    def dropped(*given: Any) -> None:
        finish(*given)
        EmbeddingModel.objects.create(name=LOCAL_MODEL, dimensions=256)
        serving_model.switch_to(LOCAL_MODEL)
        dropping.drop_all_but(LOCAL_MODEL)

    monkeypatch.setattr(updating, "_finish", dropped)
    background.work(until=time.monotonic() + 60)
    assert EmbeddingModel.objects.get().name == LOCAL_MODEL


FIRST = f"Another migration was ready first: questions are answered by {LOCAL_MODEL}, not by {MODEL}. Run this again"


def test_of_two_migrations_at_once_one_model_serves_and_the_other_says_so(local_serves: None, nba: Graph) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(
            serving_model, "switch_to", _after(lambda: dropping.drop_all_but(LOCAL_MODEL), serving_model.switch_to)
        )
        with pytest.raises(CommandError, match=FIRST):
            run("migrate_embeddings", "--to", MODEL, *AT_ONCE)
    assert list(EmbeddingModel.objects.values_list("name", "serves")) == [(LOCAL_MODEL, True)]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(
            dropping, "drop_all_but", _after(lambda: serving_model.switch_to(LOCAL_MODEL), dropping.drop_all_but)
        )
        with pytest.raises(CommandError, match=FIRST):
            run("migrate_embeddings", "--to", MODEL, "--drop-old", *AT_ONCE)
    assert serving_model.serving() == LOCAL_MODEL
    assert Embedding.objects.filter(model=LOCAL_MODEL).count() == 3


def _after(other: Callable[[], object], done: Callable[[str], object]) -> Callable[[str], object]:
    """Another process does its part just before ours."""

    def both(name: str) -> object:
        other()
        return done(name)

    return both
