"""What is read of a graph is planned once for a connection, and reads as little of each graph, whatever its size."""

import copy
from collections.abc import Callable, Iterator
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from django.db import connection, transaction
from pytest_django import DjangoDbBlocker

from graphs.models import Edge, Graph, Node, Sheet
from rag.embeddings import kept_signs, vector_search
from rag.embeddings.kept_signs import CollectionOfModel
from rag.embeddings.vector_search import nearest
from rag.sources.graphs.context import configured
from rag.sources.graphs.expansion import beginning, surroundings
from rag.sources.graphs.nodes import collection_of
from rag.sources.graphs.text_search import search
from tests.seeded import World, world

#: The rows are made once.
pytestmark = pytest.mark.xdist_group("kept plans")

#: Of these all nodes and edges are found by ids or by an index, so that a large graph costs no more.
MANY = 20_000
#: Edges that lead to one of them, where others have one or two.
HUB = 5_000
#: A connection prepares a statement that it has run five times, and PostgreSQL keeps a plan after five more.
BOTH_LEARN = 12


@pytest.fixture(scope="module")
def built(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[World]:
    """In a transaction in which that of each test is nested: to make it takes longer than all tests."""
    with django_db_blocker.unblock(), transaction.atomic():
        found = _built()
        with django_db_blocker.block():
            yield found
        transaction.set_rollback(True)


@pytest.fixture
def here(built: World, db: None) -> World:
    return copy.deepcopy(built)


def _built() -> World:
    """A graph that has nearly all nodes and edges, and a hub, beside small ones."""
    here = world()
    sheet = Sheet.objects.create(graph=here.orders, key="many", name="Many", position=9)
    nodes = Node.objects.bulk_create(
        Node(graph=here.orders, sheet=sheet, key=f"k{number}", name="thing", type="filter") for number in range(MANY)
    )
    Edge.objects.bulk_create(
        Edge(graph=here.orders, sheet=sheet, key=f"k{number}", source=source, target=target)
        for number, (source, target) in enumerate([*pairwise(nodes), *((each, nodes[0]) for each in nodes[1:HUB])])
    )
    _run("SET CONSTRAINTS ALL IMMEDIATE")
    return here


def _found(graph: Graph) -> None:
    assert search(graph, "fetch players", 20).hits


def _around(graph: Graph) -> None:
    first = graph.sheets.order_by("-pk")[0].nodes.order_by("pk")[0].pk
    assert surroundings(graph, [first, first + 1, first + 2], configured()).rows


def _beginning(graph: Graph) -> None:
    assert beginning(graph, configured()).rows


def _run(statement: str) -> list[tuple[object, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchall() if cursor.description else []


def _read_rows() -> int:
    """Of nodes and edges, in this transaction."""
    return sum(
        rows  # type: ignore[misc]
        for (rows,) in _run(
            "SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_xact_user_tables "
            "WHERE relname IN ('graphs_node', 'graphs_edge')"
        )
    )


def _reads(reader: Callable[[Graph], None], graph: Graph) -> int:
    before = _read_rows()
    reader(graph)
    return _read_rows() - before


@pytest.mark.parametrize("reader", [_found, _around, _beginning])
def test_a_small_graph_is_planned_once_beside_a_large_one(here: World, reader: Callable[[Graph], None]) -> None:
    """Planning takes five times as long as running it."""
    _run("ANALYZE graphs_node, graphs_edge")
    _run("DEALLOCATE ALL")
    for _ in range(BOTH_LEARN):
        reader(here.nba)
    kept = _run(
        "SELECT generic_plans > 0 FROM pg_prepared_statements WHERE statement ~ '(graphs_sheet AS sheet|survey)'"
    )
    assert kept == [(True,)]
    assert _reads(reader, here.nba) < 100


def _near(graph: Graph, *, few: bool | None) -> None:
    nearest(collection_of(graph.pk), ["node"], "local/test", np.ones(8, np.float32), 20, few=few)


def test_what_searches_a_large_graph_is_planned_anew(here: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kept plan takes each graph for one of the mean size, and no index of a single graph is any good to it."""
    _run("ANALYZE graphs_node, graphs_edge")
    _run("DEALLOCATE ALL")
    kept = "SELECT name FROM pg_prepared_statements WHERE statement ~ 'DISTINCT ON|likely|ef_search'"
    had_index = {CollectionOfModel(collection_of(here.orders.pk), "local/test", 8)}
    monkeypatch.setattr(vector_search, "_indexed", had_index)
    for _ in range(BOTH_LEARN):
        _found(here.orders)
        _near(here.orders, few=False)
        _near(here.orders, few=None)
    signs = SimpleNamespace(likely=lambda _vector, _types: [1])
    with monkeypatch.context() as patched:
        patched.setattr(kept_signs, "kept", lambda _of: SimpleNamespace(signs=signs, until=2**40))
        patched.setattr(kept_signs, "load_soon", lambda _of, anew=False: None)
        for _ in range(BOTH_LEARN):
            _near(here.orders, few=False)
    assert not _run(kept)
    for _ in range(BOTH_LEARN):
        _near(here.nba, few=None)
    assert _run(kept), "without this the others would prove nothing"


@pytest.mark.parametrize("reader", [_around, _beginning])
@pytest.mark.parametrize("graphs", [0, 2_000])
def test_a_kept_plan_reads_few_rows_of_a_large_graph(here: World, graphs: int, reader: Callable[[Graph], None]) -> None:
    """Also where PostgreSQL takes graphs for small ones, as nearly all are, and an index for dear."""
    for table in ("graphs_node", "graphs_edge"):
        _run(f"ALTER TABLE {table} ALTER COLUMN graph_id SET (n_distinct = {graphs})")
    _run("ANALYZE graphs_node, graphs_edge")
    # As where rows lie in no order, among others that are gone: an index costs more, but not as much as all rows.
    _run("SET LOCAL random_page_cost = 12")
    _run("SET LOCAL plan_cache_mode = force_generic_plan")
    for _ in range(BOTH_LEARN):
        reader(here.orders)
    assert _reads(reader, here.orders) < 1_000
