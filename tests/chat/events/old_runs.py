"""Runs that ended long ago, as the engine left them."""

import random
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now

from chat.events.append import append
from chat.events.vocabulary import NewEvent
from chat.models import Message, Run, RunStatus, Session, StreamEvent
from tests.rewriting import past_triggers

WORDS = ("It ", "", "fetches ", "“日本語” ", "🏀", "e\u0301", "\n\n", '"\\', "a" * 40, "\u202e")


def a_run(session: Session, days_ago: float = 31, seed: int = 1, words: Sequence[str] = WORDS) -> Run:
    """A run of the session that ended so long ago, its deltas at irregular times."""
    position = session.messages.count() + 1
    Message.objects.create(session=session, sequence=position, role="user", content="And?")
    reply = Message.objects.create(session=session, sequence=position + 1, role="assistant")
    run = Run.objects.create(
        session=session, message=reply, author=session.owner, trigger={"event": "UserMessageSent"},
        status=RunStatus.SUCCEEDED, outcome="finished",
    )  # fmt: skip
    asked = session.messages.get(sequence=position)
    told = [NewEvent("user_message", {"content": "And?"}, asked.pk, run.pk), event(run, "status", state="started")]
    told += deltas(run, words)
    content, reasoning = text(told, "content_delta"), text(told, "reasoning_delta")
    told.append(event(run, "done", reason="finished", fullText=content))
    with transaction.atomic():
        last = append(session.stream_id, told)
    Message.objects.filter(pk=reply.pk).update(content=content, reasoning=reasoning)
    spread(session.stream_id, last - len(told), seed)
    Run.objects.filter(pk=run.pk).update(
        first_sequence=last - len(told) + 2, last_sequence=last, ended_at=Now() - timedelta(days=days_ago)
    )
    run.refresh_from_db()
    return run


def event(run: Run, type_: Any, **data: Any) -> NewEvent:
    return NewEvent(type_, data, run.message_id, run.pk)


def text(events: list[NewEvent], type_: str) -> str:
    return "".join(each.data["delta"] for each in events if each.type == type_)


def deltas(run: Run, words: Sequence[str]) -> list[NewEvent]:
    """Reasoning, text, something between, a delta alone, and text again."""
    return [
        *(event(run, "reasoning_delta", delta=word) for word in words),
        *(event(run, "content_delta", delta=word) for word in words),
        event(run, "usage", promptTokens=1, completionTokens=1, cachedTokens=0, cost=None),
        event(run, "content_delta", delta="alone"),
        event(run, "status", state="running"),
        *(event(run, "content_delta", delta=word) for word in words[::-1]),
        event(run, "status", state="succeeded"),
    ]


def spread(stream_id: int, after: int, seed: int) -> None:
    """Gives events times of their own, to the microsecond, some equal and one before its neighbour."""
    chance = random.Random(seed)
    at = 0
    with past_triggers():
        for found in StreamEvent.objects.filter(stream=stream_id, sequence__gt=after).order_by("sequence"):
            at += chance.choice([0, 1, 999_999, 1_000_000, chance.randrange(50_000), -3])
            StreamEvent.objects.filter(pk=found.pk).update(created_at=F("created_at") + timedelta(microseconds=at))
