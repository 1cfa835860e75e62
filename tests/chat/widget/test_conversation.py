"""chat/static/chat/widget/conversation.js: asking, watching, stopping, coming back."""

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from tests.browser import at_rest
from tests.chat.widget.driver import Answer, Widget
from tests.chat.widget.fake_server import FakeServer

pytestmark = pytest.mark.browser


def test_it_shows_the_question_at_once_and_the_answer_as_it_comes(widget: Widget) -> None:
    answer = widget.ask("What does fetch-api do?")
    expect(widget.questions).to_have_text(["What does fetch-api do?"])
    answer.start()
    expect(widget.answers.locator(".progress")).to_contain_text("Thinking")
    answer.write("It **calls** the ")
    expect(widget.answers.locator(".markdown")).to_have_text("It calls the")
    answer.write("API.").finish()
    expect(widget.answers.locator("strong")).to_have_text("calls")
    expect(widget.answers.locator(".markdown")).to_have_text("It calls the API.")
    expect(widget.button("Stop")).to_be_hidden()
    expect(widget.title).to_have_text("What does fetch-api do?")


def test_it_sends_the_object_and_a_key_with_the_first_message(widget: Widget) -> None:
    widget.ask("Hello")
    frame = widget.server.wait_for("ai:chat")
    assert frame["context"] == {"type": "graph", "id": "nba"}
    assert frame["idempotencyKey"]
    assert "sessionId" not in frame
    assert "model" not in frame


def test_it_names_the_conversation_in_the_second_message(widget: Widget) -> None:
    first = widget.ask("One")
    first.start().write("1").finish()
    widget.ask("Two")
    assert widget.server.frames("ai:chat")[-1]["sessionId"] == first.session.id


def test_it_queues_a_second_message(widget: Widget) -> None:
    first = widget.ask("One").start().write("Still going")
    second = widget.ask("Two")
    expect(widget.questions).to_have_text(["One", "Two"])
    expect(widget.answers.nth(1)).to_contain_text("Queued")
    first.finish()
    second.start().write("Second").finish()
    expect(widget.answers.nth(1).locator(".markdown")).to_have_text("Second")
    expect(widget.root.locator(".queued")).to_have_count(0)


def test_it_stops(widget: Widget) -> None:
    answer = widget.ask("One").start().write("Half of")
    widget.button("Stop").click()
    assert widget.server.wait_for("ai:interrupt")["sessionId"] == answer.session.id
    answer.finish("stopped")
    expect(widget.answers).to_contain_text("Half of")
    expect(widget.answers.locator(".facts")).to_contain_text("Stopped")


def test_it_sends_two_messages_of_a_new_conversation_one_after_the_other(widget: Widget) -> None:
    for text in ("One", "Two"):
        widget.composer.press_sequentially(text)
        widget.composer.press("Enter")
    first = widget.owed("One")
    assert widget.owed("Two").session is first.session
    assert len(widget.server.sessions) == 1
    expect(widget.questions).to_have_text(["One", "Two"])


def test_it_asks_to_stop_only_once(widget: Widget) -> None:
    answer = widget.ask("One").start().write("Half")
    widget.button("Stop").click()
    expect(widget.button("Stop")).to_be_disabled()
    widget.composer.press("Escape")
    widget.server.wait_for("ai:interrupt")
    answer.write(" more").finish("stopped")
    expect(widget.button("Stop")).to_be_hidden()
    assert len(widget.server.frames("ai:interrupt")) == 1


def test_it_says_when_stopping_was_refused(widget: Widget) -> None:
    widget.server.refusals["ai:interrupt"] = {"code": "validation", "error": "Nothing is running."}
    widget.ask("One").start().write("Half")
    widget.button("Stop").click()
    expect(widget.notice).to_contain_text("Nothing is running.")
    expect(widget.button("Stop")).to_be_enabled()


def test_it_says_that_a_waiting_answer_was_stopped(widget: Widget) -> None:
    first = widget.ask("One").start().write("The **half")
    second = widget.ask("Two")
    widget.button("Stop").click()
    second.finish("stopped")
    first.finish("stopped")
    expect(widget.answers.nth(1)).to_contain_text("Stopped")
    expect(widget.answers.first.locator("strong")).to_have_text("half")


def test_it_stops_with_escape(widget: Widget) -> None:
    widget.ask("One").start().write("Half")
    expect(widget.button("Stop")).to_be_visible()
    widget.composer.press("Escape")
    widget.server.wait_for("ai:interrupt")


