"""Pairs that follow each other as paths: `a` to `b` and `b` to `c` is `[a, b, c]`. Used by `rag.texts.tables`."""

from collections import defaultdict, deque
from collections.abc import Iterable


def paths(pairs: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Few paths that walk every pair once; those that begin where nothing leads to come first."""
    onward: defaultdict[str, deque[str]] = defaultdict(deque)
    open_ends: defaultdict[str, int] = defaultdict(int)
    for source, target in pairs:
        onward[source].append(target)
        open_ends[source] += 1
        open_ends[target] -= 1
    starts = list(onward)
    found = [_walk(start, onward) for start in starts for _ in range(max(open_ends[start], 0))]
    for start in starts:
        while onward[start]:
            found.append(_walk(start, onward))
    return found


def _walk(start: str, onward: dict[str, deque[str]]) -> list[str]:
    """A path from there, as far as unused pairs lead."""
    path = [start]
    while onward[path[-1]]:
        path.append(onward[path[-1]].popleft())
    return path
