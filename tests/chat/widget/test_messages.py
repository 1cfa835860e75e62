"""chat/static/chat/widget/view/messages.js, message.js, tool.js: how answers are shown."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser import at_rest, eventually
from tests.chat.widget.driver import Widget
from tests.chat.widget.fake_server import FakeServer

pytestmark = pytest.mark.browser

LONG = "\n\n".join(f"Paragraph {number} " + "word " * 40 for number in range(12))
AT_END = "(element) => element.scrollHeight - element.scrollTop - element.clientHeight < 4"


def ends_up_at_its_end(widget: Widget) -> None:
    eventually(widget.page, lambda: widget.scroller.evaluate(AT_END), True)


def test_it_follows_the_stream(widget: Widget) -> None:
    widget.ask("One").start().write(LONG, size=200)
    expect(widget.answers).to_contain_text("Paragraph 11")
    ends_up_at_its_end(widget)


def test_it_stays_where_the_reader_scrolled_to(widget: Widget) -> None:
    answer = widget.ask("One").start().write(LONG, size=200)
    expect(widget.answers).to_contain_text("Paragraph 11")
    widget.scroller.hover()
    widget.page.mouse.wheel(0, -300)
    jump = widget.button("Jump to latest")
    expect(jump).to_be_visible()
    at_rest(widget.questions)
    place = widget.scroller.evaluate("(element) => element.scrollTop")
    answer.write("\n\n" + LONG, size=200)
    expect(widget.answers.locator("p")).to_have_count(24)
    widget.painted()
    assert widget.scroller.evaluate("(element) => element.scrollTop") == place
    jump.click()
    expect(jump).to_be_hidden()
    ends_up_at_its_end(widget)
    answer.write("\n\n" + LONG, size=200)
    expect(widget.answers.locator("p")).to_have_count(36)
    ends_up_at_its_end(widget)


def test_it_goes_to_the_end_for_a_message_of_the_reader(widget: Widget) -> None:
    widget.ask("One").start().write(LONG, size=200).finish()
    expect(widget.answers.locator("footer")).to_be_visible()
    widget.scroller.hover()
    widget.page.mouse.wheel(0, -600)
    expect(widget.button("Jump to latest")).to_be_visible()
    widget.ask("Two")
    expect(widget.button("Jump to latest")).to_be_hidden()
    ends_up_at_its_end(widget)


def test_it_folds_the_reasoning(widget: Widget) -> None:
    answer = widget.ask("One").start()
    answer.emit("reasoning", token="First I ")
    answer.emit("reasoning", token="look.")
    expect(widget.answers.locator(".progress")).to_contain_text("Reasoning")
    text = widget.answers.locator(".reasoning-text")
    expect(text).to_be_hidden()
    widget.answers.locator("summary").click()
    expect(text).to_have_text("First I look.")
    answer.emit("reasoning", token=" Then I **write**.")
    expect(text).to_have_text("First I look. Then I **write**.")


def test_it_shows_tool_calls_that_open(widget: Widget) -> None:
    answer = widget.ask("One").start()
    answer.emit("tool_start", toolCallId="1", toolName="search_nodes", args={"query": "api"})
    answer.emit("tool_start", toolCallId="2", toolName="some_new_tool", args={"depth": 2})
    badges = widget.answers.locator(".tool-badge")
    expect(badges).to_have_count(2)
    expect(badges.first).to_contain_text("Searched nodes")
    expect(badges.first).to_contain_text("api")
    expect(badges.nth(1)).to_contain_text("Some new tool")
    expect(badges.first.locator(".spinner")).to_be_visible()
    answer.emit("tool_result", toolCallId="1", result={"nodes": ["fetch-api"]})
    answer.emit("tool_result", toolCallId="2", result={"error": "No such depth."})
    expect(badges.first.locator(".spinner")).to_have_count(0)
    expect(widget.root.get_by_role("button", name="Some new tool failed")).to_be_visible()
    badges.first.click()
    details = widget.answers.locator(".tool-details").first
    expect(details).to_contain_text('"query": "api"')
    expect(details).to_contain_text('"fetch-api"')
    badges.first.click()
    expect(details).to_be_hidden()


def test_it_shows_how_much_of_a_call_is_written(widget: Widget) -> None:
    answer = widget.ask("One").start()
    answer.emit("tool_start", toolCallId="1", toolName="propose_batch", args={})
    badge, progress = widget.answers.locator(".tool-badge"), widget.answers.locator(".progress")
    expect(progress).to_have_text("Looking things up…")
    answer.emit("tool_delta", toolCallId="1", delta='{"reason": "')
    expect(badge).to_contain_text("0.1 kB")
    answer.emit("tool_delta", toolCallId="1", delta="x" * 12_000)
    expect(badge).to_contain_text("Proposing a change")
    expect(badge).to_contain_text("12 kB")
    expect(progress).to_have_text("Writing the change… 12 kB")
    badge.click()
    expect(widget.answers.locator(".tool-details")).to_contain_text('{"reason": "xxx')
    answer.emit("tool_delta", toolCallId="1", args={"reason": "Better."})
    expect(badge).not_to_contain_text("kB")
    expect(widget.answers.locator(".tool-details")).to_contain_text('"reason": "Better."')
    answer.emit("tool_start", toolCallId="2", toolName="search_nodes", args={})
    answer.emit("tool_delta", toolCallId="2", delta="y" * 3_000)
    expect(progress).to_have_text("Writing a call… 3 kB")
    answer.emit("tool_result", toolCallId="2", result={"error": "The answer ended.", "interrupted": True})
    expect(widget.root.get_by_role("button", name="Searched nodes interrupted")).to_be_visible()
    answer.emit("tool_start", toolCallId="3", toolName="write_use_case_list", args={})
    expect(widget.root.get_by_role("button", name="Writing the result")).to_be_visible()
    answer.finish("stopped")
    expect(widget.root.get_by_role("button", name="interrupted")).to_have_count(3)
    expect(widget.root.get_by_role("button", name="Proposing a change interrupted")).to_be_visible()


def test_it_says_how_long_nothing_came(widget: Widget) -> None:
    """A call whose arguments do not come, and an answer in the middle of a word."""
    widget.page.clock.install()
    answer = widget.ask("One").start()
    progress = widget.answers.locator(".progress")
    answer.emit("tool_start", toolCallId="1", toolName="propose_batch", args={})
    expect(progress).to_contain_text("Looking things up…")
    widget.page.clock.fast_forward(90_000)
    expect(progress).to_have_text(re.compile(r"Looking things up… Nothing new for 9\d s\."))
    answer.emit("tool_delta", toolCallId="1", delta="x" * 3_000)
    expect(progress).to_have_text("Writing the change… 3 kB")
    widget.page.clock.fast_forward(90_000)
    expect(progress).to_have_text(re.compile(r"Writing the change… 3 kB Nothing new for 9\d s\."))
    answer.emit("tool_result", toolCallId="1", result={"proposalId": "none"})
    answer.write("Now I")
    expect(progress).to_have_count(0)
    widget.page.clock.fast_forward(90_000)
    expect(progress).to_have_text(re.compile(r"Writing… Nothing new for 9\d s\."))
    answer.finish()
    expect(progress).to_have_count(0)
    widget.page.clock.fast_forward(90_000)
    expect(progress).to_have_count(0)


def test_calls_about_objects_have_their_titles(widget: Widget, server: FakeServer) -> None:
    keys = [f"d3296a42-f713-4e54-939b-87844970000{number}" for number in range(3)]
    server.links[f"product:{keys[0]}"] = {
        "object": {"type": "product", "id": keys[0]}, "title": "<b>Chair</b>", "url": "/products/1/",
    }  # fmt: skip
    answer = widget.ask("One").start()
    for number, key in enumerate(keys):
        answer.emit("tool_start", toolCallId=str(number), toolName="read_object", args={"object": f"product:{key}"})
    answer.emit("tool_result", toolCallId="1", result={"object": f"product:{keys[1]}", "title": "Lamp"})
    subjects = widget.answers.locator(".tool-subject")
    expect(subjects).to_have_text(["<b>Chair</b>", "Lamp", "product:d3296a42-f71…"])
    expect(subjects.locator("a")).to_have_count(0)
    expect(widget.root.get_by_role("button", name="Read an object <b>Chair</b> running")).to_be_visible()


def test_it_cuts_long_results_until_asked(widget: Widget) -> None:
    answer = widget.ask("One").start()
    answer.emit("tool_start", toolCallId="1", toolName="search_nodes", args={})
    answer.emit("tool_result", toolCallId="1", result="x" * 5_000 + "the end")
    widget.answers.locator(".tool-badge").click()
    details = widget.answers.locator(".tool-details")
    expect(details).not_to_contain_text("the end")
    details.get_by_role("button", name="Show all").click()
    expect(details).to_contain_text("the end")


def test_it_shows_tool_calls_after_a_reload(widget: Widget) -> None:
    answer = widget.ask("One").start()
    answer.emit("tool_start", toolCallId="1", toolName="search_nodes", args={"query": "api"})
    answer.emit("tool_result", toolCallId="1", result={"nodes": []})
    answer.write("Nothing.").finish()
    expect(widget.answers.locator("footer")).to_be_visible()
    widget.page.reload()
    expect(widget.answers.locator(".tool-badge")).to_contain_text("api")
    widget.answers.locator(".tool-badge").click()
    expect(widget.answers.locator(".tool-details")).to_contain_text('"nodes": []')


def test_it_keeps_an_open_badge_open_while_the_answer_goes_on(widget: Widget) -> None:
    answer = widget.ask("One").start()
    answer.emit("tool_start", toolCallId="1", toolName="search_nodes", args={"query": "api"})
    widget.answers.locator(".tool-badge").click()
    answer.emit("tool_result", toolCallId="1", result={"nodes": ["root"]})
    answer.write("Found.").finish()
    expect(widget.answers.locator(".tool-details")).to_contain_text('"root"')


def test_it_says_that_it_tries_again(widget: Widget) -> None:
    answer = widget.ask("One").start()
    answer.emit("status", state="retrying", attempt=2, delayS=4.2, code="rate_limit")
    expect(widget.answers.locator(".progress")).to_have_text("The model is busy. Trying again in 5 s.")
    answer.write("Now.")
    expect(widget.answers.locator(".progress")).to_have_count(0)


def test_it_says_what_an_answer_used(widget: Widget) -> None:
    answer = widget.ask("One").start().write("Yes")
    answer.emit("usage", promptTokens=1200, completionTokens=34, cachedTokens=1000, cost=0.0042)
    answer.finish()
    facts = widget.answers.locator(".facts")
    expect(facts).to_contain_text("1,234 tokens")
    expect(facts).to_contain_text("$0.0042")
    widget.page.set_viewport_size({"width": 390, "height": 800})
    facts.evaluate("line => line.prepend('A model with a name that is longer than most · ')")
    assert facts.evaluate("line => line.scrollWidth <= line.clientWidth"), "nothing of it is cut off"


def test_it_says_what_the_conversation_used(widget: Widget) -> None:
    used = widget.root.locator(".conversation-usage")
    expect(used).to_have_text("")
    first = widget.ask("One").start().write("Yes")
    first.emit("usage", promptTokens=1200, completionTokens=34, cachedTokens=1000, cost=0.0042)
    first.finish()
    expect(used).to_have_text("1,234 tokens · $0.0042")
    second = widget.ask("Two").start().write("No")
    second.emit("usage", promptTokens=1000, completionTokens=0, cachedTokens=0, cost=None, estimated=True)
    second.finish()
    expect(used).to_have_text("~2,234 tokens · ~$0.0042")
    expect(widget.answers.locator(".facts").last).to_contain_text("~1,000 tokens")
    expect(widget.answers.locator(".facts").last).not_to_contain_text("$")
    widget.page.reload()
    expect(used).to_have_text("~2,234 tokens · ~$0.0042")


def test_it_says_once_that_a_cost_is_not_all(widget: Widget) -> None:
    used = widget.root.locator(".conversation-usage")
    answer = widget.ask("One").start().write("Yes")
    tokens = {"promptTokens": 1000, "completionTokens": 200, "cachedTokens": 0, "unpricedTokens": 200}
    answer.emit("usage", **tokens, cost=0.0015, estimated=True)
    answer.finish()
    expect(used).to_have_text("~1,200 tokens · ≥$0.0015")
    expect(used).to_have_attribute("title", re.compile("estimate.*200 tokens have no known price", re.DOTALL))


def stop_timers(widget: Widget) -> None:
    """The sign that something was copied stays: otherwise it is gone before a busy machine looks."""
    expect(widget.button("Copy answer")).to_be_visible()
    widget.page.evaluate("() => { window.setTimeout = () => 0 }")


def test_it_copies_an_answer_and_its_code(widget: Widget) -> None:
    widget.page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=widget.server.url)
    text = "**Bold**\n\n```py\nprint(1)\n```"
    widget.ask("One").start().write(text).finish()
    stop_timers(widget)
    widget.button("Copy answer").click()
    expect(widget.answers.locator(".icon-check")).to_have_count(1)
    assert widget.page.evaluate("navigator.clipboard.readText()") == text
    widget.button("Copy code").click()
    expect(widget.answers.locator(".code .icon-check")).to_have_count(1)
    assert widget.page.evaluate("navigator.clipboard.readText()") == "print(1)"


def test_it_copies_where_the_browser_has_no_clipboard(widget: Widget) -> None:
    widget.page.context.grant_permissions(["clipboard-read"], origin=widget.server.url)
    widget.page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('denied')) }")
    widget.ask("One").start().write("Plain").finish()
    stop_timers(widget)
    widget.button("Copy answer").click()
    expect(widget.answers.locator(".icon-check")).to_have_count(1)
    assert widget.page.evaluate("navigator.clipboard.readText()") == "Plain"


def test_it_tells_screen_readers_in_sentences(widget: Widget) -> None:
    said = widget.root.locator(".unseen")
    answer = widget.ask("One").start()
    expect(said).to_have_text("The assistant is answering.")
    answer.write(
        "It **works**, snake_case too.\n\n- See {{node:root}}\n- [docs](https://example.org)\n\n```js\n1 > 0\n```"
    )
    widget.painted()
    expect(said).to_have_text("The assistant is answering.")
    answer.finish()
    expect(said).to_have_text("The answer is complete: It works, snake_case too. See root docs example.org 1 > 0")
    expect(said).to_have_attribute("aria-live", "polite")
    expect(widget.root.locator('[role="log"]')).to_have_attribute("aria-live", "off")


def test_it_tells_screen_readers_the_titles_of_what_is_mentioned(widget: Widget, server: FakeServer) -> None:
    for key, title in (("1", "Lamp"), ("2", "Tent")):
        object_ = {"type": "product", "id": key}
        server.links[f"product:{key}"] = {"object": object_, "title": title, "url": f"/products/{key}/"}
    answer = widget.ask("One").start()
    answer.write("I count 3: {{product:1}}, {{product:2}}, {{product:gone}}").finish()
    expect(widget.root.locator(".unseen")).to_have_text("The answer is complete: I count 3: Lamp, Tent,")


def test_it_reads_out_only_the_beginning_of_a_long_answer(widget: Widget) -> None:
    widget.ask("One").start().write("word " * 200, size=500).finish()
    said = widget.root.locator(".unseen")
    expect(said).to_have_text(re.compile(r"^[^…]{100,549}…$"))


def test_it_paints_no_more_often_than_every_32_ms(widget: Widget) -> None:
    answer = widget.ask("One").start().write("Begin")
    expect(widget.answers).to_contain_text("Begin")
    widget.page.evaluate("""() => {
      const body = document.querySelector("chat-widget").shadowRoot.querySelector(".markdown");
      window.paints = [];
      new MutationObserver(() => window.paints.push(performance.now())).observe(
        body, { childList: true, subtree: true, characterData: true });
    }""")
    answer.write("word " * 60, size=1)
    expect(widget.answers.locator(".markdown")).to_contain_text("word " * 59 + "word")
    paints = widget.page.evaluate("window.paints")
    assert (len(paints) - 1) * 32 <= paints[-1] - paints[0] + 64


def test_it_moves_nothing_for_people_who_do_not_want_it(widget: Widget) -> None:
    widget.page.emulate_media(reduced_motion="reduce")
    widget.ask("One").start()
    dot = widget.answers.locator(".dots i").first
    expect(dot).to_be_visible()
    assert dot.evaluate("(element) => getComputedStyle(element).animationName") == "none"


def test_a_message_is_kept_or_left_out_by_keyboard(widget: Widget) -> None:
    widget.ask("One").start().write("Two").finish()
    answer = widget.answers
    pin = answer.get_by_role("button", name="Always keep for the model")
    pin.focus()
    pin.press("Enter")
    expect(answer.locator(".kept")).to_have_text("Kept")
    kept = answer.get_by_role("button", name="Kept for the model: no longer keep it")
    expect(kept).to_have_attribute("aria-pressed", "true")
    expect(kept).to_be_focused()
    kept.press("Enter")
    expect(answer.locator(".kept")).to_have_text("")
    widget.questions.hover()
    widget.questions.get_by_role("button", name="Leave out for the model").click()
    expect(widget.questions.locator(".kept")).to_have_text("Left out")
    bodies = [request["body"] for method, _path, request in widget.server.requests if method == "PATCH"]
    assert bodies == [{"inPrompt": "pinned"}, {"inPrompt": "auto"}, {"inPrompt": "left_out"}]
    _rate_by_keyboard(widget)


def _rate_by_keyboard(widget: Widget) -> None:
    down = widget.answers.get_by_role("button", name="Not a good answer")
    down.press("Enter")
    comment = widget.answers.get_by_label("Comment", exact=True)
    expect(comment).to_be_focused()
    comment.fill(" Wrong node ")
    comment.press("Enter")
    expect(comment).to_be_hidden()
    write = widget.answers.get_by_role("button", name="Comment on your vote")
    expect(write).to_be_focused()
    write.press("Enter")
    expect(comment).to_have_value("Wrong node")
    comment.press("Escape")
    expect(comment).to_be_hidden()
    expect(down).to_have_attribute("aria-pressed", "true")
    down.press("Enter")
    expect(down).to_have_attribute("aria-pressed", "false")
    expect(write).to_have_count(0)
    bodies = [request["body"] for method, _path, request in widget.server.requests if method == "PUT"]
    assert bodies == [
        {"vote": -1, "comment": ""}, {"vote": -1, "comment": "Wrong node"}, {"vote": 0, "comment": ""},
    ]  # fmt: skip


def test_a_line_says_where_earlier_messages_are_summarised(widget: Widget) -> None:
    widget.ask("One").start().write("Two").finish()
    later = widget.ask("Three").start().write("Four")
    session = widget.server.sessions[0]
    line = widget.root.locator(".summarised")
    expect(line).to_have_count(0)
    summary = {"before": session.messages[2]["id"], "content": "They want it all.", "createdAt": "2026-01-01T10:00:00Z"}
    widget.server.emit(session, "session_updated", summary=summary)
    later.finish()
    line.locator("summary").press("Enter")
    expect(line.locator(".summary-text")).to_have_text("They want it all.")
    expect(line.locator("+ *")).to_contain_text(re.compile("^Three"))
    words = line.locator("summary span")
    words.evaluate("words => words.append(' and more of them on a line of its own')")
    room = line.evaluate("line => [...line.querySelectorAll('summary > *')].map(each => each.getBoundingClientRect())")
    whole = line.bounding_box()
    assert whole
    assert room[0]["left"] - whole["x"] >= 16, "the rule before it stays where the words need two lines"
    assert words.evaluate("words => getComputedStyle(words).textAlign") == "center"
