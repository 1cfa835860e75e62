"""Ranks by links: what good hits lead to is good. Measured by `bench.retrieval_quality`."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from math import sqrt
from typing import TypeVar

#: Only the best hits pass something on, so far and so much a step.
SEEDS = 5
DEPTH = 2
PASSED_ON = 0.5

Id = TypeVar("Id", bound=Hashable)


def best_first(scores: Mapping[Id, float], named: Mapping[Id, int]) -> list[Id]:
    """The things that the question names, then the rest, each by score; equals in the order they came in."""
    return sorted(scores, key=lambda thing: (-named.get(thing, 0), -scores[thing]))


def with_links(
    scores: Mapping[Id, float], named: Mapping[Id, int], linked: Callable[[Id], Sequence[Id]], depth: int = DEPTH
) -> dict[Id, float]:
    """The scores, raised by links to seeds: less where a seed has many links, and by the strongest link only."""
    gains: dict[Id, float] = {}
    front = {thing: scores[thing] for thing in best_first(scores, named)[:SEEDS]}
    for _ in range(depth):
        reached: dict[Id, float] = {}
        for thing, score in front.items():
            others = linked(thing)
            for other in others:
                reached[other] = max(reached.get(other, 0.0), PASSED_ON * score / sqrt(len(others)))
        for thing, gain in reached.items():
            gains[thing] = max(gains.get(thing, 0.0), gain)
        front = reached
    return {thing: scores.get(thing, 0.0) + gains.get(thing, 0.0) for thing in {**scores, **gains}}
