"""The events of a conversation, as written, as stored and as sent."""

import json
import math
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, Literal

from chat.events.toast_words import toast_text
from graphs.history.conflict_words import told
from graphs.history.diffs import labelled
from graphs.site.json_values import UNSTORABLE
from graphs.site.stored_json import Shape

EventType = Literal[
    "user_message",
    "status",
    "content_delta",
    "reasoning_delta",
    "tool_call_start",
    "tool_call_delta",
    "tool_call_result",
    "proposal",
    "decision",
    "question",
    "tool_limit",
    "usage",
    "object_changed",
    "held_changed",
    "generation",
    "session_updated",
    "toast",
    "done",
    "error",
]
#: Neighbours of these types may become one event: their text is joined, nothing is lost.
MERGEABLE = frozenset({"content_delta", "reasoning_delta"})

#: `{type, data}` of an event; who changes the data of a type adds an upgrade here and a fixture to the tests.
STORED = Shape("event")
#: Stored with every event.
EVENT_VERSION = STORED.version


@dataclass(frozen=True, slots=True)
class NewEvent:
    """An event that has no number yet; `data` is JSON-able."""

    type: EventType
    data: dict[str, Any]
    message_id: uuid.UUID | None = None
    run_id: uuid.UUID | None = None

    def merged_with(self, later: "NewEvent") -> "NewEvent | None":
        """Both as one event, or None if they have to stay two."""
        same_run = (self.type, self.message_id, self.run_id) == (later.type, later.message_id, later.run_id)
        if (self.type not in MERGEABLE and self.type != "tool_call_delta") or not same_run:
            return None
        mine, theirs = self.data, later.data
        if mine.keys() != theirs.keys() or "delta" not in mine or mine.get("toolCallId") != theirs.get("toolCallId"):
            return None
        return NewEvent(self.type, mine | {"delta": mine["delta"] + theirs["delta"]}, self.message_id, self.run_id)

    def storable(self) -> "NewEvent":
        """The event as PostgreSQL takes it. Raises `TypeError`, `ValueError` or `RecursionError` for no JSON."""
        if self.type in MERGEABLE and not UNSTORABLE.search(self.data["delta"]):
            return self
        data = storable(self.data)
        to_json(data)
        return NewEvent(self.type, data, self.message_id, self.run_id)


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """An event as everybody sees it: committed, and numbered 1..n in its stream."""

    stream_id: int
    sequence: int
    type: EventType
    data: dict[str, Any]
    message_id: uuid.UUID | None
    run_id: uuid.UUID | None
    created_at: datetime


def numbered(stream_id: int, events: Sequence[NewEvent], base: int, at: datetime) -> list[StoredEvent]:
    """Committed events, the first of which came after number `base`."""
    return [
        StoredEvent(stream_id, base + number, event.type, event.data, event.message_id, event.run_id, at)
        for number, event in enumerate(events, 1)
    ]


def storable(value: Any) -> Any:
    """The JSON value without what PostgreSQL cannot store: U+FFFD for characters, None for NaN and infinity.

    A model can write NUL and lone surrogates, which jsonb refuses.
    Keys stand in the order in which jsonb gives them back, so that live and late readers get the same bytes.
    """
    match value:
        case str():
            return UNSTORABLE.sub("\ufffd", value)
        case dict():
            return {storable(key): storable(value[key]) for key in sorted(value, key=_jsonb_order)}
        case list() | tuple():
            return [storable(item) for item in value]
        case float() if not math.isfinite(value):
            return None
        case _:
            return value


def _jsonb_order(key: str) -> tuple[int, bytes]:
    written = storable(key).encode()
    return len(written), written


_for_storing = json.JSONEncoder(allow_nan=False)
_for_sending = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def to_json(data: Any) -> str:
    """Storable data as JSON text that jsonb accepts."""
    return _for_storing.encode(data)


@lru_cache(maxsize=1024)
def text_of(id_: uuid.UUID | None) -> str | None:
    """An id as JSON holds it. The same few are written with every token."""
    return None if id_ is None else str(id_)


def as_row(event: NewEvent) -> tuple[str, dict[str, Any], str | None, str | None]:
    """A storable event as the statements that store it take it: type, data, message, run."""
    return event.type, event.data, text_of(event.message_id), text_of(event.run_id)


def event_json(event: StoredEvent, stream: str) -> dict[str, Any]:
    """The event as REST and SSE give it; `stream` is the stream's name."""
    return {
        "stream": stream,
        "sequence": event.sequence,
        "type": event.type,
        "data": _read_data(event),
        "messageId": text_of(event.message_id),
        "runId": text_of(event.run_id),
        "createdAt": event.created_at.isoformat(),
    }


_FRAME_TYPES = {
    "content_delta": "ai:token",
    "reasoning_delta": "ai:reasoning",
    "tool_call_start": "ai:tool_start",
    "tool_call_delta": "ai:tool_delta",
    "tool_call_result": "ai:tool_result",
    "done": "ai:complete",
}


def _frame_data(event: StoredEvent) -> dict[str, Any]:
    data = event.data
    match event.type:
        case "content_delta" | "reasoning_delta":
            return {"token": data["delta"]}
        case "tool_call_start":
            return {"toolCallId": data["toolCallId"], "toolName": data["name"], "args": data["args"]}
        case "error":
            return {"error": data["message"], **data}
        case _:
            return _read_data(event)


def _read_data(event: StoredEvent) -> dict[str, Any]:
    """What an event says, with kinds and fields named in the language of whoever reads it; stored they are English."""
    if event.type == "decision" and "conflicts" in event.data:
        return {**event.data, "conflicts": told(event.data["conflicts"])}
    if event.type == "toast":
        return {**event.data, "text": toast_text(event.data)}
    if event.type == "proposal" and "diff" in event.data:
        return {**event.data, "diff": labelled(event.data["diff"])}
    return event.data


def frame(event: StoredEvent, stream: str, session_id: str | None, own_id: int | str | None = None) -> str:
    """The event as one WebSocket frame; `own_id` is the `_id` with which this socket asked for it."""
    asked = {} if own_id is None else {"_id": own_id}
    type_ = _FRAME_TYPES.get(event.type, f"ai:{event.type}")
    own = _for_sending.encode({"type": type_, **asked, **_frame_data(event), "sequence": event.sequence})
    return f"{own[:-1]},{_origin(stream, session_id, event.message_id, event.run_id)}"


@lru_cache(maxsize=1024)
def _origin(stream: str, session_id: str | None, message_id: uuid.UUID | None, run_id: uuid.UUID | None) -> str:
    """The rest of a frame, the same for all events of an answer."""
    whose = {"sessionId": session_id, "stream": stream, "messageId": text_of(message_id), "runId": text_of(run_id)}
    return _for_sending.encode(whose)[1:]
