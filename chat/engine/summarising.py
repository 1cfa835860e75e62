"""Summarises the earlier part of a conversation that outgrew its model's window; later prompts have that row."""

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.db import transaction

from chat.concurrency.database import in_db, in_tool_thread
from chat.engine import run_storage
from chat.engine.answer import LiveAnswer
from chat.engine.calling import ask_aside
from chat.engine.claims import ClaimedRun
from chat.engine.prompt_loading import Prompt
from chat.events.append import append
from chat.events.vocabulary import NewEvent
from chat.models import Message, Purpose, Round, Summary
from chat.prompts import cutting, window
from chat.prompts.cutting import HistoryCut
from chat.prompts.summary import request_messages, summary_text
from chat.prompts.summary_json import SummaryShape, shown
from chat.providers.estimating import tokens_of
from chat.providers.model_request import ModelRequest, PromptMessage
from chat.providers.provider import ProviderConfig
from chat.providers.provider_error import ProviderError
from chat.spending.refusing import BudgetRefused

log = logging.getLogger("countersign.engine")


class TooLong(Exception):
    """What has to be sent does not fit, however much of the conversation is summarised."""


@dataclass(frozen=True, slots=True)
class OversizedRequest:
    """The next request of a run, which may be too long, and what it was made of. It may take `room` tokens at most."""

    run: ClaimedRun
    config: ProviderConfig
    prompt: Prompt
    rounds: Sequence[Round]
    request: ModelRequest
    room: int

    def own_rounds(self) -> list[list[PromptMessage]]:
        return window.own_rounds(self.rounds, self.prompt.rounds_left_out)


def cut_for(oversized: OversizedRequest) -> HistoryCut | None:
    """The cut that makes the request fit; None if nothing does."""
    history, own = oversized.prompt.sent, oversized.own_rounds()
    return window.cut_of(oversized.request, history, own, oversized.run.position, oversized.room)


async def make_room(oversized: OversizedRequest, answer: LiveAnswer) -> bool:
    """Summarises what is earlier if the request does not fit; True if so. Raises `TooLong` and `Fenced`."""
    run = oversized.run
    taken = await in_tool_thread(tokens_of, oversized.request)
    if taken <= oversized.room:
        return False
    cut = await in_tool_thread(cut_for, oversized)
    if cut is None:
        raise TooLong
    words = await _words(oversized, cut, answer)
    await answer.flush()
    model = oversized.config.model if words else ""
    left_out = oversized.prompt.left_out
    await in_db.until_done(store_summary, run, cut, words, model, oversized.room, taken, left_out)
    log.info("run %s: %s tokens were too many: the earlier part is summarised", run.id, taken)
    return True


async def _words(oversized: OversizedRequest, cut: HistoryCut, answer: LiveAnswer) -> str:
    """What the model says of the part before the cut; "" if it cannot or may not, or is the demo."""
    config, run = oversized.config, oversized.run
    if config.wire == "demo":
        return ""
    request = await in_tool_thread(_request, oversized, cut)
    try:
        reply = await ask_aside(run.account, config, request, Purpose.SUMMARY, answer.add_costs)
    except (ProviderError, BudgetRefused) as error:
        log.warning("run %s: no summary: %s", run.id, error)
        return ""
    return reply.text.strip() if reply.end in ("stop", "length") else ""


def _request(oversized: OversizedRequest, cut: HistoryCut) -> ModelRequest:
    earlier = [each for each in oversized.prompt.sent if each.message.sequence < cut.sequence]
    messages = [entry for each in earlier if each.message.sequence not in cut.kept for entry in each.said]
    if cut.sequence == oversized.run.position:
        messages += [entry for round_ in oversized.own_rounds()[: cut.rounds] for entry in round_]
    most = oversized.room - cutting.summary_room(oversized.room)
    return ModelRequest(
        messages=request_messages(oversized.prompt.summary, messages, most),
        tools=(),
        model=oversized.config.model,
        max_tokens=oversized.config.max_tokens,
        tools_allowed=False,
    )


def store_summary(
    run: ClaimedRun,
    cut: HistoryCut,
    words: str,
    model: str,
    limit: int,
    tokens_before: int,
    left_out: Collection[int] = (),
) -> None:
    """Stores the summary and emits it, once for each cut, whichever process comes first.

    It is written anew if it now stands for a message, too, that was kept when the conversation was cut there before.
    The words are not taken if a message was left out since they were written; then only those at `left_out` were. A
    message that was put back meanwhile is kept.
    Raises `Fenced` if another process has the run.
    """
    with transaction.atomic():
        run_storage.hold(run)
        here = Summary.objects.filter(session_id=run.session_id, sequence=cut.sequence, rounds=cut.rounds)
        messages = list(Message.objects.filter(session_id=run.session_id).order_by("sequence"))
        gone = window.left_out(message for message in messages if message.sequence <= cut.sequence)
        put_back = {each for each in left_out if each < cut.sequence} - gone
        kept = sorted({*cut.kept, *put_back})
        if here.filter(kept=kept).exists():
            return
        if not gone <= frozenset(left_out):
            words = model = ""
        last = Summary.objects.filter(session_id=run.session_id).last()
        before = shown(last.content) if last else ""
        text = summary_text(run.session_id, messages, cut, words, cutting.summary_room(limit), before)
        written = {
            "kept": kept,
            "content": text,
            "model": model,
            "tokens_before": tokens_before,
            "tokens_after": cut.tokens_after,
        }
        summary, _made = here.update_or_create(
            session_id=run.session_id, sequence=cut.sequence, rounds=cut.rounds, defaults=written
        )
        # The latest records in the part that is no longer sent become level 2.
        records = [each.records for each in messages if each.records and 0 < each.sequence < cut.sequence]
        if records:
            Message.objects.filter(session_id=run.session_id, kind=Message.SYSTEM_PROMPT).update(records=records[-1])
        append(run.stream_id, [NewEvent("session_updated", {"summary": SummaryShape.of(summary).to_json()})], run.epoch)
