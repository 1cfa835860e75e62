"""chat/static/chat/proposals/: cards of proposals, what people do with them, and the bar that undoes."""

import pytest
from playwright.sync_api import Route, expect

from tests.browser import center, eventually
from tests.chat.widget.driver import Answer, Widget
from tests.chat.widget.fake_log import Json
from tests.chat.widget.fake_proposals import TEXT, updated

pytestmark = pytest.mark.browser

CODE: Json = {
    "field": "process",
    "label": "process",
    "form": "code",
    "old": "a\nb",
    "new": "a\nc",
    "lines": [
        {"op": " ", "old": 8, "new": 8, "text": "return fetch("},
        {"op": "-", "old": 9, "text": "url)"},
        {"op": "+", "new": 9, "text": "⟦U+202E⟧url, retry)"},
    ],
}
DATA: Json = {
    "field": "data",
    "label": "data",
    "form": "json",
    "old": {"url": "https://a.example", "keep": {"x": 1}},
    "new": {"url": "https://b\u202e.example", "keep": {"x": 1, "y": [1, 2]}},
}
PLACE: list[Json] = [
    {"field": "posX", "label": "x", "form": "number", "old": 200, "new": 260},
    {"field": "posY", "label": "y", "form": "number", "old": 0, "new": 40},
]


def asked(widget: Widget) -> Answer:
    """An answer of a conversation that the page knows by now: it is the open one after a reload, too."""
    answer = widget.ask("Rename it").start().write("I propose this.")
    expect(widget.answers).to_contain_text("I propose this.")
    return answer


def test_it_shows_what_would_change_and_why(editor: Widget) -> None:
    answer = asked(editor)
    answer.emit("tool_start", toolCallId="t", toolName="propose_update_node", args={"nodeKey": "fetch-api"})
    answer.propose(diff=[updated(TEXT, CODE, DATA, *PLACE)], reason="Be\u200bcause.", toolCallId="t")
    answer.finish("waiting", changes=0)
    card = editor.cards
    expect(card.get_by_role("heading")).to_have_text("Change Fetch API")
    expect(card.locator(".proposal-reason")).to_have_text("Be⟦U+200B⟧cause.")
    expect(card.locator("del").first).to_contain_text("Fetch API")
    expect(card.locator("ins").first).to_contain_text("Fetch games")
    expect(card.locator(".diff-gap")).to_have_text("7 unchanged lines")
    expect(card.locator('.diff-line[data-op="+"] code')).to_have_text("⟦U+202E⟧url, retry)")
    expect(card.locator(".diff-path")).to_have_text(["url", "keep.y"])
    expect(card).to_contain_text("https://b⟦U+202E⟧.example")
    expect(card.locator(".diff-field").last).to_contain_text("200, 0")
    expect(card.locator(".diff-field").last).to_contain_text("260, 40")
    expect(card.locator(".proposal-facts")).to_contain_text("Nothing allows it without asking.")
    expect(card.locator(".proposal-facts")).to_contain_text("Expires in")
    expect(editor.root.locator(".tool-badge")).to_have_count(0)
    expect(editor.answers.locator(".facts")).not_to_contain_text("No changes recorded")


def test_a_large_one_is_decided_only_once_all_of_it_was_shown(editor: Widget) -> None:
    first = {**CODE, "old": None, "new": None, "lines": CODE["lines"][:2], "added": 900, "removed": 1, "cut": True}
    asking = editor.server.proposals
    asking.refusals["proposals/large"] = (500, {"detail": "Not now."})
    answer = asked(editor)
    large = {"counts": {"node": {"update": 3}}, "cut": ["arguments", "diff"]}
    proposal = answer.propose(id="large", diff=[updated(first)], **large)
    answer.finish("waiting")
    card = editor.cards
    expect(card.get_by_role("heading")).to_have_text("Change 3 nodes")
    expect(card.locator(".diff-rest")).to_have_text("…")
    expect(card.get_by_role("alert")).to_have_text("Not now.")
    card.focus()
    editor.page.keyboard.press("a")
    expect(editor.button("Approve")).to_have_count(0)
    whole = [updated(CODE), updated(TEXT, key="b", label="B"), updated(TEXT, key="c", label="C")]
    asking.by_id["large"] = {**proposal, "diff": whole, "cut": []}
    card.get_by_role("button", name="Try again").click()
    expect(card.locator('.diff-line[data-op="+"] code')).to_have_text("⟦U+202E⟧url, retry)")
    editor.button("Approve").click()
    expect(card).to_have_attribute("data-status", "applied")
    assert [path for path, _body in asking.asked if "large" in path] == [
        "proposals/large", "proposals/large", "proposals/large/decide",
    ]  # fmt: skip


