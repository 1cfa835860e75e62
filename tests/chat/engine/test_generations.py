"""Structured generations, from the door to the change: applied where nothing was there, else proposed."""

import uuid
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from pytest_django import Settings

from chat.engine import claims
from chat.engine.generation_worker import GenerationWorker
from chat.events.append import append
from chat.events.vocabulary import NewEvent
from chat.managed_prompts import repository
from chat.models import PromptVersion, Proposal, Run, StructuredRun, VersionStatus
from graphs.models import ChangeSet, Company, Membership, Object, Role, UseCase
from graphs.models.history import Origin
from graphs.objects.headers import object_for
from graphs.objects.refs import Ref
from graphs.site.access import member_of
from tests.chat.api.callers import get, patch, post
from tests.chat.engine.driving import Engine, ask, rested, silence, until
from tests.chat.engine.generating import (
    EMPTY_DETAIL,
    OF_COMPANY,
    begun,
    form,
    found,
    generation_worker,
    states_of,
    stream_of,
    told,
)
from tests.graphs.records.portfolio import Portfolio, portfolio
from tests.vendors import Script, ScriptedCall, VendorServer

__all__ = ["portfolio"]
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def working(transactional_db: None) -> Iterator[GenerationWorker]:
    with generation_worker() as worker:
        yield worker


@pytest.fixture
def bare(portfolio: Portfolio) -> Company:
    """A company of which nothing but its name is known."""
    return Company.objects.create(workspace=portfolio.company.workspace, name="Sphinx Freight")


def toasts_of(user: User, company: Company) -> list[dict[str, Any]]:
    """What pages of the workspace are told of what ended elsewhere."""
    events = get(user, f"streams/events/workspace_{company.workspace_id}").json()["events"]
    return [event["data"] for event in events if event["type"] == "toast"]


def test_empty_fields_are_filled_at_once(
    working: GenerationWorker, vendor: VendorServer, alice: User, bare: Company
) -> None:
    vendor.script(Script(tool_calls=(form("company_info", **OF_COMPANY | {"name": bare.name}),)))
    run = rested(begun(alice, "company_info", "company", bare.pk).pk)
    bare.refresh_from_db()
    assert (run.status, bare.industry, bare.products, bare.challenges) == ("succeeded", "Transport", "Parcels.", "")
    change = ChangeSet.objects.latest("created_at")
    assert (change.origin, change.actor, change.prompt_version) == (Origin.GENERATION, alice.pk, "company_info@1")
    answer = told(alice, run)
    assert (answer["state"], answer["changeSets"]) == ("succeeded", [str(change.pk)])
    assert states_of(run) == ["queued", "running", "succeeded"]
    assert {"tool_call_start", "usage", "done"} <= {event.type for event in stream_of(run)}
    until(lambda: toasts_of(alice, bare))
    (toast,) = toasts_of(alice, bare)
    assert (toast["person"], toast["text"]) == ("alice", "“Sphinx Freight”: what was generated is there.")
    assert "Sphinx Freight" in vendor.requests[0].body["messages"][-1]["content"]


def test_filled_fields_wait_for_a_decision_and_empty_ones_do_not(
    working: GenerationWorker, vendor: VendorServer, alice: User, bare: Company
) -> None:
    Company.objects.filter(pk=bare.pk).update(industry="Shipping")
    vendor.script(Script(tool_calls=(form("company_info", **OF_COMPANY | {"name": bare.name}),)))
    run = rested(begun(alice, "company_info", "company", bare.pk).pk)
    bare.refresh_from_db()
    assert (bare.industry, bare.size) == ("Shipping", "1,200 people (2025)")
    waiting = Proposal.objects.get(status="pending")
    assert waiting.arguments["updates"] == {"industry": "Transport"}
    assert (told(alice, run)["state"], states_of(run)[-1]) == ("waiting", "waiting")
    (listed,) = get(alice, "proposals?status=pending").json()["results"]
    frames = [event.data for event in stream_of(run) if event.type == "proposal"]
    assert (listed["generated"], {each["generated"] for each in frames}) == (True, {True})
    until(lambda: toasts_of(alice, bare))
    assert [each["what"] for each in toasts_of(alice, bare)] == ["generation_waits"]


