"""A model that does what it is told has tools enough for all that is done with records, and errors that tell it how."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.actions import deciding
from chat.actions.deciding import Decision
from chat.models import Message, Proposal, Run, Session
from config.demo.records import import_demo_records
from graphs.history import rollback
from graphs.history.scopes import ChangeSets
from graphs.models import ChangeSet, Company, Folder, UseCase, Workspace
from graphs.objects.refs import Ref
from graphs.site.access import member_of
from tests import checker
from tests.chat.engine.driving import Engine, ask, rested
from tests.vendors import Script, ScriptedCall, VendorServer

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def northwind(demo_workspace: Workspace) -> Company:
    return import_demo_records(demo_workspace)


def calls(*wanted: tuple[str, dict[str, Any]]) -> tuple[ScriptedCall, ...]:
    return tuple(ScriptedCall(name, arguments, id=f"call_{at}") for at, (name, arguments) in enumerate(wanted))


def turn(alice: User, about: str, text: str = "Do it.") -> Run:
    type_, _colon, key = about.partition(":")
    return rested(ask(alice, text, context=Ref(type_, key)).run_id)


def results(run: Run) -> list[Any]:
    return [call.result for each in run.message.rounds for call in each.calls]


def approve(alice: User, proposal: Proposal) -> None:
    decided = deciding.decide(member_of(alice), str(proposal.pk), Decision(approved=True))
    if decided.run is not None:
        rested(decided.run.run_id)


def test_it_compares_versions_and_searches_conversations(
    running: Engine, vendor: VendorServer, alice: User, northwind: Company
) -> None:
    case = UseCase.objects.get(name="Picking routes")
    ref = f"usecase:{case.pk}"
    vendor.script(Script(text="Zeppelins carry parcels."))
    turn(alice, ref, "What about zeppelins?")
    change = {"object": ref, "updates": {"data.contact": "Somebody"}, "reason": "Asked."}
    vendor.script(Script(tool_calls=calls(("propose_update_object", change))), Script(text="Done."))
    assert turn(alice, ref).outcome == "waiting"
    approve(alice, Proposal.objects.get())
    wanted = calls(
        ("compare_versions", {"object": ref, "a": 1, "b": 2}),
        ("search_conversations", {"query": "zeppelins", "object": ref, "period": "7d"}),
        ("read_history", {"object": ref, "field": "data.contact"}),
    )
    vendor.script(Script(tool_calls=wanted), Script(text="Here."))
    compared, found, history = results(turn(alice, ref))
    assert compared["differences"] == [{"field": "data.contact", "a": "Claire Dumas", "b": "Somebody"}]
    assert {row["from"] for row in found["messages"]} == {"person", "assistant"}
    assert history["versions"][0]["version"] == 2
    checker.check_database()


def test_its_suggestions_are_proposals_that_can_be_approved(
    running: Engine, vendor: VendorServer, alice: User, northwind: Company
) -> None:
    folder = Folder.objects.get(name="Customer service")
    mood, other = (UseCase.objects.get(name=name) for name in ("Mood of customers", "Suggested replies"))
    scores = [*mood.data["valueScores"][:1], {"axisId": "customers", "rating": 3, "description": "Guessed."}]
    suggested = calls(
        ("propose_update_object", {"object": f"usecase:{mood.pk}", "updates": {"data.metrics": ["Churn"]},
                                   "reason": "Nothing says how success is measured."}),
        ("propose_update_object", {"object": f"usecase:{other.pk}", "updates": {"data.valueScores": scores},
                                   "reason": "Rated by what it says."}),
        ("propose_update_object", {"object": f"executive_summary:{folder.pk}",
                                   "updates": {"executive_summary.recommendation": "Begin with the mail."},
                                   "reason": "The summary is empty."}),
        ("propose_create_object", {"kind": "usecase", "fields": {"data.name": "Answers by voice"},
                                   "parent": f"folder:{folder.pk}", "reason": "Complements the answers."}),
        ("propose_move_object", {"object": f"usecase:{other.pk}",
                                 "parent": f"folder:{Folder.objects.get(name='Warehouse').pk}", "reason": "Fits."}),
    )  # fmt: skip
    vendor.script(Script(text="Five findings.", tool_calls=suggested), *[Script(text="Good.")] * 6)
    assert turn(alice, f"folder:{folder.pk}", "What could be improved?").outcome == "waiting"
    proposals = list(Proposal.objects.order_by("created_at", "id"))
    assert len(proposals) == 5
    for proposal in proposals[:4]:
        approve(alice, proposal)
    folder.refresh_from_db()
    mood.refresh_from_db()
    assert (mood.data["metrics"], folder.executive_summary["recommendation"]) == (["Churn"], "Begin with the mail.")
    assert UseCase.objects.filter(folder=folder, name="Answers by voice").exists()
    checker.check_database()


def test_a_company_goes_with_all_below_it_as_one_change_and_comes_back(
    running: Engine, vendor: VendorServer, alice: User, northwind: Company
) -> None:
    case = UseCase.objects.get(name="Picking routes")
    before = {str(row.pk) for model in (Company, Folder, UseCase) for row in model.objects.all()}
    vendor.script(Script(text="It is about routes."))
    talk = ask(alice, "What is it?", context=Ref("usecase", str(case.pk)))
    rested(talk.run_id)
    ref = f"company:{northwind.pk}"
    deletion = calls(("propose_delete_object", {"object": ref, "reason": "Asked."}))
    vendor.script(Script(tool_calls=deletion), Script(text="Gone."))
    assert turn(alice, ref, "Delete the company").outcome == "waiting"
    (proposal,) = Proposal.objects.all()
    approve(alice, proposal)
    assert [model.objects.count() for model in (Company, Folder, UseCase)] == [0, 0, 0]
    made = ChangeSet.objects.latest("created_at")
    assert made.revisions.count() == len(before) == 15
    rollback.roll_back(northwind.workspace_id, alice, ChangeSets((made.pk,)))
    assert {str(row.pk) for model in (Company, Folder, UseCase) for row in model.objects.all()} == before
    assert Session.objects.get(pk=talk.session_id).context_id == str(case.pk)
    assert Message.objects.filter(session=talk.session_id).exists()
    checker.check_database()


def test_wrong_arguments_are_told_with_what_to_do(
    running: Engine, vendor: VendorServer, alice: User, northwind: Company, other_workspace: Workspace
) -> None:
    folder, case = Folder.objects.get(name="Warehouse"), UseCase.objects.get(name="Picking routes")
    ref, holder, company = f"usecase:{case.pk}", f"folder:{folder.pk}", f"company:{northwind.pk}"
    foreign = f"folder:{Folder.objects.create(workspace=other_workspace, name='Secret').pk}"
    absent = "folder:0a5e3d3c-8e0e-4a39-8f0f-000000000000"

    def update(**updates: Any) -> tuple[str, dict[str, Any]]:
        return "propose_update_object", {"object": ref, "updates": updates, "reason": "Asked."}

    def move(what: str, parent: str) -> tuple[str, dict[str, Any]]:
        return "propose_move_object", {"object": what, "parent": parent, "reason": "Asked."}

    wanted: list[tuple[tuple[str, dict[str, Any]], str]] = [
        (update(status="finished"), "ready"),
        (update(**{"data.colour": "red"}), "data.contact"),
        (update(**{"data.valueScores": [{"axisId": "savings", "rating": 9}]}), "at most 5"),
        (update(**{"data.valueScores": {"savings": 4}}), "list"),
        (update(**{"data.name": "x" * 201}), "200"),
        (update(id="7"), "id"),
        (move(holder, ref), "company"),
        (move(company, holder), "company"),
        (move(ref, ref), "folder"),
        (move(ref, absent), "There is no"),
        (move(ref, foreign), "There is no"),
        (("propose_create_object", {"kind": "usecase", "fields": {}, "reason": "Asked."}), "data.name"),
        (("propose_create_object", {"kind": "use case", "fields": {"data.name": "A"}, "reason": "Asked."}), "usecase"),
        (("propose_delete_object", {"object": absent, "reason": "Asked."}), "There is no"),
        (("list_objects", {"kind": "usecase", "parent": company}), "is held by a folder"),
        (("list_objects", {"kind": "usecase", "orderBy": "colour"}), "data.name"),
        (("read_object", {"object": ref, "fields": ["colour"]}), "data.problem"),
        (("read_object", {"object": "Picking routes"}), "type:id"),
        (("search_objects", {"query": "x", "kinds": ["cases"]}), "usecase"),
        (("read_history", {"object": ref, "since": "yesterday"}), "2026-03-31"),
        (("compare_versions", {"object": ref, "a": 1, "b": 9}), "the present one is 1"),
        (("search_conversations", {"query": "x", "period": "yesterday"}), "2026-03-31"),
        (("search_conversations", {"query": "x", "period": "2026-01-01/9999-12-31"}), ""),
    ]  # fmt: skip
    vendor.script(Script(tool_calls=calls(*(call for call, _told in wanted))), Script(text="Sorry."))
    run = turn(alice, ref)
    found = results(run)
    told = {at: json.dumps(result, ensure_ascii=False) for at, result in enumerate(found)}
    missing = [(wanted[at][0], told[at]) for at in told if wanted[at][1] not in told[at]]
    assert missing == [], "\n".join(map(str, missing))
    assert [told[at] for at in told if wanted[at][1] and '"error"' not in told[at]] == []
    key = [at for at, (call, _told) in enumerate(wanted) if call[1].get("parent") in (absent, foreign)]
    assert told[key[0]].replace(absent, "X") == told[key[1]].replace(foreign, "X"), "foreign is as absent"
    assert not Proposal.objects.exists()
    checker.check_database()