def test_alice_approves_undoes_and_does_it_again(editor: Widget) -> None:
    answer = asked(editor)
    proposal = answer.propose()
    answer.finish("waiting")
    editor.button("Approve").click()
    expect(editor.cards).to_have_attribute("data-status", "applied")
    assert editor.server.proposals.body_of("/decide") == {"approved": True, "digest": "d1"}
    expect(editor.cards).to_contain_text("Approved by alice")
    expect(editor.cards.get_by_role("button", name="Approve")).to_have_count(0)
    expect(editor.bar).to_contain_text("Applied: Change Fetch API")
    editor.bar.get_by_role("button", name="Undo").click()
    expect(editor.bar).to_contain_text("Undone: Change Fetch API")
    expect(editor.cards).to_have_attribute("data-status", "undone")
    editor.page.reload()
    expect(editor.cards).to_contain_text("taken back")
    editor.cards.get_by_role("button", name="Redo").click()
    expect(editor.bar).to_contain_text("Applied: Change Fetch API")
    expect(editor.cards.get_by_role("button", name="Undo")).to_be_visible()
    paths = [path for path, _body in editor.server.proposals.asked if path.startswith("history/")]
    assert paths == [f"history/set-{proposal['id'][:8]}/rollback", "history/rollback-1/rollback"]


def test_alice_chooses_what_stays_where_an_undo_meets_later_edits(editor: Widget) -> None:
    answer = asked(editor)
    proposal = answer.propose()
    answer.finish("waiting")
    editor.button("Approve").click()
    where = {"object": {"type": "node", "id": "fetch-api"}, "field": "name"}
    conflict = {**where, "expected": "Fetch games", "found": "Fetch scores", "changedBy": "bob"}
    path = f"history/set-{proposal['id'][:8]}/rollback"
    editor.server.proposals.refusals[path] = (409, {"code": "conflict", "detail": "No.", "conflicts": [conflict]})
    editor.bar.get_by_role("button", name="Undo").click()
    expect(editor.bar).to_contain_text("fetch-api · name was Fetch games, is Fetch scores")
    expect(editor.bar).to_contain_text("bob")
    editor.bar.get_by_role("button", name="Undo the rest").click()
    expect(editor.bar).to_contain_text("Undone")
    assert editor.server.proposals.body_of("/rollback") == {"leaveOut": [where]}


def test_alice_rejects_with_the_keyboard_after_a_reload(editor: Widget) -> None:
    answer = asked(editor)
    answer.propose()
    answer.finish("waiting")
    expect(editor.cards).to_be_visible()
    editor.page.reload()
    editor.cards.focus()
    editor.page.keyboard.press("r")
    editor.page.keyboard.type("Call it scores.")
    editor.page.keyboard.press("Enter")
    expect(editor.cards).to_have_attribute("data-status", "rejected")
    assert editor.server.proposals.body_of("/decide") == {"approved": False, "feedback": "Call it scores."}
    expect(editor.cards).to_contain_text("Call it scores.")
    expect(editor.cards).to_be_focused()
    editor.cards.get_by_text("What was proposed").click()
    expect(editor.cards.locator("ins")).to_contain_text("Fetch games")


