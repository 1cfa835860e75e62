"""Conversations whose model proposed something and waits for a person, as the engine leaves them, without an engine."""

import json
import uuid
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from chat import models
from chat.engine.states import Phase, State, Waiting
from chat.events.append import append
from chat.events.vocabulary import EventType, NewEvent
from chat.models import Message, Proposal, Run, RunStatus, Session, Stream
from chat.proposals import Proposed, WriteCall, hold_all, propose, propose_fetch
from graphs.models import Object
from graphs.objects import actions
from graphs.site.access import member_of

Call = tuple[str, dict[str, Any]]
RENAME: Call = ("update_node", {"nodeKey": "fetch-api", "updates": {"name": "Fetch"}})
MOVE: Call = ("move_node", {"nodeKey": "return", "posX": 500.0, "posY": 40.0})
DELETE: Call = ("delete_node", {"nodeKey": "fetch-api"})
SAID = "I propose this."


def waiting(
    owner: User, about: Object, *calls: Call, session: Session | None = None, reason: str = "Better."
) -> list[Proposal]:
    """One turn that proposed all of these (action, arguments); in a new conversation where none is given."""
    with transaction.atomic():
        session = session or _session(owner, about)
        run = _turn(session)
        writes = [
            WriteCall(f"w-{uuid.uuid4()}", f"propose_{name}", actions.parse(name, arguments), arguments, reason)
            for name, arguments in calls
        ]
        member = member_of(owner, about.workspace.slug)
        hold_all(member, about, [write.action for write in writes])
        return _left(session, run, [propose(member, session, run.message, about, write) for write in writes])


def waiting_to_read(owner: User, about: Object, url: str) -> Proposal:
    """A turn of a conversation that has read from the web, whose model wants to read an address that nobody named."""
    with transaction.atomic():
        session = _session(owner, about)
        session.untrusted_since, session.untrusted_source = timezone.now(), "web:example.org"
        session.save()
        run = _turn(session)
        member = member_of(owner, about.workspace.slug)
        proposed = propose_fetch(member, session, run.message, f"w-{uuid.uuid4()}", "web_extract", url)
        return _left(session, run, [proposed])[0]


def _left(session: Session, run: Run, proposed: list[Proposed]) -> list[Proposal]:
    """The proposals of a turn that rests with them."""
    proposals = [each.proposal for each in proposed]
    _rest(session, run, [_open_call(proposal) for proposal in proposals])
    _tell(run, proposals, [event for each in proposed for event in each.events])
    return proposals


def _session(owner: User, about: Object) -> Session:
    id_ = uuid.uuid4()
    stream = Stream.objects.create(name=f"session_{id_}", workspace=about.workspace)
    return Session.objects.create(
        id=id_, workspace=about.workspace, owner=owner, stream=stream, title="Improve it", context_type=about.type,
        context_id=about.key,
    )  # fmt: skip


def _turn(session: Session) -> Run:
    """A question and the answer that will propose."""
    position = session.messages.count() + 1
    Message.objects.create(session=session, sequence=position, role=Message.Role.USER, content="Improve it")
    reply = Message.objects.create(
        session=session, sequence=position + 1, role=Message.Role.ASSISTANT, content=SAID, model="demo"
    )
    now = timezone.now()
    return Run.objects.create(
        session=session, message=reply, author=session.owner, trigger={"event": "UserMessageSent"}, attempts=1,
        status=RunStatus.SUCCEEDED, outcome="waiting", provider="demo", model="demo", started_at=now, ended_at=now,
    )  # fmt: skip


def _open_call(proposal: Proposal) -> models.Call:
    arguments = {**proposal.arguments, "reason": proposal.reason}
    pending = {"proposalId": str(proposal.pk), "status": "pending"}
    written = json.dumps(arguments)
    return models.Call(proposal.tool_call_id, proposal.tool, arguments, pending, models.WAITING, written)


def _rest(session: Session, run: Run, calls: list[models.Call]) -> None:
    round_ = models.Round(SAID, calls=tuple(calls), vendor="demo")
    Message.objects.filter(pk=run.message_id).update(rounds=[round_])
    state = State(phase=Phase.WAITING_VALIDATION, waiting=Waiting("validation"), rounds_allowed=5)
    Session.objects.filter(pk=session.pk).update(state=state.to_json(), phase=state.phase)


def _tell(run: Run, proposals: list[Proposal], proposed: list[NewEvent]) -> None:
    """The log of such a turn, from the question to its rest."""

    def event(type_: EventType, data: dict[str, Any]) -> NewEvent:
        return NewEvent(type_, data, run.message_id, run.pk)

    question = Message.objects.get(session=run.session, sequence=run.message.sequence - 1)
    told = [NewEvent("user_message", {"content": question.content}, question.pk, run.pk)]
    told += [event("status", {"state": state}) for state in ("queued", "started")]
    told.append(event("content_delta", {"delta": SAID}))
    for proposal in proposals:
        call = _open_call(proposal)
        told.append(event("tool_call_start", {"toolCallId": call.id, "name": call.name, "args": call.args}))
    told += [NewEvent(each.type, each.data, run.message_id, run.pk) for each in proposed]
    told += [event("status", {"state": "waiting"}), event("done", {"reason": "waiting", "fullText": SAID})]
    last = append(run.session.stream_id, told)
    Run.objects.filter(pk=run.pk).update(first_sequence=last - len(told) + 3, last_sequence=last)
