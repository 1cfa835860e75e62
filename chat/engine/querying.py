"""Running the read tools a reply asks for, side by side, each with its own status."""

import asyncio
import logging
from typing import Any

from chat.database import in_tool_thread
from chat.engine.answer import Answer
from chat.providers.base import ToolCall
from chat.tools import registry
from chat.tools.base import ToolContext

log = logging.getLogger("countersign.tools")

#: A tool that takes longer is given up on; the model is told.
TOOL_TIMEOUT_S = 30
NO_MORE_ROUNDS = {"error": "No more tool calls are possible in this turn. Answer with what you have found."}


async def run_queries(calls: tuple[ToolCall, ...], context: ToolContext | None, answer: Answer) -> str:
    """Runs every call and shows its result. Returns what was wrong when no call was usable, else "".

    Unusable calls (malformed JSON, unknown tool, extra keys) have no effect: their result tells the model why.
    """
    parsed = [registry.parse(call.name, call.arguments) for call in calls]
    for call, found in zip(calls, parsed, strict=True):
        args = {} if isinstance(found, registry.CallRefused) else found.arguments.model_dump(exclude_none=True)
        await answer.tell("tool_call_start", {"toolCallId": call.id, "name": call.name, "args": args})
    await asyncio.gather(*(_run(call, found, context, answer) for call, found in zip(calls, parsed, strict=True)))
    refused = [found for found in parsed if isinstance(found, registry.CallRefused)]
    return refused[0].message if len(refused) == len(parsed) else ""


async def refuse_all(calls: tuple[ToolCall, ...], answer: Answer) -> None:
    """Tells the model that its calls came after the last round of tools; none is run."""
    for call in calls:
        await answer.tell("tool_call_start", {"toolCallId": call.id, "name": call.name, "args": {}})
        await answer.tell("tool_call_result", {"toolCallId": call.id, "result": NO_MORE_ROUNDS})


async def _run(
    call: ToolCall, found: "registry.ParsedCall | registry.CallRefused", context: ToolContext | None, answer: Answer
) -> None:
    result = {"error": found.message} if isinstance(found, registry.CallRefused) else await _result(found, context)
    await answer.tell("tool_call_result", {"toolCallId": call.id, "result": result})


async def _result(call: "registry.ParsedCall", context: ToolContext | None) -> dict[str, Any]:
    if context is None:
        return {"error": "This conversation is about no object, so there is nothing to read."}
    try:
        async with asyncio.timeout(TOOL_TIMEOUT_S):
            return await in_tool_thread(registry.run, call, context)
    except TimeoutError:
        return {"error": f"{call.tool.name} took longer than {TOOL_TIMEOUT_S} s and was given up on."}
    except Exception:
        log.exception("tool %s failed", call.tool.name)
        return {"error": f"{call.tool.name} failed unexpectedly; go on without it."}
