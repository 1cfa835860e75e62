"""A browser for tests: one in each pytest process, pages that a module uses again. Loaded as a plugin.

Playwright's synchronous API leaves its event loop marked as running between two calls. Beside a running loop neither
`asyncio.run` nor, without being told so, Django's ORM work: so the mark stays within the modules that drive a browser.
"""

import asyncio
import shutil
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any, NamedTuple

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser, BrowserContext, FloatRect, Locator, Page, expect, sync_playwright
from playwright.sync_api import Error as BrowserError

from tests import cast, chromium

#: Without these Chromium asks its maker's hosts for things at every start.
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # A page of the same site is drawn by the process that drew the last one, which has it compiled.
    "--renderer-process-limit=1",
    # What loads and what puts a page together are threads of one process: each page passes between them often.
    "--in-process-gpu",
    # Playwright's own list gives way to this one, and is in it.
    "--enable-features=CDPScreenshotNewSurface,SkipListAccountsWithoutGaiaCookies,NetworkServiceInProcess2",
]
#: Playwright's own list has Chromium share memory by files of a disk, for machines that have little else.
ON_DISK = "--disable-dev-shm-usage"
SHARED_MEMORY, SHARED_BYTES = "/dev/shm", 2**30
Look = dict[str, Any]
LOOK: Look = {"viewport": {"width": 1280, "height": 800}, "locale": "en-US", "reduced_motion": "no-preference"}
#: What a tab keeps, and what its page would still keep as it goes. A page that was never left empty has none of it.
FORGET = "() => { if (origin !== 'null') { sessionStorage.clear(); Storage.prototype.setItem = () => {}; } }"

#: What is expected comes sooner or later: a busy machine is no fault of the page.
PATIENCE_S = 20
#: Milliseconds that an action of a test may take.
TIMEOUT = PATIENCE_S * 1000
expect.set_options(timeout=TIMEOUT)
#: In the first one is drawn what was changed before, in the second one what followed from its layout.
TWO_FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))"


@cache
def listener() -> socket.socket:
    """Where a test's own small site listens, one after the other: so the browser finds again what it has loaded."""
    return socket.create_server(("127.0.0.1", 0))


def turn_away() -> None:
    """Closes what came while no site listened there: the page of a test that is over, which tried to come back."""
    listener().setblocking(False)
    with suppress(BlockingIOError):
        while True:
            listener().accept()[0].close()


@cache
def _held(_project: str) -> socket.socket:
    """Bound, and does not listen: whoever may share the address can."""
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind(("127.0.0.1", 0))
    return held


def port(project: str = "") -> int:
    """Where the web processes of tests listen, one after the other: the browser has their files as well. Those of
    another project listen elsewhere: both may run."""
    number: int = _held(project).getsockname()[1]
    return number


def eventually(page: Page, look: Callable[[], object], wanted: object) -> None:
    """Asserts that `look()` gives `wanted`, sooner or later: for what `expect` has no words for."""
    deadline = time.monotonic() + PATIENCE_S
    while (seen := look()) != wanted and time.monotonic() < deadline:
        page.wait_for_timeout(20)
    assert seen == wanted


def painted(page: Page) -> None:
    """Waits until what was changed before is on the screen."""
    page.evaluate(TWO_FRAMES)


def at_rest(locator: Locator) -> FloatRect:
    """The box of an element once it stands still: what an action moves, it moves in the frames that follow."""
    box = locator.bounding_box()
    while True:
        painted(locator.page)
        before, box = box, locator.bounding_box()
        if box == before:
            assert box
            return box


def center(locator: Locator) -> tuple[float, float]:
    """The middle of an element that stands still."""
    box = at_rest(locator)
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


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
        unwanted = [ON_DISK] if shutil.disk_usage(SHARED_MEMORY).free > SHARED_BYTES else []
        browser = playwright.chromium.launch(executable_path=chromium.path(), args=QUIET, ignore_default_args=unwanted)
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


@pytest.fixture(scope="session")
def _contexts() -> list[tuple[BrowserContext, Look]]:
    """Without pages; each knows the files that it has loaded."""
    return []


@pytest.fixture(scope="module")
def browser(_started: _Started, _contexts: list[tuple[BrowserContext, Look]]) -> Iterator[Browser]:
    """Without what the module leaves open."""
    with pytest.MonkeyPatch.context() as patch, _marked_as_running(_started.loop):
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        yield _started.browser
        for context in set(_started.browser.contexts) - {kept for kept, _look in _contexts}:
            context.close()


class Windows:
    """Opens pages, each in a context of its own: again those that an earlier test of the module had, else new ones in
    the contexts that modules left.

    A new process, and loading and compiling everything again, cost more than most of these tests.
    """

    def __init__(self, browser: Browser, contexts: list[tuple[BrowserContext, Look]]) -> None:
        self._browser = browser
        self._contexts = contexts
        self._used: list[tuple[Page, Look]] = []
        self._empty: list[tuple[Page, Look]] = []

    def open(self, **changes: Any) -> Page:
        """`changes` are options of a context."""
        look = LOOK | changes
        found = next((kept for kept in self._empty if kept[1] == look), None)
        if found:
            self._empty.remove(found)
        else:
            found = self._context(look).new_page(), look
        self._used.append(found)
        return found[0]

    def _context(self, look: Look) -> BrowserContext:
        found = next((kept for kept in self._contexts if kept[1] == look), None)
        if not found:
            return self._browser.new_context(**look)
        self._contexts.remove(found)
        return found[0]

    def leave(self) -> None:
        """The module is over."""
        for page, look in self._empty:
            page.close()
            self._contexts.append((page.context, look))

    def empty(self) -> None:
        """The test is over."""
        for page, look in self._used:
            try:
                _as_new(page, look)
            except BrowserError:  # The test closed it, or left it on its way elsewhere.
                page.context.close()
            else:
                self._empty.append((page, look))
        self._used = []


@pytest.fixture(scope="module")
def _windows(browser: Browser, _contexts: list[tuple[BrowserContext, Look]]) -> Iterator[Windows]:
    windows = Windows(browser, _contexts)
    yield windows
    windows.leave()


@pytest.fixture
def windows(_windows: Windows) -> Iterator[Windows]:
    yield _windows
    _windows.empty()


@pytest.fixture
def page(windows: Windows) -> Page:
    return windows.open()


@pytest.fixture
def context(page: Page) -> BrowserContext:
    return page.context


def _as_new(page: Page, look: Look) -> None:
    context = page.context
    for other in context.pages[1:]:
        other.close()
    page.unroute_all(behavior="ignoreErrors")
    page.evaluate(FORGET)
    page.goto("about:blank")
    page.set_viewport_size(look["viewport"])
    page.emulate_media(color_scheme="null", reduced_motion=look["reduced_motion"])
    context.set_default_timeout(TIMEOUT)
    context.set_offline(False)
    context.clear_cookies()
    context.clear_permissions()
