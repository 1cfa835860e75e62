"""A fake server, and a page with the widget on it."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.chat.widget.driver import Widget
from tests.chat.widget.fake_server import FakeServer


@pytest.fixture
def server() -> Iterator[FakeServer]:
    server = FakeServer()
    server.start()
    yield server
    server.stop()


@pytest.fixture
def widget(page: Page, server: FakeServer) -> Widget:
    """The widget on a graph's page, connected."""
    return Widget(page, server).open().connected()


@pytest.fixture
def editor(page: Page, server: FakeServer) -> Widget:
    """The widget of somebody who may edit, on a page that follows its graph."""
    return Widget(page, server, "editor.html").open().connected()


@pytest.fixture(scope="module")
def blank(browser: Browser) -> Iterator[Page]:
    """An empty page for all tests of a module, for scripts that keep nothing between two of them."""
    server = FakeServer()
    server.start()
    page = browser.new_page()
    page.goto(f"{server.url}/blank.html")
    yield page
    page.close()
    server.stop()
