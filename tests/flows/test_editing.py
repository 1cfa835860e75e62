"""Two people on one graph, at the real doors: what one changes by hand, the other sees at once."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, expect

from graphs.models import ChangeSet, Node, Role, Workspace
from tests.cast import member
from tests.flows.visitor import Visitor
from tests.site import Site

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
Visit = Callable[..., Visitor]


def node(visitor: Visitor, key: str) -> Locator:
    return visitor.page.locator(f'.nodes [data-key="{key}"]')


def open_details(visitor: Visitor, key: str) -> None:
    node(visitor, key).locator(".card").click(force=True)
    expect(visitor.page.locator(".details .key")).to_contain_text(key)


def test_alice_and_dora_edit_the_same_graph(one_process: Site, visit: Visit, demo_workspace: Workspace) -> None:
    member("dora", demo_workspace, Role.EDITOR)
    alice = visit(one_process.web.url, "alice").open_graph()
    dora = visit(one_process.web.url, "dora").open_graph()
    open_details(dora, "fetch-api")
    dora.page.get_by_label("Code", exact=True).fill("return fetch(url, {retry: 3})")

    open_details(alice, "fetch-api")
    alice.page.get_by_label("Name", exact=True).fill("Fetch all games")
    alice.page.keyboard.press("Control+s")

    expect(node(dora, "fetch-api")).to_contain_text("Fetch all")
    expect(dora.page.get_by_label("Name", exact=True)).to_have_value("Fetch all games")
    dora.page.keyboard.press("Control+s")
    expect(alice.page.get_by_label("Code", exact=True)).to_have_value("return fetch(url, {retry: 3})")

    alice.page.get_by_role("application").focus()
    alice.page.keyboard.press("Control+z")
    expect(dora.page.get_by_label("Name", exact=True)).to_have_value("Fetch API")
    stored = Node.objects.get(key="fetch-api")
    assert (stored.name, stored.process) == ("Fetch API", "return fetch(url, {retry: 3})")
    assert list(ChangeSet.objects.order_by("created_at").values_list("actor_label", "origin")) == [
        ("alice", "manual"), ("dora", "manual"), ("alice", "rollback"),
    ]  # fmt: skip
    assert alice.errors == dora.errors == []