def test_a_list_makes_use_cases_and_works_each_of_them_out(
    working: GenerationWorker, vendor: VendorServer, alice: User, portfolio: Portfolio
) -> None:
    detail = form("use_case_detail", **EMPTY_DETAIL | {"problem": "Work stands still."})
    vendor.script(Script(tool_calls=(found("Dock planning", "Pallet count"),)), *2 * [Script(tool_calls=(detail,))])
    run = rested(begun(alice, "use_case_list", "folder", portfolio.folder.pk, count=3, instructions="Docks.").pk)
    until(lambda: told(alice, run)["state"] == "succeeded")
    made = UseCase.objects.filter(folder=portfolio.folder).exclude(pk__in=[each.pk for each in portfolio.use_cases])
    assert {each.name: each.data["problem"] for each in made} == dict.fromkeys(
        ("Dock planning", "Pallet count"), "Work stands still."
    )
    assert told(alice, run)["progress"] == {"of": 2, "done": 2, "failed": 0, "cancelled": 0}
    until(
        lambda: (
            {"of": 2, "done": 2, "failed": 0, "cancelled": 0}
            in [event.data.get("progress") for event in stream_of(run)]
        )
    )
    of_details = StructuredRun.objects.filter(parent=run.pk)
    assert {str(each.run.prompt_version) for each in of_details} == {"use_case_detail@1"}
    assert {each.instructions for each in of_details} == {"Docks."}
    assert {each.run.session.stream.name.partition("_")[0] for each in of_details} == {"usecase"}


NONE_ACTIVE = "No version of the prompt “Details of a use case” is active. Activate one, then try again."


def test_use_cases_stay_where_nothing_can_work_them_out(
    working: GenerationWorker, vendor: VendorServer, alice: User, portfolio: Portfolio
) -> None:
    repository.store()
    PromptVersion.objects.filter(prompt__key="use_case_detail").update(status=VersionStatus.RETIRED)
    vendor.script(Script(tool_calls=(found("Dock planning", "Pallet count"),)))
    run = rested(begun(alice, "use_case_list", "folder", portfolio.folder.pk).pk)
    until(lambda: told(alice, run)["progress"] == {"of": 2, "done": 2, "failed": 2, "cancelled": 0})
    assert (told(alice, run)["state"], UseCase.objects.filter(folder=portfolio.folder).count()) == ("succeeded", 4)
    details = Run.objects.filter(structured__parent=run.pk)
    assert [(each.error or {})["message"] for each in details] == 2 * [NONE_ACTIVE]
    assert len(vendor.requests) == 1
    again = post(alice, f"queue/generation:{details[0].pk}/retry", {})
    assert (again.status_code, again.json()["detail"]) == (409, NONE_ACTIVE)
    PromptVersion.objects.filter(prompt__key="use_case_detail").update(status=VersionStatus.ACTIVE)
    assert post(alice, f"queue/generation:{details[0].pk}/retry", {}).status_code == 204


def test_who_approves_a_list_has_it_worked_out_where_its_person_has_left(
    working: GenerationWorker, running: Engine, vendor: VendorServer, alice: User, bob: User, portfolio: Portfolio
) -> None:
    Membership.objects.filter(user=bob).update(role=Role.EDITOR)
    object_for(member_of(alice), Ref("folder", str(portfolio.folder.pk)))
    Object.objects.filter(type="folder", key=str(portfolio.folder.pk)).update(untrusted_since=timezone.now())
    detail = form("use_case_detail", **EMPTY_DETAIL | {"problem": "Work stands still."})
    vendor.script(Script(tool_calls=(found("Dock planning"),)), Script(tool_calls=(detail,)))
    run = rested(begun(alice, "use_case_list", "folder", portfolio.folder.pk).pk)
    (proposal,) = told(alice, run)["proposals"]
    Membership.objects.filter(user=alice).delete()
    decided = post(bob, f"proposals/{proposal}/decide", {"approved": True})
    assert decided.status_code == 200, decided.content
    until(lambda: (told(bob, run)["progress"] or {}).get("done") == 1)
    (child,) = Run.objects.filter(structured__parent=run.pk)
    assert (child.status, child.author, child.session.owner) == ("succeeded", bob, bob), child.error
    assert get(bob, "queue").json()["results"] == []


