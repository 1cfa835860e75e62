"""chat/static/chat/widget/view/menu.js: the conversations of an object."""

import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser import eventually
from tests.chat.widget.driver import Widget
from tests.chat.widget.fake_server import FakeServer

pytestmark = pytest.mark.browser


@pytest.fixture
def two(page: Page, server: FakeServer) -> Widget:
    """A widget with two conversations about its graph, and one about another."""
    server.session("Elsewhere", context="graph:other")
    for title in ("Older", "Newer"):
        session = server.session(title)
        session.add_message("user", content=f"{title} question")
        session.add_message("assistant", content=f"{title} answer")
    widget = Widget(page, server).open().connected()
    expect(widget.answers.locator(".markdown")).to_have_text(["Newer answer"])
    return widget


def test_it_lists_the_conversations_of_this_object(two: Widget) -> None:
    menu = two.open_menu()
    expect(menu.locator(".session-title")).to_have_text(["Newer", "Older"])
    expect(menu.locator(".session").first).to_have_class("session current")


def test_it_switches(two: Widget) -> None:
    left = two.server.sessions[0]
    two.open_menu().locator(".session-open", has_text="Older").click()
    expect(two.answers.locator(".markdown")).to_have_text("Older answer")
    expect(two.root.locator(".menu")).to_be_hidden()
    assert two.server.wait_for("ai:unsubscribe")["stream"] == left.stream
    two.server.emit(left, "user_message", "", content="for the other one")
    two.painted()
    expect(two.questions).to_have_count(1)


def test_it_opens_the_same_conversation_after_a_reload(two: Widget) -> None:
    two.open_menu().locator(".session-open", has_text="Older").click()
    expect(two.title).to_have_text("Older")
    two.page.reload()
    expect(two.answers.locator(".markdown")).to_have_text("Older answer")


def test_it_starts_a_new_one_and_stays_there(two: Widget) -> None:
    two.root.locator(".new-button").click()
    expect(two.root.locator(".empty")).to_be_visible()
    expect(two.composer).to_be_focused()
    two.page.reload()
    expect(two.root.locator(".empty")).to_be_visible()
    two.ask("A third").start().write("Yes").finish()
    expect(two.open_menu().locator(".session-title")).to_have_text(["A third", "Newer", "Older"])


def test_it_starts_a_new_one_by_keyboard(two: Widget) -> None:
    two.composer.press("Alt+n")
    expect(two.root.locator(".empty")).to_be_visible()


def test_it_renames_in_place(two: Widget) -> None:
    menu = two.open_menu()
    menu.get_by_label("Rename Newer").click()
    field = menu.get_by_label("Title")
    expect(field).to_be_focused()
    field.fill("Renamed")
    field.press("Enter")
    expect(menu.locator(".session-title")).to_have_text(["Renamed", "Older"])
    expect(two.title).to_have_text("Renamed")
    method, _, request = next(each for each in two.server.requests if each[0] == "PATCH")
    assert (method, request["body"]) == ("PATCH", {"title": "Renamed"})
    assert (request["X-CSRFToken"], request["X-Workspace"]) == ("the-csrf-token", "demo")


def test_it_leaves_the_title_on_escape(two: Widget) -> None:
    menu = two.open_menu()
    menu.get_by_label("Rename Newer").click()
    menu.get_by_label("Title").fill("Never mind")
    menu.get_by_label("Title").press("Escape")
    expect(menu.locator(".session-title")).to_have_text(["Newer", "Older"])
    expect(menu).to_be_visible()


def test_it_puts_away_and_brings_back(two: Widget) -> None:
    menu = two.open_menu()
    menu.get_by_label("Archive Newer").press("Enter")
    expect(menu.locator(".session-title")).to_have_text(["Older"])
    note = two.root.locator(".archived-note")
    expect(note).to_contain_text("This conversation is archived.")
    expect(two.composer).to_be_disabled()
    menu.get_by_role("button", name="Archived conversations").press("Enter")
    expect(menu.locator(".session-title")).to_have_text(["Newer"])
    menu.get_by_label("Bring Newer back").click()
    expect(menu).to_contain_text("No archived conversations.")
    expect(note).to_be_hidden()
    menu.get_by_role("button", name="Back to the conversations").click()
    expect(menu.locator(".session-title")).to_have_text(["Newer", "Older"])
    as_pdf = menu.get_by_role("link", name="PDF")
    menu.get_by_label("Reasoning").press("Space")
    wanted = rf"chat/sessions/{two.server.sessions[0].id}/export\?format=pdf&reasoning=false&tools=true&workspace=demo$"
    expect(as_pdf).to_have_attribute("href", re.compile(wanted))
    menu.get_by_label("Archive Newer").click()
    menu.press("Escape")
    note.get_by_role("button", name="Bring it back").click()
    expect(note).to_be_hidden()
    expect(two.composer).to_be_focused()


