"""The conversation as a model sees it: the same bytes from turn to turn, so that vendors' caches hit.

Called by the engine. A question stands with the context that was retrieved for it; an answer is spread over its rounds.
"""

import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from chat.models import Message
from chat.prompts import always_sent, system
from chat.prompts.deepening import without_quote
from chat.prompts.round_messages import round_entries
from chat.providers.base import PromptMessage
from graphs.models import Graph
from graphs.site.access import Member

#: Said instead of offering tools once their rounds are used up.
NO_MORE_TOOLS = (
    "[No more tool calls are possible in this turn. Answer with what you have found, and say what is missing.]"
)

#: Stands for a question that the person left out.
LEFT_OUT = "[The person left out a message here.]"


def version_for(member: Member) -> str:
    """Names the wording of the system prompt that a member's runs get."""
    return f"{system.PROMPT_VERSION}:{member.role}"


def system_levels(
    session_id: uuid.UUID,
    graph: Graph | None,
    member: Member,
    stored_messages: Iterable[Message],
    *,
    flagged: bool,
) -> tuple[str, str]:
    """Levels 1 and 2 of a session: written at its first run and kept. `flagged`: level 2 may have records.

    The system prompt is written anew when its version or the role changes.
    """
    version = version_for(member)
    stored = next((message for message in stored_messages if message.kind == Message.SYSTEM_PROMPT), None)
    if stored is not None and stored.prompt_version == version:
        return stored.content, stored.records
    text = system.system_prompt(graph, member)
    written = {
        "role": Message.Role.SYSTEM,
        "kind": Message.SYSTEM_PROMPT,
        "content": text,
        "prompt_version": version,
        "exclude_from_prompt": True,
    }
    records = {"records": always_sent.at_the_beginning(member.workspace, flagged=flagged)} if stored is None else {}
    # Another process may have been first, and a summary may have moved later records there since.
    kept, _made = Message.objects.update_or_create(
        session_id=session_id, sequence=0, defaults=written, create_defaults=written | records
    )
    return text, kept.records


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

    A question may go without the records that were told with it, and without what was retrieved for it; a note without
    the question that it quotes. In place of one that the person left out stands a word that it was, because vendors
    want turns to alternate.
    """
    left_out = message.in_prompt == Message.InPrompt.LEFT_OUT
    if message.role == Message.Role.USER:
        content = message.content if quote or message.kind != Message.NOTE else without_quote(message.content)
        asked = [LEFT_OUT] if left_out else [message.retrieved if retrieved else "", content]
        told = message.records if records else ""
        yield PromptMessage("user", "\n\n".join(part for part in (told, *asked) if part))
    elif not left_out:
        for round_ in message.rounds[rounds_left_out:]:
            yield from round_entries(round_, f":{message.model}" if message.model else "")
