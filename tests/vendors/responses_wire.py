"""A script as the events of OpenAI's Responses."""

import json
import time
from collections.abc import Iterator
from typing import Any

from tests.vendors.anthropic_wire import event
from tests.vendors.scripts import Script, ScriptedCall, pieces_of
from tests.vendors.seals import seal


def responses_events(script: Script, model: str) -> Iterator[bytes]:
    yield event("response.created", response={"id": "resp_1", "model": model, "status": "in_progress"})
    index = 0
    if script.reasoning:
        yield from _reasoning(script, model, index)
        index += 1
    if script.text or script.stamps:
        yield from _message(script, index)
        index += 1
    for call in script.tool_calls:
        yield from _call(call, index)
        index += 1
    finish = "stop" if script.finish is None else script.finish
    if finish in {"length", "content_filter"}:
        reason = "max_output_tokens" if finish == "length" else finish
        yield event(
            "response.incomplete", response={**_end(script, "incomplete"), "incomplete_details": {"reason": reason}}
        )
    elif finish:
        yield event("response.completed", response=_end(script, "completed"))


def _reasoning(script: Script, model: str, index: int) -> Iterator[bytes]:
    item = {"type": "reasoning", "id": "rs_1", "summary": []}
    yield event("response.output_item.added", output_index=index, item=item)
    yield event("response.reasoning_summary_part.added", output_index=index, summary_index=0)
    for part in pieces_of(script.reasoning):
        yield event("response.reasoning_summary_text.delta", output_index=index, summary_index=0, delta=part)
    whole = {
        **item,
        "summary": [{"type": "summary_text", "text": script.reasoning}],
        "encrypted_content": seal(model, script.reasoning),
    }
    yield event("response.output_item.done", output_index=index, item=whole)


def _message(script: Script, index: int) -> Iterator[bytes]:
    yield event(
        "response.output_item.added", output_index=index, item={"type": "message", "id": "msg_1", "content": []}
    )
    for token in script.tokens():
        yield event("response.output_text.delta", output_index=index, content_index=0, delta=token)
    for _ in range(script.stamps):
        yield event("response.output_text.delta", output_index=index, content_index=0, delta=f"{time.time_ns()} ")
    yield event("response.output_item.done", output_index=index, item={"type": "message", "id": "msg_1"})


def _call(call: ScriptedCall, index: int) -> Iterator[bytes]:
    arguments = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments)
    item = {
        "type": "function_call",
        "id": f"fc_{index}",
        "call_id": call.id or f"call_{time.time_ns()}",
        "name": call.name,
    }
    yield event("response.output_item.added", output_index=index, item={**item, "arguments": ""})
    for part in pieces_of(arguments):
        yield event("response.function_call_arguments.delta", output_index=index, item_id=item["id"], delta=part)
    yield event("response.function_call_arguments.done", output_index=index, item_id=item["id"], arguments=arguments)
    yield event("response.output_item.done", output_index=index, item={**item, "arguments": arguments})


def _end(script: Script, status: str) -> dict[str, Any]:
    usage = script.usage and {
        "input_tokens": script.usage.get("input"),
        "output_tokens": script.usage.get("output"),
        "input_tokens_details": {
            "cached_tokens": script.usage.get("cached", 0),
            "cache_write_tokens": script.usage.get("kept", 0),
        },
        "output_tokens_details": {"reasoning_tokens": script.usage.get("reasoning", 0)},
    }
    return {"id": "resp_1", "status": status, "usage": usage, "output": []}
