"""Somebody with a browser, in the words of the stories."""

from playwright.sync_api import Locator, Page, expect

from tests.cast import PASSWORD
from tests.things import Thing


def page_of(thing: Thing) -> str:
    return f"/graphs/{thing.around.key}/" if thing.item.type == "node" else f"/products/{thing.item.key}/"


class Visitor:
    """`answers` and `questions` are what the conversation shows, in order."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url
        self.errors: list[str] = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda message: self.errors.append(message.text) if message.type == "error" else None)
        self.chat = page.locator("chat-widget")
        self.composer = self.chat.locator("textarea")
        self.answers = self.chat.locator(".assistant")
        self.questions = self.chat.locator(".user")
        self.cards = page.locator(".proposal")
        self.undo_bar = page.locator(".undo-bar")
        #: Where the page shows what it is about.
        self.shown = page.locator("graph-view, [data-field=name]")

    def sign_in(self, username: str) -> "Visitor":
        self.page.goto(f"{self.url}/accounts/login/")
        self.page.fill("input[name=username]", username)
        self.page.fill("input[name=password]", PASSWORD)
        self.page.press("input[name=password]", "Enter")
        self.page.wait_for_url(f"{self.url}/")
        return self

    def open_home(self) -> "Visitor":
        self.page.goto(f"{self.url}/")
        return self

    def open_graph(self, key: str = "nba") -> "Visitor":
        self.page.goto(f"{self.url}/graphs/{key}/")
        self.connected()
        return self

    def open_page_of(self, thing: Thing) -> "Visitor":
        self.page.goto(f"{self.url}{page_of(thing)}")
        self.connected()
        return self

    def open_inbox(self) -> "Visitor":
        self.page.goto(f"{self.url}/inbox/")
        self.page.locator("proposal-inbox .inbox").wait_for()
        return self

    def connected(self) -> None:
        self.chat.locator('[data-connection="open"]').wait_for()

    def ask(self, text: str) -> Locator:
        """Sends a message; the answer to it, which may still be on its way."""
        known = self.answers.count()
        self.composer.fill(text)
        self.composer.press("Enter")
        expect(self.answers).to_have_count(known + 1)
        return self.answers.nth(known)

    def button(self, name: str) -> Locator:
        return self.chat.get_by_role("button", name=name)

    def new_tab(self) -> "Visitor":
        """The same person, signed in already, in a second tab."""
        return Visitor(self.page.context.new_page(), self.url)
