"""What a reader of the drawing does and sees."""

from playwright.sync_api import Locator, Page, expect

from tests.browser import center, painted
from tests.graphs import drawn

CHANGED = "detail => document.dispatchEvent(new CustomEvent('countersign:object-changed', {detail}))"
SELECT = "key => document.dispatchEvent(new CustomEvent('countersign:select-node', {detail: {key}}))"


def opened(page: Page, site: drawn.Site) -> Page:
    page.goto(site.url)
    expect(page.locator(".zoom")).to_be_visible()
    painted(page)
    return page


def drawn_node(page: Page, key: str) -> Locator:
    return page.locator(f'.nodes [data-key="{key}"]')


def click_node(page: Page, key: str) -> None:
    page.mouse.click(*center(drawn_node(page, key).locator(".card")))


def selected(page: Page) -> str:
    page.evaluate("""() => { window.heard ??= []; window.listening ??= document.addEventListener(
        'countersign:node-selected', event => window.heard.push(event.detail.key)) ?? true }""")
    heard: list[str] = page.evaluate("window.heard")
    return heard[-1] if heard else ""


def zoom(page: Page) -> float:
    return float(page.locator(".percent").inner_text().removesuffix("%"))


def details(page: Page) -> Locator:
    return page.locator(".details")
