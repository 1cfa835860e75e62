"""The model proposes, people decide: in the conversation, in the inbox, in several windows, and back again."""

import json
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from chat.models import Proposal
from graphs.models import Graph
from tests.chat.engine.driving import until
from tests.flows.visitor import Visitor
from tests.proposed import Call
from tests.site import Site
from tests.things import Thing, a_part_and_a_row, beside, node_of

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
Visit = Callable[..., Visitor]
LINES = "proposal-inbox .line"
CHOSEN = f"{LINES}[aria-selected=true]"


def script(*calls: Call, then: str) -> str:
    """A message whose answer proposes these changes, and says something after the last decision."""
    tools = [{"name": f"propose_{name}", "arguments": {"reason": "As you said.", **given}} for name, given in calls]
    return f"SCRIPT={json.dumps([{'text': 'I propose:', 'tool_calls': tools}, {'text': then}])} Please."


@a_part_and_a_row
def test_alice_edits_approves_and_undoes_while_another_window_looks_on(
    its_site: Site, visit: Visit, thing: Thing
) -> None:
    alice = visit(its_site.web.url, "alice").open_page_of(thing)
    alice.ask(script(thing.rename_call("Fetch games"), then="It is renamed."))
    expect(alice.cards).to_contain_text("Change Fetch API")
    assert thing.called == "Fetch API"
    alice.page.reload()
    expect(alice.cards.locator("ins")).to_contain_text("Fetch games")
    other = alice.new_tab().open_page_of(thing)
    expect(other.cards.locator("ins")).to_contain_text("Fetch games")

    alice.cards.get_by_role("button", name="Edit").click()
    alice.cards.get_by_label("name", exact=True).fill("Fetch scores")
    alice.cards.get_by_role("button", name="Preview").click()
    expect(alice.cards.locator("ins")).to_contain_text("Fetch scores")
    assert thing.called == "Fetch API"
    alice.cards.get_by_role("button", name="Approve as edited").click()

    expect(alice.answers.nth(1)).to_contain_text("It is renamed.")
    expect(alice.answers.nth(1)).to_contain_text("1 change recorded")
    expect(other.cards).to_contain_text("Edited and approved by alice")
    expect(other.shown).to_contain_text("Fetch scores")
    assert thing.called == "Fetch scores"

    alice.undo_bar.get_by_role("button", name="Undo").click()
    expect(alice.undo_bar).to_contain_text("Undone")
    expect(other.shown).to_contain_text("Fetch API")
    expect(other.cards).to_contain_text("undone since")
    assert thing.called == "Fetch API"
    alice.undo_bar.get_by_role("button", name="Redo").click()
    expect(alice.undo_bar).to_contain_text("Applied")
    assert thing.called == "Fetch scores"
    expect(other.cards).to_contain_text("Edited and approved by alice")
    assert alice.errors == []


@a_part_and_a_row
def test_alice_works_through_the_inbox_by_keyboard_and_bob_only_looks(
    its_site: Site, visit: Visit, thing: Thing
) -> None:
    last = beside(thing)
    bob = visit(its_site.web.url, "bob").open_home()
    waiting = bob.page.get_by_role("link", name=re.compile("Inbox"))
    expect(waiting).to_have_text("Inbox")
    alice = visit(its_site.web.url, "alice").open_page_of(thing)
    alice.ask(script(thing.rename_call("Fetch"), last.rename_call("End"), then="One of two."))
    expect(alice.cards).to_have_count(2)
    expect(waiting).to_contain_text("2")
    bob.open_inbox()
    expect(waiting).to_contain_text("2")
    expect(bob.page.locator(LINES)).to_have_count(2)
    expect(bob.page.get_by_role("button", name="Approve")).to_have_count(0)

    alice.open_inbox()
    expect(alice.page.locator(CHOSEN)).to_contain_text("Change Fetch API")
    keys = alice.page.keyboard
    keys.press("j")
    expect(alice.page.locator(CHOSEN)).to_contain_text("Change Return")
    keys.press("k")
    keys.down("a")
    expect(alice.page.locator(LINES).first).to_contain_text("applied")
    expect(alice.page.locator(CHOSEN)).to_contain_text("Change Return")
    keys.down("a")  # still held: what comes next was not looked at
    keys.up("a")
    keys.press("r")
    keys.type("Keep the name.")
    keys.press("Enter")
    expect(alice.page.locator(LINES).nth(1)).to_contain_text("rejected")
    assert (thing.called, last.called) == ("Fetch", "Return")
    until(lambda: len(its_site.vendor.requests) == 2)
    assert "Keep the name." in json.dumps(its_site.vendor.requests[1].body)
    expect(bob.page.locator(LINES).first).to_contain_text("applied")
    expect(waiting).to_have_text("Inbox")
    alice.undo_bar.get_by_role("button", name="Undo").click()
    expect(bob.page.locator(LINES).first).to_contain_text("taken back")
    assert bob.errors == []


def test_alice_decides_on_a_small_screen_in_french(one_process: Site, visit: Visit, nba: Graph) -> None:
    alice = visit(one_process.web.url, "alice", locale="fr-FR", width=390).open_graph()
    alice.ask(script(node_of(nba).rename_call("Début " * 12), then="C’est fait."))
    expect(alice.cards).to_be_visible()
    assert _fits(alice)
    alice.open_inbox()
    alice.page.locator(LINES).click()
    expect(alice.cards).to_be_visible()
    assert _fits(alice)
    alice.cards.locator(".button.primary").click()
    until(lambda: Proposal.objects.get().status == "applied")


def _fits(visitor: Visitor) -> bool:
    return bool(visitor.page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"))
