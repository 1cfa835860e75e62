"""The signs of many vectors, one bit a dimension: which of a million may be near a question's, in milliseconds.

First all are compared by how many signs they share with the question; then the best of these by how much of the
question they share, each dimension with its size. Who asks compares the vectors of what is left.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag.embeddings.embedder import Vectors

#: How many with the most equal signs are weighed by the sizes of the question's dimensions, and how many of these are
#: likely (measured: decision 33).
WEIGHED = 4_000
LIKELY = 500
#: Compared at once: few enough to stay in the processor's cache, many enough that other threads are not kept waiting
#: by the interpreter's lock being taken anew for each.
AT_ONCE = 1 << 16
#: So many distances say well enough how far the nearest are.
SAMPLED = 1 << 16
_WORD = 8


@dataclass(frozen=True, slots=True, eq=False)
class Signs:
    """For each vector the id of its row, the number of its kind in `kinds`, and its signs, 64 in each of `words`."""

    dimensions: int
    kinds: tuple[str, ...]
    rows: NDArray[np.int64]
    kind_of: NDArray[np.uint8]
    words: NDArray[np.uint64]

    @classmethod
    def read(cls, dimensions: int, groups: Iterable[tuple[str, bytes]]) -> "Signs":
        """The signs in groups of one kind each: an id and a bit string for each vector, as PostgreSQL sends them."""
        width = -(-dimensions // 8)
        record = np.dtype([("row", ">i8"), ("bits", ">i4"), ("signs", np.uint8, (width,))])
        none = cls(
            dimensions,
            (),
            np.empty(0, np.int64),
            np.empty(0, np.uint8),
            _words(dimensions, np.empty((0, width), np.uint8)),
        )
        some = [(kind, np.frombuffer(group, record)) for kind, group in groups]
        parts = [
            none,
            *(
                cls(
                    dimensions,
                    (kind,),
                    group["row"].astype(np.int64),
                    np.zeros(len(group), np.uint8),
                    _words(dimensions, group["signs"]),
                )
                for kind, group in some
            ),
        ]
        return cls._joined(parts)

    @property
    def nbytes(self) -> int:
        return self.rows.nbytes + self.kind_of.nbytes + self.words.nbytes

    def __add__(self, newer: "Signs") -> "Signs":
        return self._joined([self, newer])

    @staticmethod
    def _joined(parts: Sequence["Signs"]) -> "Signs":
        kinds = tuple(dict.fromkeys(kind for part in parts for kind in part.kinds))
        numbers = [np.array([kinds.index(kind) for kind in part.kinds], np.uint8) for part in parts]
        return Signs(
            parts[0].dimensions,
            kinds,
            np.concatenate([part.rows for part in parts]),
            np.concatenate([number[part.kind_of] for number, part in zip(numbers, parts, strict=True)]),
            np.concatenate([part.words for part in parts], axis=1),
        )

    def likely(self, vector: Vectors, kinds: Collection[str]) -> list[int]:
        """The rows of these kinds whose vectors may be nearest to this one, at most `LIKELY`."""
        apart = self._apart(vector)
        wanted = [number for number, kind in enumerate(self.kinds) if kind in kinds]
        if len(wanted) < len(self.kinds):
            apart[~np.isin(self.kind_of, wanted)] = np.iinfo(apart.dtype).max
        # Vectors that are all alike have no order: then the first ones are as good as others.
        near = np.flatnonzero(apart <= min(_nearest(apart), self.dimensions))[: 2 * WEIGHED]
        bits = np.unpackbits(np.ascontiguousarray(self.words[:, near].T).view(np.uint8), axis=1, count=self.dimensions)
        # Not `@`: its library would wake a thread for each core, which wait for each other longer than this takes.
        shared = np.vecdot(bits.astype(np.float32), vector)
        best = np.argsort(-shared)[:LIKELY]
        return self.rows[near[best]].tolist()

    def _apart(self, vector: Vectors) -> NDArray[np.uint16]:
        """How many signs of each vector are others than this one's."""
        question = _words(self.dimensions, np.packbits(vector > 0)[np.newaxis])[:, 0]
        apart = np.zeros(len(self.rows), np.uint16)
        for start in range(0, len(apart), AT_ONCE):
            here = slice(start, start + AT_ONCE)
            for words, word in zip(self.words, question, strict=True):
                apart[here] += np.bitwise_count(words[here] ^ word)
        return apart


def _words(dimensions: int, signs: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """The bytes of each row as words of 64 bits, the first words of all rows side by side."""
    padded = np.zeros((len(signs), -(-dimensions // 64) * _WORD), np.uint8)
    padded[:, : signs.shape[1]] = signs
    return np.ascontiguousarray(padded.view(np.uint64).T)


def _nearest(apart: NDArray[np.uint16]) -> int:
    """The distance within which about `WEIGHED` are."""
    sample = apart[:: max(1, len(apart) // SAMPLED)]
    wanted = WEIGHED * len(sample) // len(apart) if len(apart) else 0
    return int(np.partition(sample, wanted)[wanted]) if wanted < len(sample) else np.iinfo(apart.dtype).max
