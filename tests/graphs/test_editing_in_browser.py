"""People edit a graph by hand, in a real browser on the real pages; no conversation runs beside it."""

from collections.abc import Callable, Iterator

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Locator, Page, Route, expect

from graphs.history import changes
from graphs.history.recording import Because
from graphs.models import ChangeSet, Edge, Graph, Node, NodeType, Origin, Role, Sheet, Workspace
from graphs.objects.operations import Update
from graphs.objects.refs import Ref
from tests.browser import Windows, at_rest, center, eventually, sign_in
from tests.cast import PASSWORD, member

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SELECT = "key => document.dispatchEvent(new CustomEvent('countersign:select-node', {detail: {key}}))"
Opened = Callable[..., Page]


@pytest.fixture
def opened(windows: Windows, alice: User, nba: Graph, live_server: object) -> Iterator[Opened]:
    """The page of the graph as somebody who signed in sees it; nothing on it may break or be blocked."""
    complaints: list[str] = []

    def open_page(username: str = "alice", width: int = 1280, touch: bool = False, by_password: bool = False) -> Page:
        page = windows.open(
            viewport={"width": width, "height": 844},
            base_url=str(live_server),
            reduced_motion="reduce",
            has_touch=touch,
        )
        page.on("console", lambda said: complaints.append(said.text) if "Content Security" in said.text else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        if by_password:
            page.goto("/accounts/login/?next=/graphs/nba/")
            page.get_by_label("Username").fill(username)
            page.get_by_label("Password").fill(PASSWORD)
            page.get_by_role("button", name="Sign in").click()
        else:
            sign_in(page.context, User.objects.get(username=username), str(live_server))
            page.goto("/graphs/nba/")
        expect(page.locator(".zoom")).to_be_visible()
        return page

    yield open_page
    assert complaints == []


def card(page: Page, key: str) -> Locator:
    return page.locator(f'.nodes [data-key="{key}"] .card, .nodes [data-key="{key}"] .block').first


def click_node(page: Page, key: str) -> None:
    page.mouse.click(*center(card(page, key)))
    expect(page.locator(".details .key")).to_contain_text(key)


def drag(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
    page.mouse.move(*end)
    page.mouse.up()


def saved(page: Page) -> None:
    expect(page.locator(".edit-form:not(.dirty)")).to_be_visible()


def changed(count: int) -> None:
    """The page is not asked: what it shows may be ahead of the server."""
    assert ChangeSet.objects.count() == count


def test_code_data_and_name_are_edited_and_saved(opened: Opened) -> None:
    page = opened(by_password=True)
    click_node(page, "fetch-api")
    page.get_by_label("Name", exact=True).fill("Fetch twice")
    code = page.get_by_label("Code")
    code.press("Control+End")
    code.press("Enter")
    code.press("Tab")
    code.type("retry()")
    page.get_by_label("Data", exact=True).fill('{"url": "https://example.org", "retries": ')
    expect(page.locator(".field-problem").first).to_contain_text("This is not JSON")
    page.keyboard.press("Control+s")
    expect(page.locator(".edit-status")).to_contain_text("This is not JSON")
    page.get_by_label("Data", exact=True).fill('{"url": "https://example.org", "retries": null}')
    page.keyboard.press("Control+s")
    saved(page)

    page.reload()
    expect(page.locator('.nodes [data-key="fetch-api"]')).to_contain_text("Fetch twice")
    node = Node.objects.get(key="fetch-api")
    assert node.process == "return fetch(url)\n  retry()"
    assert node.data == {"url": "https://example.org", "retries": None}
    made = ChangeSet.objects.get()
    assert (made.actor_label, made.origin) == ("alice", Origin.MANUAL)


def test_what_was_typed_is_not_lost_by_leaving(opened: Opened) -> None:
    page = opened()
    click_node(page, "fetch-api")
    page.get_by_label("Name", exact=True).fill("Half done")
    page.evaluate(SELECT, "return")
    page.get_by_role("button", name="Go on editing").click()
    expect(page.get_by_label("Name", exact=True)).to_have_value("Half done")
    page.evaluate(SELECT, "return")
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    expect(page.get_by_label("Name", exact=True)).to_have_value("Return")
    expect(page.locator('.nodes [data-key="fetch-api"]')).to_contain_text("Half done")


def test_a_node_is_dragged_and_the_drag_undone_and_redone(opened: Opened) -> None:
    page = opened()
    start = center(card(page, "fetch-api"))
    drag(page, start, (start[0] + 40, start[1] + 120))
    expect(page.get_by_role("button", name="Undo")).to_be_enabled()
    moved = Node.objects.get(key="fetch-api")
    assert (moved.pos_x > 200, moved.pos_y > 0) == (True, True)
    eventually(page, lambda: center(card(page, "fetch-api")), pytest.approx((start[0] + 40, start[1] + 120), abs=2))

    page.get_by_role("application").focus()
    page.keyboard.press("Control+z")
    expect(page.get_by_role("button", name="Redo")).to_be_enabled()
    assert Node.objects.get(key="fetch-api").pos_x == 200
    eventually(page, lambda: center(card(page, "fetch-api")), pytest.approx(start, abs=2))
    page.keyboard.press("Control+Shift+z")
    expect(page.get_by_role("button", name="Undo")).to_be_enabled()
    assert Node.objects.get(key="fetch-api").pos_y == moved.pos_y
    changed(3)


def test_several_nodes_are_moved_arranged_and_deleted_as_one(opened: Opened) -> None:
    page = opened()
    keys = ["fetch-api", "return"]
    before = {node.key: (node.pos_x, node.pos_y) for node in Node.objects.filter(key__in=keys)}
    click_node(page, keys[0])
    page.keyboard.press("Escape")
    page.keyboard.down("Shift")
    page.mouse.click(*center(card(page, keys[1])))
    page.keyboard.up("Shift")
    expect(page.locator(".group-words")).to_have_text("2 nodes selected")
    expect(page.locator(".details")).to_be_hidden()
    start = center(card(page, keys[0]))
    drag(page, start, (start[0] + 30, start[1] + 90))
    expect(page.get_by_role("button", name="Undo")).to_be_enabled()
    by = {key: Node.objects.get(key=key).pos_y - before[key][1] for key in keys}
    assert by[keys[0]] == by[keys[1]] > 0
    changed(1)

    page.reload()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("button", name="Redo")).to_be_enabled()
    assert {node.key: (node.pos_x, node.pos_y) for node in Node.objects.filter(key__in=keys)} == before
    page.get_by_role("button", name="Arrange").click()
    expect(page.locator(".toast")).to_contain_text("Arranged")
    arranged = ChangeSet.objects.first()
    assert arranged
    assert (arranged.actor_label, arranged.origin) == ("alice", Origin.MANUAL)

    page.get_by_role("application").focus()
    page.keyboard.press("Control+a")
    count = Node.objects.filter(sheet__key="main").count()
    expect(page.locator(".group-words")).to_have_text(f"{count} nodes selected")
    page.keyboard.press("Delete")
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.locator(".group-bar")).to_be_hidden()
    expect(page.get_by_text("Undone.")).to_be_hidden()
    page.get_by_role("application").focus()
    page.keyboard.press("Control+z")
    expect(page.locator('.nodes [data-key="return"]')).to_be_visible()
    assert Node.objects.filter(sheet__key="main").count() == count
    changed(5)


