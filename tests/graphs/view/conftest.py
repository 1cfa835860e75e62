"""A page with nothing but the drawing, watched for errors and blocked content."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from tests.browser import Windows
from tests.graphs import drawn


@pytest.fixture
def site() -> Iterator[drawn.Site]:
    with drawn.served() as site:
        site.graph = drawn.players()
        yield site


@pytest.fixture
def page(windows: Windows) -> Iterator[Page]:
    page = windows.open(reduced_motion="reduce")
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda said: complaints.append(said.text) if "Content Security Policy" in said.text else None)
    yield page
    assert complaints == []
