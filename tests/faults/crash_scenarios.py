"""What is asked while a process dies, and what must be true afterwards: one function for each scenario of the points.

Each gets to where it matters, arms the order, does what crosses the place, waits for the death, and asks the other
process again, as a client would. It returns the session, which `Stage.all_hangs_together` then looks at.
"""

import json
import uuid
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from django.contrib.auth.models import User
from websockets.exceptions import ConnectionClosed

from chat.models import (
    Budget,
    BudgetPeriod,
    BudgetUnit,
    Message,
    ModelCall,
    Process,
    Proposal,
    Reservation,
    Run,
    RunStatus,
    Session,
    StreamEvent,
)
from graphs.models import ChangeSet, Graph, Node, Workspace
from tests.chat.engine.driving import until
from tests.faults.crash_stage import MESSAGES, NBA, TAKEN_OVER_WITHIN_S, Stage
from tests.flows.listener import Listener
from tests.proposed import waiting
from tests.vendors.scripts import Script

LOOK = {"text": "I look.", "tool_calls": [{"name": "search_nodes", "arguments": {"query": "fetch"}}]}
PROPOSE = {
    "text": "I change two things.",
    "tool_calls": [
        {
            "name": "propose_update_node",
            "arguments": {"nodeKey": "fetch-api", "updates": {"name": "Fetch"}, "reason": "Short."},
        },
        {"name": "propose_move_node", "arguments": {"nodeKey": "return", "posX": 600, "posY": 0, "reason": "Room."}},
    ],
}
TELL = {"text": "It fetches the games and gives them back to you.", "delay_s": 0.02}
SHORT = {"text": "It fetches the games.", "delay_s": 0.4}
SLOW = {"text": " ".join(["word"] * 200), "delay_s": 0.1}


def asked(*scripts: dict[str, Any]) -> str:
    """A question of its own that the scripted vendor answers so."""
    return f"SCRIPT={json.dumps(scripts)} {uuid.uuid4()}"


def question(stage: Stage) -> str:
    return _posted_once(stage, {"context": NBA, "message": asked(LOOK, TELL)})


def propose(stage: Stage) -> str:
    """Everything is proposed, once, or nothing and the person is told to try again."""
    session = _posted_once(stage, {"context": NBA, "message": asked(PROPOSE, TELL)})
    stage.rests(session)
    run = Run.objects.get(session=session)
    assert run.outcome == "waiting" or run.error["retryable"]
    assert Proposal.objects.filter(session=session).count() == (2 if run.outcome == "waiting" else 0)
    return session


def paid(stage: Stage) -> str:
    """Whatever dies, nothing stays set aside, and the budget has spent what the calls that are recorded took."""
    workspace = Graph.objects.get(key="nba").workspace
    Budget.objects.all().delete()
    budget = Budget.objects.create(workspace=workspace, unit=BudgetUnit.TOKENS, period=BudgetPeriod.DAY, limit=10**7)
    before = _tokens(workspace)
    session = _posted_once(stage, {"context": NBA, "message": asked(TELL)})
    stage.rests(session)
    until(lambda: not Reservation.objects.exists(), TAKEN_OVER_WITHIN_S)
    (use,) = budget.uses.all()
    assert (use.reserved, use.used) == (0, _tokens(workspace))
    assert use.used > before
    budget.delete()
    return session


def _tokens(workspace: Workspace) -> int:
    calls = ModelCall.objects.filter(workspace=workspace).exclude(provider="local")
    return sum(call.prompt_tokens + call.completion_tokens for call in calls)


def queue(stage: Stage) -> str:
    """A second message while the first one is answered."""
    session = stage.ask(asked(SHORT))["sessionId"]
    _posted_once(stage, {"sessionId": session, "message": asked(TELL)})
    stage.rests(session)
    assert Run.objects.filter(session=session).count() == 2
    return session


def _posted_once(stage: Stage, body: dict[str, Any]) -> str:
    """The message is there once, and both answers about it are the same."""
    key = str(uuid.uuid4())
    stage.arm()
    told = stage.at_first("POST", MESSAGES, body, key)
    stage.await_death()
    answer = stage.at_survivor("POST", MESSAGES, body, key)
    assert told in (None, answer)
    assert str(Message.objects.get(role=Message.Role.USER, content=body["message"]).pk) == answer["userMessageId"]
    return str(answer["sessionId"])


def poll(stage: Stage) -> str:
    """A client that polls while it is written."""
    session = stage.ask(asked(TELL))["sessionId"]
    stage.arm()
    stage.at_first("GET", f"/api/v1/chat/sessions/{session}/stream-events?after=0")
    stage.await_death()
    assert stage.at_survivor("GET", f"/api/v1/chat/sessions/{session}/stream-events?after=0")["events"]
    return session


