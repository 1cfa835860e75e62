"""Which graphs wait for vectors or an index, and in which order."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from chat.models import BudgetPeriod, ModelCall
from config import metrics
from graphs.history import live_edits
from graphs.models import Graph, Membership, Role, Workspace
from graphs.site.accounts import account_of
from rag.embeddings import background, locks, serving_model, updating, vector_indexes
from rag.embeddings.collections import Collection, Targets, waiting
from rag.embeddings.embedder import Embedded, Embedder, EmbeddingFailed, Purpose
from rag.embeddings.metering import OverBudget
from rag.models import EmbeddedCollection, Embedding, EmbeddingFailure, EmbeddingModel
from rag.sources.graphs.nodes import collection_of
from tests.cast import draw_nba
from tests.chat.spending.paid import budget
from tests.graphs.workflows.live.conftest import Live, live, rename
from tests.rag.embeddings.conftest import MODEL
from tests.rag.embeddings.steps import asked, change, hashes, work
from tests.rag.embeddings.three import Three
from tests.vendors.scripts import Script
from tests.vendors.server import VendorServer

__all__ = ["live"]  # a fixture


@contextmanager
def somebody_else_holds(collection: str, model: str) -> Iterator[None]:
    other = psycopg.connect(**connection.get_connection_params())
    try:
        other.execute("SELECT pg_advisory_lock(%s, %s)", [locks.ADVISORY_LOCK, locks.number(collection, model)])
        yield
        # Who only goes still holds it for a moment.
        other.execute("SELECT pg_advisory_unlock_all()")
    finally:
        other.close()


@pytest.mark.django_db(transaction=True)
def test_what_is_edited_live_gets_its_vector_when_it_is_saved(
    remote: Embedder, nba: Graph, alice: User, bob: User, vendor: VendorServer, live: Live
) -> None:
    """Saving makes no version of the graph: those of the edits are the history's."""
    Membership.objects.filter(user=bob).update(role=Role.EDITOR)
    work()
    vendor.requests.clear()
    live(alice, *rename("fetch-api", "Zebras"))
    live(bob, *rename("root", "Giraffes"))
    live(alice, *rename("return", "Lions"))
    work()
    live_edits.save_edits(nba.pk)
    work()
    for word in ("zebras", "giraffes", "lions"):
        assert any(word in text for text in asked(vendor)), word
    assert not waiting(MODEL)


@pytest.mark.django_db(transaction=True)
def test_what_is_taken_back_before_it_is_saved_leaves_no_vector(
    remote: Embedder, nba: Graph, alice: User, live: Live
) -> None:
    """The history has nothing of it."""
    work()
    before, name = hashes(), nba.nodes.get(key="fetch-api").name
    live(alice, *rename("fetch-api", "Zebras"))
    work()
    assert hashes() != before
    live(alice, *rename("fetch-api", name))
    live_edits.save_edits(nba.pk)
    work()
    assert hashes() == before
    assert not waiting(MODEL)


