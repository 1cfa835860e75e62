"""The conversations of the fake server: an event log with numbers 1..n, and the messages folded from it."""

import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

START = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
Json = dict[str, Any]


@dataclass
class FakeSession:
    """One conversation; `events` are the frames, numbered in order, and `messages` what they amount to."""

    context: str
    title: str = ""
    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    events: list[Json] = field(default_factory=list)
    messages: list[Json] = field(default_factory=list)
    waiting: Json | None = None
    summary: Json | None = None
    updated_at: datetime = START
    require_validation: bool = False
    archived: bool = False
    model: str = "demo"
    model_available: bool = True
    owner: str = "alice"
    access: str = "owner"
    shares: Json = field(default_factory=lambda: {"shares": [], "links": [], "people": ["bob", "dave"]})

    @property
    def stream(self) -> str:
        return f"session_{self.id}"

    @property
    def cursor(self) -> int:
        """Everything up to it is contained in the messages: the events of a running answer come after it."""
        open_ids = {message["id"] for message in self.messages if message["status"] in {"queued", "streaming"}}
        numbers = [event["sequence"] for event in self.events if event.get("messageId") in open_ids]
        return min(numbers) - 1 if numbers else len(self.events)

    def as_json(self) -> Json:
        kind, _, key = self.context.partition(":")
        return {
            "id": self.id,
            "title": self.title,
            "owner": self.owner,
            "access": self.access,
            "type": "CHAT",
            "context": {"type": kind, "id": key} if kind else None,
            "model": self.model,
            "modelAvailable": self.model_available,
            "phase": "IDLE",
            "waiting": self.waiting,
            "usage": self.used(),
            "streamId": self.stream,
            "createdAt": START.isoformat(),
            "updatedAt": self.updated_at.isoformat(),
            "onDisconnect": "cancel",
            "requireValidation": self.require_validation,
            "archived": self.archived,
        }

    def used(self) -> Json:
        """The sums of all that answers told, as the server counts them."""
        told = [event for event in self.events if event["type"] == "ai:usage"]
        names = ("promptTokens", "completionTokens", "cachedTokens", "cost")
        sums = {name: sum(event[name] or 0 for event in told) for name in names}
        unpriced = sum(int(str(event.get("unpricedTokens", 0))) for event in told)
        return {**sums, "unpricedTokens": unpriced, "estimated": any(event.get("estimated") for event in told)}

    def message(self, message_id: str) -> Json:
        return next(each for each in self.messages if each["id"] == message_id)

    def listed(self) -> list[Json]:
        """The messages as REST gives them: an answer that is being written has no content yet."""
        hidden = {"content": "", "reasoning": "", "toolCalls": []}
        return [each | hidden if each["status"] in {"queued", "streaming"} else each for each in self.messages]

    def add_message(
        self, role: str, status: str = "complete", content: str = "", run_id: str = "", author: str | None = None
    ) -> Json:
        message: Json = {
            "id": str(uuid.uuid4()),
            "role": role,
            "author": author,
            "status": status,
            "content": content,
            "html": "",
            "reasoning": "",
            "toolCalls": [],
            "proposals": [],
            "changes": None,
            "inPrompt": "auto",
            "model": "demo" if role == "assistant" else "",
            "createdAt": (START + timedelta(minutes=len(self.messages))).isoformat(),
            "runId": run_id,
        }
        self.messages.append(message)
        return message

    def append(self, type_: str, message_id: str, run_id: str, **data: Any) -> Json:
        """Stores one event and folds it into its message. Gives the frame."""
        frame: Json = {
            "type": f"ai:{type_}",
            **data,
            "sessionId": self.id,
            "stream": self.stream,
            "sequence": len(self.events) + 1,
            "messageId": message_id,
            "runId": run_id,
        }
        self.events.append(frame)
        if message_id:
            _fold(self.message(message_id), type_, data)
        return frame


def _fold(message: Json, type_: str, data: Json) -> None:
    match type_:
        case "token":
            message["content"] += data["token"]
        case "reasoning":
            message["reasoning"] += data["token"]
        case "tool_start":
            message["toolCalls"].append(
                {"id": data["toolCallId"], "name": data["toolName"], "args": data["args"], "status": "running"}
            )
        case "tool_result":
            call = next(each for each in message["toolCalls"] if each["id"] == data["toolCallId"])
            call |= {"result": data["result"], "status": "ok"}
        case "status" if data["state"] in {"started", "running"}:
            message["status"] = "streaming"
        case "complete":
            message |= {"status": "stopped" if data["reason"] == "stopped" else "complete"}
            message["content"] = data.get("fullText") or message["content"]
            message["changes"] = data.get("changes")
        case "error":
            message |= {"status": "failed", "error": {key: data[key] for key in ("code", "message", "retryable")}}