def test_a_node_is_made_connected_labelled_and_deleted_with_its_edges(opened: Opened) -> None:
    page = opened()
    page.get_by_role("application").focus()
    page.keyboard.press("n")
    page.get_by_label("Find a type").fill("html")
    page.keyboard.press("Enter")
    expect(page.locator(".details .key")).to_contain_text("html")
    key = Node.objects.get(type="html").key
    page.get_by_label("To node").fill("return")
    page.get_by_role("button", name="Connect", exact=True).click()
    page.get_by_label("Label of the edge with Return").fill("shown")
    page.keyboard.press("Enter")
    expect(page.locator(".line-label")).to_have_text("shown")
    page.get_by_role("application").focus()
    page.keyboard.press("Delete")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("→ Return (shown)")
    dialog.get_by_role("button", name="Delete").click()
    expect(page.locator(f'.nodes [data-key="{key}"]')).to_have_count(0)
    expect(page.locator(".details")).to_be_hidden()
    expect(page.locator(".edit-tools")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".line-label")).to_have_text("shown")
    assert Edge.objects.get(target__key="return", label="shown").source.key == key


def test_lines_are_drawn_by_mouse_and_edges_changed_on_a_click(opened: Opened) -> None:
    page = opened()
    box = at_rest(card(page, "root"))
    drag(page, (box["x"] + box["width"], box["y"] + box["height"] / 2), center(card(page, "return")))
    expect(page.locator(".lines > path")).to_have_count(3)
    expect(page.get_by_role("button", name="Undo")).to_be_enabled()
    assert Edge.objects.filter(source__key="root", target__key="return").exists()
    left = at_rest(card(page, "root"))
    right = at_rest(card(page, "fetch-api"))
    page.mouse.click((left["x"] + left["width"] + right["x"]) / 2, left["y"] + left["height"] / 2)
    page.locator(".line-card").get_by_role("button", name="Remove this edge").click()
    expect(page.locator(".lines > path")).to_have_count(2)
    expect(page.locator(".lines [data-key='root-fetch-api']")).to_have_count(0)


