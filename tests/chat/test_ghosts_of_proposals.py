"""What waits in a conversation is drawn on the page of its graph, and gone from it when it was decided."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from chat.actions.deciding import Decision, decide
from graphs.models import Graph
from graphs.site.access import member_of
from tests.browser import Windows, sign_in
from tests.proposed import DELETE, MOVE, waiting

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

CHANGED = """document.dispatchEvent(new CustomEvent("countersign:object-changed", {
    detail: { object: { type: "graph", id: "nba" }, version: null } }))"""


@pytest.fixture
def page(windows: Windows, bob: User, nba: Graph, live_server: LiveServer) -> Page:
    """A viewer of the workspace, whose conversation it is not."""
    page = windows.open(viewport={"width": 1280, "height": 900}, base_url=live_server.url)
    sign_in(page.context, bob, live_server.url)
    page.context.set_default_timeout(20_000)
    return page


def test_a_link_leads_to_a_proposal_in_the_drawing(page: Page, nba: Graph, alice: User) -> None:
    move, delete = waiting(alice, nba, MOVE, DELETE, reason="It reads better.")
    page.goto(f"/graphs/nba/?proposal={move.pk}")
    ghosts = page.locator("graph-view .ghosts")
    expect(ghosts.locator(".ghost.move.chosen .ghost-trail")).to_have_count(1)
    expect(ghosts.locator(f'[data-proposal="{delete.pk}"].delete')).to_have_count(3)
    expect(page.locator(".waiting-button")).to_have_text("2 changes wait")
    decide(member_of(alice), str(delete.pk), Decision(approved=True))
    page.evaluate(CHANGED)
    expect(page.locator(".waiting-button")).to_have_text("1 change waits")
    expect(page.locator("graph-view .nodes > g")).to_have_count(2)
    expect(ghosts.locator(".delete")).to_have_count(0)
    expect(page.locator(".facts")).to_contain_text("2 nodes")
    expect(page.locator(".facts")).to_contain_text("changed just now")
