"""BM25 over passages in memory, with the words and the weights of `rag`. Used by `bench.retrieval_quality`."""

import heapq
from collections import Counter, defaultdict
from collections.abc import Sequence

from rag.texts.words import COMMON, forms, plain, rarity, search_words

#: The usual constants of BM25 (Robertson and Zaragoza).
K1 = 1.2
B = 0.75
#: A word of a title counts as much as five of the text: the weights of names and code in
#: `rag.sources.graphs.text_search`.
TITLE_WORD = 5
#: Up to this many passages no word counts as common.
SMALL = 2_000


class Bm25:
    def __init__(self, titles: Sequence[str], texts: Sequence[str]) -> None:
        self.holding: defaultdict[str, dict[int, int]] = defaultdict(dict)
        lengths = []
        for place, (title, text) in enumerate(zip(titles, texts, strict=True)):
            counted = Counter(map(_form, plain(text).split()))
            for word in map(_form, plain(title).split()):
                counted[word] += TITLE_WORD
            for word, count in counted.items():
                self.holding[word][place] = count
            lengths.append(counted.total())
        whole = sum(lengths) or 1
        self.longer = [length * len(lengths) / whole for length in lengths]
        most = COMMON * len(titles) if len(titles) > SMALL else len(titles)
        self.common = frozenset(word for word, places in self.holding.items() if len(places) > most)

    def scores(self, question: str, limit: int) -> dict[int, float]:
        """The passages with the best scores."""
        found: defaultdict[int, float] = defaultdict(float)
        for word in set(map(_form, search_words(question))):
            places = self.holding.get(word, {})
            weight = rarity(len(places), len(self.longer))
            for place, count in places.items():
                found[place] += weight * count * (K1 + 1) / (count + K1 * (1 - B + B * self.longer[place]))
        best = heapq.nsmallest(limit, found.items(), key=lambda item: (-item[1], item[0]))
        return dict(best)


def _form(word: str) -> str:
    return forms(word)[-1]