def test_what_was_wrong_goes_back_once(
    working: GenerationWorker, vendor: VendorServer, alice: User, portfolio: Portfolio
) -> None:
    scores = [{"axisId": "impact", "rating": 5, "description": "Because."}]
    wrong = form("use_case_detail", **EMPTY_DETAIL | {"valueScores": scores})
    right = form("use_case_detail", **EMPTY_DETAIL | {"solution": "A plan."})
    vendor.script(Script(tool_calls=(wrong,)), Script(tool_calls=(right,)))
    use_case = portfolio.use_cases[0]
    run = rested(begun(alice, "use_case_detail", "usecase", use_case.pk).pk)
    use_case.refresh_from_db()
    assert (run.status, use_case.data["solution"]) == ("succeeded", "A plan.")
    assert "valueScores has to rate each axis of that side" in str(vendor.requests[1].body["messages"][-1])
    workspace = portfolio.company
    until(lambda: toasts_of(alice, workspace))

    vendor.script(Script(text="I would rather chat."), Script(tool_calls=(wrong,)))
    changes = ChangeSet.objects.count()
    failed = rested(begun(alice, "use_case_detail", "usecase", use_case.pk).pk)
    answer = told(alice, failed)
    assert (answer["state"], answer["error"]["retryable"], ChangeSet.objects.count()) == ("failed", True, changes)
    assert "impact" in answer["text"]
    until(lambda: len(toasts_of(alice, workspace)) == 2)
    assert [each["what"] for each in toasts_of(alice, workspace)] == ["generated", "generation_failed"]


def test_what_a_person_decides_is_made_and_asks_no_model_again(
    working: GenerationWorker, running: Engine, vendor: VendorServer, alice: User, bob: User, bare: Company
) -> None:
    Company.objects.filter(pk=bare.pk).update(
        industry="Shipping", size="?", products="?", processes="?", technologies="?"
    )
    vendor.script(Script(tool_calls=(form("company_info", **OF_COMPANY | {"name": bare.name}),)))
    run = rested(begun(alice, "company_info", "company", bare.pk).pk)
    (proposal,) = told(alice, run)["proposals"]
    decided = post(alice, f"proposals/{proposal}/decide", {"approved": True})
    assert (decided.status_code, decided.json()["proposal"]["status"]) == (200, "applied"), decided.content
    bare.refresh_from_db()
    assert (bare.industry, told(alice, run)["state"], len(vendor.requests)) == ("Transport", "succeeded", 1)
    assert ChangeSet.objects.latest("created_at").origin == Origin.GENERATION
    assert get(alice, "chat/sessions").json()["results"] == []


def test_one_of_an_object_at_a_time_and_so_many_of_a_workspace(
    transactional_db: None, settings: Settings, alice: User, portfolio: Portfolio
) -> None:
    settings.GENERATION_SLOTS = 2
    one, other = (str(each.pk) for each in portfolio.use_cases)
    first, second = (begun(alice, "use_case_detail", "usecase", one) for _ in range(2))
    third = begun(alice, "use_case_detail", "usecase", other)
    fourth = begun(alice, "use_case_list", "folder", portfolio.folder.pk)
    process = uuid.uuid4()
    claims.register(process, "somewhere:1")
    claimed = claims.claim_generations(process, 10)
    assert [each.id for each in claimed] == [first.pk, third.pk]
    assert [told(alice, each)["waitsFor"] for each in (first, second, third, fourth)] == [None, "object", None, "slots"]
    assert claims.claim(process, 10) == claims.claim_generations(process, 10) == []


def test_cancelled_ends_what_waits_and_what_is_at_work(
    working: GenerationWorker, vendor: VendorServer, alice: User, portfolio: Portfolio
) -> None:
    vendor.script(Script(text="word " * 400, delay_s=0.05))
    run = begun(alice, "use_case_detail", "usecase", portfolio.use_cases[0].pk)
    until(lambda: told(alice, run)["state"] == "running")
    waiting = begun(alice, "use_case_detail", "usecase", portfolio.use_cases[0].pk)
    assert patch(alice, f"structured/{waiting.pk}/cancel", {}).json()["state"] == "cancelled"
    assert patch(alice, f"structured/{run.pk}/cancel", {}).status_code == 200
    assert rested(run.pk).status == "cancelled"
    assert (states_of(run)[-1], states_of(waiting)) == ("cancelled", ["queued", "cancelled"])
    assert patch(alice, f"structured/{run.pk}/cancel", {}).json()["state"] == "cancelled"


