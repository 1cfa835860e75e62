"""Several people on one graph, live: what one does the others see at once, and the history gets it a little later."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db.models.functions import Now
from playwright.sync_api import Locator, expect

from graphs.models import ChangeSet, LiveEdit, Modification, Node, Object, Role, Workspace
from tests.browser import center
from tests.cast import member
from tests.chat.engine.driving import until
from tests.flows.visitor import Visitor
from tests.site import Site

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
Visit = Callable[..., Visitor]


def node(visitor: Visitor, key: str) -> Locator:
    return visitor.page.locator(f'.nodes [data-key="{key}"]')


def open_details(visitor: Visitor, key: str) -> None:
    visitor.page.mouse.click(*center(node(visitor, key).locator(".card")))
    expect(visitor.page.locator(".details .key")).to_contain_text(key)


def state(visitor: Visitor) -> Locator:
    return visitor.page.locator(".live-state")


def test_two_people_edit_and_one_watches(one_process: Site, visit: Visit, demo_workspace: Workspace) -> None:
    member("dora", demo_workspace, Role.EDITOR)
    alice = visit(one_process.web.url, "alice").open_graph()
    dora = visit(one_process.web.url, "dora").open_graph()
    bob = visit(one_process.web.url, "bob", width=390).open_graph()
    expect(state(alice)).to_have_text("Saved")
    expect(state(bob)).to_have_text("Live")
    expect(alice.page.locator(".live-person")).to_have_count(2)

    open_details(dora, "fetch-api")
    expect(alice.page.locator(".live-name")).to_have_text("dora")
    dora.page.get_by_label("Code", exact=True).fill("return fetch(url, {retry: 3})")
    expect(state(dora)).to_have_text("Unsaved edits")
    # However long this takes here: the half minute is not over before somebody looks at the history.
    assert Object.objects.filter(unsaved_since__isnull=False).update(unsaved_since=Now() + timedelta(hours=1)) == 1
    open_details(alice, "fetch-api")
    alice.page.get_by_label("Name", exact=True).fill("Fetch all games")
    # What is typed is sent when typing pauses: nobody presses anything.
    for visitor in (dora, bob):
        expect(node(visitor, "fetch-api")).to_contain_text("Fetch all")
    expect(dora.page.get_by_label("Name", exact=True)).to_have_value("Fetch all games")
    expect(alice.page.get_by_label("Code", exact=True)).to_have_value("return fetch(url, {retry: 3})")
    expect(state(alice)).to_have_text("Unsaved edits")
    assert not ChangeSet.objects.exists()

    # An edit is undone and done again before it is saved.
    alice.page.get_by_role("application").focus()
    alice.page.keyboard.press("Control+z")
    expect(dora.page.get_by_label("Name", exact=True)).to_have_value("Fetch API")
    alice.page.keyboard.press("Control+Shift+z")
    expect(dora.page.get_by_label("Name", exact=True)).to_have_value("Fetch all games")

    # Whoever looks at the history finds all of it there.
    dora.page.get_by_role("link", name="History").click()
    expect(dora.page.locator("graph-history")).to_contain_text("alice")
    expect(state(alice)).to_have_text("Saved")
    told = Modification.objects.values_list("change_set__actor_label", "change_set__origin", "field", "new")
    assert set(told) == {
        ("dora", "manual", "process", "return fetch(url, {retry: 3})"), ("alice", "manual", "name", "Fetch all games"),
    }  # fmt: skip

    # After it was saved it can be undone still; who leaves saves.
    alice.page.get_by_role("application").focus()
    alice.page.keyboard.press("Control+z")
    expect(node(bob, "fetch-api")).to_contain_text("Fetch API")
    alice.page.close()
    expect(bob.page.locator(".live-person")).to_have_count(1)
    until(lambda: not LiveEdit.objects.filter(saved_at=None).exists())
    expect(state(dora)).to_have_text("Saved")
    assert Node.objects.get(key="fetch-api").name == "Fetch API"
    assert alice.errors == dora.errors == bob.errors == []