def test_it_stops_a_new_conversation_once_the_server_has_named_it(widget: Widget) -> None:
    widget.ask_in_vain("One")
    expect(widget.button("Stop")).to_be_visible()
    widget.composer.press("Escape")
    expect(widget.button("Stop")).to_be_disabled()
    widget.server.cut_all()
    answer = widget.owed("One").start()
    assert widget.server.wait_for("ai:interrupt")["sessionId"] == answer.session.id


def test_it_lets_an_answer_go_on_when_it_is_taken_out_of_the_page(widget: Widget) -> None:
    answer = widget.ask("One").start().write("The first half")
    expect(widget.answers).to_contain_text("The first half")
    widget.page.evaluate("() => { window.taken = document.querySelector('chat-widget'); window.taken.remove(); }")
    widget.server.wait_until(lambda: not widget.server.sockets)
    assert not widget.server.frames("ai:interrupt")
    widget.page.evaluate("() => document.querySelector('aside').append(window.taken)")
    widget.connected()
    answer.write(" and the second.").finish()
    expect(widget.answers.locator(".markdown")).to_have_text("The first half and the second.")


def test_it_goes_on_after_a_reload_in_the_middle_of_an_answer(widget: Widget) -> None:
    answer = widget.ask("One").start().write("The first half")
    expect(widget.answers).to_contain_text("The first half")
    widget.page.reload()
    expect(widget.answers.locator(".markdown")).to_have_text("The first half")
    answer.write(" and the second.").finish()
    expect(widget.answers.locator(".markdown")).to_have_text("The first half and the second.")
    expect(widget.questions).to_have_text(["One"])


def test_it_shows_the_same_after_a_reload(widget: Widget) -> None:
    text = "## A\n\n- one\n- [x] two\n\n`code` and {{node:root}}\n\n| a |\n|---|\n| b |"
    widget.ask("One").start().write(text).finish()
    expect(widget.answers.locator("footer")).to_be_visible()
    live = widget.answers.locator(".markdown").inner_html()
    widget.page.reload()
    expect(widget.answers.locator("table")).to_be_visible()
    assert widget.answers.locator(".markdown").inner_html() == live


def test_it_continues_in_a_second_tab(widget: Widget, context: BrowserContext) -> None:
    answer = widget.ask("One").start().write("Half")
    other = Widget(context.new_page(), widget.server).open().connected()
    expect(other.answers.locator(".markdown")).to_have_text("Half")
    answer.write(" done").finish()
    for each in (widget, other):
        expect(each.answers.locator(".markdown")).to_have_text("Half done")
    second = other.ask("Two").start().write("Also here").finish()
    assert second is None
    expect(widget.questions).to_have_text(["One", "Two"])
    expect(widget.answers.nth(1)).to_contain_text("Also here")


def test_it_reads_again_where_events_are_missing(widget: Widget) -> None:
    answer = widget.ask("One").start().write("a")
    expect(widget.answers).to_contain_text("a")
    for token in "bcd":
        answer.session.append("token", answer.message_id, answer.run_id, token=token)
    answer.write("e")
    expect(widget.answers.locator(".markdown")).to_have_text("abcde")
    assert widget.server.wait_until(widget.server.subscribed)[-1]["after"] == len(answer.session.events) - 4


def test_it_ignores_repeated_and_foreign_events(widget: Widget) -> None:
    answer = widget.ask("One").start().write("abc", size=1)
    for event in list(answer.session.events):
        widget.server.send_raw(event)
    widget.server.send_raw(answer.session.events[-1] | {"sessionId": "other"})
    answer.write("d")
    expect(widget.answers.locator(".markdown")).to_have_text("abcd")


def test_it_resumes_after_a_lost_connection(widget: Widget) -> None:
    answer = widget.ask("One").start().write("before ")
    expect(widget.answers).to_contain_text("before")
    seen = len(answer.session.events)
    widget.server.cut_all()
    answer.write("after").finish()
    expect(widget.answers.locator(".markdown")).to_have_text("before after")
    assert widget.server.wait_until(widget.server.subscribed)[-1]["after"] == seen


@pytest.mark.parametrize("code", [4012, 4408, 1009, 1011])
def test_it_comes_back_after_the_server_closed(widget: Widget, code: int) -> None:
    answer = widget.ask("One").start().write("before ")
    expect(widget.answers).to_contain_text("before")
    widget.server.close_all(code)
    answer.write("after")
    expect(widget.answers.locator(".markdown")).to_have_text("before after")