def test_two_windows_change_the_same_and_nothing_is_lost(opened: Opened, demo_workspace: Workspace) -> None:
    member("dora", demo_workspace, Role.EDITOR)
    alice, dora = opened(), opened("dora")
    for page in (alice, dora):
        click_node(page, "fetch-api")
    dora.get_by_label("Name", exact=True).fill("Dora's name")
    dora.get_by_label("Code").fill("return dora()")
    dora.keyboard.press("Control+s")
    saved(dora)
    alice.get_by_label("Name", exact=True).fill("Alice's name")
    alice.get_by_label("Code").fill("return alice()")
    alice.keyboard.press("Control+s")

    dialog = alice.get_by_role("dialog")
    expect(dialog).to_contain_text("dora changed the same meanwhile")
    expect(dialog).to_contain_text("return dora()")
    expect(dialog).to_contain_text("return alice()")
    name, _code = dialog.locator(".side-choice").all()
    name.get_by_label("That of dora").check()
    dialog.get_by_role("button", name="Save this").click()
    saved(alice)

    node = Node.objects.get(key="fetch-api")
    assert (node.name, node.process) == ("Dora's name", "return alice()")
    expect(alice.get_by_label("Name", exact=True)).to_have_value("Dora's name")


def test_others_changes_arrive_without_disturbing_what_is_typed(opened: Opened, nba: Graph, alice: User) -> None:
    page = opened()
    click_node(page, "fetch-api")
    page.get_by_label("Code").fill("return mine()")
    item = Ref("node", "fetch-api")
    changes.apply(nba, [Update(item, {"name": "Fetch API"}, {"name": "Theirs"})], Because(alice, Origin.CHAT))
    hear = (
        "version => document.dispatchEvent(new CustomEvent('countersign:object-changed', "
        "{detail: {object: {type: 'graph', id: 'nba'}, version}}))"
    )
    page.evaluate(hear, 2)
    expect(page.get_by_label("Name", exact=True)).to_have_value("Theirs")
    expect(page.get_by_label("Code")).to_have_value("return mine()")
    expect(page.get_by_label("Code")).to_be_focused()
    page.keyboard.press("Control+s")
    saved(page)
    assert (Node.objects.get(key="fetch-api").name, Node.objects.get(key="fetch-api").process) == (
        "Theirs",
        "return mine()",
    )