@pytest.mark.django_db(transaction=True)
def test_what_has_its_vectors_waits_for_its_index_alone(
    remote: Embedder, three: Three, vendor: VendorServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PostgreSQL ends one of two that build at once."""
    monkeypatch.setattr(vector_indexes, "EXACT", 2)
    with somebody_else_holds(*vector_indexes.ONE_AT_A_TIME):
        work()
        assert len(three.hashes()) == 3
        assert not EmbeddedCollection.objects.get().indexed
        assert waiting(MODEL)
        vector_indexes.drop_forgotten()
    vendor.requests.clear()
    work()
    assert EmbeddedCollection.objects.get().indexed
    assert vendor.requests == []
    assert not waiting(MODEL)
    vector_indexes.drop(three.name, MODEL)


def test_a_few_changes_do_not_wait_for_a_graph_that_is_new(
    remote: Embedder, nba: Graph, other_workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = draw_nba(other_workspace)
    work()
    EmbeddedCollection.objects.filter(collection=collection_of(nba.pk)).update(version=0)
    change(small, "root", name=("Start", "Begin"))
    order: list[str] = []

    def noted(nodes: Collection, embedder: Embedder, options: updating.EmbedOptions) -> Iterator[updating.Progress]:
        order.append(nodes.name)
        yield from updating.embed_changes(nodes, embedder, options)

    monkeypatch.setattr(background, "embed_changes", noted)
    work()
    assert order == [collection_of(small.pk), collection_of(nba.pk)]


def test_a_budget_of_each_call_pays_for_fewer_texts_at_once(remote: Embedder, nba: Graph, vendor: VendorServer) -> None:
    budget(nba.workspace, 42, period=BudgetPeriod.CALL)
    nba.nodes.filter(key="return").update(process="word " * 100)
    work()
    assert set(hashes()) == {"root", "fetch-api"}
    assert EmbeddingFailure.objects.get().code == "rate_limit"
    assert not waiting(MODEL)


def test_a_graph_waits_for_a_budget_before_its_first_model_has_answered(
    remote: Embedder, nba: Graph, other_workspace: Workspace, vendor: VendorServer
) -> None:
    other = draw_nba(other_workspace)
    for workspace in (nba.workspace, other_workspace):
        budget(workspace, 0)
    work()
    assert vendor.requests == []
    assert set(background.paused(MODEL).values_list("collection", flat=True)) == {
        collection_of(nba.pk),
        collection_of(other.pk),
    }
    assert EmbeddingModel.objects.get().failures == 0


def test_a_graph_whose_texts_no_budget_of_a_call_pays_for_waits_with_its_vectors(
    remote: Embedder, nba: Graph, vendor: VendorServer
) -> None:
    work()
    budget(nba.workspace, 1, period=BudgetPeriod.CALL)
    change(nba, "root", name=("Start", "Begin"))
    work()
    assert len(hashes()) == 3
    assert background.paused(MODEL).get().collection == collection_of(nba.pk)
    assert not EmbeddingFailure.objects.exists()


def test_each_call_is_recorded(remote: Embedder, three: Three, vendor: VendorServer) -> None:
    work()
    assert ModelCall.objects.count() == len(vendor.requests) == 2


def test_a_collection_that_is_deleted_while_a_budget_refuses_it_leaves_nothing(
    remote: Embedder, three: Three, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_args: object) -> Iterator[updating.Progress]:
        three.delete_all()
        raise OverBudget("no", 60)
        yield

    monkeypatch.setattr(background, "embed_changes", gone)
    work()
    assert not EmbeddedCollection.objects.exists()


def test_who_asked_nothing_does_not_know_that_a_model_is_well(
    remote: Embedder, three: Three, vendor: VendorServer
) -> None:
    serving_model.ensure_model(remote, three.account)
    EmbeddingModel.objects.update(failures=6, code="timeout")
    with somebody_else_holds(three.name, MODEL):
        work()
    assert EmbeddingModel.objects.get().failures == 6
    work()
    assert EmbeddingModel.objects.get().failures == 0


def test_who_began_earlier_does_not_end_the_pause_of_a_model(
    remote: Embedder, three: Three, vendor: VendorServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    take = background.ModelPass.run

    def another_fails_meanwhile(turn: background.ModelPass) -> None:
        take(turn)
        background._record_failure(MODEL, EmbeddingFailed("rate_limit", retry_after=600))
        turn._record_success()

    monkeypatch.setattr(background.ModelPass, "run", another_fails_meanwhile)
    work()
    row = EmbeddingModel.objects.get()
    assert (row.failures, row.code) == (1, "rate_limit")
    assert row.retry_at is not None


@pytest.mark.parametrize(("answers", "failures"), [(0, 4), (3, 1)])
def test_a_model_that_answers_before_it_fails_is_not_left_alone_longer_each_time(
    remote: Embedder, nba: Graph, monkeypatch: pytest.MonkeyPatch, answers: int, failures: int
) -> None:
    """As one that limits how much it is asked in a minute."""
    serving_model.ensure_model(remote, account_of(nba))
    EmbeddingModel.objects.update(failures=3, code="timeout")
    monkeypatch.setattr(updating, "STORED_S", 0.0)
    embed, left = remote.embed, iter(range(answers))

    def limited(texts: list[str], purpose: Purpose) -> Embedded:
        if next(left, None) is None:
            raise EmbeddingFailed("rate_limit")
        return embed(texts, purpose)

    nba.nodes.create(sheet=nba.sheets.get(), key="last", type="note")
    monkeypatch.setattr(remote, "embed", limited)
    work()
    assert EmbeddingModel.objects.get().failures == failures
    assert Embedding.objects.count() == answers


def test_a_limit_within_a_second_of_answers_is_no_failure_in_a_row(
    remote: Embedder, nba: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    sheet = nba.sheets.get()
    nba.nodes.model.objects.bulk_create(
        nba.nodes.model(graph=nba, sheet=sheet, key=f"n{number}", type="note") for number in range(500)
    )
    embed = remote.embed
    for turn in (1, 2):
        left = iter(range(3))

        def limited(texts: list[str], purpose: Purpose, left: Iterator[int] = left) -> Embedded:
            if next(left, None) is None:
                raise EmbeddingFailed("rate_limit")
            return embed(texts, purpose)

        monkeypatch.setattr(remote, "embed", limited)
        EmbeddingModel.objects.update(retry_at=None)
        work()
        row = EmbeddingModel.objects.get()
        assert (row.failures, row.code) == (1, "rate_limit")
        assert Embedding.objects.count() == (200, 500)[turn - 1]


def test_texts_that_an_endpoint_ends_at_keep_no_new_graph_waiting(
    remote: Embedder, nba: Graph, other_workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    work()
    EmbeddingFailure.objects.create(
        target_type="node", target_id=nba.nodes.get(key="root").pk, collection=collection_of(nba.pk), model=MODEL,
        code="network", retry_at=timezone.now(),
    )  # fmt: skip
    Embedding.objects.all().delete()
    other, embed = draw_nba(other_workspace), remote.embed

    def ending(texts: list[str], purpose: Purpose) -> Embedded:
        if texts == ["dimensions"] or len(texts) == 1:
            raise EmbeddingFailed("network")
        return embed(texts, purpose)

    monkeypatch.setattr(remote, "embed", ending)
    work()
    assert Embedding.objects.filter(collection=collection_of(other.pk)).count() == 3
    assert EmbeddingModel.objects.get().failures == 1


@pytest.mark.django_db(transaction=True)
def test_an_index_that_was_dropped_is_built_again(
    remote: Embedder, three: Three, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_indexes, "EXACT", 2)
    work()
    vector_indexes.drop(three.name, MODEL)
    work()
    assert EmbeddedCollection.objects.get().indexed
    vector_indexes.drop(three.name, MODEL)


@pytest.mark.django_db(transaction=True)
def test_nobody_waits_in_the_background_for_the_index_of_another_graph(remote: Embedder, three: Three) -> None:
    work()
    EmbeddingModel.objects.update(dimensions=12)  # the endpoint served another model before
    three.say("root", "Begin")
    with somebody_else_holds(*vector_indexes.ONE_AT_A_TIME):
        work()
        assert EmbeddingModel.objects.get().failures == 1
    EmbeddingModel.objects.update(retry_at=None)
    work()
    assert (EmbeddingModel.objects.get().dimensions, len(three.hashes())) == (8, 3)


def test_the_figure_counts_what_waits_for_a_first_model_that_is_away(
    remote: Embedder, three: Three, vendor: VendorServer
) -> None:
    vendor.script(Script(status=404, error="no such model"))
    work()
    assert metrics._collections_to_embed() == 1
    EmbeddingModel.objects.update(retry_at=None)
    work()
    assert metrics._collections_to_embed() == 0


def test_an_endpoint_that_ends_at_a_text_and_comes_back_keeps_no_other_waiting(
    remote: Embedder, nba: Graph, other_workspace: Workspace, vendor: VendorServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = draw_nba(other_workspace)
    nba.nodes.filter(key="fetch-api").update(name="deadly")
    embed, ended = remote.embed, [False]

    def ending(texts: list[str], purpose: str) -> object:
        if ended.pop():
            ended.append(False)
            raise EmbeddingFailed("server_error")
        ended.append(any("deadly" in text for text in texts))
        if ended[0]:
            raise EmbeddingFailed("network")
        return embed(texts, "stored")

    monkeypatch.setattr(remote, "embed", ending)
    for _ in range(6):
        EmbeddingModel.objects.update(retry_at=None)
        work()
    assert Embedding.objects.filter(collection=collection_of(other.pk)).count() == 3
    assert Embedding.objects.filter(collection=collection_of(nba.pk)).count() == 2
    assert EmbeddingFailure.objects.get().code == "network"
    assert EmbeddingModel.objects.get().failures == 0


def test_vectors_of_two_lengths_are_not_mixed(remote: Embedder, three: Three, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another thread has just learned that the endpoint serves another model."""
    serving_model.ensure_model(remote, three.account)
    targets = Targets(three.kind, [pk for pk, _version in three.rows.values()])
    embedding = updating.embed_targets(three.collection, remote, targets, updating.EmbedOptions(batch=1))
    next(embedding)
    monkeypatch.setattr(remote, "dimensions", None)
    monkeypatch.setattr("tests.vendors.embeddings_wire.OTHERS", 12)
    with pytest.raises(EmbeddingFailed, match="of 12 dimensions, not of 8"):
        list(embedding)
    assert not Embedding.objects.exists()
