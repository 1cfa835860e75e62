"""A model that proposes: its run rests until people decide, and goes on by itself with what they decided."""

import asyncio
import threading
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError

from chat.actions import conversations, deciding
from chat.actions.deciding import Decided, Decision
from chat.engine.acting import ProposalRound
from chat.models import Allowance, AlwaysSend, Message, Proposal, ProposalStatus, Run, RunStatus, Session
from graphs.history.outside import catch_up
from graphs.models import Graph, Membership, Modification, Node, Origin, Role
from graphs.objects.headers import object_for
from graphs.objects.refs import Ref
from graphs.site.access import member_of
from rag.texts.tables import decode
from tests import checker
from tests.chat.engine.driving import Engine, answer_of, ask, events, of_run, rested, types, until
from tests.registered import pin, pins
from tests.things import Thing
from tests.vendors import Script, ScriptedCall, VendorServer

pytestmark = pytest.mark.django_db(transaction=True)


def renames(name: str = "Fetch", call_id: str = "call_r", **more: Any) -> ScriptedCall:
    arguments = {"nodeKey": "fetch-api", "updates": {"name": name}, "reason": "Shorter.", **more}
    return ScriptedCall("propose_update_node", arguments, id=call_id)


def moves(call_id: str = "call_m", **more: Any) -> ScriptedCall:
    arguments = {"nodeKey": "return", "posX": 640, "posY": 20, "reason": "Room.", **more}
    return ScriptedCall("propose_move_node", arguments, id=call_id)


def renames_it(thing: Thing, new: str = "Fetch", **more: Any) -> ScriptedCall:
    """As `renames`, of a thing of any kind."""
    name, arguments = thing.rename_call(new)
    return ScriptedCall(f"propose_{name}", {**arguments, "reason": "Shorter.", **more}, id="call_r")


def ask_about(thing: Thing, user: User, text: str) -> conversations.Accepted:
    return ask(user, text, context=Ref(thing.around.type, thing.around.key))


def searches(thing: Thing) -> ScriptedCall:
    name = "search_nodes" if thing.item.type == "node" else "search_objects"
    return ScriptedCall(name, {"query": "fetch"}, id="call_s")


def waiting(accepted: conversations.Accepted) -> list[Proposal]:
    """The run's proposals, once it rests because of them."""
    assert rested(accepted.run_id).outcome == "waiting"
    return list(Proposal.objects.filter(message=accepted.message_id).order_by("created_at", "id"))


def decide(user: User, proposal: Proposal, approved: bool = True, feedback: str = "") -> Decided:
    return deciding.decide(member_of(user), str(proposal.pk), Decision(approved, feedback))


def goes_on(decided: Decided) -> Run:
    assert decided.run is not None
    return rested(decided.run.run_id)


def sent(vendor: VendorServer) -> list[list[dict[str, Any]]]:
    return [request.body["messages"] for request in vendor.requests]


