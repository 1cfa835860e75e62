"""A reply as the round that is stored of it, and a stored round as the messages that a model is sent of it."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace

from chat.models import Call, Round
from chat.prompts.tool_results import model_texts
from chat.providers.model_request import PromptMessage, ToolCall
from chat.providers.pieces import Reply


def round_of(reply: Reply, calls: Iterable[Call] = ()) -> Round:
    """The round to store of a reply, with what the model reads of each result. Not for the event loop."""
    calls = list(calls)
    texts = model_texts([(call.id, call.result) for call in calls])
    return Round(
        text=reply.text,
        reasoning=reply.reasoning,
        calls=tuple(replace(call, model_text=text) for call, text in zip(calls, texts, strict=True)),
        vendor=reply.vendor,
        vendor_blocks=reply.vendor_blocks,
        model=reply.model,
    )


def round_entries(round_: Round, model: str = "") -> Iterator[PromptMessage]:
    """One call of the model and the results of its tool calls; `model` is that of a round that names none."""
    if not (round_.text or round_.calls) or round_.aside:
        return
    yield PromptMessage(
        "assistant",
        round_.text,
        tool_calls=tuple(ToolCall(call.id, call.name, call.arguments) for call in round_.calls),
        reasoning=round_.reasoning,
        vendor=round_.vendor,
        vendor_blocks=round_.vendor_blocks,
        model=round_.model or model,
    )
    for call in round_.calls:
        yield PromptMessage("tool", _sent_text(call), tool_call_id=call.id)


def _sent_text(call: Call) -> str:
    """What was decided when the result came; JSON with sorted keys for one that was stored before anything was."""
    if call.model_text is not None:
        return call.model_text
    return json.dumps(call.result, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
