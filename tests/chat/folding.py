"""A reader that takes messages from the API at some moment and completes them with the events after it."""

import asyncio
from typing import Any

from django.contrib.auth.models import User

from tests.chat.inprocess import request

ENDINGS = {"finished": "complete", "stopped": "stopped", "toolLimit": "complete", "waiting": "complete"}


def shown(message: dict[str, Any]) -> dict[str, Any]:
    """What a reader sees of a message, to compare."""
    calls = [(call["id"], call["name"], call["result"]) for call in message["toolCalls"]]
    return {name: message[name] for name in ("id", "role", "status", "content", "reasoning")} | {"calls": calls}


class Reading:
    """Messages by id, as they were read and as events completed them. Nothing may come twice."""

    def __init__(self, page: dict[str, Any]) -> None:
        self.stream: str = page["streamId"]
        self.after: int = page["after"]
        self.messages = {message["id"]: message for message in page["results"]}

    def fold(self, event: dict[str, Any]) -> None:
        assert event["sequence"] == self.after + 1
        self.after = event["sequence"]
        type_, data = event["type"], event["data"]
        if event["messageId"] is None:
            return
        blank = {"role": "assistant", "status": "queued", "content": "", "reasoning": "", "toolCalls": []}
        message = self.messages.setdefault(
            event["messageId"], {"id": event["messageId"], "runId": event["runId"], **blank}
        )
        match type_:
            case "user_message":
                message |= {"role": "user", "status": "complete", "content": data["content"]}
            case "status" if data["state"] == "started":
                message["status"] = "streaming"
            case "content_delta":
                message["content"] += data["delta"]
            case "reasoning_delta":
                message["reasoning"] += data["delta"]
            case "tool_call_start":
                assert data["toolCallId"] not in [call["id"] for call in message["toolCalls"]]
                message["toolCalls"].append({"id": data["toolCallId"], "name": data["name"], "result": None})
            case "tool_call_result":
                call = next(call for call in message["toolCalls"] if call["id"] == data["toolCallId"])
                call["result"] = data["result"]
            case "proposal":
                call = next(call for call in message["toolCalls"] if call["id"] == data["toolCallId"])
                call["result"] = {"proposalId": data["proposalId"], "status": "pending"}
            case "done":
                message["status"] = ENDINGS[data["reason"]]
            case "error":
                message["status"] = "failed"

    def closed(self, last_run: str) -> bool:
        answers = [message for message in self.messages.values() if message["role"] == "assistant"]
        ended = all(message["status"] in {*ENDINGS.values(), "failed"} for message in answers)
        return ended and any(message["runId"] == last_run for message in answers)

    def result(self) -> list[dict[str, Any]]:
        return [shown(message) for message in self.messages.values()]


async def begin(user: User, session_id: str, query: str = "") -> Reading:
    return Reading((await request("GET", f"/api/v1/chat/sessions/{session_id}/messages{query}", user)).json())


async def follow(user: User, reading: Reading, last_run: str) -> Reading:
    """Reads on until this run is closed, and with it every other: a stop closes those that wait first."""
    while True:
        page = (await request("GET", f"/api/v1/streams/events/{reading.stream}?after={reading.after}", user)).json()
        for event in page["events"]:
            reading.fold(event)
        if page["last"] == reading.after and reading.closed(last_run):
            return reading
        await asyncio.sleep(0.02)
