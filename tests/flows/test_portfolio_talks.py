"""What people do in conversations about their portfolio, in real browsers; each test is named after its use case.

Alice edits, Bob looks, Charlie is a stranger. The model is scripted; the demo talks in `test_talk_about_records.py`.
"""

import json
import re
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from chat.models import Feedback, Proposal, Session
from graphs.models import Revision, UseCase
from tests.cast import signed_in
from tests.faults.crash_scripts import SLOW, asked
from tests.flows.records import (
    begin_anew,
    change,
    decide,
    open_record,
    path_of,
    proposing,
    reject,
    says,
    value,
)
from tests.flows.visitor import Visitor
from tests.graphs.records.asking import name_of, update
from tests.graphs.records.portfolio import Portfolio
from tests.site import Site
from tests.vendors import Script

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
Visit = Callable[..., Visitor]


def updating(of: object, **updates: object) -> tuple[str, dict[str, object]]:
    return proposing("update_object", object=of, updates=updates)


def test_cu_001_a_use_case_and_its_company_change_as_alice_approves_and_everybody_here_sees_it(
    work: Portfolio, shared_site: Site, visit: Visit
) -> None:
    case, company = work.use_cases[0], work.company
    alice = open_record(visit(shared_site.web.url, "alice"), case)
    alice.ask(says("Shorter:", updating(name_of(case), **{"data.problem": "Pickers walk **far**."})))
    expect(alice.cards).to_contain_text("Optimise where goods lie.")
    case.refresh_from_db()
    assert case.data["problem"] == "Optimise where goods lie."
    bob = open_record(visit(shared_site.web.url, "bob"), company)
    expect(bob.page.get_by_role("button", name="Approve")).to_have_count(0)
    decide(alice, "Approve", "applied")
    expect(value(alice, "data.problem").locator("strong")).to_have_text("far")
    alice.ask(says("And the company:", updating(name_of(company), industry="Logistics")))
    decide(alice, "Approve", "applied", 1)
    expect(value(bob, "industry")).to_have_text("Logistics")
    charlie = visit(shared_site.web.url, "charlie")
    for record in (case, company):
        answered = charlie.page.goto(f"{charlie.url}{path_of(record)}")
        assert answered is not None
        assert answered.status == 404
    assert alice.errors == bob.errors == []


def test_cu_005_a_conversation_is_about_the_record_of_the_page_and_its_history(
    work: Portfolio, shared_site: Site, visit: Visit
) -> None:
    case = work.use_cases[0]
    alice = open_record(visit(shared_site.web.url, "alice"), case)
    change(alice, "data.contact", "Ann")
    reading = [("read_object", {"object": name_of(case)}), ("read_history", {"object": name_of(case)})]
    answer = alice.ask(says("I look.", *reading, then="Ann is the contact since today."))
    expect(answer).to_contain_text("Ann is the contact since today.")
    first, second = (json.dumps(each.body) for each in shared_site.vendor.requests)
    for given in ("Slot planning", "Warehouse", "Northwind", "Optimise where goods lie."):
        assert given in first
    assert "data.contact" in second
    assert Session.objects.get(context_id=str(case.pk)).context_type == "usecase"
    # The executive summary is talked about on its own tab.
    open_record(alice, work.folder, "?tab=executive_summary")
    expect(alice.answers).to_have_count(0)
    alice.ask(says("It has no analysis."))
    assert Session.objects.get(context_id=str(work.folder.pk)).context_type == "executive_summary"
    answered = update(
        signed_in(User.objects.get(username="alice")), work.folder, **{"executive_summary.analysis": "Go"}
    )
    assert answered.status_code == 201
    expect(value(alice, "executive_summary.analysis")).to_contain_text("Go")