def test_it_sends_a_message_again_whose_acceptance_was_lost(widget: Widget) -> None:
    widget.ask_in_vain("Once")
    expect(widget.questions).to_contain_text("Sending")
    widget.server.cut_all()
    widget.owed("Once").start().write("Yes").finish()
    expect(widget.answers.locator(".markdown")).to_have_text("Yes")
    expect(widget.questions).to_have_count(1)


def test_it_gives_a_refused_message_back(widget: Widget) -> None:
    widget.server.refusals["ai:chat"] = {"code": "rate_limit", "error": "Too many messages. Wait a minute."}
    widget.composer.fill("My long question")
    widget.composer.press("Enter")
    expect(widget.notice).to_contain_text("Too many messages. Wait a minute.")
    expect(widget.composer).to_have_value("My long question")
    expect(widget.questions).to_have_count(0)
    widget.composer.press("Enter")
    widget.owed("My long question")
    expect(widget.notice).to_be_empty()


def test_it_gives_a_message_back_that_a_refusal_without_a_name_means(widget: Widget) -> None:
    widget.ask_in_vain("My long question")
    expect(widget.questions).to_contain_text("Sending")
    widget.server.send_all({"type": "ai:error", "_id": None, "code": "validation", "error": "Not readable."})
    expect(widget.notice).to_contain_text("Not readable.")
    expect(widget.composer).to_have_value("My long question")
    expect(widget.questions).to_have_count(0)
    widget.ask("Another").start().write("Yes").finish()
    expect(widget.answers.locator(".markdown")).to_have_text("Yes")


def test_it_sends_no_nul_and_no_half_characters(widget: Widget) -> None:
    widget.page.evaluate("""() => {
      const field = document.querySelector("chat-widget").shadowRoot.querySelector("textarea");
      field.value = "a\\0b \\ud83d c \\u{1f600}";
      field.dispatchEvent(new Event("input", { bubbles: true }));
    }""")
    widget.composer.press("Enter")
    assert widget.server.wait_for("ai:chat")["message"] == "ab \ufffd c \U0001f600"


def test_it_offers_to_try_again_what_can_be_tried_again(widget: Widget) -> None:
    answer = widget.ask("One").start().write("Half")
    answer.fail("rate_limit", retryable=True, message="The model is busy. Try again in a minute.")
    expect(widget.answers.locator(".error")).to_contain_text("The model is busy. Try again in a minute.")
    expect(widget.answers).to_contain_text("Half")
    widget.button("Retry").click()
    assert widget.server.wait_for("ai:retry")["sessionId"] == answer.session.id
    again = answer.session.add_message("assistant", "queued", run_id="run-again")
    retried = Answer(widget.server, answer.session, again["id"], "run-again").start()
    expect(widget.button("Retry")).to_be_hidden()
    retried.write("Whole").finish()
    expect(widget.answers.nth(1).locator(".markdown")).to_have_text("Whole")


def test_it_offers_no_retry_where_it_would_not_help(page: Page, server: FakeServer) -> None:
    server.models = [{"id": "demo", "label": "Demo"}, {"id": "big", "label": "Big"}]
    widget = Widget(page, server).open().connected()
    answer = widget.ask("One").start()
    answer.fail("context_length", retryable=False)
    expect(widget.answers.locator(".error")).to_contain_text("Start a new one")
    expect(widget.button("Retry")).to_have_count(0)
    expect(widget.answers.locator(".tries")).to_have_count(0)
    again = answer.session.add_message("assistant", "queued", run_id="run-again")
    retried = Answer(widget.server, answer.session, again["id"], "run-again").start()
    retried.fail("context_length", retryable=False, corrections=["summarise", "shorter", "model"])
    choice = widget.answers.nth(1).get_by_label("Another model")
    expect(choice.locator("option")).to_have_text(["Big"])
    widget.button("Try with this model").press("Enter")
    sent = widget.server.wait_for("ai:retry")
    assert (sent["correction"], sent["model"]) == ("model", "big")


def test_it_shows_a_failure_after_a_reload(widget: Widget) -> None:
    widget.ask("One").start().fail("timeout", retryable=True, message="Too slow.")
    expect(widget.button("Retry")).to_be_visible()
    widget.page.reload()
    expect(widget.answers.locator(".error")).to_contain_text("Too slow.")
    expect(widget.button("Retry")).to_be_enabled()


