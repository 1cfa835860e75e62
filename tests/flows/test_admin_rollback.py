"""An administrator finds out what was changed, takes it back with a reason, and watches how it came about."""

import re
from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import BrowserContext, Page, expect

from chat.actions.deciding import Decision, decide
from chat.models import Proposal
from graphs.models import ChangeSet, Origin
from graphs.site.access import member_of
from tests.browser import sign_in
from tests.things import Thing, a_part_and_a_row

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), a_part_and_a_row]


@pytest.fixture
def applied(alice: User, thing: Thing) -> Proposal:
    """Alice let the model change it."""
    User.objects.create_superuser("root")
    retry = thing.update_call(**{thing.text: "return retry(fetch(url), 3)"})
    (proposal,) = thing.proposed(alice, retry, reason="Retries were asked for")
    decide(member_of(alice), str(proposal.pk), Decision(approved=True))
    return proposal


@pytest.fixture
def root(applied: Proposal, live_server: object, context: BrowserContext) -> Iterator[Page]:
    """The administrator's browser; nothing may be blocked or fail in it."""
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    sign_in(context, User.objects.get(username="root"), str(live_server))
    page.goto(f"{live_server}/admin/")
    yield page
    assert said == []


def test_a_change_is_found_looked_at_and_taken_back(root: Page, applied: Proposal, thing: Thing) -> None:
    root.get_by_role("link", name="Change sets", exact=True).first.click()
    row = root.locator("#result_list tbody tr").first
    expect(row).to_contain_text("Retries were asked for")
    row.locator("th a").click()
    expect(root.locator("td.new ins")).to_have_text("retry(fetch(url), 3")

    root.get_by_role("link", name="message", exact=True).click()
    expect(root.locator(f"#message-{applied.message_id}")).to_be_in_viewport()
    root.go_back()

    root.get_by_role("link", name=re.compile("^Roll back …")).click()
    expect(root.locator("td.old del")).to_have_text("retry(fetch(url), 3")
    root.get_by_label("Reason").fill("It hid a real failure")
    root.get_by_role("button", name="Roll back").click()
    expect(root.locator(".messagelist")).to_contain_text("It was taken back.")
    assert thing.record[thing.text] == "return fetch(url)"
    done = ChangeSet.objects.get(origin=Origin.ROLLBACK)
    assert (done.actor_label, done.reason) == ("root", "It hid a real failure")


def test_a_conversation_is_played_again(root: Page, applied: Proposal, live_server: object) -> None:
    root.goto(f"{live_server}{reverse('admin:chat_session_replay', args=[applied.session_id])}")
    shown = root.locator("chat-replay .shown")
    expect(shown).to_contain_text("Before the first of ")
    stage = root.locator("chat-replay .stage")
    root.keyboard.press("ArrowRight")
    expect(stage.locator(".user")).to_contain_text("Improve it")
    expect(stage.locator(".assistant")).to_have_count(0)

    root.keyboard.press("Shift+ArrowRight")
    expect(shown).to_contain_text("proposal")
    card = stage.locator(".proposal")
    expect(card).to_have_attribute("data-status", "pending")
    expect(card).to_contain_text("retry(fetch(url), 3)")
    expect(card.get_by_role("button", name="Approve")).to_have_count(0)
    root.keyboard.press("End")
    expect(card).to_have_attribute("data-status", "applied")
    root.keyboard.press("Home")
    expect(stage.locator(".user")).to_have_count(0)

    root.get_by_label("Speed").select_option("10")
    root.get_by_role("button", name="Play (space)").click()
    expect(card).to_have_attribute("data-status", "applied")
    expect(root.get_by_role("button", name="Play (space)")).to_be_visible()
    root.locator(".position").fill("1")
    expect(shown).to_contain_text("Event 1 of ")
    expect(card).to_have_count(0)
