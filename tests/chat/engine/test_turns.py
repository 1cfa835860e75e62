"""A turn that goes on after decisions, whatever process does it: nothing is said twice, no call is left open."""

import pytest
from django.contrib.auth.models import User

from chat.actions import conversations, deciding
from chat.actions.deciding import Decision
from chat.engine.runs import Accepted
from chat.models import Message, Proposal, ProposalStatus, Run, RunStatus, Session
from graphs.models import Graph, Membership, Role
from graphs.site.access import member_of
from tests import checker
from tests.cast import member
from tests.chat.engine.driving import ask, claimed_by_a_process_that_died, engine, rested
from tests.proposed import MOVE, RENAME, waiting
from tests.vendors import Script, VendorServer

pytestmark = pytest.mark.django_db(transaction=True)


def approve(user: User, proposal: Proposal) -> Accepted:
    run = deciding.decide(member_of(user), str(proposal.pk), Decision(approved=True)).run
    assert run is not None
    return run


def let_say(proposal: Proposal, text: str) -> None:
    """The words that the model gave for afterwards."""
    message = Message.objects.get(pk=proposal.message_id)
    message.rounds[-1].calls[0].args["postText"] = text
    message.save()


@pytest.mark.parametrize("shown", ["", "It is done."])
def test_another_process_goes_on(vendor: VendorServer, alice: User, nba: Graph, shown: str) -> None:
    (proposal,) = waiting(alice, nba, RENAME)
    let_say(proposal, "It is done.")
    run = approve(alice, proposal)
    claimed_by_a_process_that_died(shown)
    vendor.script(Script(text="What else?"))
    with engine():
        assert rested(run.run_id).message.content == "It is done.\n\nWhat else?"
    assert len(vendor.requests) == 1
    checker.check_proposals()


def test_what_broke_off_in_the_middle_can_be_tried_again(vendor: VendorServer, alice: User, nba: Graph) -> None:
    (proposal,) = waiting(alice, nba, RENAME)
    run = approve(alice, proposal)
    claimed_by_a_process_that_died("It is")
    vendor.script(Script(text="It is renamed."))
    with engine():
        assert rested(run.run_id).status == RunStatus.FAILED
        again = conversations.retry(member_of(alice), str(proposal.session_id))
        assert rested(again.run_id).message.content == "It is renamed."
    checker.check_proposals()


def test_it_goes_on_in_the_name_of_who_asked(vendor: VendorServer, alice: User, nba: Graph) -> None:
    """Not of who decided; and if they may only look by now, without tools that write."""
    admin = member("ada", nba.workspace, Role.ADMIN)
    (proposal,) = waiting(alice, nba, RENAME)
    Membership.objects.filter(user=alice).update(role=Role.VIEWER)
    run = approve(admin, proposal)
    assert Run.objects.get(pk=run.run_id).author == alice
    with engine():
        rested(run.run_id)
    offered = {tool["function"]["name"] for tool in vendor.requests[0].body["tools"]}
    assert not [name for name in offered if name.startswith("propose_")]


def test_what_expires_wakes_nobody(vendor: VendorServer, alice: User, nba: Graph) -> None:
    first, _second = waiting(alice, nba, RENAME, MOVE)
    Proposal.objects.update(expires_at=first.created_at)
    assert deciding.expire_all() == 2
    assert set(Proposal.objects.values_list("status", flat=True)) == {ProposalStatus.EXPIRED}
    assert Session.objects.get(pk=first.session_id).phase == "IDLE"
    assert not Run.objects.filter(status=RunStatus.QUEUED).exists()
    with engine():
        rested(ask(alice, "Hello?", session_id=str(first.session_id)).run_id)
    results = [entry["content"] for entry in vendor.requests[0].body["messages"] if entry["role"] == "tool"]
    assert [result for result in results if "expired" in result] == results[-2:]
    checker.check_proposals()


def test_a_late_decision_waits_where_another_one_is_open(vendor: VendorServer, alice: User, nba: Graph) -> None:
    """The later turn keeps waiting; what it is told then comes in the order in which it happened."""
    (early,) = waiting(alice, nba, RENAME)
    session = Session.objects.select_related("stream", "workspace").get(pk=early.session_id)
    ask(alice, "And move it", session_id=str(session.pk))
    Run.objects.filter(session=session, status=RunStatus.QUEUED).delete()
    Message.objects.filter(session=session, status=Message.Status.QUEUED).delete()
    (later,) = waiting(alice, nba, MOVE, session=session)
    assert deciding.decide(member_of(alice), str(early.pk), Decision(approved=True)).run is None
    assert Session.objects.get(pk=session.pk).phase == "WAITING_VALIDATION"
    run = approve(alice, later)
    with engine():
        rested(run.run_id)
    told = vendor.requests[0].body["messages"]
    assert [entry["role"] for entry in told[-2:]] == ["tool", "user"]
    assert "propose_update_node" in told[-1]["content"]