def test_alice_approves_what_she_edited_only_after_a_preview(editor: Widget) -> None:
    arguments = {"nodeKey": "fetch-api", "updates": {"data": {"url": "https://b.example"}, "processPatches": []}}
    answer = asked(editor)
    answer.propose(diff=[updated(CODE, DATA)], arguments=arguments)
    answer.finish("waiting")
    editor.cards.get_by_role("button", name="Edit").click()
    data = editor.cards.get_by_label("data")
    data.fill("{no json")
    editor.cards.get_by_role("button", name="Preview").click()
    expect(editor.cards).to_contain_text("This is not JSON")
    data.fill('{"url": "https://c.example", "added": true}')
    editor.cards.get_by_label("process").fill("return 1")
    edited = {"field": "process", "label": "process", "form": "text", "old": "a", "new": "return 1"}
    editor.server.proposals.preview = {"diff": [updated(edited)], "digest": "d2"}
    editor.cards.get_by_role("button", name="Preview").click()
    expect(editor.cards).to_contain_text("as you edited it")
    expect(editor.cards.locator("ins")).to_contain_text("return 1")
    editor.page.keyboard.press("Enter")
    expect(editor.cards).to_have_attribute("data-status", "applied")
    sent = {"data": {"keep": None, "url": "https://c.example", "added": True}, "process": "return 1"}
    assert editor.server.proposals.body_of("/decide") == {
        "approved": True,
        "editedArguments": {"nodeKey": "fetch-api", "updates": sent},
        "digest": "d2",
    }


def test_alice_decides_all_at_once(editor: Widget) -> None:
    answer = asked(editor)
    ids = [answer.propose()["id"] for _ in range(3)]
    answer.finish("waiting")
    expect(editor.root.locator(".proposals-all")).to_contain_text("3 changes wait for you")
    editor.cards.nth(1).get_by_role("button", name="Reject").click()
    editor.cards.nth(1).get_by_role("button", name="Reject").click()
    expect(editor.cards.nth(1)).to_have_attribute("data-status", "rejected")
    editor.button("Approve all").click()
    expect(editor.cards.nth(2)).to_have_attribute("data-status", "applied")
    assert editor.server.proposals.body_of("proposals/decide") == {"ids": [ids[0], ids[2]], "approved": True}
    expect(editor.root.locator(".proposals-all")).to_have_count(0)


def test_a_decision_somewhere_else_shows_here(editor: Widget) -> None:
    answer = asked(editor)
    first, second = answer.propose(), answer.propose()
    answer.finish("waiting")
    answer.decided(first, "applied", decidedBy="bob")
    expect(editor.cards.first).to_contain_text("Approved by bob")
    expect(editor.bar).to_be_hidden()
    conflict = {"object": {"type": "node", "id": "fetch-api"}, "field": "name", "expected": "A", "found": "B"}
    read = f"proposals/{second['id']}"
    editor.server.wait_until(lambda: (read, {}) in editor.server.proposals.asked)
    now = editor.server.proposals.decided(second["id"], "stale", conflicts=[conflict], decidedBy=None)
    refusal = {"code": "stale", "detail": "It moved on.", "conflicts": [conflict], "proposal": now}
    editor.server.proposals.refusals[f"proposals/{second['id']}/decide"] = (409, refusal)
    editor.cards.nth(1).get_by_role("button", name="Approve").click()
    expect(editor.cards.nth(1)).to_have_attribute("data-status", "stale")
    expect(editor.cards.nth(1)).to_contain_text("fetch-api · name was A, is B")
    editor.cards.nth(1).get_by_role("button", name="Propose again").click()
    expect(editor.cards.nth(1)).to_contain_text("was asked to propose it again")
    expect(editor.cards.nth(1).get_by_role("button", name="Propose again")).to_have_count(0)
    expect(editor.bar).to_be_hidden()
    assert editor.server.proposals.asked[-1][0] == f"proposals/{second['id']}/propose-again"


def test_what_was_edited_somewhere_else_is_shown_as_it_was_applied(editor: Widget) -> None:
    answer = asked(editor)
    with editor.page.expect_response("**/proposals/*"):
        proposal = answer.propose()
    answer.finish("waiting")
    edited = [updated({**TEXT, "new": "Fetch scores"})]
    now = {"decidedBy": "bob", "diff": edited, "decidedArguments": {"updates": {"name": "Fetch scores"}}}
    expect(editor.cards).to_be_visible()
    with editor.page.expect_response("**/proposals/*"):
        answer.decided(proposal, "applied", edited=True, **now)
    expect(editor.cards).to_contain_text("Edited and approved by bob")
    editor.painted()
    editor.cards.get_by_text("What was applied, as edited").click()
    expect(editor.cards.locator("ins")).to_contain_text("Fetch scores")


