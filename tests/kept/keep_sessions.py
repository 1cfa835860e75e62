"""Keeps the sessions of today, when the shape of what is stored changes:

.venv/bin/python -m pytest -n 0 tests/kept/keep_sessions.py

It writes the next `tests/fixtures/sessions_v<n>.json`. Do so before the change, so that it is of the old shape.
"""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db.models.functions import Now

from chat.actions import conversations, deciding
from chat.actions.deciding import Decision
from chat.engine.states import Phase, State, Waiting
from chat.events import compaction
from chat.models import Message, Proposal, Run, Session, SessionType, Stream, StreamEvent
from graphs.models import Graph
from graphs.site.access import member_of
from tests.chat.engine.driving import Engine, ask, rested, until
from tests.kept import storing
from tests.vendors import Script, ScriptedCall, VendorServer

pytestmark = pytest.mark.django_db(transaction=True)

MODELS = ("custom", "openai-reasoning", "anthropic-thinking")
SEARCH = ScriptedCall("search_nodes", {"query": "fetch"}, id="call_a")
DETAIL = ScriptedCall("read_node_detail", {"nodeKey": "fetch-api"}, id="call_b")
RENAME = ScriptedCall("propose_update_node", {"nodeKey": "fetch-api", "updates": {"name": "Fetch"}, "reason": "Short."})
MOVE = ScriptedCall("propose_move_node", {"nodeKey": "return", "posX": 500, "posY": 40, "reason": "Tidy."})
LABEL = ScriptedCall("propose_update_node", {"nodeKey": "return", "updates": {"name": "Result"}, "reason": "Clear."})
WORDS = "It fetches the games — 日本語 🏀 — of **today**, and hands them on to `return`. "


def answered(model: str, vendor: VendorServer, alice: User, text: str = "What does it do?") -> Run:
    """Reasoning, two tools side by side, and an answer."""
    vendor.script(
        Script(reasoning="Let me look at the nodes.", text="I look.", tool_calls=(SEARCH, DETAIL)),
        Script(reasoning="Now I know.", text=WORDS * 2, delay_s=0.01),
    )
    return rested(ask(alice, text, model=model).run_id)


def talks_at_rest(vendor: VendorServer, alice: User) -> dict[str, Run]:
    found = {f"answered by {model}": answered(model, vendor, alice) for model in MODELS}
    for model in MODELS:
        old = found[f"folded, by {model}"] = answered(model, vendor, alice)
        Run.objects.filter(pk=old.pk).update(ended_at=Now() - timedelta(days=40))
    assert sum(step.rows for step in compaction.steps(30)) > 60
    vendor.script(*[Script(tool_calls=(SEARCH,))] * 5)
    found["at the tool limit"] = rested(ask(alice, "Look everywhere.", model="custom").run_id)
    vendor.script(Script(text=WORDS, cut="clean", cut_at=8))
    found["failed with Retry"] = rested(ask(alice, "What breaks?", model="anthropic-thinking").run_id)
    vendor.script(Script(status=401, error="Incorrect API key"))
    found["failed for good"] = rested(ask(alice, "Who are you?", model="custom").run_id)
    vendor.script(Script(text=WORDS * 20, delay_s=0.05))
    stopped = ask(alice, "Tell me everything.", model="openai-reasoning")
    until(lambda: shown(stopped.run_id) >= 3)
    conversations.stop(member_of(alice), str(stopped.session_id))
    found["stopped"] = rested(stopped.run_id)
    return found


def talks_under_way(vendor: VendorServer, alice: User) -> dict[str, Any]:
    """Their process is dead in whatever reads this: they are claimed by the next one."""
    vendor.script(Script(text=WORDS * 50, delay_s=0.05))
    answering = ask(alice, "Tell me more.", model="custom")
    until(lambda: shown(answering.run_id) >= 3)
    ask(alice, "And quickly.", session_id=str(answering.session_id))
    vendor.script(Script(text="I look.", tool_calls=(SEARCH,)), Script(stall_at=0))
    between = ask(alice, "Where is it?", model="anthropic-thinking")
    until(lambda: Message.objects.get(pk=between.message_id).rounds)
    return {"half answered, with a question behind": answering, "between two rounds": between}


def talks_that_propose(vendor: VendorServer, alice: User) -> dict[str, Run]:
    """What is not decided yet can be, in whatever reads this."""
    vendor.script(Script(text="I propose two things.", tool_calls=(RENAME, MOVE)))
    waiting = rested(ask(alice, "Improve it.", model="custom").run_id)
    moved = Proposal.objects.get(message=waiting.message_id, tool="propose_move_node")
    deciding.decide(member_of(alice), str(moved.pk), Decision(False, "Leave it where it is."))
    vendor.script(Script(text="I propose a name.", tool_calls=(LABEL,)), Script(text="I wait."))
    meanwhile = rested(ask(alice, "Name the last one.", model="custom").run_id)
    rested(ask(alice, "I think about it.", session_id=str(meanwhile.session_id)).run_id)
    Proposal.objects.update(expires_at=Now() + timedelta(days=36_500))
    return {"waits for a decision": waiting, "wrote before the decision": meanwhile}


def shown(run_id: object) -> int:
    return StreamEvent.objects.filter(run_id=run_id, type="content_delta").count()


def every_phase(alice: User) -> dict[str, Session]:
    """Phases that no chat comes to rest in are stored as the engine would."""
    found = {}
    for kind in SessionType:
        for phase in Phase:
            name = f"{kind} in {phase}"
            waiting = Waiting("question", "q1") if phase.startswith("WAITING") else None
            state = State(phase, kind, 3, 2, 5, "the same again", 2, waiting)
            stream = Stream.objects.create(name=f"session_of_{name}", workspace=member_of(alice).workspace)
            found[name] = Session.objects.create(
                workspace=stream.workspace, owner=alice, stream=stream, title=name, state=state.to_json(), phase=phase
            )
    return found


@pytest.mark.timeout(300)
def test_keep(running: Engine, vendor: VendorServer, alice: User, nba: Graph) -> None:
    names = {name: str(run.session_id) for name, run in talks_at_rest(vendor, alice).items()}
    names |= {name: str(run.session_id) for name, run in talks_that_propose(vendor, alice).items()}
    names |= {name: str(session.pk) for name, session in every_phase(alice).items()}
    names |= {name: str(accepted.session_id) for name, accepted in talks_under_way(vendor, alice).items()}
    storing.keep(storing.FOLDER / f"sessions_v{len(storing.kept()) + 1}.json", names)
