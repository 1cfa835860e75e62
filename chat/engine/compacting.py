"""Makes room in a conversation that outgrows its model's window: its earlier part is summarised, and kept aside.

The summary is a row; whoever loads the prompt afterwards, also another process after a crash, sends it in place of that
part. Nothing is deleted.
"""

import logging
from collections.abc import Sequence
from typing import Any

from django.db import transaction

from chat.database import in_tool_thread
from chat.engine import records
from chat.engine.claims import ClaimedRun
from chat.engine.side_calls import ask_aside
from chat.events.append import append
from chat.events.vocabulary import NewEvent
from chat.models import Message, Purpose, Summary
from chat.prompts import compaction, window
from chat.prompts.compaction import Cut
from chat.prompts.summary import request_messages, summary_text
from chat.prompts.telling import summary_json
from chat.providers.base import ModelRequest, ProviderConfig, ProviderError
from chat.spending.refusing import BudgetRefused

log = logging.getLogger("countersign.engine")

#: Of what a vendor refused as too long, how much is tried next.
SQUEEZED = 0.75


def room(config: ProviderConfig) -> int:
    """Tokens that a prompt may take."""
    return compaction.room_for_prompt(config.context_window, config.max_tokens)


def place_to_cut(
    run: ClaimedRun, prompt: records.Prompt, rounds: Sequence[dict[str, Any]], request: ModelRequest, limit: int
) -> Cut | None:
    """Where to cut the conversation so that the request takes at most `limit`. Counts: not for the event loop."""
    own = window.own_rounds(rounds, prompt.rounds_left_out)
    return window.cut_of(request, prompt.sent, own, run.position, limit)


async def words(
    config: ProviderConfig,
    prompt: records.Prompt,
    rounds: Sequence[dict[str, Any]],
    run: ClaimedRun,
    place: Cut,
    limit: int,
) -> str:
    """What the model says of the part before the cut; nothing where it cannot, or may not, be asked.

    The demo answers questions about graphs, and nothing else.
    """
    if config.kind == "demo":
        return ""
    request = await in_tool_thread(_request, config, prompt, rounds, run, place, limit)
    try:
        reply = await ask_aside(run.account, config, request, Purpose.SUMMARY)
    except (ProviderError, BudgetRefused) as error:
        log.warning("run %s: no summary: %s", run.id, error)
        return ""
    return reply.text.strip() if reply.end in ("stop", "length") else ""


def _request(
    config: ProviderConfig,
    prompt: records.Prompt,
    rounds: Sequence[dict[str, Any]],
    run: ClaimedRun,
    place: Cut,
    limit: int,
) -> ModelRequest:
    own = window.own_rounds(rounds, prompt.rounds_left_out)
    earlier = [each for each in prompt.sent if each.message.sequence < place.sequence]
    messages = [entry for each in earlier if each.message.sequence not in place.kept for entry in each.entries]
    if place.sequence == run.position:
        messages += [entry for round_ in own[: place.rounds] for entry in round_]
    return ModelRequest(
        messages=request_messages(prompt.summary, messages, limit - compaction.summary_room(limit)),
        tools=(),
        model=config.model,
        max_tokens=config.max_tokens,
        tools_allowed=False,
    )


def store(run: ClaimedRun, place: Cut, words: str, model: str, limit: int, tokens_before: int) -> None:
    """Stores the summary and tells the readers; once for each place, whoever comes first.

    Raises `Fenced` where another process has the run.
    """
    with transaction.atomic():
        records.hold(run)
        messages = list(Message.objects.filter(session_id=run.session_id).order_by("sequence"))
        pinned = {each.sequence for each in messages if each.in_prompt == Message.InPrompt.PINNED}
        text = summary_text(run.session_id, messages, place, words, compaction.summary_room(limit))
        summary, made = Summary.objects.get_or_create(
            session_id=run.session_id,
            sequence=place.sequence,
            rounds=place.rounds,
            defaults={
                "kept": [position for position in place.kept if position not in pinned],
                "content": text,
                "model": model,
                "tokens_before": tokens_before,
                "tokens_after": place.tokens_after,
            },
        )
        if made:
            _keep_records(run, messages, place)
            append(run.stream_id, [NewEvent("session_updated", {"summary": summary_json(summary)})], run.epoch)


def _keep_records(run: ClaimedRun, messages: Sequence[Message], place: Cut) -> None:
    """Level 2 becomes what was told last in the part that is no longer sent."""
    told = [each.records for each in messages if each.records and 0 < each.sequence < place.sequence]
    if told:
        Message.objects.filter(session_id=run.session_id, kind=Message.SYSTEM_PROMPT).update(records=told[-1])