def test_it_deletes_only_after_asking(two: Widget) -> None:
    menu = two.open_menu()
    menu.get_by_label("Delete Newer").click()
    menu.get_by_role("button", name="Keep").click()
    expect(menu.locator(".session-title")).to_have_text(["Newer", "Older"])
    menu.get_by_label("Delete Newer").click()
    # News of another one leaves the question, and the focus on what it stood on.
    two.server.sessions[1].title = "Oldest"
    two.server.emit(two.server.sessions[0], "session_updated", title="Newer")
    expect(menu.locator(".session-title")).to_have_text(["Oldest"])
    expect(menu.get_by_role("button", name="Keep")).to_be_focused()
    menu.get_by_role("button", name="Delete", exact=True).click()
    expect(menu.locator(".session")).to_have_count(1)
    assert [session.title for session in two.server.sessions] == ["Oldest", "Elsewhere"]
    expect(two.title).to_have_text("New conversation")
    expect(menu.locator(".menu-new")).to_be_focused()


def test_it_says_when_deleting_failed_also_to_who_closed_it_meanwhile(two: Widget) -> None:
    held: list[Route] = []
    two.page.route("**/sessions/*", lambda route: held.append(route))
    menu = two.open_menu()
    menu.get_by_label("Delete Newer").click()
    menu.get_by_role("button", name="Delete", exact=True).click()
    eventually(two.page, lambda: len(held), 1)
    two.page.keyboard.press("Escape")
    with two.page.expect_response("**/sessions/*"):
        held[0].fulfill(status=503, json={"title": "Refused", "detail": "The server is busy."})
    two.painted()
    two.open_menu()
    expect(menu.locator(".menu-note")).to_have_text("The server is busy.")
    expect(menu.locator(".session-title")).to_have_text(["Newer", "Older"])
    two.page.keyboard.press("Escape")
    expect(two.open_menu().locator(".menu-note")).to_be_empty()


def test_it_loads_older_conversations(page: Page, server: FakeServer) -> None:
    for number in range(25):
        server.session(f"Conversation {number}")
    widget = Widget(page, server).open().connected()
    menu = widget.open_menu()
    expect(menu.locator(".session")).to_have_count(20)
    menu.get_by_role("button", name="Show older").click()
    expect(menu.locator(".session")).to_have_count(25)
    expect(menu.get_by_role("button", name="Show older")).to_be_hidden()


def test_rows_stay_where_they_are_while_the_list_is_read_again_and_older_ones_follow_it(
    page: Page, server: FakeServer
) -> None:
    for number in range(25):
        server.session(f"Conversation {number}")
    widget = Widget(page, server).open().connected()
    expect(widget.title).to_have_text("Conversation 24")
    held: list[Route] = []
    page.route("**/chat/sessions?*", lambda route: held.append(route) if len(held) < 2 else route.continue_())

    def answered() -> None:
        eventually(page, lambda: len(held), 2)
        for route in held:
            with page.expect_response("**/chat/sessions?*"):
                route.continue_()
        widget.painted()

    menu = widget.open_menu()
    pressed = menu.locator(".session-open").first.element_handle()
    answered()
    assert pressed.evaluate("button => button.isConnected")
    page.keyboard.press("Escape")
    held.clear()
    widget.open_menu().get_by_role("button", name="Show older").click()
    answered()
    expect(menu.locator(".session")).to_have_count(25)


def test_it_closes_on_escape_and_gives_the_focus_back(two: Widget) -> None:
    two.open_menu()
    two.page.keyboard.press("ArrowDown")
    expect(two.root.locator(".session-open").first).to_be_focused()
    two.page.keyboard.press("Escape")
    expect(two.root.locator(".menu")).to_be_hidden()
    expect(two.root.locator(".title")).to_be_focused()


def test_it_closes_when_something_else_is_clicked(two: Widget) -> None:
    two.open_menu()
    two.composer.click()
    expect(two.root.locator(".menu")).to_be_hidden()


def test_it_shows_the_title_that_another_window_gave(two: Widget) -> None:
    two.server.emit(two.server.sessions[0], "session_updated", title="From elsewhere")
    expect(two.title).to_have_text("From elsewhere")


def test_it_goes_on_reading_an_answer_that_the_person_left(two: Widget) -> None:
    left = two.ask("Slow question").start().write("Half")
    two.open_menu().locator(".session-open", has_text="Older").click()
    expect(two.title).to_have_text("Older")
    left.write(" done").finish()
    two.open_menu().locator(".session-open", has_text="Newer").click()
    expect(two.answers.last.locator(".markdown")).to_have_text("Half done")
    assert left.session.stream not in [frame["stream"] for frame in two.server.frames("ai:unsubscribe")]
