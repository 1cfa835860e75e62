"""chat/static/chat/widget/view/composer.js: writing, sending, drafts, limits, being offline."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser import at_rest
from tests.chat.widget.driver import Widget
from tests.chat.widget.fake_server import FakeServer

pytestmark = pytest.mark.browser


def test_it_sends_on_enter_and_breaks_the_line_on_shift_enter(widget: Widget) -> None:
    widget.composer.press_sequentially("one")
    widget.composer.press("Shift+Enter")
    widget.composer.press_sequentially("two")
    expect(widget.composer).to_have_value("one\ntwo")
    assert widget.server.frames("ai:chat") == []
    widget.composer.press("Enter")
    assert widget.server.wait_for("ai:chat")["message"] == "one\ntwo"
    expect(widget.composer).to_have_value("")
    expect(widget.composer).to_be_focused()


def test_it_does_not_send_while_a_word_is_being_composed(widget: Widget) -> None:
    widget.composer.fill("にほん")
    widget.composer.dispatch_event("keydown", {"key": "Enter", "isComposing": True, "bubbles": True})
    widget.composer.dispatch_event("keydown", {"key": "Enter", "keyCode": 229, "bubbles": True})
    expect(widget.composer).to_have_value("にほん")
    widget.composer.fill("にほんご")
    widget.composer.press("Enter")
    widget.server.wait_for("ai:chat")
    assert [frame["message"] for frame in widget.server.frames("ai:chat")] == ["にほんご"]


def test_it_does_not_send_nothing(widget: Widget) -> None:
    expect(widget.button("Send")).to_be_disabled()
    widget.composer.fill("  \n ")
    expect(widget.button("Send")).to_be_disabled()
    widget.composer.press("Enter")
    widget.composer.fill("Something")
    widget.composer.press("Enter")
    widget.server.wait_for("ai:chat")
    assert [frame["message"] for frame in widget.server.frames("ai:chat")] == ["Something"]


def test_it_grows_with_the_text_up_to_a_limit(widget: Widget) -> None:
    low = at_rest(widget.composer)
    widget.composer.fill("a\nb\nc")
    middle = at_rest(widget.composer)
    widget.composer.fill("\n".join("abcdefghijklmnopqrst"))
    high = at_rest(widget.composer)
    assert low["height"] < middle["height"] < high["height"] == 120
    widget.composer.fill("")
    assert at_rest(widget.composer) == low


def test_it_counts_near_the_limit_and_sends_nothing_longer(widget: Widget) -> None:
    count = widget.root.locator(".count")
    widget.composer.fill("x" * 27_000)
    expect(count).to_be_empty()
    widget.composer.fill("😀" * 31_000)
    expect(count).to_have_text("31,000 / 32,000")
    widget.composer.fill("x" * 32_001)
    expect(widget.button("Send")).to_be_disabled()
    widget.composer.press("Enter")
    expect(widget.notice).to_contain_text("at most 32,000 characters")
    expect(widget.composer).to_have_value("x" * 32_001)
    widget.composer.fill("x" * 32_000)
    widget.composer.press("Enter")
    assert len(widget.server.wait_for("ai:chat")["message"]) == 32_000


def test_it_keeps_a_draft_through_a_reload(widget: Widget) -> None:
    widget.composer.fill("Half a question")
    widget.page.reload()
    expect(widget.composer).to_have_value("Half a question")


def test_it_keeps_a_draft_for_each_conversation(page: Page, server: FakeServer) -> None:
    server.session("Second").add_message("user", content="2")
    server.session("First").add_message("user", content="1")
    widget = Widget(page, server).open().connected()
    expect(widget.title).to_have_text("First")
    widget.composer.fill("for the first")
    widget.open_menu().get_by_role("button", name="Second").first.click()
    expect(widget.title).to_have_text("Second")
    expect(widget.composer).to_have_value("")
    widget.composer.fill("for the second")
    widget.open_menu().get_by_role("button", name="First").first.click()
    expect(widget.composer).to_have_value("for the first")


def test_it_is_off_while_offline_and_loses_nothing(widget: Widget) -> None:
    widget.composer.fill("My draft")
    widget.page.context.set_offline(True)
    expect(widget.composer).to_be_disabled()
    expect(widget.connection).to_have_text("Offline")
    expect(widget.button("Send")).to_be_disabled()
    widget.page.context.set_offline(False)
    expect(widget.composer).to_be_enabled()
    expect(widget.connection).to_have_text("Connected")
    expect(widget.composer).to_have_value("My draft")
    expect(widget.composer).to_be_focused()


def test_it_is_off_while_the_server_is_away(widget: Widget) -> None:
    widget.server.accepting = False
    widget.server.cut_all()
    expect(widget.connection).to_have_text("Reconnecting…")
    expect(widget.composer).to_be_disabled()
    widget.server.accepting = True
    expect(widget.composer).to_be_enabled()


def test_it_keeps_the_draft_of_a_message_that_was_not_taken_before_a_reload(widget: Widget) -> None:
    widget.ask_in_vain("On its way")
    expect(widget.questions).to_contain_text("Sending")
    widget.page.reload()
    expect(widget.composer).to_have_value("On its way")


def test_it_sends_a_suggested_question(widget: Widget) -> None:
    suggestions = widget.root.locator(".suggestion")
    expect(suggestions).to_have_count(3)
    suggestions.first.click()
    assert widget.server.wait_for("ai:chat")["message"] == "What is in this graph?"
    expect(suggestions).to_have_count(0)


def test_it_forgets_a_draft_that_was_sent(widget: Widget) -> None:
    for text in ("One", "Two"):
        widget.composer.press_sequentially(text)
        widget.composer.press("Enter")
        widget.owed(text).start().write("Yes").finish()
    expect(widget.answers.locator("footer")).to_have_count(2)
    widget.composer.press_sequentially("Three, not sent")
    widget.page.reload()
    expect(widget.questions).to_have_count(2)
    expect(widget.composer).to_have_value("Three, not sent")
    widget.composer.fill("")
    widget.page.reload()
    expect(widget.questions).to_have_count(2)
    expect(widget.composer).to_have_value("")
