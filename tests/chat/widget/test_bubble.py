"""chat/static/chat/chat-bubble.js: the round button and its dialog."""

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser import at_rest, eventually
from tests.chat.widget.driver import Widget
from tests.chat.widget.fake_server import FakeServer

pytestmark = pytest.mark.browser
#: Of the panel, which a closed bubble does without.
PANEL = "/chat/widget/panel.js"
PANEL_ADDRESS = f"**{PANEL}"


def loaded(page: Page) -> list[str]:
    """The addresses of what the page has asked for."""
    names: list[str] = page.evaluate("() => performance.getEntriesByType('resource').map(({ name }) => name)")
    return names


@pytest.fixture
def bubble(page: Page, server: FakeServer) -> Widget:
    widget = Widget(page, server, "bubble.html").open()
    expect(widget.button("Ask the assistant")).to_be_visible()
    return widget


def test_it_connects_only_when_opened(bubble: Widget) -> None:
    bubble.painted()
    assert bubble.server.sockets == {}
    assert bubble.server.requests == []
    assert not any(PANEL in name for name in loaded(bubble.page))
    bubble.button("Ask the assistant").click()
    bubble.connected()
    expect(bubble.root.get_by_role("dialog", name="Chat")).to_be_visible()
    expect(bubble.composer).to_be_focused()


def test_it_opens_by_keyboard_once_it_is_loaded(bubble: Widget) -> None:
    held: list[Route] = []
    bubble.page.route(PANEL_ADDRESS, lambda route: held.append(route))
    bubble.page.locator("#before").focus()
    bubble.page.keyboard.press("Tab")
    expect(bubble.button("Ask the assistant")).to_be_focused()
    eventually(bubble.page, lambda: len(held), 1)
    bubble.page.keyboard.press("Enter")
    expect(bubble.button("Ask the assistant")).to_have_attribute("aria-busy", "true")
    expect(bubble.root.get_by_role("dialog", name="Chat")).to_be_hidden()
    held[0].continue_()
    expect(bubble.composer).to_be_focused()


def test_it_says_that_it_could_not_be_loaded_and_opens_after_a_reload(bubble: Widget) -> None:
    bubble.page.route(PANEL_ADDRESS, lambda route: route.abort())
    bubble.button("Ask the assistant").click()
    expect(bubble.root.get_by_role("alert")).to_contain_text("The chat could not be loaded.")
    expect(bubble.root.get_by_role("dialog", name="Chat")).to_be_hidden()
    bubble.page.unroute(PANEL_ADDRESS)
    bubble.button("Reload the page").click()
    bubble.connected()
    expect(bubble.composer).to_be_focused()


def test_it_closes_on_escape_and_gives_the_focus_back(bubble: Widget) -> None:
    bubble.button("Ask the assistant").click()
    bubble.connected()
    bubble.composer.press("Escape")
    expect(bubble.root.get_by_role("dialog", name="Chat")).to_be_hidden()
    expect(bubble.button("Ask the assistant")).to_be_focused()


def test_it_stops_before_it_closes(bubble: Widget) -> None:
    bubble.button("Ask the assistant").click()
    bubble.connected()
    answer = bubble.ask("Hello").start().write("Yes")
    expect(bubble.button("Stop")).to_be_visible()
    bubble.composer.press("Escape")
    bubble.server.wait_for("ai:interrupt")
    expect(bubble.root.get_by_role("dialog", name="Chat")).to_be_visible()
    answer.finish("stopped")
    expect(bubble.button("Stop")).to_be_hidden()
    bubble.composer.press("Escape")
    expect(bubble.root.get_by_role("dialog", name="Chat")).to_be_hidden()


def test_it_remembers_that_it_was_open(bubble: Widget) -> None:
    bubble.button("Ask the assistant").click()
    bubble.connected()
    bubble.page.reload()
    expect(bubble.root.get_by_role("dialog", name="Chat")).to_be_visible()
    bubble.button("Close").click()
    bubble.page.reload()
    expect(bubble.button("Ask the assistant")).to_be_visible()


def test_it_shows_that_there_is_news(bubble: Widget) -> None:
    bubble.button("Ask the assistant").click()
    bubble.connected()
    answer = bubble.ask("Hello").start().write("Yes")
    bubble.button("Close").click()
    answer.finish()
    expect(bubble.button("Ask the assistant (there is a new answer)")).to_be_visible()
    bubble.button("Ask the assistant").click()
    # It is remembered as open by then, and not after the next test has a page that remembers nothing.
    expect(bubble.root.get_by_role("dialog", name="Chat")).to_be_visible()
    expect(bubble.answers).to_contain_text("Yes")


def test_it_asks_without_an_object_where_the_page_has_none(bubble: Widget) -> None:
    bubble.button("Ask the assistant").click()
    bubble.connected()
    bubble.ask("Hello")
    assert "context" not in bubble.server.wait_for("ai:chat")


def test_it_leaves_conversations_about_objects_alone_where_the_page_has_none(bubble: Widget) -> None:
    bubble.server.session("About nba").add_message("user", content="Hello")
    bubble.button("Ask the assistant").click()
    bubble.connected()
    expect(bubble.root.locator(".empty")).to_be_visible()
    row = bubble.open_menu().locator(".session")
    expect(row).to_contain_text("nba")
    row.locator(".session-open").click()
    expect(bubble.questions).to_have_text(["Hello"])


def test_it_selects_nodes_too(bubble: Widget) -> None:
    bubble.page.evaluate(
        "document.addEventListener('countersign:select-node', (event) => { window.seen = event.detail })"
    )
    bubble.button("Ask the assistant").click()
    bubble.connected()
    bubble.ask("Hello").start().write("{{node:root}}").finish()
    expect(bubble.answers.locator("footer")).to_be_visible()
    bubble.button("root").click()
    assert bubble.page.evaluate("window.seen") == {"key": "root"}
    expect(bubble.root.get_by_role("dialog", name="Chat")).to_be_visible()


def test_it_fills_a_small_screen(bubble: Widget) -> None:
    bubble.page.set_viewport_size({"width": 390, "height": 700})
    bubble.button("Ask the assistant").click()
    dialog = bubble.root.get_by_role("dialog", name="Chat")
    expect(dialog).to_be_visible()
    dialog.evaluate("(element) => Promise.all(element.getAnimations().map((each) => each.finished))")
    assert at_rest(dialog) == {"x": 0, "y": 0, "width": 390, "height": 700}


def test_it_makes_room_for_a_node_on_a_small_screen(bubble: Widget) -> None:
    bubble.page.set_viewport_size({"width": 390, "height": 700})
    bubble.button("Ask the assistant").click()
    bubble.connected()
    answer = bubble.ask("Hello").start().write("{{node:root}}")
    bubble.button("root").click()
    expect(bubble.root.get_by_role("dialog", name="Chat")).to_be_hidden()
    expect(bubble.button("Ask the assistant")).to_be_focused()
    answer.write(" and more").finish()
    bubble.button("Ask the assistant").click()
    expect(bubble.answers).to_contain_text("and more")