def test_what_cannot_be_decided_says_why_and_stays(editor: Widget) -> None:
    answer = asked(editor)
    proposal = answer.propose()
    answer.finish("waiting")
    editor.server.proposals.refusals[f"proposals/{proposal['id']}/decide"] = (503, {"detail": "Away for a moment."})
    editor.button("Approve").click()
    expect(editor.cards.get_by_role("alert")).to_have_text("Away for a moment.")
    editor.button("Approve").click()
    expect(editor.cards).to_have_attribute("data-status", "applied")


def test_a_button_that_is_pressed_while_the_page_reads_more_of_it_is_pressed(editor: Widget) -> None:
    held: list[Route] = []
    editor.page.route("**/proposals/*", lambda route: held.append(route))
    answer = asked(editor)
    proposal = answer.propose()
    answer.finish("waiting")
    eventually(editor.page, lambda: len(held), 1)
    editor.page.mouse.move(*center(editor.button("Approve")))
    editor.page.mouse.down()
    # Labels in the reader's language come only now.
    held[0].fulfill(json={**proposal, "diff": [updated({**TEXT, "label": "Name of the node"})]})
    expect(editor.cards).to_contain_text("Name of the node")
    editor.page.mouse.up()
    expect(editor.cards).to_have_attribute("data-status", "applied")


def test_a_viewer_sees_it_without_buttons(widget: Widget) -> None:
    answer = asked(widget)
    answer.propose()
    answer.finish("waiting")
    expect(widget.cards.locator("ins")).to_contain_text("Fetch games")
    expect(widget.cards.get_by_role("button")).to_have_text(["Show in the graph"])
    widget.cards.focus()
    widget.page.keyboard.press("a")
    widget.painted()
    assert not [path for path, _body in widget.server.proposals.asked if path.endswith("decide")]


def test_an_expired_one_has_no_buttons(editor: Widget) -> None:
    answer = asked(editor)
    answer.propose(expiresAt="2020-01-01T00:00:00+00:00")
    answer.finish("waiting")
    expect(editor.cards).to_contain_text("Nobody decided in time.")
    expect(editor.cards.get_by_role("button", name="Approve")).to_have_count(0)


def test_a_thousand_changes_are_shown_in_steps(editor: Widget) -> None:
    answer = asked(editor)
    ends = [{"field": end, "label": end, "form": "key", "old": "a", "new": None} for end in ("source", "target")]
    edge = {"object": {"type": "edge", "id": "e"}, "label": "a → b", "action": "delete", "fields": ends}
    node = {"object": {"type": "node", "id": "n"}, "label": "n", "action": "delete", "fields": []}
    answer.propose(tool="propose_batch", diff=[node] * 2 + [edge] * 998)
    answer.finish("waiting")
    expect(editor.cards.get_by_role("heading")).to_have_text("Delete 2 nodes and 998 edges")
    expect(editor.cards.locator(".diff-item")).to_have_count(50)
    expect(editor.cards.locator("summary")).to_have_count(0)
    editor.cards.get_by_role("button", name="Show 950 more").click()
    expect(editor.cards.locator(".diff-item")).to_have_count(1_000)


def test_a_page_to_be_read_is_shown_by_its_address_and_is_nowhere_in_the_graph(editor: Widget) -> None:
    answer = asked(editor)
    address = {"field": "url", "label": "Address", "form": "text", "old": None, "new": "https://evil.org/?said=x"}
    page = {"object": {"type": "fetch", "id": "evil.org"}, "kindLabel": "page", "label": "evil.org", "action": "create"}
    why = [{"level": "untrusted", "why": "web:example.org"}]
    answer.propose(tool="web_extract", diff=[{**page, "fields": [address]}], reason="", askedBy=why)
    answer.finish("waiting")
    expect(editor.cards.get_by_role("heading")).to_have_text("Read a page of evil.org")
    expect(editor.cards).to_contain_text("https://evil.org/?said=x")
    expect(editor.cards.locator(".proposal-facts")).to_contain_text("has read a page of example.org.")
    expect(editor.cards.get_by_role("button")).to_have_text(["Approve", "Reject"])


