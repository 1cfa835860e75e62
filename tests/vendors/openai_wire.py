"""A script as the events of Chat Completions."""

import json
import time
from collections.abc import Iterator
from typing import Any

from tests.vendors.scripts import Script, pieces_of


def sse(payload: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(payload).encode() + b"\n\n"


def chat_events(script: Script, model: str) -> Iterator[bytes]:
    def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return sse({"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": model, "choices": [choice]})

    yield chunk({"role": "assistant", "content": ""})
    for token in pieces_of(script.reasoning):
        yield chunk({"reasoning_content": token})
    for token in script.tokens():
        yield chunk({"content": token})
    for _ in range(script.stamps):
        yield chunk({"content": f"{time.time_ns()} "})
    for index, call in enumerate(script.tool_calls):
        arguments = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments)
        function = {"name": call.name, "arguments": ""}
        yield chunk(
            {
                "tool_calls": [
                    {
                        "index": index,
                        "id": call.id or f"call_{time.time_ns()}",
                        "type": "function",
                        "function": function,
                    }
                ]
            }
        )
        for fragment in pieces_of(arguments):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": fragment}}]})
    finish = ("tool_calls" if script.tool_calls else "stop") if script.finish is None else script.finish
    if not finish:
        return
    yield chunk({}, finish)
    if script.usage is not None:
        yield sse({"id": "chatcmpl-1", "choices": [], "usage": chat_usage(script.usage)})
    yield b"data: [DONE]\n\n"


def chat_usage(usage: dict[str, Any]) -> dict[str, Any]:
    return {
        "prompt_tokens": usage.get("input"),
        "completion_tokens": usage.get("output"),
        "prompt_tokens_details": {"cached_tokens": usage.get("cached", 0), "cache_write_tokens": usage.get("kept", 0)},
        "completion_tokens_details": {"reasoning_tokens": usage.get("reasoning", 0)},
    }


def chat_error(status: int, error: str | dict[str, Any]) -> dict[str, Any]:
    if isinstance(error, dict):
        return error
    return {"error": {"message": error, "type": "scripted_error", "param": None, "code": None}}