def test_a_change_that_the_server_refuses_goes_back_and_says_why(opened: Opened) -> None:
    page = opened()
    page.route(
        "**/changes?*",
        lambda route: route.fulfill(
            status=400, content_type="application/problem+json", body='{"detail": "Not today.", "code": "refused"}'
        ),
    )
    start = center(card(page, "return"))
    drag(page, start, (start[0], start[1] + 150))
    expect(page.locator(".toast")).to_contain_text("Not today.")
    eventually(page, lambda: center(card(page, "return")), pytest.approx(start, abs=2))
    changed(0)


def test_the_types_of_the_workspace_are_made_and_changed(opened: Opened) -> None:
    page = opened()
    page.get_by_role("button", name="Node types").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="New type").click()
    dialog.get_by_label("Name", exact=True).fill("Mail")
    dialog.get_by_role("button", name="Add a handle").click()
    dialog.get_by_role("button", name="Save").click()
    dialog.get_by_role("button", name="Edit Mail").click()
    dialog.get_by_label("Description").fill("Sends a letter.")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_contain_text("Sends a letter.")
    kind = NodeType.objects.get()
    assert (kind.display_name, kind.handles["R"][0]["id"], kind.version) == ("Mail", "R-0", 2)
    dialog.get_by_role("button", name="Delete Mail").click()
    expect(dialog).to_contain_text("no node types of its own")


def test_a_sheet_that_somebody_named_meanwhile_keeps_that_name(opened: Opened, nba: Graph) -> None:
    page = opened()
    page.evaluate("""async () => {
        const { manageSheets } = await import("/static/graphs/view/editing/sheet-dialog.js");
        const named = (name) => [{ key: "main", name, version: 3, nodes: [], notes: [] }];
        Object.assign(window, { named, sheets: named("Main"), asked: [] });
        const perform = async (asked) => { window.asked.push(asked); return { saved: true }; };
        manageSheets(document.body, () => window.sheets, perform);
    }""")
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name of the sheet").fill("Mine")
    page.evaluate("() => { window.sheets = window.named('Theirs'); }")
    page.keyboard.press("Tab")
    expect(dialog).to_contain_text("Somebody named this sheet “Theirs” meanwhile. Yours was not saved.")
    expect(dialog.get_by_label("Name of the sheet")).to_have_value("Theirs")
    assert page.evaluate("window.asked") == []
    dialog.get_by_label("Name of the sheet").fill("Mine")
    page.keyboard.press("Tab")
    eventually(page, lambda: page.evaluate("window.asked.length"), 1)
    assert page.evaluate("window.asked[0].seen") == [{"type": "sheet", "id": "main", "version": 3}]


def test_two_names_of_a_sheet_at_once_are_a_question_to_the_second(opened: Opened, nba: Graph) -> None:
    page = opened()
    page.get_by_role("button", name="Sheets").click()
    name = page.get_by_role("dialog").get_by_label("Name of the sheet")
    expect(name).to_have_value("Main")
    # What the page sends is on its way while somebody else names the sheet.
    held: list[Route] = []
    page.route("**/changes*", lambda route: held.append(route))
    name.fill("Mine")
    page.keyboard.press("Tab")
    eventually(page, lambda: len(held), 1)
    other = [Update(Ref("sheet", "main"), {"name": "Main"}, {"name": "Theirs"})]
    changes.apply(nba, other, Because(None, Origin.MANUAL))
    held[0].continue_()
    question = page.get_by_role("dialog").last
    expect(question).to_contain_text("changed the same meanwhile")
    expect(question.get_by_role("group")).to_contain_text("Theirs")
    question.get_by_label("Theirs").check()
    question.get_by_role("button", name="Save this").click()
    expect(name).to_have_value("Theirs")
    assert Sheet.objects.get(graph=nba).name == "Theirs"


