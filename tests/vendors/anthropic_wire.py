"""A script as the events of Anthropic's Messages."""

import json
import time
from collections.abc import Iterator
from typing import Any

from tests.vendors.scripts import Script, ScriptedCall, pieces_of
from tests.vendors.seals import seal

_STOP = {"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens", "content_filter": "refusal"}
_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}


def event(name: str, **fields: Any) -> bytes:
    return f"event: {name}\ndata: {json.dumps({'type': name, **fields})}\n\n".encode()


def messages_events(script: Script, model: str) -> Iterator[bytes]:
    usage = script.usage or {}
    read, kept = usage.get("cached", 0), usage.get("kept", 0)
    started = {
        "input_tokens": usage.get("input", 0) - read - kept if script.usage else None,
        "cache_read_input_tokens": read,
        "cache_creation_input_tokens": kept,
        "output_tokens": 1,
    }
    message = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [],
        "stop_reason": None,
    }
    yield event("message_start", message={**message, "usage": started if script.usage is not None else {}})
    yield event("ping")
    for index, block in enumerate(_blocks(script, model)):
        yield from (part.replace(b'"index": -1', f'"index": {index}'.encode()) for part in block)
    finish = ("tool_calls" if script.tool_calls else "stop") if script.finish is None else script.finish
    if not finish:
        return
    thought = {"thinking_tokens": usage.get("reasoning", 0)}
    counted = (
        {"output_tokens": usage.get("output"), "output_tokens_details": thought} if script.usage is not None else {}
    )
    yield event("message_delta", delta={"stop_reason": _STOP.get(finish, finish), "stop_sequence": None}, usage=counted)
    yield event("message_stop")


def _blocks(script: Script, model: str) -> Iterator[Iterator[bytes]]:
    if script.reasoning:
        thoughts = [{"type": "thinking_delta", "thinking": part} for part in pieces_of(script.reasoning)]
        signature = {"type": "signature_delta", "signature": script.signature or seal(model, script.reasoning)}
        yield _block({"type": "thinking", "thinking": "", "signature": ""}, iter([*thoughts, signature]))
    if script.text or script.stamps or not script.tool_calls:
        yield _block({"type": "text", "text": ""}, ({"type": "text_delta", "text": part} for part in _texts(script)))
    for call in script.tool_calls:
        yield _call(call)


def _texts(script: Script) -> Iterator[str]:
    yield from script.tokens()
    for _ in range(script.stamps):
        yield f"{time.time_ns()} "


def _call(call: ScriptedCall) -> Iterator[bytes]:
    arguments = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments)
    block = {"type": "tool_use", "id": call.id or f"toolu_{time.time_ns()}", "name": call.name, "input": {}}
    return _block(block, ({"type": "input_json_delta", "partial_json": part} for part in ["", *pieces_of(arguments)]))


def _block(start: dict[str, Any], deltas: Iterator[dict[str, Any]]) -> Iterator[bytes]:
    yield event("content_block_start", index=-1, content_block=start)
    for delta in deltas:
        yield event("content_block_delta", index=-1, delta=delta)
    yield event("content_block_stop", index=-1)


def messages_error(status: int, error: str | dict[str, Any]) -> dict[str, Any]:
    if isinstance(error, dict):
        return error
    return {"type": "error", "error": {"type": _TYPES.get(status, "api_error"), "message": error}}
