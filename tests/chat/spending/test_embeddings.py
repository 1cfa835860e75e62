"""What vectors cost: reserved, recorded, and refused where no budget pays."""

import time
from io import StringIO

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from chat.models import BudgetUnit, ModelCall, Purpose, Reservation
from chat.spending import free_questions
from graphs.models import Graph, Workspace
from graphs.site.accounts import Account, account_of
from graphs.site.vendor_errors import ErrorCode
from rag.embeddings import background, embedding_models, serving_model
from rag.embeddings.collections import waiting
from rag.embeddings.embedder import Embedded, EmbeddingFailed
from rag.embeddings.metering import OverBudget, embed
from rag.models import Embedding, EmbeddingModel
from rag.sources.graphs.nodes import collection_of
from tests.cast import draw_nba
from tests.chat.spending.paid import budget

pytestmark = pytest.mark.django_db


class Stub:
    """An embedder that reads ten tokens a text, or fails."""

    dimensions = 2

    def __init__(self, name: str = "openai/text-embedding-3-small", failure: EmbeddingFailed | None = None) -> None:
        self.name = name
        self.failure = failure
        self.asked = 0

    def embed(self, texts: list[str], purpose: str) -> Embedded:
        self.asked += 1
        if self.failure:
            raise self.failure
        return Embedded(np.ones((len(texts), 2), np.float32), 10 * len(texts), estimated=False)


def test_every_call_is_recorded_with_its_price(alice: User, nba: Graph) -> None:
    embed(Stub(), ["one", "two"], "stored", account_of(nba))
    embed(Stub("custom/nomic"), ["one"], "question", Account(nba.workspace_id, alice.pk))
    stored, question = ModelCall.objects.all()
    assert (stored.purpose, stored.provider, stored.model) == (Purpose.EMBEDDING, "openai", "text-embedding-3-small")
    assert (stored.object, stored.prompt_tokens, float(stored.cost or 0)) == ("graph:nba", 20, pytest.approx(4e-7))
    assert (question.purpose, question.user, question.cost) == (Purpose.QUESTION, alice, None)


def test_a_call_says_where_its_price_is_written(nba: Graph) -> None:
    embed(Stub(), ["one"], "stored", account_of(nba))
    embed(Stub("custom/nomic"), ["one"], "stored", account_of(nba))
    assert list(ModelCall.objects.values_list("price_source", flat=True)) == ["table", ""]


def test_a_call_that_no_budget_pays_for_is_not_made(nba: Graph, demo_workspace: Workspace) -> None:
    budget(demo_workspace, 10)
    stub = Stub()
    with pytest.raises(OverBudget, match="does not cover this") as refused:
        embed(stub, ["a text of many words" * 10], "stored", account_of(nba))
    assert refused.value.retry_after is not None
    assert stub.asked == ModelCall.objects.count() == Reservation.objects.count() == 0
    budget(demo_workspace, 10, unit=BudgetUnit.USD)
    with pytest.raises(OverBudget, match="nobody knows what nomic costs"):
        embed(Stub("custom/nomic"), ["a"], "stored", account_of(nba))


@pytest.mark.parametrize(
    ("code", "answered", "tokens"),
    [("timeout", False, 1), ("auth_error", False, 0), ("server_error", False, 0), ("server_error", True, 1)],
)
def test_a_call_that_failed_gives_back_what_it_did_not_take(
    nba: Graph, code: ErrorCode, answered: bool, tokens: int
) -> None:
    day = budget(nba.workspace, 100)
    with pytest.raises(EmbeddingFailed):
        embed(Stub(failure=EmbeddingFailed(code, answered=answered)), ["word"], "stored", account_of(nba))
    call = ModelCall.objects.get()
    assert (call.outcome, call.prompt_tokens, call.estimated) == (code, tokens, bool(tokens))
    assert [(use.used, use.reserved) for use in day.uses.all()] == [(tokens, 0)]
    with pytest.raises(EmbeddingFailed):
        embed(Stub(failure=EmbeddingFailed("network", asked=False)), ["word"], "stored", account_of(nba))
    assert ModelCall.objects.count() == 1
    assert [(use.used, use.reserved) for use in day.uses.all()] == [(tokens, 0)]


def test_a_graph_without_a_budget_waits_and_goes_on_alone(
    nba: Graph, other_workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    stub, foreign, small = Stub(), draw_nba(other_workspace), budget(nba.workspace, 1)
    monkeypatch.setattr(embedding_models, "configured", lambda: stub.name)
    monkeypatch.setattr(embedding_models, "by_name", lambda _name: stub)

    def work() -> list[str]:
        """The collections that wait afterwards."""
        background.work(until=time.monotonic() + 60)
        return [each.name for each in waiting(stub.name)]

    try:
        assert work() == [collection_of(nba.pk)]
        assert Embedding.objects.filter(collection=collection_of(foreign.pk)).count() == foreign.nodes.count()
        assert EmbeddingModel.objects.get().failures == 0
        assert background.paused(stub.name).get().collection == collection_of(nba.pk)
        asked, small.limit = stub.asked, 10**6
        small.save()
        assert work() == [collection_of(nba.pk)]
        assert stub.asked == asked
        background.paused(stub.name).update(paused_until=None)
        assert work() == []
    finally:
        serving_model.clear_cache()


@pytest.mark.parametrize("command", [("embed_nodes",), ("migrate_embeddings", "--to", "openai/text-embedding-3-small")])
def test_a_command_does_what_other_budgets_pay_for_before_it_says_what_waits(
    nba: Graph, other_workspace: Workspace, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    stub, foreign = Stub(), draw_nba(other_workspace)
    budget(nba.workspace, 1)
    monkeypatch.setattr(embedding_models, "configured", lambda: stub.name)
    monkeypatch.setattr(embedding_models, "by_name", lambda _name: stub)
    try:
        with pytest.raises(CommandError, match=r"does not cover this.* Run this again"):
            call_command(*command, "--delay", "0", stdout=StringIO())
        assert set(Embedding.objects.values_list("collection", flat=True)) == {collection_of(foreign.pk)}
        assert [each.name for each in waiting(stub.name)] == [collection_of(nba.pk)]
    finally:
        serving_model.clear_cache()


def test_the_local_model_costs_nothing_and_is_under_no_budget(nba: Graph) -> None:
    budget(nba.workspace, 0)
    embed(Stub("local/wordllama-256"), ["one"], "stored", account_of(nba))
    assert ModelCall.objects.get().cost == 0
    embed(Stub("local/wordllama-256"), ["one"], "question", account_of(nba))
    assert ModelCall.objects.count() == 1
    assert free_questions.take(None) == []
