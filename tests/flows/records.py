"""A consultant's portfolio, and how people talk about it: what the stories of business records have in common."""

import json
from typing import Any

from playwright.sync_api import Locator, expect

from chat.models import Run, RunStatus
from graphs.history.outside import catch_up
from graphs.models import Company, Folder, UseCase, Workspace
from graphs.objects.headers import header_of
from graphs.objects.kinds import KINDS
from tests.chat.engine.driving import until
from tests.flows.visitor import Visitor
from tests.graphs.records.asking import TYPES
from tests.graphs.records.portfolio import Portfolio, draw_portfolio
from tests.proposed import Call
from tests.site import Site

Record = Company | Folder | UseCase
ADDRESSES: dict[type[Record], str] = {Company: "companies", Folder: "folders", UseCase: "use-cases"}


def path_of(record: Record) -> str:
    return f"/{ADDRESSES[type(record)]}/{record.pk}/"


def new_portfolio() -> Portfolio:
    """A portfolio of the workspace `demo`, of which each record has a first version in its history."""
    made = draw_portfolio(Workspace.objects.get(slug="demo"))
    for record in (made.company, made.folder, *made.use_cases):
        catch_up([header_of(KINDS[TYPES[type(record).__name__]], record.workspace_id, record)])
    return made


def let_it_rest(site: Site) -> None:
    """Nothing that the story before asked for is under way, and its vendor was asked nothing."""
    until(lambda: not Run.objects.filter(status__in=(RunStatus.QUEUED, RunStatus.RUNNING)).exists())
    site.vendor.requests.clear()


def open_record(visitor: Visitor, record: Record, query: str = "") -> Visitor:
    visitor.page.goto(f"{visitor.url}{path_of(record)}{query}")
    visitor.connected()
    return visitor


def says(text: str, *calls: Call, then: str = "Done.") -> str:
    """A question that a scripted model answers with a text, and with calls and another text after them."""
    tools = [{"name": name, "arguments": given} for name, given in calls]
    first: dict[str, Any] = {"text": text, "tool_calls": tools} if tools else {"text": text}
    return f"SCRIPT={json.dumps([first, {'text': then}] if tools else first)} Please."


def proposing(action: str, **arguments: Any) -> Call:
    return f"propose_{action}", {"reason": "As you asked.", **arguments}


def value(visitor: Visitor, path: str) -> Locator:
    return visitor.page.locator(f'[data-path="{path}"] [data-value]')


def begin_anew(visitor: Visitor) -> None:
    """Another conversation about the same."""
    visitor.button("New conversation").first.click()
    expect(visitor.answers).to_have_count(0)


def decide(visitor: Visitor, button: str, status: str, card: int = -1) -> None:
    """Presses a button of a card of a proposal, the last one if none is named, and waits for what becomes of it."""
    shown = visitor.cards.nth(card)
    shown.get_by_role("button", name=button, exact=True).click()
    expect(shown).to_have_attribute("data-status", status)


def reject(visitor: Visitor, card: int) -> None:
    """Gives up what a card proposes, without a reason."""
    shown = visitor.cards.nth(card)
    shown.get_by_role("button", name="Reject", exact=True).click()
    shown.get_by_role("textbox").press("Enter")
    expect(shown).to_have_attribute("data-status", "rejected")


def change(visitor: Visitor, path: str, text: str) -> None:
    """Edits a field in its place, by keyboard."""
    section = visitor.page.locator(f'[data-path="{path}"]')
    section.locator("[data-edit]").click()
    section.locator("input, textarea").first.fill(text)
    visitor.page.keyboard.press("Control+Enter")
    expect(section.locator("form")).to_have_count(0)
