"""Takes a request apart into tools, entries and cache breakpoints, to keep what is shared once, and joins them."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pydantic_core

DIGEST_BYTES = 16
#: The keys of a body under which its entries stand, in the order in which vendors cache them.
ENTRIES = ("system", "messages", "input")
TOOLS = "tools"
CACHE = "cache_control"

Body = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Entry:
    """`item` is what is kept, `digest` stands for its JSON and for all entries before it.

    `names` are those of an object that holds texts only, in their order.
    """

    digest: bytes
    parent: bytes | None
    position: int
    item: Any
    names: list[str] | None = None

    @property
    def content(self) -> str:
        """The item as JSON."""
        return to_json(self.item)


@dataclass(frozen=True, slots=True)
class Layout:
    """`marks` are `[entry, block, value]`: entry is a number of an entry or "tools", block is None or one within it.

    The first `shared` entries are those of the request that it was compared with.
    """

    parameters: Body
    tools: Entry | None
    entries: tuple[Entry, ...]
    marks: list[list[Any]]
    shared: int = 0


def take_apart(body: Body, before: Layout | None = None) -> Layout:
    """`put_together` of what this returns is the body again. What it begins with as `before` did is not hashed anew."""
    marks: list[list[Any]] = []
    tools = _without_marks(TOOLS, body[TOOLS], marks) if TOOLS in body else None
    filled = [key for key in ENTRIES if key in body and body[key] != []]
    items = _items(body, filled, marks)
    shared = _shared(items, before.entries) if before else 0
    entries = list(before.entries[:shared]) if before else []
    for position, item in enumerate(items[shared:], shared):
        entries.append(_entry(item, entries[-1].digest if entries else None, position))
    offered = before.tools if before else None
    if tools is not None and not (offered and is_same(tools, offered.item)):
        offered = _entry(tools, None, 0)
    return Layout(
        parameters={key: value for key, value in body.items() if key not in (*filled, TOOLS)},
        tools=offered if tools is not None else None,
        entries=tuple(entries),
        marks=marks,
        shared=shared,
    )


def is_same(one: Any, other: Any) -> bool:
    """Whether two values are the same JSON: Python takes 1, 1.0 and True for equal, and objects in any order."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return list(one) == list(other) and all(map(is_same, one.values(), other.values()))
    if isinstance(one, list):
        return len(one) == len(other) and all(map(is_same, one, other))
    return isinstance(one, str | int) and one == other


def put_together(parameters: Body, tools: str | None, entries: Iterable[str], marks: Sequence[Sequence[Any]]) -> Body:
    """The body, from the contents of its tools and entries."""
    body = dict(parameters)
    if tools is not None:
        body[TOOLS] = json.loads(tools)
    items = [json.loads(content) for content in entries]
    for entry, block, value in marks:
        marked = body[TOOLS] if entry == TOOLS else items[entry][1]
        (marked if block is None else _blocks(marked)[block])[CACHE] = value
    for key, *item in items:
        if item and len(item) == 2:
            body[key] = item[0]
        else:
            body.setdefault(key, []).extend(item)
    return body


def to_json(value: Any) -> str:
    """The value as compact JSON; what UTF-8 cannot say is escaped."""
    try:
        return pydantic_core.to_json(value).decode()
    except pydantic_core.PydanticSerializationError:
        return json.dumps(value, separators=(",", ":"))


def _items(body: Body, keys: Iterable[str], marks: list[list[Any]]) -> list[list[Any]]:
    """Each item of the lists under these keys behind its key; a value that is no list with a mark behind it."""
    items: list[list[Any]] = []
    for key in keys:
        value = body[key]
        if not isinstance(value, list):
            items.append([key, _without_marks(len(items), value, marks), True])
            continue
        for item in value:
            # There are hundreds of messages, and most are text alone.
            if type(item) is not dict or CACHE in item or type(item.get("content")) is not str:
                item = _without_marks(len(items), item, marks)
            items.append([key, item])
    return items


def _without_marks(entry: int | str, value: Any, marks: list[list[Any]]) -> Any:
    """The value without its cache breakpoints, which are noted."""
    if isinstance(value, dict):
        if CACHE not in value and not isinstance(value.get("content"), list):
            return value
    elif not isinstance(value, list):
        return value
    if isinstance(value, dict) and CACHE in value:
        marks.append([entry, None, value[CACHE]])
        value = {key: part for key, part in value.items() if key != CACHE}
    found = [(n, block[CACHE]) for n, block in enumerate(_blocks(value)) if isinstance(block, dict) and CACHE in block]
    if not found:
        return value
    marks.extend([entry, number, mark] for number, mark in found)
    blocks = [
        {key: part for key, part in block.items() if key != CACHE} if isinstance(block, dict) else block
        for block in _blocks(value)
    ]
    return blocks if isinstance(value, list) else {**value, "content": blocks}


def _blocks(value: Any) -> list[Any]:
    blocks = value.get("content") if isinstance(value, dict) else value
    return blocks if isinstance(blocks, list) else []


def _shared(items: Sequence[list[Any]], before: Sequence[Entry]) -> int:
    """How many of the first of these items entries stand for.

    Only a text is equal to a text, so most messages are compared by Python at once, five times as fast.
    """
    for number, (item, entry) in enumerate(zip(items, before, strict=False)):
        if entry.names is None:
            if not is_same(item, entry.item):
                return number
        elif item != entry.item or list(item[1]) != entry.names:
            return number
    return min(len(items), len(before))


def _entry(item: list[Any], parent: bytes | None, position: int) -> Entry:
    digest = hashlib.sha256((parent or b"") + to_json(item).encode()).digest()[:DIGEST_BYTES]
    return Entry(digest, parent, position, item, _names_of_texts(item))


def _names_of_texts(item: list[Any]) -> list[str] | None:
    """The names of an item behind its key that is an object of texts, else None."""
    match item:
        case [str(), dict() as value] if all(type(each) is str for each in value.values()):
            return list(value)
    return None