def watch(stage: Stage) -> str:
    """A reader loses its socket and goes on at the other process."""
    session = stage.ask(asked(SLOW))["sessionId"]
    reader = Listener(stage.first)
    reader.follow(session)
    reader.until(lambda frame: reader.text)
    stage.arm()
    with suppress(ConnectionClosed):
        reader.to_the_end()
    stage.await_death()
    stage.at_survivor("POST", f"/api/v1/chat/sessions/{session}/stop", {})
    return session


def go_on(stage: Stage) -> str:
    """The tool limit is answered once, whatever the client heard of it."""
    session = stage.ask("SCRIPT:endless_tools")["sessionId"]
    stage.rests(session)
    assert Run.objects.get(session=session).outcome == "toolLimit"
    return _continued(stage, session, "resume", {"continue": True})


def retry(stage: Stage) -> str:
    session = stage.ask("SCRIPT:cut")["sessionId"]
    stage.rests(session)
    assert Run.objects.get(session=session).status == RunStatus.FAILED
    return _continued(stage, session, "retry", {})


def _continued(stage: Stage, session: str, how: str, body: dict[str, Any]) -> str:
    """One more run, not two. A client that heard nothing asks again and may be told that it runs already."""
    path = f"/api/v1/chat/sessions/{session}/{how}"
    stage.arm()
    told = stage.at_first("POST", path, body)
    stage.await_death()
    if told is None:
        stage.at_survivor("POST", path, body, refusal=409)
    assert Run.objects.filter(session=session).count() == 2
    return session


def stop(stage: Stage) -> str:
    session = stage.ask(asked(SLOW))["sessionId"]
    _runs(session)
    stage.arm()
    stage.at_first("POST", f"/api/v1/chat/sessions/{session}/stop", {})
    stage.await_death()
    stage.at_survivor("POST", f"/api/v1/chat/sessions/{session}/stop", {})
    stage.rests(session)
    assert Run.objects.get(session=session).status == RunStatus.CANCELLED
    return session


def rename(stage: Stage) -> str:
    session = stage.ask(asked(TELL))["sessionId"]
    path, title = f"/api/v1/chat/sessions/{session}", {"title": f"About {uuid.uuid4()}"}
    stage.arm()
    stage.at_first("PATCH", path, title)
    stage.await_death()
    assert stage.at_survivor("PATCH", path, title)["title"] == title["title"]
    return session


def delete(stage: Stage) -> str:
    session = stage.ask(asked(SLOW))["sessionId"]
    _runs(session)
    stage.arm()
    stage.at_first("DELETE", f"/api/v1/chat/sessions/{session}")
    stage.await_death()
    stage.at_survivor("DELETE", f"/api/v1/chat/sessions/{session}", refusal=404)
    assert Session.objects.get(pk=session).hidden_at is not None
    return session


def decide(stage: Stage) -> str:
    """Approved once, whatever the client heard of it; who asks again is told who was first."""
    alice, graph = User.objects.get(username="alice"), Graph.objects.get(key="nba")
    new = {"nodeKey": "fetch-api", "updates": {"name": f"Fetch {uuid.uuid4()}"}}
    (proposal,) = waiting(alice, graph, ("update_node", new))
    path = f"/api/v1/proposals/{proposal.pk}/decide"
    stage.arm()
    told = stage.at_first("POST", path, {"approved": True})
    stage.await_death()
    if told is None:
        stage.at_survivor("POST", path, {"approved": True}, refusal=409)
    assert Node.objects.get(key="fetch-api").name == new["updates"]["name"]
    assert ChangeSet.objects.filter(cause=f"proposal:{proposal.pk}").count() == 1
    assert StreamEvent.objects.filter(data__proposalId=str(proposal.pk), type="decision").count() == 3
    return str(proposal.session_id)


def start(stage: Stage) -> str:
    """A process dies before it serves; the others do not notice."""
    session = stage.ask(asked(TELL))["sessionId"]
    stage.arm()
    stage.site.begin()
    stage.await_death()
    return session


def hand_over(stage: Stage) -> str:
    """A process that ends in peace, but not to the end: nothing was shown yet, so the other one answers."""
    stage.site.vendor.script(Script(first_delay_s=300), Script(text="The other one answers."))
    session = stage.ask("Who answers?")["sessionId"]
    driving = _runs(session)
    stage.site.vendor.wait_for_requests(1)
    stage.arm()
    next(each for each in stage.site.processes if driving.endswith(f":{each.process.pid}")).ask_to_end()
    stage.await_death()
    stage.rests(session)
    assert Message.objects.get(session=session, role=Message.Role.ASSISTANT).content == "The other one answers."
    return session


def _runs(session: str) -> str:
    """Waits until a process drives it: its label."""
    until(lambda: Run.objects.filter(session=session, status=RunStatus.RUNNING).exists())
    return Process.objects.get(pk=Run.objects.get(session=session).process).label


SCENARIOS: dict[str, Callable[[Stage], str]] = {
    scenario.__name__: scenario
    for scenario in (
        question,
        propose,
        paid,
        queue,
        poll,
        watch,
        go_on,
        retry,
        stop,
        rename,
        delete,
        decide,
        start,
        hand_over,
    )
}
