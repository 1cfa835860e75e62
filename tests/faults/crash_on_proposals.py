"""Crash scenarios of what a model proposes and a person decides, of a node and of a row of an application."""

import uuid
from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from urllib.error import HTTPError

from django.contrib.auth.models import User

from chat.models import Message, Proposal, Run, StreamEvent
from graphs.models import ChangeSet, Graph, Workspace
from tests.faults.crash_by_hand import changes_of, renamed
from tests.faults.crash_scripts import PROPOSE, TELL, asked
from tests.faults.crash_stage import NBA, Stage
from tests.things import Thing, node_of, product_of


def propose(stage: Stage) -> str:
    return _proposed(stage, NBA, PROPOSE)


def propose_row(stage: Stage) -> str:
    row = product_of(Workspace.objects.get())
    calls = (row.rename_call(), row.update_call(notes="Shorter"))
    tools = [{"name": f"propose_{name}", "arguments": {**given, "reason": "Short."}} for name, given in calls]
    return _proposed(stage, row.item.to_json(), {"text": "I change two things.", "tool_calls": tools})


def _proposed(stage: Stage, about: Mapping[str, str], two: dict[str, Any]) -> str:
    """Everything is proposed, once, or nothing and the person is told to try again."""
    session = stage.posted_once({"context": about, "message": asked(two, TELL)})
    stage.rests(session)
    run = Run.objects.get(session=session)
    assert run.outcome == "waiting" or run.error["retryable"]
    assert Proposal.objects.filter(session=session).count() == (2 if run.outcome == "waiting" else 0)
    return session


def decide(stage: Stage) -> str:
    return _decided(stage, node_of(Graph.objects.get(key="nba")))


def decide_row(stage: Stage) -> str:
    """Of an application, with a header of ours beside it."""
    return _decided(stage, product_of(Workspace.objects.get()))


def _decided(stage: Stage, thing: Thing) -> str:
    """Approved once, whatever the client heard of it; who asks again is told who was first."""
    new = f"Fetch {uuid.uuid4()}"
    (proposal,) = thing.proposed(User.objects.get(username="alice"), thing.rename_call(new))
    path = f"/api/v1/proposals/{proposal.pk}/decide"
    stage.arm()
    told = stage.at_first("POST", path, {"approved": True})
    stage.await_death()
    if told is None:
        stage.at_survivor("POST", path, {"approved": True}, refusal=409)
    assert thing.called == new
    assert ChangeSet.objects.filter(cause=f"proposal:{proposal.pk}").count() == 1
    assert StreamEvent.objects.filter(data__proposalId=str(proposal.pk), type="decision").count() == 3
    return str(proposal.session_id)


def propose_again(stage: Stage) -> str:
    return _proposed_again(stage, node_of(Graph.objects.get(key="nba")))


def propose_again_row(stage: Stage) -> str:
    return _proposed_again(stage, product_of(Workspace.objects.get()))


def _proposed_again(stage: Stage, thing: Thing) -> str:
    """What could not be applied is asked for again once, however often the person says so."""
    (proposal,) = thing.proposed(User.objects.get(username="alice"), thing.rename_call("Mine"))
    stage.at_first("POST", changes_of(thing), renamed(thing, f"Theirs {uuid.uuid4()}"))
    with suppress(HTTPError):
        stage.at_first("POST", f"/api/v1/proposals/{proposal.pk}/decide", {"approved": True})
    path = f"/api/v1/proposals/{proposal.pk}/propose-again"
    stage.arm()
    told = stage.at_first("POST", path, {})
    stage.await_death()
    answer = stage.at_survivor("POST", path, {})
    assert told in (None, answer)
    assert Message.objects.filter(session=proposal.session_id, role=Message.Role.USER, kind=Message.TEXT).count() == 2
    return str(proposal.session_id)