def test_who_takes_over_begins_anew_and_makes_nothing_twice(
    transactional_db: None, vendor: VendorServer, alice: User, portfolio: Portfolio
) -> None:
    run = begun(alice, "use_case_list", "folder", portfolio.folder.pk)
    process = uuid.uuid4()
    claims.register(process, "somewhere:1")
    (claimed,) = claims.claim_generations(process, 10)
    with transaction.atomic():
        said = NewEvent("content_delta", {"delta": "I beg"}, claimed.message_id, claimed.id)
        append(claimed.stream_id, [said], claimed.epoch)
    silence(process)
    Run.objects.filter(pk=run.pk).update(started_at=timezone.now() - timedelta(hours=1))
    detail = form("use_case_detail", **EMPTY_DETAIL | {"problem": "Work stands still."})
    vendor.script(Script(tool_calls=(found("Dock planning"),)), Script(tool_calls=(detail,)))
    with generation_worker():
        assert rested(run.pk).status == "succeeded"
        until(lambda: told(alice, run)["state"] == "succeeded")
    assert Run.objects.get(pk=run.pk).attempts == 2
    assert UseCase.objects.filter(folder=portfolio.folder).count() == 3
    assert states_of(run)[:4] == ["queued", "running", "running", "succeeded"]


@pytest.mark.parametrize(
    ("prompt", "kind", "more", "status", "said"),
    [
        ("company_info", "folder", {}, 400, "context.type"),
        ("company_info", "nothing", {}, 400, "context.type"),
        ("company_info", "company", {"count": 3}, 400, "count"),
        ("use_case_list", "folder", {"count": 2}, 400, "count"),
        ("use_case_list", "folder", {"count": 26}, 400, "count"),
        ("no_such_prompt", "folder", {}, 404, "not_found"),
        ("company_info", "company", {"model": "none:such"}, 422, "model_unavailable"),
    ],
)
def test_what_cannot_be_is_refused(
    db: None, alice: User, portfolio: Portfolio, prompt: str, kind: str, more: dict[str, object], status: int, said: str
) -> None:
    key = portfolio.company.pk if kind == "company" else portfolio.folder.pk
    answer = post(alice, f"structured/{prompt}", {"context": {"type": kind, "id": str(key)}, **more})
    assert (answer.status_code, said in answer.content.decode()) == (status, True), answer.content
    assert not Run.objects.exists()


def test_viewers_look_and_strangers_see_nothing(
    db: None, alice: User, bob: User, charlie: User, portfolio: Portfolio
) -> None:
    asked = {"context": {"type": "company", "id": str(portfolio.company.pk)}}
    assert [post(each, "structured/company_info", asked).status_code for each in (bob, charlie)] == [403, 404]
    run = begun(alice, "company_info", "company", portfolio.company.pk)
    assert [get(each, f"structured/{run.pk}").status_code for each in (bob, charlie)] == [200, 404]
    assert [patch(each, f"structured/{run.pk}/cancel", {}).status_code for each in (bob, charlie)] == [403, 404]


def test_what_a_model_asks_for_is_proposed_whatever_is_empty(
    transactional_db: None, running: Engine, vendor: VendorServer, alice: User, bare: Company
) -> None:
    about = f"company:{bare.pk}"
    wish = ScriptedCall("generate", {"prompt": "company_info", "object": about, "instructions": "Briefly."})
    filled = Script(tool_calls=(form("company_info", **OF_COMPANY | {"name": bare.name}),))
    vendor.script(Script(tool_calls=(wish, wish)), Script(text="It is on its way."), filled)
    asked = ask(alice, "Find out more about it.", context=Ref("company", str(bare.pk)))
    assert rested(asked.run_id).message.content == "It is on its way."
    (begun_,) = StructuredRun.objects.all()
    with generation_worker():  # Only now: it would take the answer that is meant for the conversation.
        run = rested(begun_.pk)
    bare.refresh_from_db()
    assert (run.status, begun_.instructions, bare.industry) == ("succeeded", "Briefly.", "")
    waiting = Proposal.objects.get()
    assert [each["level"] for each in waiting.asked_by] == ["request"]
    assert waiting.arguments["updates"].keys() == {"industry", "size", "products", "processes"}
    assert patch(alice, f"structured/{run.pk}/cancel", {}).json()["state"] == "cancelled"


