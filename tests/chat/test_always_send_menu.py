"""The menu of a graph's page: what of it every conversation is sent, chosen by editors, in a real browser."""

from collections.abc import Callable, Iterator

import pytest
from django.contrib.auth.models import User
from django.template.loader import render_to_string
from playwright.sync_api import Page, expect

from chat.actions import pinning
from chat.models import AlwaysSend
from chat.templatetags.always_send import always_send
from graphs.models import Graph, Workspace
from graphs.objects.refs import Ref
from graphs.site.access import member_of
from tests.browser import Windows, eventually, sign_in
from tests.cast import draw_nba
from tests.registered import product, shops
from tests.shop.models import Shop

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def opened(windows: Windows, nba: Graph, live_server: object) -> Iterator[Callable[[User], Page]]:
    complaints: list[str] = []

    def open_page(user: User) -> Page:
        page = windows.open(base_url=str(live_server), reduced_motion="reduce")
        sign_in(page.context, user, str(live_server))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto("/graphs/nba/")
        expect(page.locator(".zoom")).to_be_visible()
        return page

    yield open_page
    assert complaints == []


def test_what_has_no_parts_has_no_drawing_to_choose_them_in(alice: User, nba: Graph) -> None:
    member = member_of(alice)
    with shops():
        umbrella = product(Shop.objects.create(workspace=nba.workspace, name="Spring"), "Umbrella")
        of_row, of_graph = (
            render_to_string("chat/always_send.html", always_send({"member": member}, one)) for one in (umbrella, nba)
        )
    assert "Select a node" not in of_row
    assert "Select a node" in of_graph


SELECTED = "document.dispatchEvent(new CustomEvent('countersign:node-selected', {detail: {key: 'fetch-api'}}))"


def kept() -> set[tuple[str, str, str]]:
    return set(AlwaysSend.objects.values_list("workspace__slug", "object_key", "part_key"))


def test_an_editor_chooses_and_a_viewer_sees_it(
    opened: Callable[[User], Page], alice: User, bob: User, nba: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = draw_nba(Workspace.objects.create(slug="third", name="Third"))
    AlwaysSend.objects.create(
        workspace=elsewhere.workspace, object_type="graph", part_type="node", object_key="nba", part_key="return"
    )
    pinning.always_send(member_of(alice), Ref("graph", "nba"), Ref("node", "root"), always=True)
    page = opened(alice)
    page.get_by_text("Always sent").click()
    expect(page.get_by_label("Node root")).to_be_checked()
    expect(page.get_by_label("Node return")).to_have_count(0)
    page.get_by_label("This graph: name, description").check()
    page.evaluate(SELECTED)
    page.get_by_label("Node fetch-api").focus()
    page.keyboard.down("Space")
    page.evaluate(SELECTED)  # shown anew in the middle of a press
    page.keyboard.up("Space")
    expect(page.get_by_label("Node fetch-api")).to_be_checked()
    expect(page.get_by_label("Node fetch-api")).to_be_focused()
    page.get_by_label("Node root").uncheck()
    expect(page.get_by_label("Node root")).to_have_count(0)
    expect(page.get_by_label("Node fetch-api")).to_be_focused()
    eventually(page, kept, {("third", "nba", "return"), ("demo", "nba", ""), ("demo", "nba", "fetch-api")})

    # What is refused is said, and shown as it is.
    monkeypatch.setattr(pinning, "MAX_RECORDS", 2)
    page.evaluate("document.dispatchEvent(new CustomEvent('countersign:node-selected', {detail: {key: 'return'}}))")
    page.get_by_label("Node return").click()
    expect(page.get_by_role("alert")).to_have_text("At most 2 records can always be sent. Remove one first.")
    expect(page.get_by_label("Node return")).not_to_be_checked()
    expect(page.get_by_label("Node return")).to_be_focused()
    page.evaluate(SELECTED)  # the last row goes
    expect(page.get_by_label("Node fetch-api")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_label("Node fetch-api")).to_be_hidden()

    viewer = opened(bob)
    viewer.get_by_text("Always sent").click()
    expect(viewer.get_by_label("Node fetch-api")).to_be_checked()
    expect(viewer.get_by_label("Node fetch-api")).to_be_disabled()
