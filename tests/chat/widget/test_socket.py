"""chat/static/chat/widget/socket.js: when to come back, and when not."""

import pytest
from playwright.sync_api import Page, expect

from tests.chat.widget.driver import Widget
from tests.chat.widget.fake_server import FakeServer

pytestmark = pytest.mark.browser


def test_it_waits_longer_each_time_and_never_at_the_same_moment(page: Page, server: FakeServer) -> None:
    page.goto(f"{server.url}/blank.html")
    delays = page.evaluate("""async () => {
      const { backoff } = await import("/static/graphs/connection.js");
      return [0, 1, 2, 6, 20, 1000].map((failures) => [0, 0.5, 1].map((random) => backoff(failures, () => random)));
    }""")
    assert delays == [
        [0, 250, 500],
        [0, 500, 1000],
        [0, 1000, 2000],
        [0, 15_000, 30_000],
        [0, 15_000, 30_000],
        [0, 15_000, 30_000],
    ]


def test_it_names_its_workspace(widget: Widget) -> None:
    assert widget.server.workspaces == ["demo"]


def test_it_says_when_there_are_too_many_connections(widget: Widget) -> None:
    widget.server.accepting = False
    widget.server.send_all({"type": "ai:error", "error": "Close some tabs.", "code": "too_many_sockets"})
    widget.server.close_all(4429)
    expect(widget.notice).to_contain_text("Close some tabs.")
    expect(widget.composer).to_be_disabled()


def test_it_offers_to_sign_in_and_does_not_come_back(widget: Widget) -> None:
    widget.composer.fill("My draft")
    widget.page.evaluate("Math.random = () => 0")  # whoever comes back does so at once
    widget.server.close_all(4401)
    link = widget.root.get_by_role("link", name="Sign in")
    expect(link).to_have_attribute("href", "/accounts/login/?next=%2Fgraph.html")
    expect(widget.connection).to_have_text("Signed out")
    expect(widget.composer).to_be_disabled()
    expect(widget.composer).to_have_value("My draft")
    widget.painted()
    assert widget.server.workspaces == ["demo"]
    assert widget.server.sockets == {}


def test_it_says_that_access_ended(widget: Widget) -> None:
    widget.server.close_all(4403)
    expect(widget.root.locator(".banner")).to_contain_text("Your access has ended.")
    expect(widget.composer).to_be_disabled()


def test_it_comes_back_at_once_when_the_network_does(widget: Widget) -> None:
    widget.server.accepting = False
    widget.server.cut_all()
    expect(widget.composer).to_be_disabled()
    widget.page.context.set_offline(True)
    expect(widget.connection).to_have_text("Offline")
    widget.server.accepting = True
    widget.page.context.set_offline(False)
    expect(widget.connection).to_have_text("Connected")


def test_it_survives_frames_that_are_not_frames(widget: Widget) -> None:
    answer = widget.ask("One").start().write("a")
    for frame in ({"type": "ai:unheard", "stream": answer.session.stream}, {"stream": answer.session.stream}):
        widget.server.send_raw(frame)
    answer.write("b")
    expect(widget.answers.locator(".markdown")).to_have_text("ab")


def test_it_closes_the_connection_when_it_leaves_the_page(widget: Widget) -> None:
    widget.page.evaluate("document.querySelector('chat-widget').remove()")
    widget.server.wait_until(lambda: not widget.server.sockets)


def test_it_notices_by_rest_that_one_is_signed_out(page: Page, server: FakeServer) -> None:
    server.accepting = False
    server.failures["sessions"] = 401
    widget = Widget(page, server).open()
    expect(widget.root.get_by_role("link", name="Sign in")).to_be_visible()
    expect(widget.connection).to_have_text("Signed out")
