"""A conversation as the engine would have left it, without an engine."""

import uuid
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from chat.events.append import append
from chat.events.vocabulary import NewEvent
from chat.models import Call, Message, Process, Round, Run, RunStatus, Session, Stream
from chat.providers.model_request import ModelRequest, PromptMessage, ToolSpec
from chat.providers.pieces import Usage
from chat.providers.provider import ProviderConfig
from chat.sent_requests.keeping import KeptRequest
from chat.spending.calls import CallCost
from chat.spending.settling import record_costs_now
from graphs.models import Workspace
from graphs.site.accounts import Account

DEMO = ProviderConfig("demo", "demo", "", "demo", 100, None)
TOOL = ToolSpec("search_nodes", "Finds nodes.", {"type": "object"})
CALL = Call("c1", "search_nodes", {"query": "api"}, {"found": ["fetch-api"]}, "ok", '{"query": "api"}')
ROUNDS = [
    Round("", "I look it up.", (CALL,), vendor="demo"),
    Round("It is **fetch-api**.", vendor="demo"),
]


@dataclass(frozen=True)
class Talk:
    session: Session
    run: Run


def talk(owner: User, workspace: Workspace, title: str = "Where is the API?", **answer: Any) -> Talk:
    """A question and its answer, with events 1 to 8."""
    id_ = uuid.uuid4()
    stream = Stream.objects.create(name=f"session_{id_}", workspace=workspace)
    session = Session.objects.create(
        id=id_, workspace=workspace, owner=owner, stream=stream, title=title, context_type="graph", context_id="nba",
        usage={"promptTokens": 1200, "completionTokens": 34, "cachedTokens": 0, "cost": 0.0123},
    )  # fmt: skip
    return Talk(session, turn(session, title, **answer))


def turn(session: Session, question: str, **answer: Any) -> Run:
    """One more question and answer."""
    position = session.messages.count() + 1
    asked = Message.objects.create(session=session, sequence=position, role="user", content=question)
    values = {"role": "assistant", "content": "It is **fetch-api**.", "model": "demo", "rounds": ROUNDS, **answer}
    reply = Message.objects.create(session=session, sequence=position + 1, **values)
    process = Process.objects.create(label="host:42")
    now = timezone.now()
    run = Run.objects.create(
        session=session, message=reply, author=session.owner, trigger={"event": "UserMessageSent"},
        status=RunStatus.SUCCEEDED, outcome="finished", process=process.pk, provider="demo", model="demo",
        started_at=now, ended_at=now + timedelta(seconds=2), attempts=1,
    )  # fmt: skip
    sent = KeptRequest(DEMO, ModelRequest((PromptMessage("user", question),), (TOOL,), "demo", 100), 0)
    called(session, run, sent, Usage(600, 17), Decimal("0.5"))
    _tell(session, run, asked.pk)
    return run


def called(session: Session, run: Run, sent: KeptRequest, usage: Usage, cost: Decimal | None = None) -> None:
    """Records a call with what was sent; the conversation's figures stay as they are."""
    account = Account(session.workspace_id, session.owner_id, session.pk, run.pk, object="graph:nba")
    record_costs_now(account, [CallCost("demo", "demo", usage, cost, 250, "complete", sent=sent)])
    Session.objects.filter(pk=session.pk).update(usage=session.usage)


def _tell(session: Session, run: Run, asked: uuid.UUID) -> None:
    def event(type_: Any, data: dict[str, Any]) -> NewEvent:
        return NewEvent(type_, data, run.message_id, run.pk)

    with transaction.atomic():
        told = [NewEvent("user_message", {"content": "Where is the API?"}, asked, run.pk)]
        told += [event("status", {"state": state}) for state in ("queued", "started")]
        told.append(event("tool_call_start", {"toolCallId": "c1", "name": "search_nodes", "args": {"query": "api"}}))
        told.append(event("tool_call_result", {"toolCallId": "c1", "result": {"found": ["fetch-api"]}}))
        told += [event("content_delta", {"delta": delta}) for delta in ("It is ", "<b>fetch-api</b>.")]
        last = append(session.stream_id, [*told, event("done", {"reason": "finished", "fullText": "…"})])
    run.first_sequence, run.last_sequence = last - 5, last
    run.save()
