"""Remembers which graphs are large, and which words are common in them, so that a search need not ask that first.

What is remembered is a guess: a search that begins with it says how the graph is by now.
"""

from threading import Lock

#: Graphs that a process remembers.
MOST = 10_000
_lock = Lock()
_large: set[int] = set()
_common: frozenset[str] = frozenset()


def common_words(graph_id: int) -> frozenset[str] | None:
    """All words that are common, in the graphs of all; None for a graph that was not large last, or never searched."""
    return _common if graph_id in _large else None


def remember(graph_id: int, common: frozenset[str]) -> None:
    """Remembers that a graph is large, and all common words."""
    global _common
    with _lock:
        if len(_large) >= MOST:
            _large.clear()
        _large.add(graph_id)
        _common = common


def forget(graph_id: int) -> None:
    with _lock:
        _large.discard(graph_id)
