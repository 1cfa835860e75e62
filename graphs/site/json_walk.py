"""Every value of a JSON document with its place, and how deep lists and objects are nested. Without recursion."""

from collections.abc import Iterator
from typing import Any

#: The way to a value: the way to its parent, and its key or index there. The document's own is None.
Trail = tuple["Trail | None", str | int]


def walk(document: Any) -> Iterator[tuple[Trail | None, Any]]:
    """Every value with its trail, parents first, in the order of the file."""
    yield None, document
    pending: list[tuple[Trail | None, Iterator[tuple[str | int, Any]]]] = [(None, _children(document))]
    while pending:
        parent, children = pending[-1]
        child = next(children, None)
        if child is None:
            pending.pop()
            continue
        key, value = child
        trail = (parent, key)
        yield trail, value
        if isinstance(value, dict | list):
            pending.append((trail, _children(value)))


def _children(value: Any) -> Iterator[tuple[str | int, Any]]:
    if isinstance(value, dict):
        return iter(value.items())
    return enumerate(value) if isinstance(value, list) else iter(())


def steps(trail: Trail | None) -> list[str | int]:
    """The keys and indexes that lead to a value."""
    found: list[str | int] = []
    while trail is not None:
        trail, step = trail
        found.insert(0, step)
    return found


def deeper_than(levels: int, document: Any) -> bool:
    """Whether lists and objects are nested more than so many levels deep."""
    level = [document] if isinstance(document, dict | list) else []
    for _level in range(levels):
        level = [
            item
            for value in level
            for item in (value.values() if isinstance(value, dict) else value)
            if isinstance(item, dict | list)
        ]
    return bool(level)
