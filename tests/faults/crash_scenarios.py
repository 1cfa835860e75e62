"""What is asked while a process dies, and what must be true afterwards: one function for each scenario of the points.

Each gets to where it matters, arms the order, does what crosses the place, waits for the death, and asks the other
process again, as a client would. It returns the session, which `Stage.all_hangs_together` then looks at, if it is about
one. Those of graphs, of prompts and of workers are in modules of their own.
"""

import uuid
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from urllib.error import HTTPError

from django.contrib.auth.models import User
from websockets.exceptions import ConnectionClosed

from chat.models import Message, Proposal, Run, RunStatus, Session, StreamEvent
from graphs.models import ChangeSet, Graph, Workspace
from tests.faults import crash_at_work, crash_on_graphs, crash_on_prompts
from tests.faults.crash_scripts import LOOK, PROPOSE, SHORT, SLOW, TELL, asked
from tests.faults.crash_stage import NBA, Stage
from tests.flows.listener import Listener
from tests.proposed import waiting
from tests.things import Thing, node_of, product_of
from tests.vendors.scripts import Script


def question(stage: Stage) -> str:
    return stage.posted_once({"context": NBA, "message": asked(LOOK, TELL)})


def propose(stage: Stage) -> str:
    """Everything is proposed, once, or nothing and the person is told to try again."""
    session = stage.posted_once({"context": NBA, "message": asked(PROPOSE, TELL)})
    stage.rests(session)
    run = Run.objects.get(session=session)
    assert run.outcome == "waiting" or run.error["retryable"]
    assert Proposal.objects.filter(session=session).count() == (2 if run.outcome == "waiting" else 0)
    return session


def queue(stage: Stage) -> str:
    """A second message while the first one is answered."""
    session = stage.ask(asked(SHORT))["sessionId"]
    stage.posted_once({"sessionId": session, "message": asked(TELL)})
    stage.rests(session)
    assert Run.objects.filter(session=session).count() == 2
    return session


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
    stage.driving(session)
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
    stage.driving(session)
    stage.arm()
    stage.at_first("DELETE", f"/api/v1/chat/sessions/{session}")
    stage.await_death()
    stage.at_survivor("DELETE", f"/api/v1/chat/sessions/{session}", refusal=404)
    assert Session.objects.get(pk=session).hidden_at is not None
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
    """What could not be applied is asked for again once, however often the person says so."""
    alice, graph = User.objects.get(username="alice"), Graph.objects.get(key="nba")
    (proposal,) = waiting(alice, graph, ("update_node", {"nodeKey": "fetch-api", "updates": {"name": "Mine"}}))
    other = {"nodeKey": "fetch-api", "updates": {"name": f"Theirs {uuid.uuid4()}"}}
    stage.at_first("POST", "/api/v1/graphs/nba/changes", {"actions": [{"action": "update_node", "arguments": other}]})
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
    driving = stage.driving(session)
    stage.site.vendor.wait_for_requests(1)
    stage.arm()
    driving.ask_to_end()
    stage.await_death()
    stage.rests(session)
    assert Message.objects.get(session=session, role=Message.Role.ASSISTANT).content == "The other one answers."
    return session


SCENARIOS: dict[str, Callable[[Stage], str | None]] = {
    scenario.__name__: scenario
    for scenario in (
        question,
        propose,
        propose_again,
        queue,
        poll,
        watch,
        go_on,
        retry,
        stop,
        rename,
        delete,
        decide,
        decide_row,
        start,
        hand_over,
        crash_on_graphs.live_edit,
        crash_on_graphs.take_back,
        crash_on_graphs.leave,
        crash_on_graphs.save_in_time,
        crash_on_graphs.edit_by_hand,
        crash_on_graphs.roll_back,
        crash_on_prompts.summarise,
        crash_on_prompts.keep,
        crash_on_prompts.always,
        crash_on_prompts.deeper,
        crash_on_prompts.paid,
        crash_on_prompts.paid_twice,
        crash_on_prompts.settled,
        crash_at_work.expired,
        crash_at_work.folded,
        crash_at_work.forgotten,
        crash_at_work.tidied,
        crash_at_work.embedded,
    )
}