def test_it_says_how_much_was_really_recorded(editor: Widget) -> None:
    answer = asked(editor)
    answer.finish(changes=0)
    expect(editor.answers.first.locator(".facts")).to_contain_text("No changes recorded")
    editor.ask("More").start().write("Done.").finish(changes=2)
    expect(editor.answers.nth(1)).to_contain_text("2 changes recorded")
    editor.page.reload()
    expect(editor.answers.nth(1)).to_contain_text("2 changes recorded")


def test_the_page_hears_what_happens_to_its_object(editor: Widget) -> None:
    editor.page.evaluate("""() => {
      window.heard = [];
      for (const name of ["object-changed", "proposals", "select-proposal"]) {
        document.addEventListener(`countersign:${name}`, ({ detail }) => window.heard.push([name, detail]));
      }
    }""")
    editor.server.wait_until(lambda: [f for f in editor.server.frames("ai:subscribe") if "stream" in f])
    frame = {"stream": "graph_7", "sessionId": None, "messageId": None, "runId": None}
    graph = {"type": "graph", "id": "nba"}
    changed = {"type": "ai:object_changed", "object": graph, "version": 5, "changeSetId": "c", "sequence": 1}
    editor.server.send_raw(frame | changed)
    editor.page.wait_for_function("() => window.heard.some(([name, { version }]) => version === 5)")
    answer = asked(editor)
    proposal = answer.propose()
    editor.server.send_raw(frame | {"type": "ai:proposal", "proposalId": proposal["id"], "sequence": 2})
    waits = "(id) => window.heard.some(([name, { proposals }]) => proposals?.[0]?.id === id)"
    editor.page.wait_for_function(waits, arg=proposal["id"])
    decided = {"type": "ai:decision", "proposalId": proposal["id"], "status": "rejected", "sequence": 3}
    editor.server.send_raw(frame | decided)
    editor.page.wait_for_function("() => window.heard.at(-1)[1].proposals?.length === 0")
    editor.cards.get_by_role("button", name="Show in the graph").click()
    selected = {"id": proposal["id"], "from": "chat"}
    assert editor.page.evaluate("() => window.heard.at(-1)") == ["select-proposal", selected]


def test_alice_decides_what_waits_in_other_conversations(editor: Widget) -> None:
    asked(editor).finish()
    other = editor.server.session("The other one")
    proposal = editor.server.proposals.add(other, other.add_message("assistant")["id"])
    editor.page.reload()
    others = editor.root.locator(".others")
    generated = editor.server.proposals.add(other, other.add_message("assistant")["id"], generated=True)
    editor.page.reload()
    expect(others.locator("summary").first).to_have_text("2 changes of other conversations or generations wait")
    del editor.server.proposals.by_id[proposal["id"]]
    editor.page.reload()
    expect(others.locator("summary").first).to_have_text("1 change of a generation waits")
    del editor.server.proposals.by_id[generated["id"]]
    proposal = editor.server.proposals.add(other, other.add_message("assistant")["id"])
    editor.page.reload()
    others.get_by_text("1 change of another conversation waits").click()
    others.get_by_role("button", name="Approve").click()
    expect(others).to_be_hidden()
    expect(editor.bar).to_contain_text("Applied: Change Fetch API")
    assert editor.server.proposals.by_id[proposal["id"]]["status"] == "applied"


def test_what_came_of_nothing_in_other_conversations_is_said_where_its_card_was(editor: Widget) -> None:
    asked(editor).finish()
    other = editor.server.session("The other one")
    proposal = editor.server.proposals.add(other, other.add_message("assistant")["id"])
    editor.page.reload()
    others = editor.root.locator(".others")
    others.locator("summary").first.click()
    now = editor.server.proposals.decided(proposal["id"], "stale", decidedBy=None)
    refusal = {"code": "stale", "detail": "It moved on.", "conflicts": [], "proposal": now}
    editor.server.proposals.refusals[f"proposals/{proposal['id']}/decide"] = (409, refusal)
    others.get_by_role("button", name="Approve").click()
    expect(others).to_be_hidden()
    expect(editor.bar).to_contain_text("Change Fetch API: What it would change was changed meanwhile")