def results(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [decode(entry["content"]) for entry in messages if entry["role"] == "tool"]


def phase(accepted: conversations.Accepted) -> str:
    return Session.objects.values_list("phase", flat=True).get(pk=accepted.session_id)


def name_of_node() -> str:
    return Node.objects.values_list("name", flat=True).get(key="fetch-api")


def test_it_proposes_and_rests(running: Engine, vendor: VendorServer, alice: User, thing: Thing) -> None:
    vendor.script(Script(text="I rename it.", tool_calls=(searches(thing), renames_it(thing))))
    accepted = ask_about(thing, alice, "Rename it")
    (proposal,) = waiting(accepted)
    told = of_run(accepted.run_id)
    assert types(told)[-5:] == ["tool_call_start", "tool_call_result", "proposal", "status", "done"]
    assert told[-1].data == {"reason": "waiting", "fullText": "I rename it.", "changes": None}
    assert (proposal.status, proposal.reason, proposal.tool) == (
        ProposalStatus.PENDING,
        "Shorter.",
        renames_it(thing).name,
    )
    calls = answer_of(accepted).rounds[0].calls
    assert [(call.name, call.status) for call in calls] == [
        (searches(thing).name, "ok"),
        (proposal.tool, "waiting"),
    ]
    assert (phase(accepted), thing.called) == ("WAITING_VALIDATION", "Fetch API")
    assert len(vendor.requests) == 1
    checker.check_database()


def test_it_goes_on_by_itself_when_it_was_approved(
    running: Engine, vendor: VendorServer, alice: User, thing: Thing
) -> None:
    vendor.script(
        Script(text="I rename it.", tool_calls=(searches(thing), renames_it(thing))), Script(text="It is renamed.")
    )
    accepted = ask_about(thing, alice, "Rename it")
    (proposal,) = waiting(accepted)
    run = goes_on(decide(alice, proposal))
    assert thing.called == "Fetch"
    first, second = sent(vendor)
    assert second[: len(first)] == first
    applied = results(second)[1]
    assert (applied["status"], applied["changes"]) == ("applied", 1)
    assert (run.message.content, run.message.changes, run.outcome) == ("It is renamed.", 1, "finished")
    assert of_run(run.pk)[-1].data == {"reason": "finished", "fullText": "It is renamed.", "changes": 1}
    proposal.refresh_from_db()
    assert answer_of(accepted).prompt_version
    assert phase(accepted) == "IDLE"
    checker.check_database()


def test_it_is_told_why_it_was_rejected(running: Engine, vendor: VendorServer, alice: User, thing: Thing) -> None:
    vendor.script(Script(tool_calls=(renames_it(thing, keepControl=False),)), Script(text="As you like."))
    (proposal,) = waiting(ask_about(thing, alice, "Rename it"))
    run = goes_on(decide(alice, proposal, approved=False, feedback="Keep the API in it."))
    (rejected,) = results(sent(vendor)[1])
    assert (rejected["status"], rejected["feedback"]) == ("rejected", "Keep the API in it.")
    assert (run.message.changes, thing.called) == (0, "Fetch API")
    checker.check_database()


def test_it_waits_for_the_last_decision_and_counts_all_changes(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph
) -> None:
    vendor.script(Script(tool_calls=(renames(), moves())), Script(text="Both?"))
    accepted = ask(alice, "Rename and move")
    rename, move = waiting(accepted)
    assert decide(alice, move).run is None
    assert (phase(accepted), len(vendor.requests)) == ("WAITING_VALIDATION", 1)
    run = goes_on(decide(alice, rename))
    assert [result["status"] for result in results(sent(vendor)[1])] == ["applied", "applied"]
    assert run.message.changes == 3  # a name, and two coordinates
    assert Run.objects.filter(session=accepted.session_id).count() == 2
    checker.check_database()


def test_it_answers_who_writes_meanwhile_and_is_told_of_the_decision_later(
    running: Engine, vendor: VendorServer, alice: User, thing: Thing
) -> None:
    vendor.script(Script(tool_calls=(renames_it(thing),)), Script(text="It still waits."), Script(text="I see."))
    accepted = ask_about(thing, alice, "Rename it")
    (proposal,) = waiting(accepted)
    rested(ask(alice, "What else is there?", session_id=str(accepted.session_id)).run_id)
    (interim,) = results(sent(vendor)[1])
    assert interim["status"] == "pending"
    run = goes_on(decide(alice, proposal))
    first, second, third = sent(vendor)
    assert second[: len(first)] == first
    assert third[: len(second)] == second
    assert results(third) == [interim]
    assert '"applied"' in third[-1]["content"]
    assert (run.message.content, run.message.changes, thing.called) == ("I see.", 1, "Fetch")
    told = [event.data.get("content") for event in events(accepted.session_id) if event.type == "user_message"]
    assert told == ["Rename it", "What else is there?"]
    checker.check_database()


def test_it_takes_a_late_decision_with_the_next_answer_when_one_is_on_its_way(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph
) -> None:
    vendor.script(Script(tool_calls=(renames(),)), Script(text="word " * 40, delay_s=0.02), Script(text="Now I know."))
    accepted = ask(alice, "Rename it")
    (proposal,) = waiting(accepted)
    meanwhile = ask(alice, "And else?", session_id=str(accepted.session_id))
    until(lambda: len(vendor.requests) == 2)
    assert decide(alice, proposal).run is None
    rested(meanwhile.run_id)
    rested(ask(alice, "Well?", session_id=str(accepted.session_id)).run_id)
    assert '"applied"' in sent(vendor)[2][-1]["content"]
    checker.check_database()


def test_it_closes_what_waits_for_a_message_that_was_written_before(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph
) -> None:
    vendor.script(Script(text="word " * 20, delay_s=0.02, tool_calls=(renames(),)), Script(text="Yes?"))
    accepted = ask(alice, "Rename it")
    until(lambda: vendor.requests)
    next_ = ask(alice, "Are you there?", session_id=str(accepted.session_id))
    (proposal,) = waiting(accepted)
    assert rested(next_.run_id).message.content == "Yes?"
    (interim,) = results(sent(vendor)[1])
    assert (interim["status"], proposal.status) == ("pending", ProposalStatus.PENDING)
    checker.check_database()


def test_it_says_the_words_it_gave_beforehand_only_when_all_is_done(
    running: Engine, vendor: VendorServer, alice: User, thing: Thing
) -> None:
    vendor.script(Script(tool_calls=(renames_it(thing, postText="It is called Fetch now.", keepControl=False),)))
    accepted = ask_about(thing, alice, "Rename it")
    (proposal,) = waiting(accepted)
    assert answer_of(accepted).content == ""
    run = goes_on(decide(alice, proposal))
    assert (run.message.content, run.message.changes) == ("It is called Fetch now.", 1)
    assert (phase(accepted), len(vendor.requests)) == ("IDLE", 1)
    vendor.script(Script(tool_calls=(renames_it(thing, "Get", keepControl=False),)))
    again = ask(alice, "Shorter", session_id=str(accepted.session_id))
    assert decide(alice, waiting(again)[0]).run is None
    assert (phase(accepted), thing.called) == ("IDLE", "Get")
    checker.check_database()


def test_it_gives_refused_proposals_back_and_stops_when_they_repeat(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph
) -> None:
    wrong = ScriptedCall("propose_delete_node", {"nodeKey": "nowhere", "reason": "Why not."})
    vendor.script(*[Script(tool_calls=(wrong,))] * 3, Script(text="never asked"))
    accepted = ask(alice, "Delete it")
    run = rested(accepted.run_id)
    assert (run.status, len(vendor.requests)) == (RunStatus.FAILED, 3)
    assert "nowhere" in results(sent(vendor)[1])[0]["error"]
    assert not Proposal.objects.exists()
    checker.check_database()


def test_it_makes_at_once_what_an_allowance_covers(
    running: Engine, vendor: VendorServer, alice: User, thing: Thing
) -> None:
    Allowance.objects.create(
        workspace=thing.workspace, tool=renames_it(thing).name, kind=thing.item.type, field=thing.name
    )
    vendor.script(Script(tool_calls=(renames_it(thing, postText="Renamed."),)), Script(text="Anything else?"))
    accepted = ask_about(thing, alice, "Rename it")
    run = rested(accepted.run_id)
    assert (run.outcome, run.message.content) == ("finished", "Renamed.\n\nAnything else?")
    assert (run.message.changes, thing.called) == (1, "Fetch")
    assert [(result["status"], result["changes"]) for result in results(sent(vendor)[1])] == [("applied", 1)]
    checker.check_database()


def test_it_never_proposes_for_a_viewer(running: Engine, vendor: VendorServer, bob: User, thing: Thing) -> None:
    vendor.script(Script(tool_calls=(renames_it(thing),)), Script(text="I cannot."))
    accepted = ask_about(thing, bob, "Rename it")
    run = rested(accepted.run_id)
    offered = [tool["function"]["name"] for tool in vendor.requests[0].body["tools"]]
    assert not [name for name in offered if name.startswith("propose_")]
    (refused,) = results(sent(vendor)[1])
    assert f"There is no tool called '{renames_it(thing).name}'" in refused["error"]
    assert "propose_delete_node" not in refused["error"]
    assert run.message.changes is None
    assert not Proposal.objects.exists()


def test_it_never_proposes_for_someone_who_may_not_change_anything_any_more(
    running: Engine, vendor: VendorServer, alice: User, thing: Thing
) -> None:
    vendor.script(Script(tool_calls=(renames_it(thing),), first_delay_s=0.5), Script(text="I cannot."))
    accepted = ask_about(thing, alice, "Rename it")
    vendor.wait_for_requests(1)
    Membership.objects.filter(user=alice).update(role=Role.VIEWER)
    assert rested(accepted.run_id).message.rounds[0].calls[0].status == "error"
    assert not Proposal.objects.exists()


def test_stop_and_delete_cancel_what_waits(running: Engine, vendor: VendorServer, alice: User, thing: Thing) -> None:
    vendor.script(*[Script(tool_calls=(renames_it(thing),))] * 2)
    stopped, deleted = ask_about(thing, alice, "Rename it"), ask_about(thing, alice, "Rename it")
    waiting(stopped), waiting(deleted)
    conversations.stop(member_of(alice), str(stopped.session_id))
    conversations.delete_session(member_of(alice), str(deleted.session_id))
    for accepted in (stopped, deleted):
        assert answer_of(accepted).rounds[0].calls[0].result["status"] == "cancelled"
        assert phase(accepted) == "IDLE"
    assert set(Proposal.objects.values_list("status", flat=True)) == {ProposalStatus.CANCELLED}
    assert len(vendor.requests) == 2
    checker.check_database()


def test_it_proposes_nothing_once_it_was_stopped(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    perform = ProposalRound.perform

    def stopped_before(self: ProposalRound, *args: Any) -> None:
        conversations.stop(member_of(alice), str(self.run.session_id))
        perform(self, *args)

    monkeypatch.setattr(ProposalRound, "perform", stopped_before)
    vendor.script(Script(tool_calls=(renames(),)))
    accepted = ask(alice, "Rename it")
    assert rested(accepted.run_id).status == RunStatus.CANCELLED
    assert not Proposal.objects.exists()
    checker.check_database()


@pytest.mark.parametrize(
    "calls", [(renames(),), (ScriptedCall("propose_delete_node", {"nodeKey": "x", "reason": "?"}),)]
)
def test_it_proposes_once_when_the_answer_to_its_commit_is_lost(
    running: Engine,
    vendor: VendorServer,
    alice: User,
    nba: Graph,
    monkeypatch: pytest.MonkeyPatch,
    calls: tuple[ScriptedCall, ...],
) -> None:
    perform, lost = ProposalRound.perform, []

    def lose_the_answer(self: ProposalRound, *args: Any) -> None:
        perform(self, *args)
        if not lost:
            lost.append(self.result)
            self.result = None
            raise OperationalError("the connection is gone")

    monkeypatch.setattr(ProposalRound, "perform", lose_the_answer)
    vendor.script(Script(text="I do it.", tool_calls=calls), Script(text="I could not."))
    run = rested(ask(alice, "Do it").run_id)
    assert run.status == RunStatus.SUCCEEDED
    assert Proposal.objects.count() == (run.outcome == "waiting")
    checker.check_database()


@pytest.mark.parametrize(
    ("call", "ends"),
    [
        (renames(), (RunStatus.SUCCEEDED, "waiting")),
        (ScriptedCall("propose_delete_node", {"nodeKey": "x", "reason": "?"}), (RunStatus.CANCELLED, "stopped")),
    ],
)
def test_what_is_committed_while_its_run_is_stopped_has_happened(
    running: Engine,
    vendor: VendorServer,
    alice: User,
    nba: Graph,
    monkeypatch: pytest.MonkeyPatch,
    call: ScriptedCall,
    ends: tuple[str, str],
) -> None:
    perform, committed, stopped = ProposalRound.perform, threading.Event(), threading.Event()

    def slow(self: ProposalRound, *args: Any) -> None:
        perform(self, *args)
        committed.set()
        assert stopped.wait(30)

    monkeypatch.setattr(ProposalRound, "perform", slow)
    vendor.script(Script(text="I do it.", tool_calls=(call,)))
    accepted = ask(alice, "Do it")
    assert committed.wait(30)
    driver = running.runtime.runner._drivers[accepted.run_id]

    async def stop() -> None:
        driver.stop("asked")
        await asyncio.sleep(0.05)  # it hears of it while that goes on

    running.on_loop(stop())
    stopped.set()
    until(lambda: accepted.run_id not in running.runtime.runner._drivers)
    run = rested(accepted.run_id)
    assert (run.status, run.outcome) == ends
    assert [each.name for each in run.message.rounds[0].calls] == [call.name]
    assert Proposal.objects.count() == (run.outcome == "waiting")
    checker.check_database()


def test_it_can_be_asked_again_after_it_failed_to_go_on(
    running: Engine, vendor: VendorServer, alice: User, thing: Thing
) -> None:
    vendor.script(
        Script(tool_calls=(renames_it(thing),)),
        Script(text="It is so now.", cut="clean", cut_at=4),
        Script(text="Renamed."),
    )
    accepted = ask_about(thing, alice, "Rename it")
    failed = goes_on(decide(alice, waiting(accepted)[0]))
    assert failed.status == RunStatus.FAILED
    again = rested(conversations.retry(member_of(alice), str(accepted.session_id)).run_id)
    assert again.message.content == "Renamed."
    assert results(sent(vendor)[-1])[0]["status"] == "applied"
    assert Message.objects.filter(session=accepted.session_id, role=Message.Role.USER).count() == 1
    checker.check_database()


def test_what_a_refused_call_noticed_of_others_stays(running: Engine, vendor: VendorServer, alice: User) -> None:
    workspace = member_of(alice).workspace
    with pins():
        found = pin(workspace, "Spring")
        catch_up([object_for(member_of(alice), Ref("pin", str(found.pk)))])
        AlwaysSend.objects.filter(pk=found.pk).update(object_key="Summer")
        refused = {"object": f"pin:{found.pk}", "updates": {"colour": "red"}, "reason": "So."}
        vendor.script(Script(tool_calls=(ScriptedCall("propose_update_object", refused),)), Script(text="No."))
        assert rested(ask(alice, "Paint it", context=None).run_id).status == RunStatus.SUCCEEDED
    assert "There is no field colour" in str(results(sent(vendor)[-1]))
    noticed = Modification.objects.get(type="pin")
    assert (noticed.old, noticed.new, noticed.change_set.origin) == ("Spring", "Summer", Origin.OUTSIDE)
