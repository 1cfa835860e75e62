"""A browser for tests: one in each pytest process, one page for a module that is emptied. Loaded as a plugin.

Playwright's synchronous API leaves its event loop marked as running between two calls. Beside a running loop neither
`asyncio.run` nor, without being told so, Django's ORM work: so the mark stays within the modules that drive a browser.
"""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import NamedTuple

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect, sync_playwright

from tests import cast, chromium

#: Without these Chromium asks its maker's hosts for things at every start.
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SIZE: ViewportSize = {"width": 1280, "height": 800}
#: What a tab keeps. A page that was never left empty has nothing of the kind.
FORGET = "() => { if (origin !== 'null') sessionStorage.clear(); }"

#: What is expected comes sooner or later: a busy machine is no fault of the page.
expect.set_options(timeout=20_000)


@cache
def listener() -> socket.socket:
    """Where a test's own small site listens, one after the other: so the browser finds again what it has loaded."""
    return socket.create_server(("127.0.0.1", 0))


def sign_in(context: BrowserContext, user: User, url: str) -> None:
    """The session of a person at the site at `url`, without the time that a password takes."""
    session = cast.signed_in(user).cookies["sessionid"].value
    context.add_cookies([{"name": "sessionid", "value": session, "url": url, "httpOnly": True}])


class _Started(NamedTuple):
    browser: Browser
    loop: asyncio.AbstractEventLoop


@pytest.fixture(scope="session")
def _started() -> Iterator[_Started]:
    """A browser takes seconds of a processor to begin and to end."""
    playwright = sync_playwright().start()
    loop = asyncio.get_running_loop()
    with _marked_as_running(loop):
        browser = playwright.chromium.launch(executable_path=chromium.path(), args=QUIET)
    yield _Started(browser, loop)
    with _marked_as_running(loop):
        browser.close()
        playwright.stop()


@contextmanager
def _marked_as_running(loop: asyncio.AbstractEventLoop) -> Iterator[None]:
    asyncio._set_running_loop(loop)
    try:
        yield
    finally:
        asyncio._set_running_loop(None)


@pytest.fixture(scope="module")
def browser(_started: _Started) -> Iterator[Browser]:
    """Without what the module leaves open."""
    with pytest.MonkeyPatch.context() as patch, _marked_as_running(_started.loop):
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        yield _started.browser
        for context in _started.browser.contexts:
            context.close()


@pytest.fixture(scope="module")
def _kept(browser: Browser) -> Page:
    """One for the module: its process and what that has loaded and compiled cost more than most of its tests."""
    context = browser.new_context(viewport=SIZE, locale="en-US")
    context.set_default_timeout(10_000)
    return context.new_page()


@pytest.fixture
def page(_kept: Page) -> Iterator[Page]:
    yield _kept
    _empty(_kept)


@pytest.fixture
def context(page: Page) -> BrowserContext:
    return page.context


def _empty(page: Page) -> None:
    """As it was when it was new."""
    context = page.context
    for other in context.pages[1:]:
        other.close()
    page.unroute_all(behavior="ignoreErrors")
    page.evaluate(FORGET)
    page.goto("about:blank")
    page.set_viewport_size(SIZE)
    page.emulate_media(color_scheme="null", reduced_motion="null")
    context.set_offline(False)
    context.clear_cookies()
    context.clear_permissions()
