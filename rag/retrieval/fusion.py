"""Makes one score of two ways of finding. Used for targets of any kind; measured by `bench.retrieval_quality`."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from typing import TypeVar

#: What a thing gains because the question says its name: about as much as one way of finding gives at most.
NAMED = 1.0

Id = TypeVar("Id", bound=Hashable)


def fused(text: Mapping[Id, float], cosines: Mapping[Id, float], named: Iterable[Id] = ()) -> dict[Id, float]:
    """One score for what was found by text, vector or name: texts as shares of the best, cosines as they are."""
    scores: defaultdict[Id, float] = defaultdict(float)
    best = max(text.values(), default=0.0)
    for thing, score in text.items():
        scores[thing] += score / best if best > 0 else 0.0
    for thing, cosine in cosines.items():
        scores[thing] += cosine
    for thing in named:
        scores[thing] += NAMED
    return dict(scores)