def test_a_question_about_a_sheet_stays_while_an_earlier_change_is_answered(opened: Opened, nba: Graph) -> None:
    Sheet.objects.create(graph=nba, key="second", name="Second", position=1)
    page = opened()
    held: list[Route] = []
    page.route("**/changes*", lambda route: held.append(route))
    page.get_by_role("button", name="Sheets").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name of the sheet").first.fill("All")
    page.keyboard.press("Tab")
    dialog.get_by_role("button", name="Delete Second").click()
    eventually(page, lambda: len(held), 1)
    held[0].continue_()
    expect(page.locator("[role=tab] .tab-name")).to_have_text(["All", "Second"])
    expect(dialog).to_contain_text("Nothing stands on it.")
    dialog.get_by_role("button", name="Delete", exact=True).click()
    expect(dialog.get_by_role("button", name="Deleting …")).to_be_focused()
    eventually(page, lambda: len(held), 2)
    held[1].continue_()
    expect(dialog.get_by_role("button", name="Delete All")).to_be_disabled()
    assert Sheet.objects.get(graph=nba).name == "All"


def test_a_copy_says_that_it_is_made_and_what_was_wrong(opened: Opened, nba: Graph) -> None:
    page = opened()
    held: list[Route] = []
    page.route("**/api/v1/graphs", lambda route: held.append(route))
    page.get_by_role("button", name="Copy…").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Key").fill("nba")
    dialog.get_by_role("button", name="Copy", exact=True).click()
    busy = dialog.get_by_role("button", name="Copying …")
    expect(busy).to_be_focused()
    expect(dialog.get_by_role("status")).to_have_text("Copying …")
    expect(dialog.get_by_role("button", name="Cancel")).to_be_disabled()
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    expect(busy).to_be_visible()
    eventually(page, lambda: len(held), 1)
    held[0].continue_()
    expect(dialog.get_by_role("alert")).to_contain_text('There is a graph with the key "nba" already')
    expect(dialog.get_by_label("Key")).to_be_focused()
    expect(dialog.get_by_label("Key")).to_have_attribute("aria-invalid", "true")
    expect(dialog.get_by_role("status")).to_have_text("")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    assert Graph.objects.count() == 1


def test_a_viewer_has_no_tools(opened: Opened, bob: User) -> None:
    page = opened("bob")
    click_node(page, "fetch-api")
    expect(page.locator(".edit-tools, .edit-form")).to_have_count(0)
    start = center(card(page, "fetch-api"))
    page.get_by_role("application").focus()
    page.keyboard.press("Delete")
    page.keyboard.press("n")
    drag(page, start, (start[0] + 60, start[1] + 60))
    expect(page.get_by_role("dialog")).to_have_count(0)
    changed(0)


def test_a_finger_opens_edits_and_moves(opened: Opened) -> None:
    page = opened(width=390, touch=True)
    page.touchscreen.tap(*center(page.locator('[data-key="fetch-api"]').first))
    expect(page.locator(".details .key")).to_contain_text("fetch-api")
    page.get_by_label("Name", exact=True).fill("By finger")
    page.locator(".edit-foot").get_by_role("button", name="Save").tap()
    saved(page)
    assert Node.objects.get(key="fetch-api").name == "By finger"
    page.locator(".details").get_by_role("button", name="Close").tap()
    long_press(page, center(card(page, "root")))
    expect(page.get_by_role("button", name="Select several nodes")).to_have_attribute("aria-pressed", "true")
    page.touchscreen.tap(*center(card(page, "return")))
    bar, words = page.get_by_role("toolbar", name="Selected nodes"), page.locator(".group-words")
    expect(words).to_have_text("3 nodes selected")
    page.touchscreen.tap(*center(card(page, "return")))
    expect(words).to_have_text("2 nodes selected")
    bar.get_by_role("button", name="Select nothing").tap()
    expect(bar).to_be_hidden()
    expect(page.get_by_role("button", name="Select several nodes")).to_have_attribute("aria-pressed", "false")


def long_press(page: Page, place: tuple[float, float]) -> None:
    """A finger that rests there until something came of it."""
    session = page.context.new_cdp_session(page)
    session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": place[0], "y": place[1]}]})
    expect(page.get_by_role("toolbar", name="Selected nodes")).to_be_visible()
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
