"""A browser for the tests of a module. Loaded as a plugin, so every test can open a page.

Not for the whole session: Playwright's synchronous API keeps an event loop running in its thread, beside which neither
`asyncio.run` nor, without being told so, Django's ORM work.
"""

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

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


#: What is expected comes sooner or later: a busy machine is no fault of the page.
expect.set_options(timeout=20_000)


def sign_in(context: BrowserContext, user: User, url: str) -> None:
    """The session of a person at the site at `url`, without the time that a password takes."""
    session = cast.signed_in(user).cookies["sessionid"].value
    context.add_cookies([{"name": "sessionid", "value": session, "url": url, "httpOnly": True}])


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        browser = playwright.chromium.launch(executable_path=chromium.path(), args=QUIET)
        yield browser
        browser.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-US")
    context.set_default_timeout(10_000)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return context.new_page()
