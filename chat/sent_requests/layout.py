"""Takes a request apart into tools, entries and cache breakpoints, to keep what is shared once, and joins them."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

DIGEST_BYTES = 16
#: The keys of a body under which its entries stand, in the order in which vendors cache them.
ENTRIES = ("system", "messages", "input")
TOOLS = "tools"
CACHE = "cache_control"

Body = dict[str, Any]

#: Made once: `json.dumps` makes one for each text, and a request has hundreds.
_COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class Entry:
    """`content` is JSON text; `digest` stands for it and for all entries before it."""

    digest: bytes
    parent: bytes | None
    position: int
    content: str


@dataclass(frozen=True, slots=True)
class Layout:
    """`marks` are `[entry, block, value]`: entry is a number of an entry or "tools", block is None or one within it."""

    parameters: Body
    tools: Entry | None
    entries: tuple[Entry, ...]
    marks: list[list[Any]]


def take_apart(body: Body) -> Layout:
    """`put_together` of what this returns is the body again."""
    marks: list[list[Any]] = []
    tools = _without_marks(TOOLS, body[TOOLS], marks) if TOOLS in body else None
    filled = [key for key in ENTRIES if key in body and body[key] != []]
    items = [(key, item) for key in filled for item in _items(body[key])]
    contents = (
        to_json([key, *(_without_marks(number, part, marks) for part in item)])
        for number, (key, item) in enumerate(items)
    )
    entries: list[Entry] = []
    for position, content in enumerate(contents):
        entries.append(_entry(content, entries[-1].digest if entries else None, position))
    return Layout(
        parameters={key: value for key, value in body.items() if key not in (*filled, TOOLS)},
        tools=_entry(to_json(tools), None, 0) if tools is not None else None,
        entries=tuple(entries),
        marks=marks,
    )


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
    text = _COMPACT.encode(value)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":"))
    return text


def _items(value: Any) -> Iterator[list[Any]]:
    """Each item of a list; a value that is none stands for itself, with a mark behind it."""
    if not isinstance(value, list):
        yield [value, True]
        return
    for item in value:
        yield [item]


def _without_marks(entry: int | str, value: Any, marks: list[list[Any]]) -> Any:
    """The value without its cache breakpoints, which are noted."""
    is_plain = isinstance(value, dict) and CACHE not in value and not isinstance(value.get("content"), list)
    if is_plain or not isinstance(value, dict | list):
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


def _entry(content: str, parent: bytes | None, position: int) -> Entry:
    digest = hashlib.sha256((parent or b"") + content.encode()).digest()[:DIGEST_BYTES]
    return Entry(digest, parent, position, content)
