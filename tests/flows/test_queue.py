"""What runs is seen and stopped elsewhere than where it was asked for, and what ended is told (CU-016, CU-019)."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from chat.models import Run, RunStatus
from tests.chat.engine.driving import until
from tests.faults.crash_scripts import SHORT, SLOW, TELL, asked
from tests.flows.visitor import Visitor
from tests.site import Site

pytestmark = [pytest.mark.browser, pytest.mark.processes, pytest.mark.django_db(transaction=True)]


def entries(page: Page) -> Locator:
    return page.locator("work-queue .entry")


def toasts(page: Page) -> Locator:
    return page.locator(".toasts .toast")


def test_alice_watches_and_stops_an_answer_in_the_queue_and_bob_sees_that_it_runs(
    one_process: Site, visit: Callable[..., Visitor]
) -> None:
    alice = visit(one_process.web.url, "alice").open_graph()
    alice.ask(asked(SLOW))
    alice.chat.get_by_role("tab", name="Queue").click()
    expect(alice.chat.locator(".entry")).to_have_attribute("data-state", "running")
    alice.page.get_by_role("link", name="Queue", exact=True).click()
    entry = entries(alice.page)
    entry.get_by_role("button", name="Watch").click()
    expect(entry.locator(".assistant")).to_contain_text("word word")
    bob = visit(one_process.web.url, "bob")
    bob.page.goto(f"{bob.url}/queue/")
    expect(entries(bob.page)).to_contain_text("A conversation of alice")
    expect(entries(bob.page).get_by_role("button")).to_have_count(0)
    assert "SCRIPT" not in bob.page.content()
    entry.get_by_role("button", name="Stop").click()
    expect(alice.page.get_by_text("Nothing runs or waits")).to_be_visible()
    until(lambda: Run.objects.get().status == RunStatus.CANCELLED)
    expect(entries(bob.page)).to_have_count(0)
    expect(toasts(alice.page)).to_have_count(0)
    assert alice.errors == bob.errors == []


def test_alice_is_told_elsewhere_and_only_there_that_her_answer_came(
    one_process: Site, visit: Callable[..., Visitor]
) -> None:
    alice = visit(one_process.web.url, "alice").open_graph()
    expect(alice.ask(asked(TELL))).to_contain_text("gives them back to you.")
    until(lambda: Run.objects.get().status == RunStatus.SUCCEEDED)
    expect(alice.answers.last).to_have_attribute("data-status", "complete")
    expect(toasts(alice.page)).to_have_count(0)
    alice.ask(asked(SHORT))
    alice.page.goto(f"{alice.url}/companies/")
    expect(toasts(alice.page)).to_contain_text("the answer is there")
    toasts(alice.page).get_by_role("link", name="Show").click()
    alice.connected()
    expect(alice.answers.last).to_contain_text("It fetches the games.")
    expect(toasts(alice.page)).to_have_count(0)
    assert alice.errors == []
