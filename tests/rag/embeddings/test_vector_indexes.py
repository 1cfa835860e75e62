"""Large graphs: an index of their own, used, true, and gone when it is no longer needed."""

from typing import Any

import numpy as np
import pytest
from django.db import OperationalError, connection, transaction
from django.test.utils import CaptureQueriesContext
from psycopg.errors import DiskFull

from graphs.models import Graph, Node, Workspace
from rag.embeddings import collections, vector_indexes, vector_search
from rag.embeddings.embedder import Vectors
from rag.embeddings.kept_signs import CollectionOfModel
from rag.embeddings.vector_search import PREFIX, index_name
from rag.models import EmbeddedCollection, Embedding
from rag.sources.graphs.nodes import collection_of
from tests.cast import draw_nba
from tests.rag.embeddings.steps import nearest_nodes
from tests.rag.embeddings.test_vector_search import MODEL, keep, random_vectors

NODES = 1_500
DIMENSIONS = 32


def fill(graph: Graph) -> tuple[list[int], Vectors]:
    sheet = graph.sheets.get()
    graph.nodes.all().delete()
    Node.objects.bulk_create(Node(graph=graph, sheet=sheet, key=f"n{n}", type="step") for n in range(NODES))
    # Alike in groups, as texts are.
    groups = random_vectors(50, DIMENSIONS)
    vectors = groups[np.arange(NODES) % 50] + 0.6 * random_vectors(NODES, DIMENSIONS, seed=2)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    ids = keep(graph, vectors)
    EmbeddedCollection.objects.create(collection=collection_of(graph.pk), model=MODEL, version=1)
    return ids, vectors


def without_dead_rows() -> None:
    """What earlier tests deleted still takes up pages, and what the index seems to cost depends on how many there are.

    With two or three times as many as a graph of this size fills, reading all of them seems cheaper. A graph that is
    large enough for an index in earnest is far from that.
    """
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE rag_embedding")


def indexes() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT indexname FROM pg_indexes WHERE starts_with(indexname, %s)", [PREFIX])
        return [name for (name,) in cursor.fetchall()]


def plan(graph: Graph, question: Vectors) -> str:
    with CaptureQueriesContext(connection) as captured:
        nearest_nodes(graph, MODEL, question, 10)
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, COSTS off) {captured[0]['sql']}")
        return "\n".join(row for (row,) in cursor.fetchall())


