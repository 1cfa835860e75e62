"""The order in which vendors take messages, whatever was left out."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from chat.providers.model_request import PromptMessage

OPENING = "[Earlier messages of this conversation were left out.]"
CLOSING = "[Go on.]"


def begun_and_ended_by_a_person(messages: Iterable[PromptMessage]) -> tuple[PromptMessage, ...]:
    """The conversation without empty answers, with a person's words first, and last those or results of calls."""
    kept = [each for each in messages if each.role != "assistant" or each.content.strip() or each.tool_calls]
    first = next((n for n, message in enumerate(kept) if message.role != "system"), len(kept))
    if first == len(kept) or kept[first].role != "user":
        kept.insert(first, PromptMessage("user", OPENING))
    if kept[-1].role == "assistant":
        kept.append(PromptMessage("user", CLOSING))
    return tuple(kept)


def alternating(messages: Sequence[PromptMessage]) -> tuple[PromptMessage, ...]:
    """The messages, with neighbours of one role (a person, the model, the system) joined to one message."""
    merged: list[PromptMessage] = []
    for message in messages:
        before = merged[-1] if merged else None
        if before and message.role == before.role and message.role != "tool" and not before.tool_calls:
            merged[-1] = replace(
                message,
                content="\n\n".join(filter(None, (before.content, message.content))),
                reasoning=message.reasoning or before.reasoning,
            )
        else:
            merged.append(message)
    return tuple(merged)
