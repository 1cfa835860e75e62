"""Recorded answers as no vendor should send them: the same events with one thing wrong in all of them.

`MUTATIONS` maps what is wrong to a function `(kind, events) -> events`; `HARMLESS` ones change nothing that is said.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import zip_longest
from typing import Any

Events = tuple[bytes, ...]
Payload = dict[str, Any]
Mutation = Callable[[str, Events], Events]

DEEP = "[" * 10_000 + "]" * 10_000
NOT_NUMBERS = {"negative": -5, "huge": 10**30, "a string": "12", "a float": 1.5, "NaN": float("nan"), "a list": [1]}


def rewritten(events: Events, change: Callable[[Payload], Iterable[Payload] | None]) -> Events:
    """`change` alters a payload in place, or gives those that come instead of it."""

    def each(event: bytes) -> Iterator[bytes]:
        head, mark, data = event.partition(b"data: ")
        if not data.startswith(b"{"):
            yield event
            return
        payload = json.loads(data)
        instead = change(payload)
        for one in [payload] if instead is None else instead:
            yield head + mark + json.dumps(one).encode() + b"\n\n"

    return tuple(part for event in events for part in each(event))


def _deltas(payload: Payload) -> list[Payload]:
    """Where Chat Completions holds what is new."""
    return [choice["delta"] for choice in payload.get("choices", ()) if choice.get("delta")]


def _saying(change: Callable[[str], str], kind: str, events: Events) -> Events:
    def each(payload: Payload) -> None:
        for holder, name in [*((delta, "content") for delta in _deltas(payload)), *_text_places(payload)]:
            if holder.get(name):
                holder[name] = change(holder[name])

    return rewritten(events, each)


def _text_places(payload: Payload) -> Iterator[tuple[Payload, str]]:
    if payload.get("type") == "response.output_text.delta":
        yield payload, "delta"
    delta = payload.get("delta")
    if isinstance(delta, dict) and delta.get("type") == "text_delta":
        yield delta, "text"


def _calls(payload: Payload) -> Iterator[tuple[Payload, str, Payload]]:
    """(what holds the id, the id's name, what holds the name) of each call that begins or is told whole."""
    for delta in _deltas(payload):
        for call in delta.get("tool_calls", ()):
            if "id" in call:
                yield call, "id", call["function"]
    item, block = payload.get("item", {}), payload.get("content_block", {})
    if item.get("type") == "function_call":
        yield item, "call_id", item
    if block.get("type") == "tool_use":
        yield block, "id", block


def _with_ids(value: object, kind: str, events: Events) -> Events:
    """None takes the ids away."""

    def each(payload: Payload) -> None:
        for holder, name, _ in _calls(payload):
            holder[name] = value
            if value is None:
                del holder[name]

    return rewritten(events, each)


def _with_names(value: object, kind: str, events: Events) -> Events:
    def each(payload: Payload) -> None:
        for _, _, holder in _calls(payload):
            holder["name"] = value

    return rewritten(events, each)


def _with_arguments(text: str, kind: str, events: Events) -> Events:
    """Each call's arguments become this text, in its first fragment that has any."""

    def each(payload: Payload) -> None:
        for holder, name in _argument_places(payload):
            if holder[name]:
                holder[name] = text if holder[name].startswith("{") else ""

    return rewritten(events, each)


def _argument_places(payload: Payload) -> Iterator[tuple[Payload, str]]:
    for delta in _deltas(payload):
        yield from ((call["function"], "arguments") for call in delta.get("tool_calls", ()))
    if payload.get("type") == "response.function_call_arguments.delta":
        yield payload, "delta"
    if payload.get("item", {}).get("type") == "function_call":
        yield payload["item"], "arguments"
    delta = payload.get("delta")
    if isinstance(delta, dict) and delta.get("type") == "input_json_delta":
        yield delta, "partial_json"


def _with_index(change: Callable[[int], object], kind: str, events: Events) -> Events:
    """None takes the index away."""

    def each(payload: Payload) -> None:
        fragments = [call for delta in _deltas(payload) for call in delta.get("tool_calls", ())]
        for holder in [*fragments, payload]:
            for name in ("index", "output_index"):
                if isinstance(holder.get(name), int):
                    holder[name] = change(holder[name])
                    if holder[name] is None:
                        del holder[name]

    return rewritten(events, each)


def _with_usage(value: object, kind: str, events: Events) -> Events:
    """Every count of tokens becomes this; None takes all of them away."""

    def each(payload: Payload) -> None:
        for holder in (payload, payload.get("response", {}), payload.get("message", {})):
            if holder.get("usage"):
                holder["usage"] = None if value is None else dict.fromkeys(holder["usage"], value)

    return rewritten(events, each)


def _strange_line_ends(end: bytes, kind: str, events: Events) -> Events:
    told = b"\xef\xbb\xbf: a comment" + end + b"retry: 5" + end + end
    return (told, *(b":" + end + b"id: 7" + end + event.replace(b"\n", end) for event in events))


def _unknown_events(kind: str, events: Events) -> Events:
    strange = b'event: zebra\ndata: {"type": "zebra", "object": "zebra", "delta": 5, "choices": [], "index": -1}\n\n'
    return tuple(part for event in events for part in (strange, event))


def _wrong_utf8(kind: str, events: Events) -> Events:
    return tuple(
        event.replace("🏀".encode(), b"\xff\xfe\xf0\x9f").replace(b"fetch-api; I", b"\xc3; I") for event in events
    )


def _interleaved(kind: str, events: Events) -> Events:
    """The calls' events in turn, one of each, as if they were written at the same time."""
    of_calls: dict[int, list[bytes]] = {}
    before: list[bytes] = []
    after: list[bytes] = []
    for event in events:
        index = _index_of_call(event)
        if index is None:
            (after if of_calls else before).append(event)
        else:
            of_calls.setdefault(index, []).append(event)
    mixed = [event for turn in zip_longest(*of_calls.values()) for event in turn if event is not None]
    return (*before, *mixed, *after)


def _index_of_call(event: bytes) -> int | None:
    data = event.partition(b"data: ")[2]
    payload: Payload = json.loads(data) if data.startswith(b"{") else {}
    fragments = [call for delta in _deltas(payload) for call in delta.get("tool_calls", ())]
    # What is thought has the first place, and the recording of three calls has no text beside them.
    index = fragments[0].get("index") if fragments else payload.get("index") or payload.get("output_index")
    return index if isinstance(index, int) else None


def _after_the_end(kind: str, events: Events) -> Events:
    return (*events, *events[2:])


def _ended_twice(kind: str, events: Events) -> Events:
    """The end comes twice, first as an ordinary one."""
    stop = {"tool_calls": "stop", "tool_use": "end_turn", "end_turn": "stop_sequence"}

    def each(payload: Payload) -> Iterable[Payload] | None:
        first = json.loads(json.dumps(payload))
        holders = [*first.get("choices", ()), first["delta"] if payload.get("type") == "message_delta" else {}]
        for holder in holders:
            for name in ("finish_reason", "stop_reason"):
                if holder.get(name):
                    holder[name] = stop.get(holder[name], holder[name])
                    return [first, payload]
        return None

    return rewritten(events, each)


HARMLESS: dict[str, Mutation] = {
    "nothing": lambda kind, events: events,
    "CRLF, BOM and comments": partial(_strange_line_ends, b"\r\n"),
    "CR alone": partial(_strange_line_ends, b"\r"),
    "unknown events": _unknown_events,
    "no space after the colon": lambda kind, events: tuple(event.replace(b"data: ", b"data:") for event in events),
    "ids reused": partial(_with_ids, "call_1"),
    "ids empty": partial(_with_ids, ""),
    "ids missing": partial(_with_ids, None),
    "ids too long": partial(_with_ids, "x" * 10_000),
    "ids with NUL": partial(_with_ids, "a\x00b"),
    "ids are numbers": partial(_with_ids, 7),
    "index the same for all": partial(_with_index, lambda index: 0),
    "index jumps": partial(_with_index, lambda index: index * 7 + 1000),
    "index negative": partial(_with_index, lambda index: -1 - index),
    "index a string": partial(_with_index, lambda index: str(index)),
    "index absent": partial(_with_index, lambda index: None),
    "usage absent": partial(_with_usage, None),
    **{f"usage {name}": partial(_with_usage, value) for name, value in NOT_NUMBERS.items()},
    "calls interleaved": _interleaved,
    "events after the end": _after_the_end,
    "ended twice": _ended_twice,
}
STRANGE_TEXTS: dict[str, Mutation] = {
    "NUL in the text": partial(_saying, lambda text: text + "\x00"),
    "half a surrogate pair": partial(_saying, lambda text: "\udfc0" + text + "\ud83c"),
    "wrong UTF-8": _wrong_utf8,
}
UNUSABLE_CALLS: dict[str, Mutation] = {
    "names empty": partial(_with_names, ""),
    "names with NUL": partial(_with_names, "search\x00nodes"),
    "names are numbers": partial(_with_names, 5),
    "a tool that was not offered": partial(_with_names, "drop_tables"),
    "arguments null": partial(_with_arguments, "null"),
    "arguments an array": partial(_with_arguments, '[{"query": "fetch"}]'),
    "arguments a number": partial(_with_arguments, "5"),
    "arguments text": partial(_with_arguments, '"{}"'),
    "arguments deep": partial(_with_arguments, DEEP),
    "arguments half": partial(_with_arguments, '{"query": "fe'),
    "arguments twice": partial(_with_arguments, '{"nodeKey": "root"}{"query": "x"}'),
    "arguments NaN": partial(_with_arguments, '{"query": NaN}'),
    "arguments long": partial(_with_arguments, json.dumps({"query": "x" * 1_000_000})),
    "arguments with NUL": partial(_with_arguments, '{"nodeKey": "\\u0000", "query": "\\u0000"}'),
    "arguments with half a surrogate pair": partial(_with_arguments, '{"nodeKey": "\\ud83c", "query": "\\ud83c"}'),
}
#: These spoil the bytes, not what they say: after them nothing else can be changed.
OF_BYTES = frozenset({"wrong UTF-8", "CRLF, BOM and comments", "CR alone", "no space after the colon"})
MUTATIONS = HARMLESS | STRANGE_TEXTS | UNUSABLE_CALLS
