"""widget/models.js and view/model-picker.js: which model answers, and going deeper with a stronger one."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.chat.widget.driver import Widget
from tests.chat.widget.fake_server import FakeServer

pytestmark = pytest.mark.browser
PRICE = {"input": 0.15, "cachedInput": 0.075, "output": 0.6}
MODELS: list[dict[str, Any]] = [
    {"id": "demo", "label": "Demo", "provider": "demo", "stronger": "big:one", "price": PRICE},
    {"id": "big:one", "label": "The big one", "provider": "big", "reasons": True, "stronger": None, "price": None},
]


@pytest.fixture
def choice(page: Page, server: FakeServer) -> Widget:
    server.models = MODELS
    return Widget(page, server).open().connected()


def picker(widget: Widget) -> Any:
    widget.root.locator(".model-button").click()
    return widget.root.locator(".model-card")


def test_it_offers_nothing_where_there_is_no_choice(widget: Widget) -> None:
    expect(widget.root.locator(".model-button")).to_be_hidden()


def test_it_opens_a_conversation_with_the_chosen_model_by_keyboard(choice: Widget) -> None:
    button = choice.root.locator(".model-button")
    expect(button).to_have_text("Demo")
    card = picker(choice)
    expect(card.get_by_role("radio", name="Demo")).to_be_focused()
    expect(card).to_contain_text("$0.15 in, $0.60 out per million tokens")
    expect(card).to_contain_text("big · reasons")
    expect(card.locator(".model-current")).to_have_count(1)
    expect(card.get_by_role("button", name="For the next answer")).to_be_hidden()
    choice.page.keyboard.press("ArrowDown")
    choice.page.keyboard.press("Enter")
    expect(button).to_be_focused()
    expect(button).to_have_text("The big one")
    choice.ask("Hello").start().write("So.").finish()
    expect(choice.answers).to_contain_text("So.")  # The conversation is known, and which model is its own.
    assert choice.server.wait_for("ai:chat")["model"] == "big:one"
    choice.ask("Again")
    assert "model" not in choice.server.wait_for("ai:chat", 2)


def test_it_is_for_the_next_answer_or_from_now_on(choice: Widget) -> None:
    choice.ask("One").start().write("So.").finish()
    expect(choice.answers).to_contain_text(
        "So."
    )  # Before a conversation has begun there is no next answer to choose for.
    card = picker(choice)
    card.get_by_role("radio", name="The big one").check()
    card.get_by_role("button", name="For the next answer").click()
    button = choice.root.locator(".model-button")
    expect(button).to_have_text("The big one, for the next answer")
    choice.ask("Two").start().write("So.").finish()
    assert choice.server.wait_for("ai:chat", 2)["model"] == "big:one"
    expect(button).to_have_text("Demo")
    choice.ask("Three").start().write("So.").finish()
    assert "model" not in choice.server.wait_for("ai:chat", 3)
    card = picker(choice)
    card.get_by_role("radio", name="The big one").check()
    choice.page.keyboard.press("Escape")
    expect(button).to_have_text("Demo")
    card = picker(choice)
    card.get_by_role("radio", name="The big one").check()
    card.get_by_role("button", name="From now on").click()
    expect(button).to_have_text("The big one")
    assert choice.server.sessions[0].model == "big:one"


def test_it_says_when_the_model_of_a_conversation_is_gone(page: Page, server: FakeServer) -> None:
    server.models = MODELS
    session = server.session("Old", model="gone:x", model_available=False)
    session.add_message("user", content="Hello")
    widget = Widget(page, server).open().connected()
    gone = widget.root.locator(".model-gone")
    expect(gone).to_contain_text("gone:x, is not available any more")
    picker(widget).get_by_role("button", name="From now on").click()
    expect(gone).to_be_hidden()
    assert session.model == "demo"


def test_it_says_when_nobody_knows_what_the_model_of_a_conversation_costs(page: Page, server: FakeServer) -> None:
    server.models = MODELS
    server.session("Old", model="openai:taken-off-the-list").add_message("user", content="Hello")
    widget = Widget(page, server).open().connected()
    notice = widget.root.locator(".model-gone")
    expect(notice).to_contain_text("does not list the model of this conversation, openai:taken-off-the-list")
    picker(widget).get_by_role("button", name="From now on").click()
    expect(notice).to_be_hidden()


def test_it_goes_deeper_and_suggests_it_where_the_model_gave_up(choice: Widget) -> None:
    first = choice.ask("One").start().write("Briefly.")
    first.emit("usage", promptTokens=1, completionTokens=1, cachedTokens=0, cost=0, model="demo", modelId="demo")
    expect(choice.root.locator(".deepen-answer")).to_have_count(0)
    first.finish()
    choice.button("Go deeper with The big one").press("Enter")
    assert choice.server.wait_for("ai:deepen")["messageId"] == first.message_id
    expect(choice.root.locator("textarea")).to_be_focused()
    deep = first.session.add_message("assistant", "queued", run_id="deep")
    choice.server.emit(first.session, "status", deep["id"], "deep", state="queued", deepens=first.message_id)
    expect(choice.answers.last).to_contain_text("Goes deeper than the answer before")
    expect(choice.root.locator(".deepen-answer")).to_have_count(0)
    choice.server.emit(first.session, "complete", deep["id"], "deep", fullText="In depth.", reason="finished")
    third = choice.ask("Two").start().write("I looked")
    third.emit("usage", promptTokens=1, completionTokens=1, cachedTokens=0, cost=0, model="demo", modelId="demo")
    third.emit("error", error="Cut.", message="Cut.", code="context_length", retryable=False, gaveUp=True)
    line = choice.answers.last.locator(".gave-up")
    expect(line).to_contain_text("This model came to a limit.")
    expect(line.get_by_role("button", name="Go deeper with The big one")).to_be_enabled()
