"""Made-up graphs whose words and edges follow power laws, by the chunk; the same at every run."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

from rag.embeddings.embedder import Vectors, normalised
from rag.embeddings.local import LocalEmbedder
from rag.texts.stop_words import STOP_WORDS

#: The n-th word is used as often as 1 / n, as in a language.
VOCABULARY = 20_000
NAME_WORDS = 3
CODE_WORDS = 12
EDGES_PER_NODE = 2
#: Edges lead to the first nodes far more often than to others: of a million nodes the first one has 60,000.
POWER = 4
CHUNK = 20_000

Places = NDArray[np.int64]


class Words:
    """The vocabulary, most used first, with the vector that the local model gives to each word."""

    def __init__(self, embedder: LocalEmbedder) -> None:
        tokenizer, table = embedder._model
        known = sorted(tokenizer.get_vocab(), key=lambda token: int(tokenizer.token_to_id(token) or 0))
        whole = [token[1:] for token in known if re.fullmatch("▁[a-z]{3,}", token) and token[1:] not in STOP_WORDS]
        pairs = (one + other for one, other in zip(whole * 2, whole[::-1] + whole[7:], strict=False))
        self.words = np.array(list(dict.fromkeys([*whole, *pairs]))[:VOCABULARY], object)
        encoded = tokenizer.encode_batch(list(self.words), add_special_tokens=False)
        self._vectors = np.stack([table[each.ids].astype(np.float32).sum(axis=0) for each in encoded])

    def draw(self, random: np.random.Generator, rows: int, words: int) -> Places:
        """Of each word its place in the vocabulary."""
        return np.exp(random.random((rows, words)) * log(len(self.words))).astype(np.int64) - 1

    def texts(self, drawn: Places) -> list[str]:
        return [" ".join(row) for row in self.words[drawn]]

    def vectors(self, drawn: Places) -> Vectors:
        """Each word once more where it comes again, which the model does not do; else what it would give."""
        return normalised(sum((self._vectors[words] for words in drawn.T), np.zeros((1, 1), np.float32)))


@dataclass(frozen=True)
class Nodes:
    """Some nodes of a graph, the first one with the number `first`; the others follow."""

    words: Words
    first: int
    drawn: Places

    def __iter__(self) -> Iterator[tuple[int, str, str]]:
        """Of each node its number, name and code."""
        names, codes = (self.words.texts(part) for part in (self.drawn[:, :NAME_WORDS], self.drawn[:, NAME_WORDS:]))
        return zip(range(self.first, self.first + len(self.drawn)), names, codes, strict=True)

    def vectors(self) -> Vectors:
        return self.words.vectors(self.drawn)


def nodes(words: Words, size: int) -> Iterator[Nodes]:
    """All nodes of a graph, numbered from 0."""
    random = np.random.default_rng(size)
    for first in range(0, size, CHUNK):
        yield Nodes(words, first, words.draw(random, min(CHUNK, size - first), NAME_WORDS + CODE_WORDS))


def edges(size: int) -> Iterator[tuple[int, list[tuple[int, int]]]]:
    """All edges of a graph by the numbers of their ends; beside each chunk the number of its first edge."""
    random = np.random.default_rng(size + 1)
    for first in range(0, size * EDGES_PER_NODE, CHUNK):
        count = min(CHUNK, size * EDGES_PER_NODE - first)
        sources = random.integers(size, size=count)
        targets = (random.random(count) ** POWER * size).astype(np.int64)
        yield first, list(zip(sources.tolist(), targets.tolist(), strict=True))
