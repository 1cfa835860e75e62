"""The events of a conversation, as written, as stored and as sent."""

import json
import math
import re
import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

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
    "session_updated",
    "done",
    "error",
]
#: Neighbours of these types may become one event: their text is joined, nothing is lost.
MERGEABLE = frozenset({"content_delta", "reasoning_delta"})

#: The version of the shapes below, stored with every event.
EVENT_VERSION = 1


@dataclass(frozen=True, slots=True)
class NewEvent:
    """An event that has no number yet; `data` is JSON-able."""

    type: EventType
    data: dict[str, Any]
    message_id: uuid.UUID | None = None
    run_id: uuid.UUID | None = None

    def merged_with(self, later: "NewEvent") -> "NewEvent | None":
        """Both as one event, or None where they have to stay two."""
        same_place = (self.type, self.message_id, self.run_id) == (later.type, later.message_id, later.run_id)
        if self.type not in MERGEABLE or not same_place:
            return None
        return NewEvent(self.type, {"delta": self.data["delta"] + later.data["delta"]}, self.message_id, self.run_id)

    def storable(self) -> "NewEvent":
        """A copy that PostgreSQL takes and that reads back as it is; see `storable`.

        Raises `TypeError`, `ValueError` or `RecursionError` for data that is not JSON.
        """
        data = storable(self.data)
        if self.type not in MERGEABLE:
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


#: NUL and lone surrogates, which PostgreSQL's jsonb refuses; a model can write both.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def storable(value: Any) -> Any:
    """The same JSON value without what PostgreSQL cannot store: U+FFFD for characters, None for NaN and infinity."""
    match value:
        case str():
            return _UNSTORABLE.sub("\ufffd", value)
        case dict():
            return {storable(key): storable(item) for key, item in value.items()}
        case list() | tuple():
            return [storable(item) for item in value]
        case float() if not math.isfinite(value):
            return None
        case _:
            return value


def to_json(data: dict[str, Any]) -> str:
    """Storable data as JSON text that jsonb accepts."""
    return json.dumps(data, allow_nan=False)


def event_json(event: StoredEvent, stream: str) -> dict[str, Any]:
    """The event as REST and SSE give it; `stream` is the stream's name."""
    return {
        "stream": stream,
        "sequence": event.sequence,
        "type": event.type,
        "data": event.data,
        "messageId": str(event.message_id) if event.message_id else None,
        "runId": str(event.run_id) if event.run_id else None,
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
            return data


def frame(event: StoredEvent, stream: str, session_id: str | None, own_id: int | str | None = None) -> str:
    """The event as one WebSocket frame; `own_id` is the `_id` with which this socket asked for it."""
    asked = {} if own_id is None else {"_id": own_id}
    return json.dumps(
        {
            "type": _FRAME_TYPES.get(event.type, f"ai:{event.type}"),
            **asked,
            **_frame_data(event),
            "sessionId": session_id,
            "stream": stream,
            "sequence": event.sequence,
            "messageId": str(event.message_id) if event.message_id else None,
            "runId": str(event.run_id) if event.run_id else None,
        },
        ensure_ascii=False,
        separators=(",", ":"),
    )
