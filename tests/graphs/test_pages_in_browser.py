"""What scripts add to the pages, in a real browser. Each page is also watched for what the security policy blocks."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from graphs.history.editing import Request, edit
from graphs.models import Graph, Node, NodeType, SignIn
from graphs.objects.actions import parse
from graphs.site.access import member_of
from graphs.workflows.imports import import_graph
from tests.browser import Windows, sign_in
from tests.cast import PASSWORD, signed_in
from tests.graphs.workflows.interchange.samples import native as document
from tests.graphs.workflows.interchange.samples import native_node, parsed

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def page(windows: Windows, alice: User, nba: Graph, live_server: object) -> Iterator[Page]:
    """Alice, signed in, on a small screen."""
    page = windows.open(viewport={"width": 390, "height": 844}, base_url=str(live_server))
    blocked: list[str] = []
    page.on("console", lambda said: blocked.append(said.text) if "Content Security Policy" in said.text else None)
    page.on("pageerror", lambda error: blocked.append(str(error)))
    sign_in(page.context, alice, str(live_server))
    yield page
    assert blocked == []


def native(path: Path, **changes: object) -> Path:
    document = {
        "format": "countersign.graph",
        "formatVersion": 1,
        "name": "Small",
        "sheets": [{"key": "main", "name": "Main"}],
        "nodes": [{"key": "a", "type": "note", "sheet": "main"}],
    }
    path.write_text(json.dumps(document | changes))
    return path


def test_a_node_type_whose_graph_is_gone_is_looked_through(page: Page, alice: User, nba: Graph) -> None:
    types = [{"key": "probe", "displayName": "Probe", "process": "probe(" + "x" * 500 + ")"}]
    nodes = [native_node("start", type="probe")]
    file = parsed(document(key="weather", nodes=nodes, edges=[], nodeTypes=types))
    graph = import_graph(nba.workspace, file, actor=alice).graph
    edit(member_of(alice), graph, Request([parse("delete_graph", {})]))
    page.goto("/")
    page.locator("[data-waiting-types]").get_by_role("link", name="Probe").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Probe")
    expect(page.get_by_text("probe(xxx")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name="I have looked through it").click()
    expect(page.locator("[data-untrusted]")).to_have_count(0)
    page.get_by_role("link", name="Graphs").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Graphs")
    expect(page.locator("[data-waiting-types]")).to_have_count(0)
    assert NodeType.objects.get().untrusted_since is None


def test_a_refused_file_is_explained_and_the_next_one_opened(page: Page, tmp_path: Path) -> None:
    page.context.clear_cookies()
    page.goto("/accounts/login/")
    page.get_by_label("Username").fill("alice")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/")
    page.get_by_role("link", name="Import a graph").click()
    bad = native(tmp_path / "bad.json", nodes=[{"key": "a", "type": "note", "sheet": "nope"}])
    page.set_input_files("input[type=file]", bad)
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("nodes[0]")
    expect(page.locator("[data-result]")).to_be_focused()
    page.set_input_files("input[type=file]", native(tmp_path / "good.json"))
    page.get_by_role("button", name="Import", exact=True).click()
    page.get_by_role("link", name="Open the graph").click()
    page.wait_for_url("**/graphs/small/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Small")


@pytest.mark.parametrize(
    ("status", "content_type", "body", "said"),
    [
        (413, "application/problem+json", '{"detail": "Too much."}', "The file is too big to be imported here."),
        (403, "text/html", "<p>No.</p>", "The file was not taken. Reload the page and try again. (Error 403)"),
        (429, "text/html", "", "Too many requests. Wait a moment, then try again."),
        (503, "application/problem+json", '{"detail": "The database is away."}', "The database is away."),
        (502, "text/html", "", "The server could not take the file. Try again in a moment. (Error 502)"),
    ],
)
def test_an_upload_that_did_not_reach_the_page_says_why(
    page: Page, tmp_path: Path, status: int, content_type: str, body: str, said: str
) -> None:
    page.goto("/import/")
    page.route(
        "**/import/?workspace=*",
        lambda route: route.fulfill(status=status, headers={"Content-Type": content_type}, body=body),
    )
    page.set_input_files("input[type=file]", native(tmp_path / "small.json"))
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.locator("#import-state")).to_have_text(said)
    assert page.evaluate("document.querySelector('#drop input').files.length") == 1


def test_an_upload_of_who_is_signed_out_leads_to_signing_in(page: Page, tmp_path: Path) -> None:
    page.goto("/import/")
    page.context.clear_cookies(name="sessionid")
    page.set_input_files("input[type=file]", native(tmp_path / "small.json"))
    page.get_by_role("button", name="Import", exact=True).click()
    page.wait_for_url("**/accounts/login/**")


def test_a_file_can_be_dropped(page: Page) -> None:
    page.goto("/import/")
    page.evaluate("""() => {
        const dropped = new DataTransfer();
        dropped.items.add(new File(["{}"], "dropped.json"));
        document.getElementById("drop").dispatchEvent(new DragEvent("drop", {dataTransfer: dropped, cancelable: true}));
    }""")
    assert page.evaluate("document.querySelector('#drop input').files[0].name") == "dropped.json"


def chosen_theme(page: Page) -> str | None:
    found: str | None = page.evaluate("document.documentElement.dataset.theme ?? null")
    return found


def test_the_theme_is_kept(page: Page) -> None:
    page.goto("/")
    seen = [chosen_theme(page)]
    for _click in range(3):
        page.locator("[data-theme-button]").click()
        seen.append(chosen_theme(page))
    assert seen == [None, "light", "dark", None]
    page.locator("[data-theme-button]").click()
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "light")


def test_menus_open_and_close_by_keyboard(page: Page) -> None:
    page.goto("/")
    menu = page.locator("details.menu-end")
    menu.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Sign out")).to_be_hidden()
    expect(menu.locator("summary")).to_be_focused()


def test_nothing_sticks_out_of_a_small_screen(page: Page) -> None:
    for address in ("/", "/import/", "/graphs/nba/", "/absent/", "/?search=absent"):
        page.goto(address)
        page.wait_for_load_state("networkidle")
        assert page.evaluate("document.documentElement.scrollWidth") == 390, address


def test_a_small_screen_names_what_was_counted(page: Page) -> None:
    Node.objects.exclude(key="root").delete()
    page.goto("/")
    page.locator("button[lang=fr]").click()
    expect(page.locator("html")).to_have_attribute("lang", "fr")
    page.wait_for_load_state()  # with its styles
    shown = page.locator("td.number").evaluate_all(
        "all => all.map(cell => [cell.textContent, getComputedStyle(cell, '::after').content])"
    )
    assert shown == [["1", '"nœud"'], ["0", '"lien"']]


def test_the_first_tab_leads_past_the_header(page: Page) -> None:
    page.goto("/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to content"
    page.keyboard.press("Enter")
    page.wait_for_url("**#content")
    page.keyboard.press("Tab")
    assert page.evaluate("document.getElementById('content').contains(document.activeElement)")


@pytest.fixture
def superuser(alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(is_staff=True, is_superuser=True)


def test_the_administration_works_under_the_security_policy(superuser: None, page: Page) -> None:
    page.goto("/admin/")
    addresses = page.eval_on_selector_all("#content-main a", "links => links.map(link => link.getAttribute('href'))")
    assert "/admin/auth/user/" in addresses
    for address in dict.fromkeys(addresses):
        page.goto(address)
        assert page.get_by_role("heading", level=1).first.is_visible(), address


def test_with_the_password_another_device_is_signed_out(page: Page, alice: User) -> None:
    signed_in(alice)
    page.goto("/account/")
    ending = page.get_by_role("button", name="Sign out", exact=False).filter(has_not_text="everywhere").last
    ending.click()
    expect(page).to_have_url(re.compile("/account/$"), timeout=1_000)  # The browser asks for the password first.
    assert SignIn.objects.filter(user=alice).count() == 2
    page.get_by_label("Your password, to sign out elsewhere").fill(PASSWORD)
    ending.click()
    expect(page.get_by_text("That sign-in is ended.")).to_be_visible()
    assert SignIn.objects.filter(user=alice).count() == 1