def test_what_was_read_from_outside_makes_every_result_wait(
    working: GenerationWorker, vendor: VendorServer, alice: User, bare: Company
) -> None:
    vendor.script(Script(tool_calls=(form("company_info", **OF_COMPANY | {"name": bare.name}),)))
    Company.objects.filter(pk=bare.pk).update(industry="Shipping")
    object_for(member_of(alice), Ref("company", str(bare.pk)))
    Object.objects.filter(type="company", key=str(bare.pk)).update(untrusted_since=timezone.now())
    run = rested(begun(alice, "company_info", "company", bare.pk).pk)
    bare.refresh_from_db()
    assert (told(alice, run)["state"], bare.industry) == ("waiting", "Shipping")
    waiting = Proposal.objects.get()  # One decision about filled and empty fields alike.
    assert [each["level"] for each in waiting.asked_by] == ["untrusted"]
    assert waiting.arguments["updates"].keys() == {"industry", "size", "products", "processes"}


def test_a_request_that_is_sent_twice_begins_one(db: None, alice: User, portfolio: Portfolio) -> None:
    asked = {"context": {"type": "company", "id": str(portfolio.company.pk)}}
    refused = post(alice, "structured/company_info", {**asked, "count": 3}, idempotency_key="k")
    first, again = (post(alice, "structured/company_info", asked, idempotency_key="k") for _ in range(2))
    assert [each.status_code for each in (refused, first, again)] == [400, 202, 202]
    assert first.json() == again.json()
    other = {**asked, "instructions": "Briefly."}
    assert post(alice, "structured/company_info", other, idempotency_key="k").status_code == 422
    folder = {"context": {"type": "folder", "id": str(portfolio.folder.pk)}}
    assert post(alice, "structured/folder_name", folder, idempotency_key="k").status_code == 422
    assert Run.objects.count() == 1
    assert post(alice, "structured/company_info", asked).json() != first.json()


def test_facts_of_a_company_may_be_searched_for_and_are_proposed_then(
    vendor: VendorServer, settings: Settings, alice: User, bare: Company
) -> None:
    settings.SEARCH_PROVIDER = "demo"
    search = ScriptedCall("web_search", {"query": "picking routes in a warehouse"})
    filled = form(
        "company_info", **OF_COMPANY | {"name": bare.name, "reason": "By https://pages.example/picking-routes."}
    )
    vendor.script(*4 * [Script(tool_calls=(search,))], Script(tool_calls=(filled,)))
    with generation_worker():
        run = rested(begun(alice, "company_info", "company", bare.pk).pk)
    offered = [[tool["function"]["name"] for tool in each.body["tools"]] for each in vendor.requests]
    assert offered == [*3 * [["web_search", "write_company_info"]], *2 * [["write_company_info"]]]
    assert "https://pages.example/picking-routes" in str(vendor.requests[1].body["messages"][-1])
    assert "no tool called" in str(vendor.requests[4].body["messages"][-1])
    bare.refresh_from_db()
    assert (told(alice, run)["state"], bare.industry) == ("waiting", "")
    waiting = Proposal.objects.get()
    assert (waiting.asked_by, waiting.reason) == (
        [{"level": "untrusted", "why": "web:search"}],
        "By https://pages.example/picking-routes.",
    )


def test_a_generation_that_searches_fails_as_often_as_another(
    vendor: VendorServer, settings: Settings, alice: User, bare: Company
) -> None:
    settings.SEARCH_PROVIDER, settings.TOOL_ROUNDS = "demo", 1
    search, text = Script(tool_calls=(ScriptedCall("web_search", {"query": "routes"}),)), Script(text="Let me see.")
    vendor.script(text, search, text)
    with generation_worker():
        run = rested(begun(alice, "company_info", "company", bare.pk).pk)
    assert (told(alice, run)["state"], told(alice, run)["text"], len(vendor.requests)) == ("failed", "Let me see.", 3)