def test_cu_009_records_are_made_moved_and_deleted_only_as_somebody_approves(
    work: Portfolio, shared_site: Site, visit: Visit
) -> None:
    alice = open_record(visit(shared_site.web.url, "alice"), work.folder, "?tab=usecase")
    made = {"kind": "usecase", "parent": name_of(work.folder), "fields": {"data.name": "Yard planning"}}
    alice.ask(says("You might add this:", proposing("create_object", **made)))
    expect(alice.cards).to_contain_text("Yard planning")
    assert not UseCase.objects.filter(name="Yard planning").exists()
    decide(alice, "Approve", "applied")
    expect(alice.page.get_by_role("link", name="Yard planning")).to_be_visible()
    yard = UseCase.objects.get(name="Yard planning")
    moving = proposing("move_object", object=name_of(yard), parent=None)
    alice.ask(says("It belongs elsewhere:", moving))
    decide(alice, "Approve", "applied")
    expect(alice.page.get_by_role("link", name="Yard planning")).to_have_count(0)
    deleting = proposing("delete_object", object=name_of(yard))
    alice.ask(says("Nobody needs it:", deleting))
    reject(alice, 2)
    assert UseCase.objects.get(pk=yard.pk).folder is None


def test_cu_010_details_are_asked_for_and_conversations_searched(
    work: Portfolio, shared_site: Site, visit: Visit
) -> None:
    case = work.use_cases[0]
    alice = open_record(visit(shared_site.web.url, "alice"), case)
    expect(alice.ask(says("The forklifts stand still."))).to_contain_text("forklifts")
    begin_anew(alice)
    calls = [
        ("search_conversations", {"query": "forklifts"}),
        ("search_objects", {"query": "claims"}),
        ("read_history", {"object": name_of(case), "field": "data.problem"}),
    ]
    found = f"See {{{{{name_of(work.use_cases[1])}}}}}."
    answer = alice.ask(says("I search.", *calls, then=found))
    link = answer.get_by_role("link", name="Claims triage")
    expect(link).to_have_attribute("href", re.compile(f"{path_of(work.use_cases[1])}$"))
    results = json.dumps(shared_site.vendor.requests[-1].body)
    assert "The forklifts stand still." in results
    assert name_of(work.use_cases[1]) in results


def test_cu_012_one_conversation_changes_a_use_case_its_folder_and_the_summary_together(
    work: Portfolio, shared_site: Site, visit: Visit
) -> None:
    case, folder = work.use_cases[0], work.folder
    alice = open_record(visit(shared_site.web.url, "alice"), case)
    wanted = [
        (name_of(case), {"data.domain": "Picking"}),
        (name_of(folder), {"description": "All about the warehouse."}),
        (f"executive_summary:{folder.pk}", {"executive_summary.analysis": "Begin here."}),
    ]
    steps = [{"tool": "update_object", "arguments": {"object": of, "updates": new}} for of, new in wanted]
    alice.ask(says("All three:", proposing("batch", actions=steps)))
    for told in ("Slot planning", "Warehouse", "Begin here."):
        expect(alice.cards).to_contain_text(told)
    decide(alice, "Approve", "applied")
    expect(value(alice, "data.domain")).to_have_text("Picking")
    folder.refresh_from_db()
    assert (folder.description, folder.executive_summary) == ("All about the warehouse.", {"analysis": "Begin here."})
    made = Revision.objects.filter(key__in=[str(case.pk), str(folder.pk)], change_set__origin="chat")
    assert made.values("change_set").distinct().count() == 1
    # The model was told what holds the use case, and goes up from there.
    told = json.dumps(shared_site.vendor.requests[0].body)
    assert name_of(folder) in told
    assert name_of(work.company) in told
    alice.ask(says("I look.", ("read_object", {"object": name_of(work.company)}), then="It is a company."))
    expect(alice.answers.last).to_contain_text("It is a company.")
    assert Session.objects.filter(context_id=str(case.pk)).count() == 1


