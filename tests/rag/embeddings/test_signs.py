"""The signs of vectors: what is likely by them is what is near."""

from typing import Any

import numpy as np
import pytest

from rag.embeddings import signs
from rag.embeddings.embedder import Vectors, normalised
from rag.embeddings.signs import Signs
from tests.rag.embeddings.test_vector_search import random_vectors


def as_sent(first: int, vectors: Vectors) -> bytes:
    """Ids from `first` on and signs, as PostgreSQL sends a bigint and a bit string."""
    bits = len(vectors[0]).to_bytes(4, "big")
    packed = np.packbits(vectors > 0, axis=1)
    return b"".join((first + n).to_bytes(8, "big") + bits + row.tobytes() for n, row in enumerate(packed))


def of(vectors: Vectors, kind: str = "node", first: int = 0) -> Signs:
    return Signs.read(vectors.shape[1], [(kind, as_sent(first, vectors))])


@pytest.mark.parametrize("dimensions", [128, 130, 256, 1536])
def test_the_nearest_are_likely(dimensions: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signs, "WEIGHED", 400)
    monkeypatch.setattr(signs, "LIKELY", 100)
    monkeypatch.setattr(signs, "AT_ONCE", 1_000)
    monkeypatch.setattr(signs, "SAMPLED", 1_000)
    groups = random_vectors(100, dimensions)
    vectors = normalised(groups[np.arange(4_500) % 100] + 2 * random_vectors(4_500, dimensions, seed=2))
    known, found = of(vectors), 0
    for question in normalised(groups[:20] + 0.5 * random_vectors(20, dimensions, seed=3)):
        likely = known.likely(question, ["node"])
        assert len(likely) == len(set(likely)) == 100
        found += len(set(likely) & set(np.argsort(-(vectors @ question))[:10].tolist()))
    assert found / 200 >= 0.95


def test_other_kinds_take_no_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signs, "WEIGHED", 10)
    monkeypatch.setattr(signs, "LIKELY", 5)
    question = random_vectors(1, 128)
    near = normalised(question + 0.01 * random_vectors(100, 128, seed=2))
    far = of(random_vectors(8, 128, seed=3), "note", 1_000)
    both = of(near, "page") + far + of(near, "page", 500)
    assert both.kinds == ("page", "note")
    assert set(both.likely(question[0], ["note"])) < set(range(1_000, 1_008))
    assert len(both.likely(question[0], ["note"])) == 5
    assert max(both.likely(question[0], ["page", "note"])) < 1_000
    assert both.likely(question[0], ["other"]) == []


def test_vectors_that_are_all_alike_do_not_all_join(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signs, "WEIGHED", 10)
    monkeypatch.setattr(signs, "LIKELY", 50)
    same = np.repeat(random_vectors(1, 128), 1_000, axis=0)
    assert len(of(same).likely(same[0], ["node"])) == 20


def test_of_no_vectors_none_is_likely() -> None:
    none = Signs.read(128, [])
    assert none.likely(random_vectors(1, 128)[0], ["node"]) == []
    assert (none + of(random_vectors(3, 128))).likely(random_vectors(1, 128)[0], ["node"]) != []


def test_it_takes_a_bit_for_each_dimension_and_nine_bytes() -> None:
    sizes: list[Any] = [of(random_vectors(100, dimensions)).nbytes for dimensions in (128, 256)]
    assert sizes == [100 * (16 + 9), 100 * (32 + 9)]
