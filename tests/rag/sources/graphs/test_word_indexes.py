"""Large graphs: an index of words of their own, used, true, and gone when it is no longer needed."""

from collections.abc import Iterator

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from graphs.models import Graph, Node, Workspace
from rag.embeddings import dropping, vector_indexes
from rag.embeddings.locks import held
from rag.sources.graphs import text_search, word_indexes
from rag.sources.graphs.nodes import GraphNodes
from rag.sources.graphs.text_search import Searched
from tests.cast import draw_nba
from tests.rag.embeddings.test_waiting import somebody_else_holds

NODES = 3_000
QUESTION = "zebra apples"

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def large(nba: Graph, monkeypatch: pytest.MonkeyPatch) -> Iterator[Graph]:
    """A graph that needs an index of its own; a word of the question is in so few of its nodes that it is rare."""
    monkeypatch.setattr(word_indexes, "LARGE", NODES - 1)
    monkeypatch.setattr(word_indexes, "DROPPED_BELOW", NODES - 2)
    sheet = nba.sheets.get()
    nba.nodes.all().delete()
    Node.objects.bulk_create(
        Node(graph=nba, sheet=sheet, key=f"n{n}", type="step", name="zebra" if n % 120 == 0 else "horse")
        for n in range(NODES)
    )
    yield nba
    with connection.cursor() as cursor:
        for name in indexes():
            cursor.execute(f"DROP INDEX {name}")


def indexes() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT indexname FROM pg_indexes WHERE starts_with(indexname, %s)", [word_indexes.PREFIX])
        return [name for (name,) in cursor.fetchall()]


def search(graph: Graph) -> Searched:
    return text_search.search(graph, QUESTION, 60)


def plan(graph: Graph) -> str:
    with CaptureQueriesContext(connection) as captured:
        search(graph)
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {captured[-1]['sql']}")
        return "\n".join(row for (row,) in cursor.fetchall())


def test_a_large_graph_gets_an_index_of_its_words_that_finds_the_same(
    large: Graph, other_workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = draw_nba(other_workspace)
    before = search(large)
    assert len(before.met) == NODES // 120
    nodes = GraphNodes(large)
    assert nodes.fit(wait=True)
    name = word_indexes.index_name(large.pk)
    assert indexes() == [name]
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE graphs_node")
    assert f"Index Scan on {name}" in plan(large)
    assert name not in plan(small)
    assert search(large) == before

    # True for what changes, and built once.
    Node.objects.filter(graph=large, key="n1").update(name="apples")
    assert "n1" in large.nodes.filter(pk__in=[hit.node_id for hit in search(large).hits]).values_list("key", flat=True)
    assert nodes.fit(wait=True)
    assert indexes() == [name]

    monkeypatch.setattr(word_indexes, "DROPPED_BELOW", NODES)
    assert nodes.fit(wait=True)
    assert indexes() == []


def test_a_graph_that_is_not_large_gets_none(large: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_indexes, "LARGE", NODES)
    assert GraphNodes(large).fit(wait=True)
    assert indexes() == []


def test_one_index_is_built_at_a_time(large: Graph) -> None:
    with somebody_else_holds(*vector_indexes.ONE_AT_A_TIME):
        assert not GraphNodes(large).fit(wait=False)
    assert indexes() == []
    with held(*vector_indexes.ONE_AT_A_TIME, wait=False) as free:
        assert free


def test_indexes_of_graphs_that_are_gone_go_too(large: Graph, other_workspace: Workspace) -> None:
    other = draw_nba(other_workspace)
    assert GraphNodes(large).fit(wait=True)
    dropping.drop_forgotten()
    assert indexes() == [word_indexes.index_name(large.pk)]
    large.delete()
    dropping.drop_forgotten()
    assert indexes() == []
    assert other.nodes.exists()


def test_an_index_whose_building_was_interrupted_is_built_anew(large: Graph) -> None:
    name = word_indexes.index_name(large.pk)
    assert GraphNodes(large).fit(wait=True)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE pg_index SET indisvalid = false WHERE indexrelid = to_regclass(%s)", [name])
    assert not word_indexes._is_whole(name)
    assert GraphNodes(large).fit(wait=True)
    assert word_indexes._is_whole(name)
