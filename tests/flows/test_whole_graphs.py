"""Alice makes, copies, renames and deletes graphs and sheets; Bob watches, Charlie sees nothing of it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from graphs.models import ChangeSet, Graph, Sheet
from tests.browser import at_rest
from tests.flows.visitor import Visitor
from tests.site import Site

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
Visit = Callable[..., Visitor]


def press(visitor: Visitor, name: str) -> None:
    visitor.page.get_by_role("button", name=name, exact=True).first.click()


def asked(visitor: Visitor) -> Locator:
    return visitor.page.get_by_role("dialog")


def answer(visitor: Visitor, name: str) -> None:
    asked(visitor).get_by_role("button", name=name, exact=True).click()


def tabs(visitor: Visitor) -> Locator:
    return visitor.page.locator("graph-view [role=tab] .tab-name")


@pytest.mark.parametrize("width", [1280, 390])
def test_a_graph_is_made_renamed_copied_deleted_and_brought_back(one_process: Site, visit: Visit, width: int) -> None:
    alice = visit(one_process.web.url, "alice", width=width).open_home()
    press(alice, "New graph")
    asked(alice).get_by_label("Name").fill("Late orders")
    asked(alice).get_by_label("Key").fill("nba")
    alice.page.keyboard.press("Enter")
    expect(asked(alice).get_by_role("alert")).to_contain_text('There is a graph with the key "nba" already')
    asked(alice).get_by_label("Key").fill("")
    alice.page.keyboard.press("Enter")
    alice.page.wait_for_url("**/graphs/late-orders/")
    expect(alice.page.get_by_role("heading", level=1)).to_have_text("Late orders")
    errors = [each for each in alice.errors if "409" not in each]

    alice.open_graph()
    press(alice, "Rename…")
    asked(alice).get_by_label("Name").fill("Games")
    asked(alice).get_by_label("Description").fill("")
    with alice.page.expect_event("load"):  # The page comes anew: what is pressed before would be lost with it.
        answer(alice, "Save")
    expect(alice.page.get_by_role("heading", level=1)).to_have_text("Games")
    press(alice, "Copy…")
    answer(alice, "Copy")
    alice.page.wait_for_url("**/graphs/games-copy/")
    expect(alice.page.locator("[data-fact=nodes]")).to_have_text("3 nodes")

    bob = visit(one_process.web.url, "bob").open_graph("games-copy")
    for name in ("Rename…", "Copy…", "Delete…"):
        expect(bob.page.get_by_role("button", name=name)).to_have_count(0)
    press(alice, "Delete…")
    expect(asked(alice)).to_contain_text("3 nodes, 2 edges")
    answer(alice, "Delete")
    for visitor in (alice, bob):
        expect(visitor.page.locator("[data-gone]")).to_contain_text("This graph was deleted by alice.")
    expect(bob.page.locator("[data-gone]").get_by_role("button", name="Undo")).to_have_count(0)
    assert not Graph.objects.filter(key="games-copy").exists()
    for visitor in (alice, bob):
        visitor.page.reload()
        expect(visitor.page.locator("[data-gone]")).to_contain_text("This graph was deleted by alice.")
    expect(bob.page.locator("[data-gone]").get_by_role("button", name="Undo")).to_have_count(0)
    errors = [each for each in errors if "404" not in each]
    alice.page.locator("[data-gone]").get_by_role("button", name="Undo").click()
    expect(alice.page.locator('.nodes [data-key="fetch-api"]')).to_be_visible()
    assert Graph.objects.get(key="games-copy").nodes.count() == 3
    assert errors == []


def test_nobody_else_is_offered_it(one_process: Site, visit: Visit) -> None:
    bob = visit(one_process.web.url, "bob").open_home()
    expect(bob.page.get_by_role("link", name="NBA scores")).to_be_visible()
    expect(bob.page.get_by_role("button", name="New graph")).to_have_count(0)
    bob.open_graph()
    expect(bob.page.get_by_role("button", name="Sheets")).to_have_count(0)
    charlie = visit(one_process.web.url, "charlie").open_home()
    expect(charlie.page.get_by_role("link", name="NBA scores")).to_have_count(0)
    expect(charlie.page.get_by_role("button", name="New graph").first).to_be_visible()


@pytest.mark.parametrize("width", [1280, 390])
def test_sheets_are_made_named_put_in_order_and_deleted(
    one_process: Site, visit: Visit, nba: Graph, width: int
) -> None:
    alice = visit(one_process.web.url, "alice", width=width).open_graph()
    bob = visit(one_process.web.url, "bob").open_graph()
    expect(alice.page.locator(".live-state")).to_have_text("Saved")
    press(alice, "Sheets")
    asked(alice).get_by_label("Name of the new sheet").fill("Errors")
    alice.page.keyboard.press("Enter")
    expect(tabs(bob)).to_have_text(["Main", "Errors"])
    name = asked(alice).get_by_label("Name of the sheet").nth(1)
    expect(name).to_have_value("Errors")
    name.fill("Failures")
    alice.page.keyboard.press("Enter")
    expect(tabs(bob)).to_have_text(["Main", "Failures"])
    answer(alice, "Move Failures left")
    expect(tabs(bob)).to_have_text(["Failures", "Main"])
    answer(alice, "Delete Main")
    expect(asked(alice)).to_contain_text("3 nodes go with it, and their edges.")
    answer(alice, "Delete")
    expect(bob.page.locator("[data-fact=nodes]")).to_have_text("0 nodes")
    expect(asked(alice).get_by_role("button", name="Delete Failures")).to_be_disabled()
    answer(alice, "Close")
    alice.page.get_by_role("application").focus()
    alice.page.keyboard.press("Control+z")
    expect(tabs(bob)).to_have_text(["Failures", "Main"])
    expect(alice.page.locator("[data-fact=nodes]")).to_have_text("3 nodes")
    assert Sheet.objects.filter(graph=nba).count() == 2
    assert alice.errors == bob.errors == []


def test_a_file_replaces_the_graph_that_has_its_key(
    one_process: Site, visit: Visit, nba: Graph, tmp_path: Path
) -> None:
    file = tmp_path / "nba.json"
    file.write_text(
        '{"format": "countersign.graph", "formatVersion": 1, "key": "nba", "name": "Games",'
        '"sheets": [{"key": "main", "name": "Main"}], "nodes": [{"key": "root", "type": "starter", "sheet": "main"}]}'
    )
    alice = visit(one_process.web.url, "alice", width=390).open_home()
    alice.page.goto(f"{one_process.web.url}/import/")
    alice.page.set_input_files("input[type=file]", file)
    press(alice, "Import")
    expect(alice.page.get_by_role("alert")).to_contain_text('There is a graph with the key "nba" already')
    expect(alice.page.get_by_role("button", name="Import as “nba-2”")).to_be_visible()
    press(alice, "Replace “nba”")
    expect(alice.page.locator("[data-result]")).to_contain_text("“Games” is replaced")
    assert list(Graph.objects.values_list("key", flat=True)) == ["nba"]
    assert nba.nodes.count() == 1
    assert ChangeSet.objects.get().origin == "import"

    alice.open_graph()
    untrusted = alice.page.locator("[data-untrusted]")
    at, around = at_rest(untrusted), at_rest(alice.page.locator(".workbench-main"))
    assert around["x"] < at["x"]
    assert at["x"] + at["width"] < around["x"] + around["width"]
    press(alice, "Delete…")
    answer(alice, "Delete")
    expect(alice.page.locator("[data-gone]")).to_be_visible()
    expect(untrusted).to_have_count(0)
