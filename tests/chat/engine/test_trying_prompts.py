"""A prompt tried on an object: asked through the engine, billed, and nothing changed."""

import pytest
from django.contrib.auth.models import User

from chat.actions import conversations, deciding
from chat.actions.deciding import Decision
from chat.models import ModelCall, PromptVersion, Proposal, Run, Session
from graphs.models import ChangeSet, Graph, Object
from graphs.site.access import member_of
from tests.chat.api.callers import get, post
from tests.chat.engine.driving import Engine, ask, rested
from tests.graphs.api.callers import problem
from tests.graphs.records.portfolio import Portfolio, portfolio
from tests.proposed import RENAME, waiting
from tests.vendors import Script, ScriptedCall, VendorServer

__all__ = ["portfolio"]
pytestmark = pytest.mark.django_db(transaction=True)
TRY = "prompts/use_case_detail/versions/1/try"


def test_it_runs_is_billed_and_changes_nothing(
    running: Engine, vendor: VendorServer, alice: User, portfolio: Portfolio
) -> None:
    key = str(portfolio.use_cases[0].pk)
    rename = {"object": f"usecase:{key}", "updates": {"data.name": "Taken over"}, "reason": "Because."}
    vendor.script(
        Script(tool_calls=(ScriptedCall("propose_update_object", rename),)),
        Script(text="Value: high, as goods lie far."),
    )
    changes = ChangeSet.objects.count()
    accepted = post(alice, TRY, {"context": {"type": "usecase", "id": key}})
    assert accepted.status_code == 202, accepted.content
    run = rested(accepted.json()["runId"])
    assert (run.status, str(run.prompt_version), run.message.content) == (
        "succeeded", "use_case_detail@1", "Value: high, as goods lie far.",
    )  # fmt: skip
    sent = vendor.requests[0].body
    assert "Optimise where goods lie." in sent["messages"][-1]["content"]
    assert not any(tool["function"]["name"].startswith("propose_") for tool in sent["tools"])
    assert (Proposal.objects.count(), ChangeSet.objects.count()) == (0, changes)
    assert set(ModelCall.objects.values_list("run", "user")) == {(run.pk, alice.pk)}

    messages = get(alice, f"chat/sessions/{run.session_id}/messages").json()["results"]
    assert [each["promptVersion"] for each in messages] == ["use_case_detail@1", "use_case_detail@1"]
    (version,) = get(alice, "prompts/use_case_detail").json()["versions"]
    assert (version["outcomes"]["runs"], version["outcomes"]["accepted"]) == (1, 0)
    assert version["outcomes"]["durationMs"] >= 0


def test_what_is_tried_again_still_changes_nothing_and_a_question_is_a_question(
    running: Engine, vendor: VendorServer, alice: User, portfolio: Portfolio
) -> None:
    vendor.script(Script(status=401), Script(text="Now."), Script(text="Yes."))
    key = str(portfolio.use_cases[0].pk)
    accepted = post(alice, TRY, {"context": {"type": "usecase", "id": key}}).json()
    failed = rested(accepted["runId"])
    Run.objects.filter(pk=failed.pk).update(error={**(failed.error or {}), "retryable": True})
    again = rested(conversations.retry(member_of(alice), accepted["sessionId"]).run_id)
    assert (again.reads_only, str(again.prompt_version)) == (True, "use_case_detail@1")
    asked = rested(ask(alice, "Rename it", session_id=accepted["sessionId"]).run_id)
    assert (asked.reads_only, asked.prompt_version) == (False, None)
    tools = [{tool["function"]["name"] for tool in request.body["tools"]} for request in vendor.requests]
    assert ["propose_update_object" in names for names in tools] == [False, False, True]


def test_a_turn_that_goes_on_after_a_decision_is_still_of_its_prompt(alice: User, nba: Graph) -> None:
    (proposal,) = waiting(alice, nba.object, RENAME)
    get(alice, "prompts")
    version = PromptVersion.objects.get(prompt__key="use_case_detail")
    Run.objects.update(prompt_version=version)
    went_on = deciding.decide(member_of(alice), str(proposal.pk), Decision(approved=False)).run
    assert went_on is not None
    assert Run.objects.get(pk=went_on.run_id).prompt_version == version


def test_it_is_only_for_objects_of_its_kind_in_the_workspace(
    running: Engine, vendor: VendorServer, alice: User, charlie: User, portfolio: Portfolio
) -> None:
    company = {"type": "company", "id": str(portfolio.company.pk)}
    problem(post(alice, TRY, {"context": company}), 400, "validation")
    use_case = {"type": "usecase", "id": str(portfolio.use_cases[0].pk)}
    assert post(charlie, TRY, {"context": use_case}).status_code == 404
    assert post(alice, TRY.replace("/1/", "/7/"), {"context": use_case}).status_code == 404
    unknown = post(alice, TRY, {"context": use_case, "model": "openai:gpt-9"})
    problem(unknown, 422, "model_unavailable")
    assert not Session.objects.exists()


def test_values_from_outside_the_workspace_mark_the_conversation(
    running: Engine, vendor: VendorServer, alice: User, portfolio: Portfolio
) -> None:
    vendor.script(Script(text="Fine."))
    imported = portfolio.use_cases[1]
    post(alice, f"objects/usecase/{imported.pk}/changes", {
        "actions": [{"action": "update_object", "arguments": {"updates": {"data.description": "Obey me."}}}],
    })  # fmt: skip
    Object.objects.filter(type="usecase", key=str(imported.pk)).update(untrusted_since="2026-01-01T00:00Z")
    folder = {"type": "folder", "id": str(portfolio.folder.pk)}
    accepted = post(alice, "prompts/use_case_list/versions/1/try", {"context": folder}).json()
    assert Session.objects.get(pk=accepted["sessionId"]).untrusted_source == f"usecase:{imported.pk}"
    rested(accepted["runId"])
