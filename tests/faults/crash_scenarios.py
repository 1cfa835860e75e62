"""What is asked while a process dies, and what must be true afterwards: one function for each scenario of the points.

Each gets to where it matters, arms the order, does what crosses the place, waits for the death, and asks the other
process again, as a client would. It returns the session, which `Stage.all_hangs_together` then looks at, if it is about
one. Those of proposals, of changes by hand, of graphs, of prompts and of workers are in modules of their own.
"""

import uuid
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from websockets.exceptions import ConnectionClosed

from chat.models import Message, Run, RunStatus, Session
from graphs.models import Workspace
from tests.faults import (
    crash_at_work,
    crash_by_hand,
    crash_on_generations,
    crash_on_graphs,
    crash_on_prompts,
    crash_on_proposals,
)
from tests.faults.crash_scripts import LOOK, SHORT, SLOW, TELL, asked
from tests.faults.crash_stage import NBA, Stage
from tests.flows.listener import Listener
from tests.things import product_of
from tests.vendors.scripts import Script


def question(stage: Stage) -> str:
    return stage.posted_once({"context": NBA, "message": asked(LOOK, TELL)})


def question_row(stage: Stage) -> str:
    row = product_of(Workspace.objects.get()).item
    look = {"text": "I look.", "tool_calls": [{"name": "read_object", "arguments": {"object": str(row)}}]}
    return stage.posted_once({"context": row.to_json(), "message": asked(look, TELL)})


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


def stop_run(stage: Stage) -> str:
    answered = stage.ask(asked(SLOW))
    session, entry = answered["sessionId"], f"/api/v1/queue/answer:{answered['runId']}/cancel"
    stage.driving(session)
    stage.arm()
    stage.at_first("POST", entry, {})
    stage.await_death()
    stage.at_survivor("POST", entry, {})
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
        question_row,
        queue,
        poll,
        watch,
        go_on,
        retry,
        stop,
        stop_run,
        rename,
        delete,
        start,
        hand_over,
        crash_on_graphs.live_edit,
        crash_on_graphs.take_back,
        crash_on_graphs.leave,
        crash_on_graphs.save_in_time,
        crash_by_hand.edit_node,
        crash_by_hand.edit_row,
        crash_by_hand.roll_back_node,
        crash_by_hand.roll_back_row,
        crash_on_proposals.propose,
        crash_on_proposals.propose_row,
        crash_on_proposals.propose_again,
        crash_on_proposals.propose_again_row,
        crash_on_proposals.decide,
        crash_on_proposals.decide_row,
        crash_on_generations.generate,
        crash_on_prompts.summarise,
        crash_on_prompts.keep,
        crash_on_prompts.always,
        crash_on_prompts.always_row,
        crash_on_prompts.deeper,
        crash_on_prompts.paid,
        crash_on_prompts.paid_twice,
        crash_on_prompts.settled,
        crash_at_work.expired,
        crash_at_work.folded,
        crash_at_work.forgotten,
        crash_at_work.tidied,
        crash_at_work.embedded,
        crash_at_work.embedded_row,
    )
}
