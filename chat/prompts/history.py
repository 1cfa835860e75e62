"""The conversation as a model sees it: the same bytes from turn to turn, so that vendors' caches hit.

Called by the engine. A question stands with the context that was retrieved for it; an answer is spread over its rounds.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from chat.models import Message
from chat.prompts.deepening import without_quote
from chat.prompts.round_messages import round_entries
from chat.providers.base import PromptMessage

#: Said instead of offering tools once their rounds are used up.
NO_MORE_TOOLS = (
    "[No more tool calls are possible in this turn. Answer with what you have found, and say what is missing.]"
)

#: Stands for a question that the person left out.
LEFT_OUT = "[The person left out a message here.]"


def prompt(levels: Sequence[str], summary: str, history: Sequence[PromptMessage]) -> tuple[PromptMessage, ...]:
    """System prompt, records that are always sent, and history; a vendor's cache may keep what ends at a breakpoint."""
    leading = [PromptMessage("system", level, cache_breakpoint=True) for level in levels if level]
    spread = [*([PromptMessage("user", summary)] if summary else []), *history]
    if spread:
        spread[-1] = replace(spread[-1], cache_breakpoint=True)
    return (*leading, *spread)


def entries(
    message: Message,
    rounds_left_out: int = 0,
    *,
    records: bool = True,
    retrieved: bool = True,
    quote: bool = True,
) -> Iterator[PromptMessage]:
    """What is sent of a message, without the first rounds of an answer that are summarised.

    A question may go without the records that were sent with it, and without what was retrieved for it; a note without
    the question that it quotes. A question that the person left out is replaced by a word that it was, because vendors
    want turns to alternate.
    """
    left_out = message.in_prompt == Message.InPrompt.LEFT_OUT
    if message.role == Message.Role.USER:
        content = message.content if quote or message.kind != Message.NOTE else without_quote(message.content)
        asked = [LEFT_OUT] if left_out else [message.retrieved if retrieved else "", content]
        changed = message.records if records else ""
        yield PromptMessage("user", "\n\n".join(part for part in (changed, *asked) if part))
    elif not left_out:
        for round_ in message.rounds[rounds_left_out:]:
            yield from round_entries(round_, f":{message.model}" if message.model else "")
