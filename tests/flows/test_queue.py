"""What runs is seen and stopped elsewhere than where it was asked for, and what ended is told (CU-016, CU-019)."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from chat.events.notices import workspace_stream_name
from chat.events.toasts import tell_of_import
from chat.models import Run, RunStatus
from graphs.models import Graph
from graphs.site.imports_under_way import Made
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
    alice.ask(asked(SLOW | {"delay_s": 0.5}))  # longer than all of this may take
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
    alice.ask(asked(SHORT | {"delay_s": 1}))
    alice.page.goto("about:blank")  # at once: what ends before she has left is shown, and not told
    alice.page.goto(f"{alice.url}/companies/")
    expect(toasts(alice.page)).to_contain_text("the answer is there")
    toasts(alice.page).get_by_role("link", name="Show").click()
    alice.connected()
    expect(alice.answers.last).to_contain_text("It fetches the games.")
    expect(toasts(alice.page)).to_have_count(0)
    assert alice.errors == []


#: As if the page before had been left long ago.
LONG_AGO = "const now = Date.now.bind(Date); Date.now = () => now() + 360_000"
#: As if it had been left where the stream does not reach any more.
BEYOND = "sessionStorage.setItem('countersign-chat:left:%s', JSON.stringify({at: Date.now(), value: {last: 1e9}}))"


def test_what_ends_between_two_pages_is_told_on_the_next_one_if_nobody_can_have_read_it(
    one_process: Site, visit: Callable[..., Visitor]
) -> None:
    alice = visit(one_process.web.url, "alice")
    demo = Graph.objects.get(key="nba").workspace
    workspace = workspace_stream_name(demo.pk)
    asked_where_it_ends: list[str] = []
    alice.page.on("request", lambda request: f"{workspace}?" in request.url and asked_where_it_ends.append(request.url))

    def arrives(path: str, *titles: str) -> None:
        with alice.page.expect_response("**/proposals/waiting"):  # asked for once it hears of its workspace
            alice.page.goto(f"{alice.url}{path}")
        expect(toasts(alice.page).locator("p")).to_have_text([f"“{title}” is imported." for title in titles])

    def ends(title: str) -> None:
        tell_of_import(demo.pk, "alice", Made("graph", "nba", title))

    arrives("/companies/")
    assert len(asked_where_it_ends) == 1
    alice.page.goto("about:blank")
    ends("Games")
    arrives("/companies/", "Games")
    arrives("/folders/", "Games")  # whoever left so soon cannot have read it
    toasts(alice.page).get_by_role("button", name="Dismiss").click()
    alice.page.goto("about:blank")
    ends("Teams")
    arrives("/graphs/nba/")  # which shows it
    assert len(asked_where_it_ends) == 1
    alice.page.goto("about:blank")
    ends("Long ago")
    alice.page.add_init_script(LONG_AGO)
    arrives("/companies/")
    assert len(asked_where_it_ends) == 2
    alice.page.add_init_script(BEYOND % workspace)
    arrives("/companies/")
    ends("La\u202eter")  # nothing of a title turns the sentence round
    expect(toasts(alice.page).locator("p")).to_have_text("“La⟦U+202E⟧ter” is imported.")
    assert alice.errors == []
