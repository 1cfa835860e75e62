"""Finding by vectors: those of the collection and of the model that is asked, and nobody else's."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import psycopg
import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from graphs.models import Graph, Node, Workspace
from rag.embeddings.embedder import Vectors, normalised
from rag.embeddings.storing import TargetVersion, store_vectors
from rag.models import Embedding
from rag.sources.graphs.nodes import GraphNodes
from tests.rag.embeddings.three import Three

MODEL = "local/test"


def random_vectors(count: int, dimensions: int = 8, seed: int = 1) -> Vectors:
    return normalised(np.random.default_rng(seed).normal(size=(count, dimensions)).astype(np.float32))


def keep(graph: Graph, vectors: Vectors, model: str = MODEL) -> list[int]:
    nodes = list(graph.nodes.order_by("pk"))
    store_vectors(
        GraphNodes(graph), model, [TargetVersion("node", node.pk, node.version, bytes(16)) for node in nodes], vectors
    )
    return [node.pk for node in nodes]


def stored_vectors() -> list[Vectors]:
    return [row.vector for row in Embedding.objects.order_by("target_id")]


def test_the_nearest_come_first_with_their_cosines(three: Three) -> None:
    vectors = normalised(np.array([[1, 0, 0], [1, 1, 0], [0, 0, 1]], np.float32))
    three.keep(vectors, MODEL)
    first, second, _third = (version.id for version in three.versions())
    found = three.nearest(MODEL, vectors[0], 10)
    assert [target for target, _ in found] == [first, second]
    assert [cosine for _, cosine in found] == pytest.approx([1.0, 2**-0.5], abs=1e-3)
    assert three.nearest(MODEL, vectors[0], 1) == found[:1]
    assert len(three.nearest(MODEL, vectors[0], 10, threshold=-1)) == 3


def test_other_collections_and_other_models_do_not_exist(three: Three, other_workspace: Workspace) -> None:
    foreign = type(three)(other_workspace)
    vectors = random_vectors(3)
    foreign.keep(vectors, MODEL)
    assert three.nearest(MODEL, vectors[0], 10) == []
    three.keep(vectors[::-1], MODEL)
    three.keep(random_vectors(3, dimensions=5), "local/other")
    (best, _), *_ = three.nearest(MODEL, vectors[0], 10)
    assert best == three.versions()[-1].id
    assert three.nearest(MODEL, random_vectors(1, dimensions=5)[0], 10) == []
    own, (theirs, *_) = three.nearest(MODEL, vectors[0], 10, threshold=-1), foreign.versions()
    assert three.nearest(MODEL, vectors[0], 10, threshold=-1, also=[theirs.id]) == own


def test_it_is_one_query(three: Three) -> None:
    vectors = random_vectors(3)
    three.keep(vectors, MODEL)
    with CaptureQueriesContext(
        connection,
    ) as captured:
        three.nearest(MODEL, vectors[0], 10)
    assert len(captured) == 1


def test_a_deleted_node_takes_its_vector_along(nba: Graph, alice: User) -> None:
    keep(nba, random_vectors(3))
    Node.objects.filter(key="return")._raw_delete(using=connection.alias)  # type: ignore[attr-defined]
    assert Embedding.objects.count() == 2
    nba.delete()
    assert not Embedding.objects.exists()


def test_vectors_of_what_changed_meanwhile_are_not_stored(three: Three) -> None:
    root, _version = three.rows["root"]
    newer = [replace(each, version=each.version + 6 * (each.id == root)) for each in three.versions()]
    three.delete("return")
    assert three.keep(random_vectors(3), MODEL, newer) == 1
    assert [row.target_id for row in Embedding.objects.all()] == [three.rows["fetch-api"][0]]


def test_storing_again_replaces_whoever_knew_of_the_first_time(three: Three) -> None:
    three.keep(random_vectors(3), MODEL)
    three.keep(random_vectors(3, seed=2), MODEL)
    known = [replace(version, embedded=True) for version in three.versions()]
    assert np.allclose(stored_vectors(), random_vectors(3, seed=2), atol=1e-3)
    three.keep(random_vectors(3, seed=3), MODEL, known)
    assert np.allclose(stored_vectors(), random_vectors(3, seed=3), atol=1e-3)


@pytest.mark.django_db(transaction=True)
def test_two_may_store_the_same_at_once(three: Three) -> None:
    def keep_and_close(seed: int) -> None:
        try:
            three.keep(random_vectors(3, seed=seed), MODEL)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(keep_and_close, (1, 2), timeout=60))
    assert any(np.allclose(stored_vectors(), random_vectors(3, seed=seed), atol=1e-3) for seed in (1, 2))


@pytest.mark.django_db(transaction=True)
def test_who_deletes_waits_for_who_is_storing(nba: Graph) -> None:
    """Else the vectors of deleted nodes would stay."""
    other = psycopg.connect(**connection.get_connection_params(), autocommit=True)

    def delete() -> None:
        other.execute("DELETE FROM graphs_edge")
        other.execute("DELETE FROM graphs_node WHERE key = 'return'")

    deleting = threading.Thread(target=delete)
    try:
        with transaction.atomic():
            keep(nba, random_vectors(3))
            deleting.start()
            while not waits_for_another(other.info.backend_pid):
                assert deleting.is_alive(), "it did not wait"
                time.sleep(0.01)
        deleting.join(30)
        assert Embedding.objects.count() == 2
    finally:
        deleting.join(30)
        other.close()


def waits_for_another(backend: int) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT cardinality(pg_blocking_pids(%s)) > 0", [backend])
        return bool(cursor.fetchone()[0])


@pytest.mark.parametrize("dimensions", [256, 1536, 3072])
def test_any_length_of_vector_is_kept_nearly_exactly(three: Three, dimensions: int) -> None:
    vectors = random_vectors(3, dimensions)
    three.keep(vectors, MODEL)
    rows = Embedding.objects.order_by("target_id")
    assert [row.dimensions for row in rows] == [dimensions] * 3
    assert np.allclose([row.vector for row in rows], vectors, atol=1e-3)
