"""The history on the page of a graph, in a real browser: what was changed, by whom, and taking it back."""

import re
from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

from graphs.history import causes, changes
from graphs.history.recording import Applied, Because
from graphs.models import Graph, Node, Origin
from graphs.objects.operations import Update
from graphs.objects.refs import Ref
from graphs.workflows import rows as graph_rows
from tests.browser import Windows, sign_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

CHANGED = """document.dispatchEvent(new CustomEvent("countersign:object-changed", {
    detail: { object: { type: "graph", id: "nba" }, version: null } }))"""


def change(
    graph: Graph, who: User, key: str, reason: str = "", origin: Origin = Origin.MANUAL, **new: object
) -> Applied:
    """Some fields of a node, by their names on the wire."""
    record = graph_rows.nodes(graph, [key])[key].record
    old = {name: record[name] for name in new}
    return changes.apply(graph, [Update(Ref("node", key), old, new)], Because(who, origin, reason))


def name_of(key: str) -> str:
    return Node.objects.get(graph__key="nba", key=key).name


@pytest.fixture
def reader() -> str:
    """Who looks."""
    return "alice"


@pytest.fixture
def page(windows: Windows, reader: str, alice: User, bob: User, nba: Graph, live_server: LiveServer) -> Iterator[Page]:
    page = windows.open(viewport={"width": 1280, "height": 900}, base_url=live_server.url)
    sign_in(page.context, {"alice": alice, "bob": bob}[reader], live_server.url)
    page.context.set_default_timeout(15_000)
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda said: complaints.append(said.text) if "Content Security Policy" in said.text else None)
    yield page
    assert complaints == []


def entries(page: Page) -> Locator:
    return page.locator(".history-entry")


def opened(page: Page) -> Page:
    page.goto("/graphs/nba/")
    page.get_by_role("link", name="History").click()
    page.wait_for_url("**tab=history")
    return page


def choose(page: Page, entry: Locator, what: str) -> Locator:
    """Opens the preview of a roll back."""
    entry.locator("summary", has_text="Roll back").click()
    entry.get_by_role("button", name=what, exact=True).click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    return dialog


def test_every_field_of_the_kind_and_its_parts_can_be_looked_for(page: Page, alice: User, nba: Graph) -> None:
    change(nba, alice, "root", name="Begin")
    opened(page)
    fields = page.locator(".history-filters [name=field]")
    expect(fields.locator("option")).to_contain_text(["all", "description", "process", "source handle"])
    fields.select_option("target")
    expect(entries(page)).to_have_count(0)
    fields.select_option("name")
    expect(entries(page)).to_have_count(1)


def test_it_tells_who_changed_what_and_why_and_compares_versions(
    page: Page, nba: Graph, alice: User, bob: User
) -> None:
    change(nba, alice, "root", "A clearer name.", name="Begin")
    change(nba, bob, "fetch-api", origin=Origin.CHAT, process="one\ntwo\u202e")
    change(nba, alice, "root", posX=500.0, posY=20.0)
    opened(page)
    expect(entries(page)).to_have_count(3)
    files = page.get_by_role("group", name="Export all changes").get_by_role("link")
    expect(files).to_have_text(["CSV", "JSON", "PDF"])
    with page.expect_download() as stored:
        files.first.click()
    assert stored.value.suggested_filename == "history-graph.csv"
    expect(entries(page).locator("h3")).to_have_text(
        ["Move Begin", "Change Fetch API", "Change Start"], use_inner_text=True
    )
    oldest = entries(page).last
    expect(oldest).to_contain_text("A clearer name.")
    expect(oldest).to_contain_text("alice")
    middle = entries(page).nth(1)
    middle.get_by_role("button", name="1 change").click()
    expect(middle.locator(".diff-lines")).to_contain_text("two⟦U+202E⟧")
    for control in ("checkbox", "button"):
        tool = entries(page).nth(2).get_by_role(control, name=re.compile("Compare|change"))
        expect(tool).to_have_accessible_description(re.compile("alice.*version 2"))
    entries(page).nth(2).get_by_label("Compare").check()
    entries(page).nth(0).get_by_label("Compare").check()
    page.locator(".history-bar").get_by_role("button", name="Compare").click()
    compared = page.locator(".history-compared")
    expect(compared.locator(".diff-item")).to_have_count(2)
    page.get_by_label("Who").fill("bob")
    expect(entries(page)).to_have_count(1)
    page.get_by_label("Who").fill("nobody")
    expect(page.get_by_text("Nothing found")).to_be_visible()
    page.get_by_role("button", name="Show all", exact=True).click()
    expect(entries(page)).to_have_count(3)