def candidates(graph: Graph, question: Vectors, growth: float, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(vector_search, "GROWTH", growth)
    nearest_nodes(graph, MODEL, question, 10)
    with connection.cursor() as cursor:
        cursor.execute("SHOW hnsw.ef_search")
        return str(cursor.fetchone()[0])


@pytest.mark.django_db(transaction=True)
def test_a_large_graph_gets_an_index_that_finds_what_comparing_all_finds(
    nba: Graph, other_workspace: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_dead_rows()
    small = draw_nba(other_workspace)  # type: ignore[arg-type]
    keep(small, random_vectors(3, DIMENSIONS))
    ids, vectors = fill(nba)
    monkeypatch.setattr(vector_indexes, "EXACT", NODES)
    vector_indexes.fit(collection_of(nba.pk), MODEL, DIMENSIONS)
    assert indexes() == []
    questions = random_vectors(20, DIMENSIONS, seed=3)
    exact = [nearest_nodes(nba, MODEL, question, 10, threshold=-1) for question in questions]
    halves = vectors.astype(np.float16).astype(np.float32)
    for question, found in zip(questions, exact, strict=True):
        best = {ids[place] for place in np.argsort(-(halves @ question))[:10]}
        assert len(best & {target for target, _ in found}) >= 9

    monkeypatch.setattr(vector_indexes, "EXACT", NODES - 1)
    vector_indexes.fit(collection_of(nba.pk), MODEL, DIMENSIONS)
    assert indexes() == [index_name(collection_of(nba.pk), MODEL)]
    used = plan(nba, questions[0])
    assert f"Index Scan using {indexes()[0]}" in used, used
    monkeypatch.setattr(vector_search, "_indexed", had_index := set())
    approximate = [nearest_nodes(nba, MODEL, question, 10, threshold=-1) for question in questions]
    recalls = [
        len({target for target, _ in right} & {target for target, _ in found}) / 10
        for right, found in zip(exact, approximate, strict=True)
    ]
    assert np.mean(recalls) >= 0.95
    assert had_index == {CollectionOfModel(collection_of(nba.pk), MODEL, DIMENSIONS)}
    with connection.cursor() as cursor:
        cursor.execute("SHOW hnsw.ef_search")
        assert cursor.fetchone()[0] == "40", "set for the statement only"
    with transaction.atomic():
        assert [candidates(nba, questions[0], growth, monkeypatch) for growth in (0.6, 1, 2)] == ["200", "300", "1000"]
    assert len(nearest_nodes(small, MODEL, random_vectors(1, DIMENSIONS)[0], 10, threshold=-1)) == 3

    # What an index misses that looks at few candidates is found among what was met by words, and nothing else is.
    monkeypatch.setattr(vector_search, "GROWTH", 0)
    monkeypatch.setattr(vector_search, "FEWEST_CANDIDATES", 10)
    few = [nearest_nodes(nba, MODEL, question, 10, threshold=-1) for question in questions]
    assert few != exact
    foreign = small.nodes.values_list("pk", flat=True)
    also = [[target for target, _ in right] + [*foreign, ids[0]] for right in exact]
    assert [
        nearest_nodes(nba, MODEL, question, 10, threshold=-1, also=met)
        for question, met in zip(questions, also, strict=True)
    ] == exact
    assert nearest_nodes(nba, MODEL, questions[0], 10, threshold=exact[0][4][1], also=also[0])[4:] == exact[0][4:5]

    monkeypatch.setattr(vector_indexes, "DROPPED_BELOW", NODES)
    vector_indexes.fit(collection_of(nba.pk), MODEL, DIMENSIONS)
    assert indexes() == []
    assert nearest_nodes(nba, MODEL, questions[0], 10, threshold=-1) == exact[0]


@pytest.mark.django_db(transaction=True)
def test_indexes_of_graphs_that_are_gone_go_too(nba: Graph) -> None:
    keep(nba, random_vectors(3, DIMENSIONS))
    EmbeddedCollection.objects.create(collection=collection_of(nba.pk), model=MODEL, version=1)
    vector_indexes.build(collection_of(nba.pk), MODEL, DIMENSIONS)
    vector_indexes.drop_forgotten()
    assert len(indexes()) == 1
    nba.delete()
    collections.forget_gone()
    vector_indexes.drop_forgotten()
    assert indexes() == []
    assert not Embedding.objects.exists()
    assert vector_search.EXACT == 20_000


@pytest.mark.django_db(transaction=True)
def test_vectors_that_are_too_long_for_an_index_are_all_compared(
    nba: Graph, other_workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_indexes, "EXACT", 2)
    for graph, dimensions in ((nba, 4_000), (draw_nba(other_workspace), 4_096)):
        keep(graph, random_vectors(3, dimensions))
        EmbeddedCollection.objects.create(collection=collection_of(graph.pk), model=MODEL, version=1)
        vector_indexes.fit(collection_of(graph.pk), MODEL, dimensions)
        assert indexes() == [index_name(collection_of(nba.pk), MODEL)]
        assert len(nearest_nodes(graph, MODEL, random_vectors(1, dimensions)[0], 10, threshold=-1)) == 3
    vector_indexes.drop(collection_of(nba.pk), MODEL)


@pytest.mark.django_db(transaction=True)
def test_an_index_is_built_by_one_process_where_several_find_no_room(
    nba: Graph, caplog: pytest.LogCaptureFixture
) -> None:
    fill(nba)
    tried: list[str] = []

    def without_room(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.startswith("SET"):
            tried.append(sql.split("=")[0].strip())
        if sql.startswith("CREATE INDEX") and len(tried) == 1:
            raise OperationalError from DiskFull("could not resize shared memory segment")
        return execute(sql, params, many, context)

    with connection.execute_wrapper(without_room), caplog.at_level("INFO"):
        vector_indexes.build(collection_of(nba.pk), MODEL, DIMENSIONS)
    assert tried == [
        'SET "maintenance_work_mem"',
        'SET "maintenance_work_mem"',
        'SET "max_parallel_maintenance_workers"',
    ]
    assert "again in one process" in caplog.text
    assert vector_indexes._is_whole(indexes()[0])
    with connection.cursor() as cursor:
        cursor.execute("SHOW max_parallel_maintenance_workers")
        assert cursor.fetchone()[0] != "0", "set for the building only"


def test_an_index_gets_the_memory_that_its_vectors_take(nba: Graph) -> None:
    keep(nba, random_vectors(3, DIMENSIONS))
    assert (
        vector_indexes._memory(collection_of(nba.pk), MODEL, DIMENSIONS) == f"{vector_indexes.LEAST_MEMORY // 1024}kB"
    )
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL maintenance_work_mem = '3GB'")
    assert vector_indexes._memory(collection_of(nba.pk), MODEL, DIMENSIONS) == f"{3 * 2**20}kB"
