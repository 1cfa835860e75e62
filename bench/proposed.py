"""A conversation whose model proposed one batch of actions, waits for a person, and wants to say nothing afterwards."""

import uuid
from typing import Any

from django.db import transaction
from django.utils import timezone

from chat.engine.states import Phase, State, Waiting
from chat.models import Message, Proposal, Run, RunStatus, Session, Stream
from chat.proposals import WriteCall, propose
from graphs.models import Graph
from graphs.objects import actions
from graphs.site.access import Member

_TOOL = "propose_batch"


def renamed(names: dict[str, str]) -> dict[str, Any]:
    """The arguments of a batch that gives nodes new names by key."""
    steps = [
        {"tool": "propose_update_node", "arguments": {"nodeKey": key, "updates": {"name": name}}}
        for key, name in names.items()
    ]
    return {"actions": steps}


def conversation(member: Member, graph: Graph) -> Message:
    """The answer that is about to propose."""
    stream = Stream.objects.create(name=f"session_{uuid.uuid4()}", workspace=member.workspace)
    waits = State(phase=Phase.WAITING_VALIDATION, waiting=Waiting("validation"), rounds_allowed=5)
    session = Session.objects.create(
        workspace=member.workspace, owner=member.user, stream=stream, title="", context_type="graph",
        context_id=graph.key, state=waits.to_json(), phase=waits.phase,
    )  # fmt: skip
    answer = Message.objects.create(session=session, sequence=1, role=Message.Role.ASSISTANT, model="demo")
    now = timezone.now()
    Run.objects.create(
        session=session, message=answer, author=member.user, trigger={"event": "UserMessageSent"}, attempts=1,
        status=RunStatus.SUCCEEDED, outcome="waiting", provider="demo", model="demo", started_at=now, ended_at=now,
    )  # fmt: skip
    return answer


def proposed(member: Member, graph: Graph, answer: Message, arguments: dict[str, Any]) -> Proposal:
    """The engine's part of it: the dry run, the stored proposal, and the notice to the graph's stream."""
    call = WriteCall(str(uuid.uuid4()), _TOOL, actions.parse("batch", arguments), arguments, "")
    with transaction.atomic():
        return propose(member, answer.session, answer, graph, call).proposal


def wait_for(proposal: Proposal) -> None:
    """Its call stands open in the answer."""
    call = {
        "id": proposal.tool_call_id,
        "name": _TOOL,
        "args": {**proposal.arguments, "keepControl": False},
        "result": {"proposalId": str(proposal.pk), "status": "pending"},
        "status": "waiting",
    }
    Message.objects.filter(pk=proposal.message_id).update(rounds=[{"text": "", "toolCalls": [call]}])