@pytest.mark.parametrize(("name", "choice"), [("Go on to 10 rounds", True), ("Summarise now", False)])
def test_it_asks_whether_to_go_on_after_many_rounds(widget: Widget, name: str, choice: bool) -> None:
    answer = widget.ask("One").start()
    answer.emit("tool_limit", roundsUsed=5, maxExtended=10)
    answer.finish("toolLimit")
    widget.button(name).click()
    assert widget.server.wait_for("ai:resume")["continue"] is choice


def test_it_asks_again_after_a_reload(widget: Widget) -> None:
    answer = widget.ask("One").start()
    answer.emit("tool_limit", roundsUsed=5, maxExtended=10)
    answer.finish("toolLimit")
    answer.session.waiting = {"kind": "tool_limit", "id": ""}
    expect(widget.button("Summarise now")).to_be_visible()
    widget.page.reload()
    expect(widget.button("Summarise now")).to_be_visible()
    widget.button("Go on").click()
    assert widget.server.wait_for("ai:resume")["continue"] is True


def test_it_lets_the_person_choose_an_answer(widget: Widget) -> None:
    answer = widget.ask("One").start()
    answer.emit(
        "question",
        questionId="q",
        kind="choice",
        text="Which node?",
        options=["root", {"id": "x", "label": "The other"}],
    )
    answer.finish("waiting")
    expect(widget.root.locator(".ask")).to_contain_text("Which node?")
    widget.button("The other").click()
    assert widget.server.wait_for("ai:resume")["answer"] == "x"


def test_it_lets_the_person_choose_several(widget: Widget) -> None:
    answer = widget.ask("One").start()
    answer.emit("question", questionId="q", kind="multiple", text="Which?", options=["a", "b", "c"])
    answer.finish("waiting")
    widget.root.get_by_label("a", exact=True).check()
    widget.root.get_by_label("c", exact=True).check()
    widget.button("Answer").click()
    assert widget.server.wait_for("ai:resume")["answer"] == ["a", "c"]


def test_it_takes_a_written_answer(widget: Widget) -> None:
    answer = widget.ask("One").start()
    answer.emit("question", questionId="q", kind="text", text="What name?", options=[])
    answer.finish("waiting")
    widget.root.get_by_label("Your answer").fill("Retry node")
    widget.root.get_by_label("Your answer").press("Enter")
    assert widget.server.wait_for("ai:resume")["answer"] == "Retry node"


def test_it_loads_older_messages_where_the_reader_is(page: Page, server: FakeServer) -> None:
    session = server.session("Long")
    for number in range(45):
        session.add_message("user" if number % 2 == 0 else "assistant", content=f"Message {number} " + "word " * 30)
    widget = Widget(page, server).open().connected()
    expect(widget.root.locator(".message")).to_have_count(20)
    at_rest(widget.root.locator(".message").last)
    widget.scroller.evaluate("(element) => element.scrollTo(0, 0)")
    expect(widget.button("Jump to latest")).to_be_visible()
    place = at_rest(widget.root.locator(".message").first)
    widget.button("Show earlier messages").click()
    expect(widget.root.locator(".message")).to_have_count(40)
    moved = at_rest(widget.root.locator(".message", has_text="Message 25"))
    assert abs(place["y"] - moved["y"]) < 60
    widget.scroller.evaluate("(element) => element.scrollTo(0, 0)")
    widget.button("Show earlier messages").click()
    expect(widget.root.locator(".message")).to_have_count(45)
    expect(widget.button("Show earlier messages")).to_have_count(0)


@pytest.mark.parametrize("comes", ["with the page", "from the menu"])
def test_it_says_when_a_conversation_cannot_be_loaded(page: Page, server: FakeServer, comes: str) -> None:
    busy = {"title": "Refused", "detail": "The server is busy."}
    page.route("**/sessions/*/messages*", lambda route: route.fulfill(status=503, json=busy))
    if comes == "with the page":
        server.session("Old").add_message("user", content="Hello")
    widget = Widget(page, server).open().connected()
    if comes == "from the menu":
        expect(widget.root.locator(".empty")).to_be_visible()
        server.session("Old").add_message("user", content="Hello")
        widget.open_menu().locator(".session-open").click()
    expect(widget.root.locator(".error")).to_contain_text("The server is busy.")
    page.unroute("**/sessions/*/messages*")
    widget.button("Try again").click()
    expect(widget.questions).to_have_text(["Hello"])


def test_it_starts_anew_where_the_conversation_is_gone(widget: Widget) -> None:
    widget.ask("One").start().write("1").finish()
    expect(widget.answers).to_contain_text("1")
    widget.server.sessions.clear()
    widget.page.reload()
    expect(widget.notice).to_contain_text("no longer exists")
    expect(widget.root.locator(".empty")).to_be_visible()


