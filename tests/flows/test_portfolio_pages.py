"""What people see of their portfolio beside conversations, in real browsers; each test is named after its use case."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from chat.models import Session
from tests.flows.records import (
    begin_anew,
    change,
    decide,
    open_record,
    path_of,
    proposing,
    reject,
    says,
)
from tests.flows.visitor import Visitor
from tests.graphs.records.asking import name_of
from tests.graphs.records.portfolio import Portfolio
from tests.site import Site

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
Visit = Callable[..., Visitor]


def test_cu_002_all_that_happened_to_a_record_stands_in_its_history(
    work: Portfolio, shared_site: Site, visit: Visit
) -> None:
    case = work.use_cases[0]
    alice = open_record(visit(shared_site.web.url, "alice"), case)
    change(alice, "data.contact", "Ann")
    alice.ask(says("Shorter:", proposing("update_object", object=name_of(case), updates={"data.problem": "Ways."})))
    decide(alice, "Approve", "applied")
    # The field is marked, and the conversation that changed it stands below the fields.
    expect(alice.page.locator(".record-conversations a")).to_have_attribute("href", re.compile(path_of(case)))
    alice.page.locator('[data-path="data.problem"] [data-change]').click()
    entries = alice.page.locator("graph-history .history-entry")
    expect(entries).to_have_count(3)
    for number, told in enumerate(("conversation", "by hand", "It began here")):
        expect(entries.nth(number)).to_contain_text(told)
    expect(entries.first).to_contain_text("scripted")
    assert alice.errors == []


def test_cu_011_a_change_is_given_up_two_versions_are_compared_and_one_comes_back(
    work: Portfolio, shared_site: Site, visit: Visit
) -> None:
    case = work.use_cases[0]
    alice = open_record(visit(shared_site.web.url, "alice"), case)
    alice.ask(says("Shorter:", proposing("update_object", object=name_of(case), updates={"data.problem": "Ways."})))
    reject(alice, 0)
    for path, text in (("data.contact", "Ann"), ("data.problem", "Long ways.")):
        change(alice, path, text)
    alice.page.get_by_role("link", name="History").click()
    entries = alice.page.locator("graph-history .history-entry")
    expect(entries).to_have_count(3)
    for number in (0, 2):
        entries.nth(number).get_by_role("checkbox", name="Compare").check()
    alice.page.locator(".history-bar").get_by_role("button", name="Compare").click()
    compared = alice.page.locator(".history-compared")
    expect(compared).to_contain_text("From version 1 to version 3")
    for told in ("Ann", "Long ways."):
        expect(compared).to_contain_text(told)
    entries.nth(2).locator("summary").click()
    entries.nth(2).get_by_role("button", name="Everything since: as of here").click()
    alice.page.get_by_role("dialog").get_by_role("button", name="Roll back").click()
    expect(entries).to_have_count(4)
    case.refresh_from_db()
    assert case.data == {"name": "Slot planning", "problem": "Optimise where goods lie."}
    assert alice.errors == []


def test_cu_015_several_conversations_about_a_record_are_named_taken_up_and_deleted(
    work: Portfolio, shared_site: Site, visit: Visit
) -> None:
    alice = open_record(visit(shared_site.web.url, "alice"), work.company)
    expect(alice.ask(says("The first one."))).to_contain_text("The first one.")
    begin_anew(alice)
    alice.ask('SCRIPT={"text": "one two three four five six seven eight nine ten", "delay_s": 0.1}')
    expect(alice.answers.first).to_contain_text("two")
    alice.page.reload()
    expect(alice.answers.first).to_contain_text("ten")
    menu = alice.chat.locator(".menu")
    alice.chat.locator(".title").click()
    expect(menu.locator(".session")).to_have_count(2)
    menu.get_by_role("button", name=re.compile("^Rename")).first.click()
    menu.get_by_label("Title").fill("Numbers")
    alice.page.keyboard.press("Enter")
    expect(menu.locator(".session-title").first).to_have_text("Numbers")
    menu.get_by_role("button", name="Delete Numbers").click()
    menu.get_by_role("button", name="Delete", exact=True).click()
    expect(menu.locator(".session")).to_have_count(1)
    assert Session.objects.filter(context_id=str(work.company.pk), hidden_at=None).count() == 1


def test_cu_021_an_error_says_what_to_do_and_the_conversation_goes_on(
    work: Portfolio, shared_site: Site, visit: Visit
) -> None:
    alice = open_record(visit(shared_site.web.url, "alice"), work.folder)
    failed = alice.ask("SCRIPT:auth_error")
    expect(failed).to_contain_text("refused our key")
    expect(failed.get_by_role("button", name=re.compile("again|Retry"))).to_have_count(0)
    failed = alice.ask("SCRIPT:cut")
    expect(failed).to_contain_text("broke off")
    failed.get_by_role("button", name=re.compile("again|Retry")).click()
    expect(alice.answers).to_have_count(3)
    alice.page.reload()
    expect(alice.answers.first).to_contain_text("refused our key")
    unknown = (
        "propose_update_object",
        {"reason": "As you asked.", "object": name_of(work.folder), "updates": {"colour": "red"}},
    )
    expect(alice.ask(says("I propose:", unknown, then="There is no such field."))).to_contain_text("no such field")
    told = shared_site.vendor.requests[-1].body["messages"][-1]["content"]
    assert "colour" in told
    assert "description" in told