def test_cu_013_suggestions_come_on_demand_with_evidence_and_a_proposal(
    work: Portfolio, shared_site: Site, visit: Visit
) -> None:
    case, other = work.use_cases
    alice = open_record(visit(shared_site.web.url, "alice"), case)
    made = {"kind": "usecase", "parent": name_of(work.folder), "fields": {"data.name": "Returns forecast"}}
    better, renamed = {"data.solution": "Heat map"}, {"data.name": "Goods planning"}
    suggested = [
        ("Improvement: its solution is missing.", updating(name_of(case), **better)),
        ("Inconsistency: the name plans slots, the problem is about goods.", updating(name_of(case), **renamed)),
        ("Similar: both triage.", updating(name_of(other), **{"data.description": "Triage"})),
        ("Complementary: nothing here forecasts returns.", proposing("create_object", **made)),
    ]
    answer = alice.ask(says("\n\n".join(text for text, _call in suggested), *(call for _text, call in suggested)))
    for number, (evidence, _call) in enumerate(suggested):
        expect(answer).to_contain_text(evidence)
        decide(alice, "Approve", "applied", number)
    case.refresh_from_db()
    other.refresh_from_db()
    assert (case.data["solution"], case.data["name"]) == ("Heat map", "Goods planning")
    assert other.data["description"] == "Triage"
    assert UseCase.objects.get(name="Returns forecast").folder == work.folder
    # Nobody asked for anything here: a plain answer proposes nothing, and the model is told to leave it so.
    alice.ask(says("It is about goods."))
    assert Proposal.objects.filter(session__context_id=str(case.pk)).count() == 4
    assert "only when" in json.dumps(shared_site.vendor.requests[0].body["messages"][0]).lower()


def test_cu_014_alice_exports_and_shares_and_what_she_takes_back_is_gone(
    work: Portfolio, shared_site: Site, visit: Visit
) -> None:
    case, url = work.use_cases[0], shared_site.web.url
    alice, bob = (open_record(visit(url, name), case) for name in ("alice", "bob"))
    alice.ask(says("It is about **goods**."))
    expect(alice.answers.last).to_have_attribute("data-status", "complete")
    alice.chat.locator(".title").click()
    for kind in ("JSON", "Markdown", "PDF"):
        with alice.page.expect_download() as coming:
            alice.chat.get_by_role("link", name=kind, exact=True).click()
        assert coming.value.path().stat().st_size > 0
    alice.chat.get_by_label(re.compile("^Share ")).click()
    card = alice.chat.locator(".sharing")
    card.get_by_label("Member", exact=True).select_option("bob")
    card.get_by_role("button", name="Share", exact=True).click()
    expect(card.get_by_label("What bob may do")).to_have_value("read")
    card.get_by_role("button", name="Make a link").click()
    address = card.get_by_label("Address of the link").input_value()
    bob.chat.locator(".title").click()
    bob.chat.locator(".menu-others .session-open").click()
    expect(bob.answers.locator("strong")).to_have_text("goods")
    expect(bob.composer).to_be_disabled()
    anybody = visit(url)
    anybody.page.goto(address)
    expect(anybody.page.locator(".shared-markdown strong")).to_have_text("goods")
    assert "alice" not in anybody.page.content()
    card.get_by_label("Stop sharing with bob").click()
    expect(bob.chat.get_by_text("no longer exists")).to_be_visible()
    card.get_by_label("Revoke this link").click()
    expect(card.locator(".sharing-list li")).to_have_count(0)
    answered = anybody.page.goto(address)
    assert answered is not None
    assert answered.status == 404
    assert alice.errors == []


def test_cu_017_alice_chooses_what_the_model_is_sent_and_asks_for_less_where_it_was_cut(
    work: Portfolio, shared_site: Site, visit: Visit
) -> None:
    alice = open_record(visit(shared_site.web.url, "alice"), work.use_cases[0])
    for text in ("Of forklifts.", "Of pallets."):
        expect(alice.ask(says(text))).to_contain_text(text)
        expect(alice.answers.last).to_have_attribute("data-status", "complete")
    alice.answers.first.hover()
    alice.answers.first.get_by_role("button", name="Leave out for the model").click()
    expect(alice.answers.first).to_contain_text("Left out")
    cut = Script(text="It begins with", finish="length")
    shared_site.vendor.script(cut, Script(text="In short: goods."))
    alice.ask("What is it all about?").get_by_role("button", name="Ask for a shorter answer").click()
    expect(alice.answers.last).to_contain_text("In short: goods.")
    first, again = (each.body["messages"][1:] for each in shared_site.vendor.requests[-2:])
    for sent in (first, again):
        assert [each["content"] for each in sent if each["role"] == "assistant"] == ["Of pallets."]
    assert "it was longer than you may write at once" in json.dumps(again)
    assert alice.errors == []


