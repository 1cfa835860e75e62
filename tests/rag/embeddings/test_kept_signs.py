"""The signs of a large collection's vectors in memory: what is found by them is what is true now."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from graphs.models import Graph, Workspace
from rag.embeddings import kept_signs, signs, vector_indexes, vector_search
from rag.embeddings.embedder import Vectors, normalised
from rag.embeddings.kept_signs import CollectionOfModel, kept, load
from rag.models import Embedding
from rag.sources.graphs.nodes import collection_of
from tests.rag.embeddings.steps import nearest_nodes
from tests.rag.embeddings.test_vector_indexes import NODES, fill, without_dead_rows
from tests.rag.embeddings.test_vector_search import MODEL, random_vectors, waits_for_another
from tests.rag.embeddings.three import Three

DIMENSIONS = 128


@pytest.fixture(autouse=True)
def nothing_kept() -> Iterator[None]:
    kept_signs.forget_all()
    yield
    kept_signs.forget_all()


@pytest.fixture
def wanted(monkeypatch: pytest.MonkeyPatch) -> list[tuple[CollectionOfModel, bool]]:
    """What was to be loaded by a thread, and whether anew; it is not."""
    asked: list[tuple[CollectionOfModel, bool]] = []
    monkeypatch.setattr(kept_signs, "load_soon", lambda of, anew=False: asked.append((of, anew)))
    return asked


def of(three: Three, model: str = MODEL, dimensions: int = DIMENSIONS) -> CollectionOfModel:
    return CollectionOfModel(three.name, model, dimensions)


def vectors(seed: int = 1) -> Vectors:
    return random_vectors(3, DIMENSIONS, seed)


def ids(three: Three, vector: Vectors) -> list[int]:
    return [id_ for id_, _ in three.nearest(MODEL, vector, 10, threshold=-1)]


def test_signs_are_those_of_the_vectors(three: Three) -> None:
    three.keep(vectors(), MODEL)
    load(of(three))
    known = kept(of(three))
    assert known
    rows = {row.pk: row.vector for row in Embedding.objects.all()}
    assert set(known.signs.rows.tolist()) == set(rows)
    for place, row in enumerate(known.signs.rows.tolist()):
        assert (np.unpackbits(known.signs.words[:, place].copy().view(np.uint8)) == (np.array(rows[row]) > 0)).all()


def test_what_is_found_is_the_same_with_them_and_without(three: Three) -> None:
    three.keep(vectors(), MODEL)
    without = three.nearest(MODEL, vectors()[0], 10, threshold=-1)
    load(of(three))
    with CaptureQueriesContext(connection) as captured:
        assert three.nearest(MODEL, vectors()[0], 10, threshold=-1) == without
    assert len(captured) == 1
    assert "last_value" in captured[0]["sql"]
    assert three.nearest(MODEL, vectors()[0], 1) == without[:1]
    assert three.nearest(MODEL, vectors()[0], 10, threshold=without[1][1]) == without[:2]


def test_other_collections_models_and_kinds_are_as_if_they_were_not_there(
    three: Three, other_workspace: Workspace
) -> None:
    foreign = type(three)(other_workspace)
    foreign.keep(vectors(), MODEL)
    three.keep(vectors(seed=2), "local/other")
    load(of(three))
    assert ids(three, vectors()[0]) == []
    three.keep(vectors(), MODEL)
    load(of(three))
    own = ids(three, vectors()[0])
    assert sorted(own) == [version.id for version in three.versions()]
    theirs = [version.id for version in foreign.versions()]
    assert [id_ for id_, _ in three.nearest(MODEL, vectors()[0], 10, threshold=-1, also=theirs)] == own
    assert vector_search.nearest(three.name, ["another kind"], MODEL, vectors()[0], 10, threshold=-1) == []


def test_what_was_stored_since_is_found_at_once(three: Three, wanted: list[object]) -> None:
    first, *others = three.versions()
    three.keep(vectors()[1:], MODEL, others)
    load(of(three))
    assert len(ids(three, vectors()[0])) == 2
    three.keep(vectors()[:1], MODEL, [first])
    ((best, cosine),) = three.nearest(MODEL, vectors()[0], 1)
    assert best == first.id
    assert cosine == pytest.approx(1, abs=1e-3)
    assert wanted == []


def test_what_was_stored_anew_is_found_by_its_new_vector_alone(three: Three) -> None:
    three.keep(vectors(), MODEL)
    load(of(three))
    first, *_ = three.versions()
    three.keep(vectors(seed=2)[:1], MODEL, [replace(first, embedded=True)])
    ((best, cosine),) = three.nearest(MODEL, vectors(seed=2)[0], 1)
    assert best == first.id
    assert cosine == pytest.approx(1, abs=1e-3)
    assert len(ids(three, vectors()[0])) == 3
    assert three.nearest(MODEL, vectors()[0], 1, threshold=0.9) == []


def test_what_was_deleted_is_not_found_and_much_of_it_has_all_loaded_anew(
    three: Three, wanted: list[tuple[CollectionOfModel, bool]]
) -> None:
    three.keep(vectors(), MODEL)
    load(of(three))
    three.delete("return")
    assert len(ids(three, vectors()[0])) == 2
    assert wanted == [(of(three), True)]
    load(of(three), anew=True)
    assert len(ids(three, vectors()[0])) == 2
    assert len(wanted) == 1


def test_much_that_was_stored_since_is_loaded_too(
    three: Three, wanted: list[tuple[CollectionOfModel, bool]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_signs, "NEWER", 1)
    first, *others = three.versions()
    three.keep(vectors()[:1], MODEL, [first])
    load(of(three))
    three.keep(vectors()[1:], MODEL, others)
    assert len(ids(three, vectors()[0])) == 3
    assert wanted == [(of(three), False)]
    # So many more that comparing them would take long: found once they are loaded.
    monkeypatch.setattr(vector_search, "MOST_NEWER", 1)
    assert len(ids(three, vectors()[0])) == 1
    load(of(three))
    assert len(ids(three, vectors()[0])) == 3
    assert len(kept(of(three)).signs.rows) == 3  # type: ignore[union-attr]
    assert len(wanted) == 2


def test_a_database_whose_numbers_are_lower_than_they_were_has_all_loaded_anew(
    three: Three, wanted: list[tuple[CollectionOfModel, bool]]
) -> None:
    three.keep(vectors(), MODEL)
    load(of(three))
    known = kept(of(three))
    assert known
    kept_signs._kept[of(three)] = replace(known, until=known.until + 10)
    ids(three, vectors()[0])
    assert wanted == [(of(three), True)]


@pytest.fixture
def two(three: Three, other_workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> list[CollectionOfModel]:
    """Two collections of three vectors, and room for five."""
    other = type(three)(other_workspace)
    three.keep(vectors(), MODEL)
    other.keep(vectors(), MODEL)
    monkeypatch.setattr(kept_signs, "MOST_BYTES", 5 * (DIMENSIONS // 8 + 9))
    return [of(three), of(other)]


def test_what_finds_no_room_is_left_to_its_index_for_a_while(
    two: list[CollectionOfModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = two
    load(one)
    load(other)
    assert kept(one)
    assert kept(other) is None
    kept_signs.load_soon(other)
    assert not kept_signs._loading
    monkeypatch.setattr(kept_signs, "MOST_BYTES", 2 * (DIMENSIONS // 8 + 9))
    load(one)
    assert kept(one) is None, "it takes more by itself"


def test_what_nobody_has_asked_about_lately_makes_room(
    two: list[CollectionOfModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = two
    load(one)
    monkeypatch.setattr(kept_signs, "RESTS_S", 0.0)
    load(other)
    assert kept(one) is None
    assert kept(other)


def test_short_vectors_are_left_to_their_index(three: Three) -> None:
    kept_signs.load_soon(of(three, dimensions=DIMENSIONS - 1))
    assert not kept_signs._loading


@pytest.mark.django_db(transaction=True)
def test_who_is_storing_is_waited_for(three: Three) -> None:
    """Else its rows, with lower numbers than others that are there already, would never be looked for."""

    def load_and_close() -> int:
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_backend_pid()")
                pids.append(cursor.fetchone()[0])
            load(of(three))
            return len(kept(of(three)).signs.rows)  # type: ignore[union-attr]
        finally:
            connection.close()

    pids: list[int] = []
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            three.keep(vectors(), MODEL)
            loading = pool.submit(load_and_close)
            while not (pids and waits_for_another(pids[0])):
                assert not loading.done(), "it did not wait"
                time.sleep(0.01)
        assert loading.result(30) == 3


@pytest.fixture
def large(nba: Graph, monkeypatch: pytest.MonkeyPatch) -> Iterator[CollectionOfModel]:
    """The nodes of a graph that needs an index."""
    without_dead_rows()
    monkeypatch.setattr("tests.rag.embeddings.test_vector_indexes.DIMENSIONS", DIMENSIONS)
    monkeypatch.setattr(vector_indexes, "EXACT", NODES - 1)
    fill(nba)
    yield CollectionOfModel(collection_of(nba.pk), MODEL, DIMENSIONS)
    vector_indexes.drop(collection_of(nba.pk), MODEL)


@pytest.mark.django_db(transaction=True)
def test_a_large_graph_is_searched_by_its_index_and_then_by_its_signs(
    nba: Graph, large: CollectionOfModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Like some groups of what was filled in.
    questions = normalised(random_vectors(50, DIMENSIONS)[:20] + 0.5 * random_vectors(20, DIMENSIONS, seed=3))
    exact = [nearest_nodes(nba, MODEL, question, 10, threshold=-1) for question in questions]
    assert kept(large) is None, "nobody keeps the signs of a graph without an index"
    vector_indexes.fit(large.collection, MODEL, DIMENSIONS)
    assert nearest_nodes(nba, MODEL, questions[0], 10, threshold=-1)
    for thread in threading.enumerate():
        if thread.name == "signs of vectors":
            thread.join(30)
    assert kept(large)

    monkeypatch.setattr(signs, "WEIGHED", 600)
    monkeypatch.setattr(signs, "LIKELY", 200)
    found = [nearest_nodes(nba, MODEL, question, 10, threshold=-1) for question in questions]
    recalls = [
        len({id_ for id_, _ in right} & {id_ for id_, _ in some}) / 10 for right, some in zip(exact, found, strict=True)
    ]
    assert np.mean(recalls) >= 0.95
    # What the signs miss is found among what was met by words.
    monkeypatch.setattr(signs, "LIKELY", 3)
    few = [nearest_nodes(nba, MODEL, question, 10, threshold=-1) for question in questions]
    assert [len(some) for some in few] == [3] * 20
    also = [[id_ for id_, _ in right] for right in exact]
    assert [
        nearest_nodes(nba, MODEL, question, 10, threshold=-1, also=met)
        for question, met in zip(questions, also, strict=True)
    ] == exact