def test_what_expired_can_be_asked_for_again(editor: Widget) -> None:
    answer = asked(editor)
    answer.propose(expiresAt="2020-01-01T00:00:00+00:00")
    answer.finish("waiting")
    expect(editor.cards).to_contain_text("Nobody decided in time.")
    expect(editor.button("Stop")).to_be_hidden()  # Until then the card may be drawn again under the mouse.
    editor.cards.get_by_role("button", name="Propose again").click()
    expect(editor.cards).to_contain_text("was asked to propose it again")


def test_the_page_shows_a_card_of_another_conversation(editor: Widget) -> None:
    editor.page.wait_for_load_state("networkidle")  # What waits about the graph has been asked for: nothing yet.
    other = editor.server.session("The other one")
    message = other.add_message("assistant", content="Look:")
    proposal = editor.server.proposals.add(other, message["id"])
    message["proposals"].append(proposal)
    detail = {"id": proposal["id"], "from": "drawing"}
    tell = "(detail) => document.dispatchEvent(new CustomEvent('countersign:select-proposal', { detail }))"
    editor.page.evaluate(tell, detail)
    expect(editor.title).to_have_text("The other one")
    expect(editor.cards).to_be_in_viewport()


def test_the_page_shows_a_card_of_somebody_elses_conversation(editor: Widget) -> None:
    asked(editor).finish()
    theirs = editor.server.session("Of Bob")
    editor.server.sessions.remove(theirs)
    proposal = editor.server.proposals.add(theirs, "00000000-0000-4000-8000-000000000001")
    tell = "(detail) => document.dispatchEvent(new CustomEvent('countersign:select-proposal', { detail }))"
    editor.page.evaluate(tell, {"id": proposal["id"], "from": "drawing"})
    expect(editor.root.locator(".others .proposal")).to_be_in_viewport()


def test_alice_wants_to_be_asked_before_every_change(editor: Widget) -> None:
    asked(editor).finish()
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route) if route.request.method == "PATCH" else route.continue_()

    editor.page.route("**/chat/sessions/*", hold)
    menu = editor.open_menu()
    menu.get_by_role("switch", name="Ask before every change").check()
    editor.page.keyboard.press("Escape")
    # What she chose stands there also before the server has answered.
    expect(editor.open_menu().get_by_role("switch")).to_be_checked()
    eventually(editor.page, lambda: len(held), 1)
    held[0].continue_()
    editor.server.wait_until(lambda: editor.server.sessions[0].require_validation)
    expect(menu.get_by_role("switch")).to_be_checked()


def test_what_a_model_proposes_is_only_text(editor: Widget) -> None:
    attack = "<img src=x onerror=window.owned=1><script>window.owned=1</script>\u202e"
    values: Json = {"label": attack, "old": attack, "new": f"{attack} new"}
    json = {"field": "data", "label": attack, "form": "json", "old": {}, "new": {attack: attack, "__proto__x": 1}}
    code = {"field": "process", "form": "code", **values, "lines": [{"op": "+", "new": 1, "text": attack}]}
    entry = updated({"field": "name", "form": "text", **values}, json, code, label=attack)
    answer = asked(editor)
    proposal = answer.propose(diff=[entry], reason=attack, askedBy=[{"level": attack, "why": attack}])
    answer.finish("waiting")
    expect(editor.cards.locator(".proposal-reason")).to_contain_text("<script>window.owned=1</script>⟦U+202E⟧")
    conflict = {"object": {"type": "node", "id": attack}, "field": attack, "expected": attack, "found": "x"}
    answer.decided(proposal, "stale", conflicts=[conflict], decidedBy=attack)
    expect(editor.cards).to_have_attribute("data-status", "stale")
    expect(editor.cards.locator(".conflicts")).to_contain_text("onerror=window.owned=1")
    assert editor.cards.locator("img, script, iframe, style").count() == 0
    assert editor.page.evaluate("() => window.owned") is None
