"""The conversation as a model sees it: the same bytes from turn to turn, so that vendors' caches hit.

Called by the engine. A question stands with the context that was retrieved for it; an answer is spread over its rounds.
"""

import json
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from chat.models import Message
from chat.prompts import system
from chat.providers.base import PromptMessage, Reply, ToolCall
from graphs.access import Member
from graphs.models import Graph

#: Said instead of offering tools once their rounds are used up.
NO_MORE_TOOLS = (
    "[No more tool calls are possible in this turn. Answer with what you have found, and say what is missing.]"
)


def version_for(member: Member) -> str:
    """Names the wording of the system prompt that a member's runs get."""
    return f"{system.PROMPT_VERSION}:{member.role}"


def system_message(
    session_id: uuid.UUID, graph: Graph | None, member: Member, stored_messages: Iterable[Message]
) -> str:
    """The session's system prompt: written at its first run and kept, until its version or the role changes."""
    version = version_for(member)
    stored = next((message for message in stored_messages if message.kind == Message.SYSTEM_PROMPT), None)
    if stored is not None and stored.prompt_version == version:
        return stored.content
    text = system.system_prompt(graph, member)
    Message.objects.update_or_create(
        session_id=session_id,
        sequence=0,
        defaults={
            "role": Message.Role.SYSTEM,
            "kind": Message.SYSTEM_PROMPT,
            "content": text,
            "prompt_version": version,
            "exclude_from_prompt": True,
        },
    )
    return text


def prompt(system_text: str, messages: Iterable[Message]) -> tuple[PromptMessage, ...]:
    """System prompt and history; a vendor's cache may keep what ends at a breakpoint."""
    spread = [entry for message in messages for entry in _entries(message)]
    if spread:
        spread[-1] = replace(spread[-1], cache_breakpoint=True)
    return (PromptMessage("system", system_text, cache_breakpoint=True), *spread)


def _entries(message: Message) -> Iterator[PromptMessage]:
    if message.role == Message.Role.USER:
        parts = [message.retrieved, message.content]
        yield PromptMessage("user", "\n\n".join(part for part in parts if part))
        return
    for round_ in message.rounds:
        yield from round_entries(round_)


def round_entries(round_: dict[str, Any]) -> Iterator[PromptMessage]:
    """One call of the model and the results of its tool calls."""
    calls = round_["toolCalls"]
    if not (round_["text"] or calls) or round_.get("aside"):
        return
    yield PromptMessage(
        "assistant",
        round_["text"],
        tool_calls=tuple(ToolCall(call["id"], call["name"], call["arguments"]) for call in calls),
        reasoning=round_["reasoning"],
        vendor=round_["vendor"],
        vendor_blocks=tuple(round_["vendorBlocks"]),
        model=round_.get("model", ""),
    )
    for call in calls:
        # Sorted, because the database does not keep the order of keys and the prefix must stay the same.
        result = json.dumps(call["result"], ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        yield PromptMessage("tool", result, tool_call_id=call["id"])


def round_of(reply: Reply, results: Iterable[dict[str, Any]] = ()) -> dict[str, Any]:
    """A reply and its tool results `{id, name, arguments, args, result, status}` as a stored round."""
    return {
        "text": reply.text,
        "reasoning": reply.reasoning,
        "toolCalls": list(results),
        "vendor": reply.vendor,
        "vendorBlocks": list(reply.vendor_blocks),
        "model": reply.model,
    }


def aside(text: str) -> dict[str, Any]:
    """Words that the model gave beforehand for when its change was made: shown to people, known to it already."""
    return round_of(Reply(text=text)) | {"aside": True}