def test_it_tells_what_was_edited_before_it_was_applied(
    page: Page, nba: Graph, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    edited = {"2": causes.Explanation("Edited by alice before it was applied", details={"edited": True})}
    monkeypatch.setitem(causes._explainers, "proposal", lambda _member, _ids: edited)
    record = graph_rows.nodes(nba, ["root"])["root"].record
    for number, name in enumerate(("Begin", "Enter"), 1):
        because = Because(alice, Origin.CHAT, "Clearer.", f"proposal:{number}", (f"proposal:{number}",))
        changes.apply(nba, [Update(Ref("node", "root"), {"name": record["name"]}, {"name": name})], because)
        record["name"] = name
    opened(page)
    expect(entries(page).first.locator(".history-edited")).to_have_text("Edited by alice before it was applied")
    expect(entries(page).last).to_contain_text("Clearer.")
    expect(entries(page).last.locator(".history-edited")).to_have_count(0)


def test_a_generation_is_no_conversation(page: Page, nba: Graph, alice: User) -> None:
    led_to = ("session:44a3b6b1-9dd2-47e3-9aa5-7a3ee6fd6fa8", "message:5b1ec3a5-0d83-4b0a-8f0f-58f3a2f0ed63")
    because = Because(alice, Origin.GENERATION, "Found.", led_to[1], led_to)
    changes.apply(nba, [Update(Ref("node", "root"), {"name": name_of("root")}, {"name": "Begin"})], because)
    opened(page)
    entry = entries(page).first
    expect(entry.get_by_role("button", name="Only this generation")).to_be_visible()
    entry.locator("summary", has_text="Roll back").click()
    choices = ["This change", "The whole generation", "Everything since: as of here"]
    expect(entry.locator("details[open] li")).to_have_text(choices)


def test_a_change_is_taken_back_as_it_was_shown_and_that_too(page: Page, nba: Graph, alice: User) -> None:
    before = name_of("root")
    change(nba, alice, "root", name="Begin")
    opened(page)
    dialog = choose(page, entries(page).first, "This change")
    expect(dialog.locator(".diff ins")).to_contain_text(before)
    dialog.get_by_label("Reason").fill("It was better.")
    dialog.get_by_role("button", name="Roll back", exact=True).click()
    expect(page.locator(".notice.success")).to_contain_text("Rolled back")
    expect(entries(page)).to_have_count(2)
    expect(entries(page).first).to_contain_text("It was better.")
    expect(entries(page).last.locator(".history-undone")).to_be_visible()
    assert name_of("root") == before
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".notice.success")).to_contain_text("was taken back")
    expect(entries(page)).to_have_count(3)
    expect(entries(page).last.locator(".history-undone")).to_be_hidden()
    expect(entries(page).nth(1).locator(".history-undone")).to_be_visible()
    assert name_of("root") == "Begin"


def test_later_edits_are_named_and_can_be_left_out(page: Page, nba: Graph, alice: User, bob: User) -> None:
    change(nba, alice, "root", name="Begin", posX=900.0)
    opened(page)
    expect(entries(page)).to_have_count(1)
    change(nba, bob, "root", name="Bobs name")
    page.evaluate(CHANGED)
    expect(entries(page)).to_have_count(2)
    dialog = choose(page, entries(page).last, "This change")
    expect(dialog.locator(".rollback-conflicts li")).to_have_count(1)
    expect(dialog.locator(".rollback-conflicts")).to_contain_text("bob")
    expect(dialog.locator(".rollback-conflicts")).to_contain_text("Bobs name")
    expect(dialog.get_by_role("button", name="Roll back", exact=True)).to_be_disabled()
    dialog.get_by_role("button", name="Leave out", exact=True).click()
    expect(dialog.locator(".rollback-conflicts")).to_have_count(0)
    dialog.get_by_role("button", name="Roll back", exact=True).click()
    expect(page.locator(".notice.success")).to_be_visible()
    node = Node.objects.get(graph=nba, key="root")
    assert (node.name, node.pos_x) == ("Bobs name", 0)


def test_one_field_or_everything_since_a_version_is_taken_back(page: Page, nba: Graph, alice: User, bob: User) -> None:
    change(nba, alice, "root", name="Begin", posX=900.0)
    change(nba, bob, "return", name="The end")
    opened(page)
    dialog = choose(page, entries(page).last, "One field of it …")
    dialog.get_by_label("Field").select_option(label="root · posX")
    expect(dialog.locator(".diff")).to_contain_text("900")
    dialog.get_by_role("button", name="Roll back", exact=True).click()
    expect(page.locator(".notice.success")).to_be_visible()
    assert list(Node.objects.filter(key="root").values_list("name", "pos_x")) == [("Begin", 0)]
    expect(entries(page)).to_have_count(3)
    dialog = choose(page, entries(page).last, "Everything since: as of here")
    dialog.get_by_text("Leave something out").click()
    dialog.get_by_label("The end · name").uncheck()
    expect(dialog.get_by_label("The end · name")).not_to_be_checked()
    dialog.get_by_role("button", name="Roll back", exact=True).click()
    expect(entries(page)).to_have_count(4)
    names = dict(Node.objects.filter(graph=nba).values_list("key", "name"))
    assert (names["root"], names["return"]) == ("Begin", "The end")
    assert Node.objects.get(graph=nba, key="root").pos_x == 900.0


def test_the_drawing_of_a_page_that_is_open_follows(page: Page, nba: Graph, alice: User) -> None:
    page.goto("/graphs/nba/")
    expect(page.locator("graph-view .nodes > g").first).to_be_visible()
    change(nba, alice, "root", name="Changed by somebody")
    page.evaluate(CHANGED)
    expect(page.locator("graph-view .nodes [data-key=root]")).to_contain_text("Changed by")


@pytest.mark.parametrize("reader", ["bob"])
def test_viewers_read_and_older_changes_come_when_asked_for(
    page: Page, nba: Graph, alice: User, bob: User, reader: str
) -> None:
    opened(page)
    expect(page.get_by_text("Nothing was changed yet.")).to_be_visible()
    for number in range(52):
        change(nba, alice, "root", name=f"Name {number}")
    page.evaluate(CHANGED)
    expect(entries(page)).to_have_count(50)
    page.get_by_role("button", name="Show older changes").click()
    expect(entries(page)).to_have_count(52)
    expect(page.get_by_text("Roll back")).to_have_count(0)