def test_it_passes_on_that_an_object_changed(widget: Widget) -> None:
    widget.page.evaluate(
        "document.addEventListener('countersign:object-changed', (event) => { window.seen = event.detail })"
    )
    answer = widget.ask("One").start()
    answer.emit("object_changed", object={"type": "graph", "id": "nba"}, version=7, changeSetId="c")
    answer.write("x")
    expect(widget.answers).to_contain_text("x")
    assert widget.page.evaluate("window.seen") == {
        "object": {"type": "graph", "id": "nba"},
        "version": 7,
        "changeSetId": "c",
    }


def test_it_dispatches_the_node_that_was_chosen(widget: Widget) -> None:
    widget.page.evaluate(
        "document.addEventListener('countersign:select-node', (event) => { window.seen = event.detail })"
    )
    widget.ask("One").start().write("See {{node:fetch-api}}.").finish()
    expect(widget.answers.locator("footer")).to_be_visible()  # Until then it may be drawn again under the mouse.
    widget.button("fetch-api").click()
    assert widget.page.evaluate("window.seen") == {"key": "fetch-api"}


def test_objects_that_the_server_knows_become_links(widget: Widget, server: FakeServer) -> None:
    for key, url in {"1": "/products/1/", "js": "javascript:alert(1)", "none": ""}.items():
        found = {"object": {"type": "product", "id": key}, "title": "<b>Chair</b>", "url": url}
        server.links[f"product:{key}"] = found
    text = "See {{product:1}}, {{product:js}}, {{product:none}}, {{product:<i>}} and `{{product:1}}`."
    widget.ask("One").start().write(text).finish()
    link = widget.root.locator(".markdown a")
    expect(link).to_have_text("<b>Chair</b>")
    expect(link).to_have_attribute("href", f"{server.url}/products/1/")
    shown = "See <b>Chair</b>, <b>Chair</b>, <b>Chair</b>, {{product:<i>}} and {{product:1}}."
    expect(widget.root.locator(".markdown")).to_have_text(shown)


@pytest.mark.parametrize("is_answered", [True, False])
def test_a_mention_is_shown_by_its_name_only_where_it_has_no_title(
    page: Page, widget: Widget, server: FakeServer, is_answered: bool
) -> None:
    server.links["product:1"] = {"object": {"type": "product", "id": "1"}, "title": "Lamp", "url": "/products/1/"}
    asked: list[Route] = []
    page.route("**/chat/links", lambda route: asked.append(route))
    with page.expect_request("**/chat/links"):
        widget.ask("One").start().write("See {{product:1}} and {{product:2}}.", size=50)  # at once: asked for together
    shown = widget.root.locator(".markdown")
    expect(shown).to_have_text("See … and ….")
    if is_answered:
        asked[0].continue_()
        expect(shown).to_have_text("See Lamp and {{product:2}}.")
    else:
        asked[0].abort()
        expect(shown).to_have_text("See {{product:1}} and {{product:2}}.")


def test_an_object_that_was_renamed_is_mentioned_by_its_new_title(widget: Widget, server: FakeServer) -> None:
    found = {"object": {"type": "product", "id": "1"}, "title": "Lamp", "url": "/products/1/"}
    server.links["product:1"] = found
    widget.ask("One").start().write("See {{product:1}}.").finish()
    links = widget.root.locator(".markdown a")
    expect(links).to_have_text(["Lamp"])
    expect(widget.answers.locator("footer")).to_be_visible()
    server.links["product:1"] = found | {"title": "Bright lamp"}
    answer = widget.ask("Two").start()
    answer.emit("object_changed", object={"type": "product", "id": "1"}, version=2, changeSetId="c")
    answer.write("See {{product:1}}.").finish()
    expect(links).to_have_text(["Lamp", "Bright lamp"])


def test_a_new_conversation_that_was_chosen_while_the_latest_was_looked_for_stays(
    page: Page, server: FakeServer
) -> None:
    server.session("The latest one")
    held: list[Route] = []
    page.route("**/chat/sessions?*", lambda route: held.append(route))
    with page.expect_request("**/chat/sessions?*"):
        widget = Widget(page, server).open()
    widget.root.locator(".new-button").click()
    with page.expect_response("**/chat/sessions?*"):
        held[0].continue_()
    widget.connected().painted()
    expect(widget.title).to_have_text("New conversation")
    assert not server.subscribed()
