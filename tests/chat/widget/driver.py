"""A page with the widget, as a person sees it, and the answers the fake server gives there."""

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from playwright.sync_api import Locator, Page

from tests.chat.widget.fake_log import FakeSession, Json
from tests.chat.widget.fake_server import FakeServer


@dataclass
class Answer:
    """An answer that the test writes event by event."""

    server: FakeServer
    session: FakeSession
    message_id: str
    run_id: str

    def emit(self, type_: str, **data: Any) -> None:
        self.server.emit(self.session, type_, self.message_id, self.run_id, **data)

    def start(self) -> "Answer":
        self.emit("status", state="started")
        return self

    def write(self, text: str, size: int = 4) -> "Answer":
        for token in re.findall(rf"(?s).{{1,{size}}}", text):
            self.emit("token", token=token)
        return self

    def propose(self, **fields: Any) -> Json:
        """A proposal of this answer, stored and told."""
        proposal = self.server.proposals.add(self.session, self.message_id, **fields)
        self.session.message(self.message_id)["proposals"].append(proposal)
        told = ("tool", "toolCallId", "reason", "diff", "counts", "cut", "digest", "expiresAt", "targets", "askedBy")
        self.emit("proposal", proposalId=proposal["id"], **{name: proposal[name] for name in told})
        return proposal

    def decided(self, proposal: Json, status: str, **fields: Any) -> None:
        """Somebody decided, somewhere."""
        now = self.server.proposals.decided(proposal["id"], status, **fields)
        told = ("status", "decidedBy", "decidedAt", "changeSetId", "conflicts", "edited")
        self.emit("decision", proposalId=proposal["id"], **{name: now[name] for name in told if name in now})

    def finish(self, reason: str = "finished", **data: Any) -> None:
        full = self.session.message(self.message_id)["content"]
        self.emit("complete", fullText=full, reason=reason, **data)
        self.emit("status", state="cancelled" if reason == "stopped" else "succeeded")

    def fail(self, code: str, retryable: bool, message: str = "", **more: object) -> None:
        self.emit("error", error=message, message=message, code=code, retryable=retryable, **more)
        self.emit("status", state="failed")


class Widget:
    def __init__(self, page: Page, server: FakeServer, name: str = "graph.html") -> None:
        self.page = page
        self.server = server
        self.name = name
        self.root = page.locator("chat-widget")
        self.composer = self.root.get_by_label("Message", exact=True)
        self.answers = self.root.locator(".assistant")
        self.questions = self.root.locator(".user")
        self.notice = self.root.locator(".composer-notice")
        self.connection = self.root.locator(".connection-text")
        self.title = self.root.locator(".title-text")
        self.scroller = self.root.locator(".scroller")
        self.cards = self.root.locator(".proposal")
        self.bar = self.root.locator(".undo-bar")

    def open(self) -> "Widget":
        self.page.goto(f"{self.server.url}/{self.name}")
        return self

    def connected(self) -> "Widget":
        self.root.locator('[data-connection="open"]').wait_for()
        return self

    def ask(self, text: str) -> Answer:
        """Writes and sends a message; the answer that the server owes for it."""
        asked = len(self.server.frames("ai:chat"))
        self.composer.fill(text)
        self.composer.press("Enter")
        self.server.wait_for("ai:chat", asked + 1)
        return self.owed(text)

    def ask_in_vain(self, text: str) -> None:
        """Writes and sends a message that the server gets and does not answer."""
        self.server.accept_chats = False
        self.composer.fill(text)
        self.composer.press("Enter")
        self.server.wait_until(lambda: [each for each in self.server.dropped if each["message"] == text])
        self.server.accept_chats = True

    def owed(self, text: str) -> Answer:
        session, answer = self.server.wait_until(lambda: self._answer_to(text))
        return Answer(self.server, session, answer["id"], answer["runId"])

    def _answer_to(self, text: str) -> tuple[FakeSession, dict[str, Any]] | None:
        for session in self.server.sessions:
            for question, answer in pairwise(list(session.messages)):
                if question["role"] == "user" and question["content"] == text:
                    return session, answer
        return None

    def button(self, name: str) -> Locator:
        return self.root.get_by_role("button", name=name)

    def open_menu(self) -> Locator:
        self.root.locator(".title").click()
        menu = self.root.locator(".menu")
        menu.wait_for()
        return menu

    def painted(self) -> None:
        """Waits until what was received before is on the screen."""
        self.page.evaluate("() => new Promise((done) => setTimeout(() => requestAnimationFrame(() => done()), 60))")
