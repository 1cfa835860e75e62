"""The page of a record in a browser, and what is in it."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Locator, Page, expect

from graphs.history.outside import catch_up
from graphs.models import Membership, Role
from graphs.models.records import Record
from graphs.objects.headers import header_of
from graphs.objects.kinds import KINDS
from tests.browser import TIMEOUT, Windows, sign_in
from tests.cast import signed_in
from tests.graphs.records.asking import TYPES, update
from tests.graphs.records.portfolio import Portfolio
from tests.site import Site

ADDRESSES = {"company": "companies", "folder": "folders", "usecase": "use-cases"}
Open = Callable[..., Page]


@pytest.fixture
def started(lasting_site: Site, portfolio: Portfolio, alice: User, bob: User) -> Site:
    Membership.objects.create(
        user=User.objects.create_user("dora"), workspace=portfolio.workspace, role=Role.EDITOR
    )  # fmt: skip
    for record in (portfolio.company, portfolio.folder, *portfolio.use_cases):
        catch_up([header_of(KINDS[TYPES[type(record).__name__]], record.workspace_id, record)])
    return lasting_site


@pytest.fixture
def visit(windows: Windows, started: Site) -> Iterator[Open]:
    """Opens the page of a record for somebody in a window of their own; nothing goes wrong in it."""
    complaints: list[str] = []

    def opened(record: Record, person: str = "alice", query: str = "", **look: Any) -> Page:
        page = windows.open(**look)
        page.context.set_default_timeout(TIMEOUT)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda said: complaints.append(said.text) if "Security Policy" in said.text else None)
        sign_in(page.context, User.objects.get(username=person), started.web.url)
        page.goto(f"{started.web.url}/{ADDRESSES[TYPES[type(record).__name__]]}/{record.pk}/{query}")
        return page

    yield opened
    assert complaints == []


def field(page: Page, path: str) -> Locator:
    return page.locator(f'[data-path="{path}"]')


def edit(page: Page, path: str) -> Locator:
    """The first control of the field, which is opened."""
    field(page, path).locator("[data-edit]").click()
    control = field(page, path).locator("input, textarea, select").first
    expect(control).to_be_focused()
    return control


def value(page: Page, path: str) -> Locator:
    return field(page, path).locator("[data-value]")


def by_hand(person: str, record: Record, **fields: Any) -> None:
    answer = update(signed_in(User.objects.get(username=person)), record, **fields)
    assert answer.status_code == 201, answer.content