def test_cu_020_alice_is_told_elsewhere_what_ended_and_says_what_it_was_worth(
    work: Portfolio, shared_site: Site, visit: Visit
) -> None:
    case, url = work.use_cases[0], shared_site.web.url
    alice, bob = (open_record(visit(url, name), case) for name in ("alice", "bob"))
    answer = alice.ask(f"SCRIPT={json.dumps({'text': 'It is about all the goods.', 'delay_s': 1})} Please.")
    expect(answer).to_contain_text("It is")
    toasts = alice.page.locator(".toasts .toast")
    alice.page.goto("about:blank")  # at once: what ends before she has left is shown, and not told
    alice.page.goto(f"{url}/companies/")
    expect(toasts).to_contain_text("the answer is there")
    toasts.get_by_role("link", name="Show").click()
    alice.connected()
    expect(alice.answers.last).to_contain_text("It is about all the goods.")
    expect(toasts).to_have_count(0)
    alice.answers.last.hover()
    alice.answers.last.get_by_role("button", name="Not a good answer").click()
    alice.chat.get_by_label("Comment", exact=True).fill("Too short")
    alice.page.keyboard.press("Enter")
    expect(alice.answers.last.locator(".rating-form:visible")).to_have_count(0)
    given = Feedback.objects.get(message__session__context_id=str(case.pk))
    assert (given.vote, given.comment, given.person.get_username()) == (-1, "Too short", "alice")
    open_record(alice, case)
    change(alice, "data.contact", "Ann")
    expect(value(bob, "data.contact")).to_have_text("Ann")
    assert alice.errors == bob.errors == []


def test_cu_019_a_question_waits_for_its_turn_says_so_and_is_taken_back(
    work: Portfolio, shared_site: Site, visit: Visit
) -> None:
    alice = open_record(visit(shared_site.web.url, "alice"), work.use_cases[0])
    alice.ask(asked(SLOW | {"delay_s": 0.5}))  # longer than all of this may take
    second, third = alice.ask(says("The second one.")), alice.ask(says("The third one."))
    for waiting in (second, third):
        expect(waiting).to_contain_text("Queued")
    alice.button("Stop").click()
    for given_up in (second, third):
        expect(given_up).to_contain_text("Stopped")
    assert len(shared_site.vendor.requests) == 1
    expect(alice.ask(says("Back again."))).to_contain_text("Back again.")


def test_cu_019_a_proposal_meets_an_edit_by_hand_and_each_field_has_one_winner(
    work: Portfolio, shared_site: Site, visit: Visit
) -> None:
    case = work.use_cases[0]
    alice = open_record(visit(shared_site.web.url, "alice"), case)
    alice.ask(says("I propose:", updating(name_of(case), **{"data.problem": "Of the model", "data.domain": "Yard"})))
    expect(alice.cards).to_contain_text("Of the model")
    change(alice, "data.problem", "By hand")
    alice.cards.get_by_role("button", name="Approve").click()
    expect(alice.cards).to_have_attribute("data-status", "stale")
    expect(alice.cards).to_contain_text("By hand")
    expect(alice.cards.get_by_role("button", name="Propose again")).to_be_visible()
    expect(value(alice, "data.problem")).to_contain_text("By hand")
    case.refresh_from_db()
    assert (case.data["problem"], "domain" in case.data) == ("By hand", False)
    alice.ask(says("Only the other field:", updating(name_of(case), **{"data.domain": "Yard"})))
    decide(alice, "Approve", "applied")
    case.refresh_from_db()
    assert (case.data["problem"], case.data["domain"]) == ("By hand", "Yard")
