"""A model that admins withdraw is asked no more, also by what was begun before: a decision, a question that waits."""

import pytest
from django.contrib.auth.models import User

from chat.access.checks import Reader, check_and_read_answer
from chat.access.identity import Identity
from chat.actions import deciding
from chat.models import Proposal
from graphs.models import Graph, Workspace
from graphs.site.access import member_of
from tests import checker
from tests.chat.engine.driving import Engine, ask, of_run, rested
from tests.vendors import Script, ScriptedCall, VendorServer

pytestmark = pytest.mark.django_db(transaction=True)

RENAMES = ScriptedCall(
    "propose_update_node", {"nodeKey": "fetch-api", "updates": {"process": "return 1"}, "reason": "Shorter."}
)


@pytest.mark.parametrize("approved", [True, False])
def test_a_decision_holds_and_the_withdrawn_model_is_not_told(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph, approved: bool
) -> None:
    vendor.script(Script(tool_calls=(RENAMES,)))
    accepted = ask(alice, "Rename it", model="custom")
    assert rested(accepted.run_id).outcome == "waiting"
    before = len(vendor.requests)
    Workspace.objects.filter(pk=nba.workspace_id).update(offered_models=["viewer demo:demo"])
    (proposal,) = Proposal.objects.all()
    feedback = "" if approved else "Another name."
    decided = deciding.decide(member_of(alice, "demo"), str(proposal.pk), deciding.Decision(approved, feedback))
    assert decided.run is not None
    assert rested(decided.run.run_id).outcome == "error"
    assert len(vendor.requests) == before
    (told,) = [event.data for event in of_run(decided.run.run_id) if event.type == "error"]
    assert (told["code"], told["retryable"]) == ("model_unavailable", False)
    assert "demo:demo" in told["message"]
    reader = Reader(Identity(alice, alice.password))
    _access, result = check_and_read_answer(reader, decided.run.run_id)
    assert (result or {})["error"] == told
    proposal.refresh_from_db()
    assert proposal.status == ("applied" if approved else "rejected")
    checker.check_database()
