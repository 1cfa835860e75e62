"""Makes room in a conversation that outgrows its model's window: its earlier part is summarised, and kept aside.

The summary is a row; whoever loads the prompt afterwards, also another process after a crash, sends it in place of that
part. Nothing is deleted.
"""

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.db import transaction

from chat.concurrency.database import in_db, in_tool_thread
from chat.engine import run_storage
from chat.engine.answer import Answer
from chat.engine.claims import ClaimedRun
from chat.engine.prompt_loading import Prompt
from chat.engine.side_calls import ask_aside
from chat.engine.until_stored import persistently
from chat.events.append import append
from chat.events.vocabulary import NewEvent
from chat.models import Message, Purpose, Summary
from chat.prompts import cutting, window
from chat.prompts.cutting import Cut
from chat.prompts.summary import request_messages, summary_text
from chat.prompts.summary_json import SummaryShape, shown
from chat.providers.base import ModelRequest, PromptMessage, ProviderConfig, ProviderError
from chat.spending.refusing import BudgetRefused

log = logging.getLogger("countersign.engine")

#: Of what a vendor refused as too long, how much is tried next.
SQUEEZED = 0.75


class TooLong(Exception):
    """What has to be sent does not fit, however much of the conversation is summarised."""


@dataclass(frozen=True, slots=True)
class Crowded:
    """The next request of a run, and what it was made of; it may take `room` tokens at most."""

    run: ClaimedRun
    config: ProviderConfig
    prompt: Prompt
    rounds: Sequence[dict[str, Any]]
    request: ModelRequest
    room: int

    def own_rounds(self) -> list[list[PromptMessage]]:
        return window.own_rounds(self.rounds, self.prompt.rounds_left_out)


def room(config: ProviderConfig) -> int:
    """Tokens that a prompt may take."""
    return cutting.room_for_prompt(config.context_window, config.max_tokens)


async def less_than(refused: ModelRequest) -> int:
    """The room that is tried next for a request that a vendor found too long, though it was not as counted here."""
    return int(await in_tool_thread(window.tokens_of, refused) * SQUEEZED)


async def make_room(crowded: Crowded, answer: Answer) -> bool:
    """Summarises the earlier part of the conversation where the request does not fit; True where it did.

    Then the prompt has to be loaded again. Raises `TooLong`, and `Fenced` where another process has the run.
    """
    run = crowded.run
    if window.surely_fits(crowded.request, crowded.room):
        return False
    taken = await in_tool_thread(window.tokens_of, crowded.request)
    if taken <= crowded.room:
        return False
    place = await in_tool_thread(_place_to_cut, crowded)
    if place is None:
        raise TooLong
    words = await _words(crowded, place, answer)
    await answer.flush()
    model = crowded.config.model if words else ""
    left_out = crowded.prompt.left_out
    await persistently(partial(in_db, store, run, place, words, model, crowded.room, taken, left_out))
    log.info("run %s: %s tokens were too many: the earlier part is summarised", run.id, taken)
    return True


def _place_to_cut(crowded: Crowded) -> Cut | None:
    """Counts: not for the event loop."""
    history, own = crowded.prompt.sent, crowded.own_rounds()
    return window.cut_of(crowded.request, history, own, crowded.run.position, crowded.room)


async def _words(crowded: Crowded, place: Cut, answer: Answer) -> str:
    """What the model says of the part before the cut; nothing where it cannot, or may not, be asked.

    The demo answers questions about graphs, and nothing else.
    """
    config, run = crowded.config, crowded.run
    if config.kind == "demo":
        return ""
    request = await in_tool_thread(_request, crowded, place)
    try:
        reply = await ask_aside(run.account, config, request, Purpose.SUMMARY, answer.tell_costs)
    except (ProviderError, BudgetRefused) as error:
        log.warning("run %s: no summary: %s", run.id, error)
        return ""
    return reply.text.strip() if reply.end in ("stop", "length") else ""


def _request(crowded: Crowded, place: Cut) -> ModelRequest:
    earlier = [each for each in crowded.prompt.sent if each.message.sequence < place.sequence]
    messages = [entry for each in earlier if each.message.sequence not in place.kept for entry in each.said]
    if place.sequence == crowded.run.position:
        messages += [entry for round_ in crowded.own_rounds()[: place.rounds] for entry in round_]
    most = crowded.room - cutting.summary_room(crowded.room)
    return ModelRequest(
        messages=request_messages(crowded.prompt.summary, messages, most),
        tools=(),
        model=crowded.config.model,
        max_tokens=crowded.config.max_tokens,
        tools_allowed=False,
    )


def store(
    run: ClaimedRun,
    place: Cut,
    words: str,
    model: str,
    limit: int,
    tokens_before: int,
    left_out: Collection[int] = (),
) -> None:
    """Stores the summary and tells the readers; once for each place, whoever comes first.

    It is written anew where it now stands for a message, too, that was kept when the conversation was cut there before.
    Words that were written before a message was left out, of which only those at `left_out` were, are not taken; one
    that was put back meanwhile is kept.
    Raises `Fenced` where another process has the run.
    """
    with transaction.atomic():
        run_storage.hold(run)
        here = Summary.objects.filter(session_id=run.session_id, sequence=place.sequence, rounds=place.rounds)
        messages = list(Message.objects.filter(session_id=run.session_id).order_by("sequence"))
        gone = window.left_out(message for message in messages if message.sequence <= place.sequence)
        put_back = {each for each in left_out if each < place.sequence} - gone
        kept = sorted({*place.kept, *put_back})
        if here.filter(kept=kept).exists():
            return
        if not gone <= frozenset(left_out):
            words = model = ""
        last = Summary.objects.filter(session_id=run.session_id).last()
        before = shown(last.content) if last else ""
        text = summary_text(run.session_id, messages, place, words, cutting.summary_room(limit), before)
        written = {
            "kept": kept,
            "content": text,
            "model": model,
            "tokens_before": tokens_before,
            "tokens_after": place.tokens_after,
        }
        summary, _made = here.update_or_create(
            session_id=run.session_id, sequence=place.sequence, rounds=place.rounds, defaults=written
        )
        _keep_records(run, messages, place)
        append(run.stream_id, [NewEvent("session_updated", {"summary": SummaryShape.of(summary).to_json()})], run.epoch)


def _keep_records(run: ClaimedRun, messages: Sequence[Message], place: Cut) -> None:
    """Level 2 becomes what was told last in the part that is no longer sent."""
    told = [each.records for each in messages if each.records and 0 < each.sequence < place.sequence]
    if told:
        Message.objects.filter(session_id=run.session_id, kind=Message.SYSTEM_PROMPT).update(records=told[-1])
