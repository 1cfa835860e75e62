"""chat/static/chat/widget/view/sharing.js, and what the panel shows of somebody else's conversation."""

import pytest
from playwright.sync_api import Page, expect

from tests.chat.widget.driver import Widget
from tests.chat.widget.fake_server import FakeServer

pytestmark = pytest.mark.browser


def test_the_owner_shares_with_members_and_by_links(page: Page, server: FakeServer) -> None:
    session = server.session("Mine")
    widget = Widget(page, server).open().connected()
    menu = widget.open_menu()
    menu.get_by_label("Share Mine", exact=True).click()
    card = menu.locator(".sharing")
    card.get_by_label("Member", exact=True).select_option("bob")
    card.get_by_role("button", name="Share", exact=True).click()
    given = card.get_by_label("What bob may do")
    expect(given).to_have_value("read")
    expect(card.get_by_label("Member", exact=True).locator("option")).to_have_text(["dave"])
    given.select_option("write")
    expect(card.locator(".menu-note")).to_have_text("Changed.")
    assert [(each["user"], each["access"]) for each in session.shares["shares"]] == [("bob", "write")]
    card.get_by_label("Stop sharing with bob").click()
    expect(given).to_have_count(0)
    card.get_by_label("with tool results").check()
    card.get_by_role("button", name="Make a link").click()
    expect(card.get_by_label("Address of the link")).to_have_value(f"{server.url}/shared/secret/")
    (link,) = session.shares["links"]
    assert (link["link"], link["reasoning"], link["toolResults"]) == (True, False, True)
    card.get_by_role("button", name="Done").click()
    menu.get_by_label("Share Mine", exact=True).click()
    expect(card.locator(".sharing-list li")).to_contain_text("tool results")
    expect(card.get_by_label("Address of the link")).to_have_count(0)
    card.get_by_label("Revoke this link").click()
    expect(card.locator(".sharing-list li")).to_have_count(0)
    assert session.shares["links"] == []


def test_a_conversation_of_somebody_else_is_read(page: Page, server: FakeServer) -> None:
    session = server.session("Hers", owner="alice", access="read")
    session.add_message("user", content="What is it?")
    session.add_message("assistant", content="A graph.")
    session.add_message("user", content="And then?", author="bob")
    widget = Widget(page, server).open().connected()
    menu = widget.open_menu()
    expect(menu.locator(".menu-others .session-time")).to_contain_text("alice")
    expect(menu.locator(".menu-others .session-tool")).to_have_count(0)
    menu.locator(".menu-others .session-open").click()
    expect(widget.questions.locator(".author")).to_have_text(["alice", "bob"])
    expect(widget.root.locator(".shared-by")).to_have_text("Shared by alice")
    expect(widget.composer).to_be_disabled()
    expect(widget.root.locator(".keeping:visible")).to_have_count(0)
    server.sessions.remove(session)
    server.send_all({"type": "ai:unsubscribed", "_id": None, "sessionId": session.id, "stream": session.stream})
    expect(widget.notice).to_contain_text("no longer exists")


def test_a_message_written_along_is_named_when_it_comes(page: Page, server: FakeServer) -> None:
    session = server.session("Mine")
    session.add_message("user", content="What is it?")
    widget = Widget(page, server).open().connected()
    expect(widget.questions).to_have_count(1)
    server.emit(session, "user_message", session.add_message("user")["id"], content="And then?", author="bob")
    expect(widget.questions.locator(".author")).to_have_text(["", "bob"])


def test_who_writes_along_is_not_told_to_bring_back_what_its_owner_put_away(page: Page, server: FakeServer) -> None:
    session = server.session("Hers", owner="alice", access="write")
    session.add_message("user", content="What is it?")
    widget = Widget(page, server).open().connected()
    widget.open_menu().locator(".menu-others .session-open").click()
    expect(widget.questions).to_have_count(1)
    expect(widget.composer).to_be_enabled()
    server.emit(session, "session_updated", title="Hers", model="", archived=True)
    expect(widget.composer).to_be_disabled()
    expect(widget.composer).to_have_attribute("placeholder", "This conversation is archived.")
