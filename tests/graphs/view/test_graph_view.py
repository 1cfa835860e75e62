"""The drawing of a graph, in a real browser and without Django. Each page is watched for errors and blocked content."""

import re
from itertools import pairwise

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser import center, eventually, painted
from tests.graphs import drawn
from tests.graphs.view.looking import CHANGED, SELECT, click_node, details, drawn_node, opened, selected, zoom

pytestmark = pytest.mark.browser

HOSTILE = [
    "<img src=x onerror=window.broken=1>",
    "</script><script>window.broken=1</script>",
    '"><svg onload=window.broken=1>',
]


#: How near a sheet was seen when it was last remembered, in percent, or null.
REMEMBERED = """sheet => {
    const view = sessionStorage.getItem(`countersign:graph-view:/graph.json view ${sheet}`);
    return view && Math.round(JSON.parse(view).k * 100);
}"""


def test_it_draws_the_nodes_edges_and_notes_of_a_sheet(page: Page, site: drawn.Site) -> None:
    opened(page, site)
    expect(page.locator(".nodes > g")).to_have_count(4)
    expect(page.locator(".lines > path")).to_have_count(3)
    expect(drawn_node(page, "fetch-api")).to_contain_text("Fetch api")
    expect(drawn_node(page, "fetch-api")).to_contain_text("API call")
    expect(page.locator(".line-label")).to_have_text("players")
    expect(page.locator('.notes [data-key="reminder"]')).to_contain_text("Add a retry.")


def test_its_tabs_count_notes_too_as_the_page_does(page: Page, site: drawn.Site) -> None:
    opened(page, site)
    expect(page.locator(".tabs .count")).to_have_text(["5", "1"])


def test_it_shows_another_sheet_by_its_tab_and_by_arrow_keys(page: Page, site: drawn.Site) -> None:
    opened(page, site)
    page.get_by_role("tab", name="Statistics").click()
    expect(drawn_node(page, "sort")).to_be_visible()
    expect(drawn_node(page, "start")).to_have_count(0)
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("tab", name="Main")).to_be_focused()
    expect(page.get_by_role("tab", name="Main")).to_have_attribute("aria-selected", "true")
    expect(drawn_node(page, "start")).to_be_visible()


def test_a_click_opens_the_details_and_tells_the_page(page: Page, site: drawn.Site) -> None:
    opened(page, site)
    selected(page)
    click_node(page, "fetch-api")
    assert selected(page) == "fetch-api"
    expect(details(page).get_by_role("heading", name="Fetch api")).to_be_visible()
    expect(details(page)).to_contain_text("Calls an API.")
    expect(details(page).locator("pre .code-keyword")).to_have_text(["async", "function", "return"])
    expect(details(page).locator(".json-tree")).to_contain_text("application/json")
    expect(details(page).locator(".handles")).to_contain_text("error")
    expect(page.locator(".ring.neighbour")).to_have_count(3)
    expect(page.locator(".lit-lines .lit")).to_have_count(3)


def test_neighbours_lead_on_even_to_another_sheet(page: Page, site: drawn.Site) -> None:
    opened(page, site)
    click_node(page, "fetch-api")
    details(page).get_by_role("button", name="Filter").click()
    expect(details(page).get_by_role("heading", name="Filter")).to_be_visible()
    details(page).get_by_role("button", name="Sort").click()
    expect(page.get_by_role("tab", name="Statistics")).to_have_attribute("aria-selected", "true")
    expect(details(page).get_by_role("heading", name="Sort")).to_be_visible()
    expect(details(page).locator("pre .code-keyword")).to_have_text(["def", "return"])


def test_arrow_keys_enter_and_escape_work_without_a_mouse(page: Page, site: drawn.Site) -> None:
    opened(page, site)
    selected(page)
    page.get_by_role("application").focus()
    page.keyboard.press("ArrowRight")
    assert selected(page) == "fetch-api"
    page.keyboard.press("ArrowLeft")
    assert selected(page) == "start"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert selected(page) in {"filter", "error-log"}
    expect(page.locator("[aria-live]")).to_contain_text("1 in")
    page.keyboard.press("Enter")
    expect(details(page)).to_be_focused()
    page.keyboard.press("Escape")
    expect(details(page)).to_be_hidden()
    expect(page.get_by_role("application")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(".ring.selected")).to_have_count(0)


def test_it_zooms_and_fits_by_keys_buttons_and_wheel(page: Page, site: drawn.Site) -> None:
    opened(page, site)
    fitted = zoom(page)
    page.get_by_role("application").focus()
    page.keyboard.press("+")
    assert zoom(page) > fitted
    page.keyboard.press("f")
    assert zoom(page) == fitted
    page.get_by_role("button", name="Zoom out").click()
    assert zoom(page) < fitted
    page.get_by_role("button", name="Show everything").click()
    page.mouse.move(600, 400)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -40)
    page.keyboard.up("Control")
    expect(page.locator(".percent")).not_to_have_text(re.compile(rf"^{fitted:.0f}"))


def test_dragging_and_the_wheel_move_the_drawing(page: Page, site: drawn.Site) -> None:
    opened(page, site)
    start = drawn_node(page, "start").locator(".card")
    x, y = center(start)
    page.mouse.move(700, 650)
    page.mouse.down()
    page.mouse.move(760, 600, steps=4)
    page.mouse.up()
    page.mouse.wheel(10, 20)
    expect(details(page)).to_be_hidden()
    eventually(page, lambda: center(start), pytest.approx((x + 50, y - 70), abs=1.5))


def test_what_fits_still_fits_in_another_size_of_window(page: Page, site: drawn.Site) -> None:
    opened(page, site)
    cards = page.locator(".nodes .card, .blocks path")
    assert [right for _left, right in sides(cards) if right >= 700]
    page.set_viewport_size({"width": 700, "height": 500})
    eventually(page, lambda: bool(sides(cards)) and all(0 < left < right < 700 for left, right in sides(cards)), True)


def sides(elements: Locator) -> list[list[float]]:
    """Where each begins and ends, from left to right."""
    found: list[list[float]] = elements.evaluate_all(
        "all => all.map(each => each.getBoundingClientRect()).map(({ left, right }) => [left, right])"
    )
    return found


def test_find_lists_rings_and_centres(page: Page, site: drawn.Site) -> None:
    opened(page, site)
    page.get_by_role("application").focus()
    page.keyboard.press("/")
    expect(page.get_by_role("combobox")).to_be_focused()
    page.keyboard.type("o")
    expect(page.get_by_role("option")).to_have_count(3)
    page.keyboard.type("rt")
    expect(page.get_by_role("option")).to_have_text([re.compile("Sort")])
    page.keyboard.press("Enter")
    expect(page.locator(".ring.match")).to_have_count(1)
    expect(page.locator(".ring.selected")).to_have_count(1)
    eventually(page, lambda: center(drawn_node(page, "sort").locator(".card")), pytest.approx((640, 425), abs=4))
    page.keyboard.press("Escape")
    expect(page.locator(".ring.match")).to_have_count(0)
    expect(page.get_by_role("application")).to_be_focused()


def test_the_page_can_select_a_node_on_any_sheet(page: Page, site: drawn.Site) -> None:
    opened(page, site)
    page.evaluate(SELECT, "sort")
    expect(details(page).get_by_role("heading", name="Sort")).to_be_visible()
    expect(page.locator(".ring.selected")).to_have_count(1)
    page.evaluate(SELECT, "nowhere")
    expect(page.locator(".toast")).to_contain_text("nowhere")


def test_a_change_is_fetched_and_selection_and_view_stay(page: Page, site: drawn.Site) -> None:
    opened(page, site)
    click_node(page, "fetch-api")
    page.get_by_role("button", name="Zoom in").click()
    before = zoom(page)
    site.graph["version"] = 2
    site.graph["nodes"][1] |= {"name": "Fetch with retry", "version": 2}
    page.evaluate(CHANGED, {"object": {"type": "graph", "id": "someone-elses"}, "version": 2})
    page.evaluate(CHANGED, {"object": {"type": "graph", "id": "players"}, "version": 2})
    expect(details(page).get_by_role("heading", name="Fetch with retry")).to_be_visible()
    expect(drawn_node(page, "fetch-api")).to_contain_text("Fetch with")
    expect(page.locator(".ring.changed")).to_have_count(1)
    assert zoom(page) == before


def test_a_failing_reload_keeps_the_drawing(page: Page, site: drawn.Site) -> None:
    opened(page, site)
    site.status = 500
    page.evaluate("document.querySelector('graph-view').reload()")
    expect(page.locator(".toast")).to_contain_text("Try again")
    expect(drawn_node(page, "start")).to_be_visible()


def test_sheet_and_view_survive_a_reload_of_the_page(page: Page, site: drawn.Site) -> None:
    opened(page, site)
    page.get_by_role("tab", name="Statistics").click()
    page.get_by_role("button", name="Zoom out").click()
    left_at = zoom(page)
    eventually(page, lambda: page.evaluate(REMEMBERED, "stats"), left_at)
    opened(page, site)
    expect(page.get_by_role("tab", name="Statistics")).to_have_attribute("aria-selected", "true")
    assert zoom(page) == left_at


@pytest.mark.parametrize(
    ("status", "title", "button"),
    [
        (401, "You are signed out", "Sign in"),
        (403, "not yours to see", None),
        (404, "no such graph", None),
        (500, "could not send", "Try again"),
    ],
)
def test_it_says_what_went_wrong_and_what_to_do(
    page: Page, site: drawn.Site, status: int, title: str, button: str | None
) -> None:
    site.status = status
    page.goto(site.url)
    expect(page.get_by_role("alert")).to_contain_text(title)
    buttons = page.get_by_role("alert").locator("a, button")
    expect(buttons).to_have_text([button] if button else [])


def test_it_loads_when_tried_again(page: Page, site: drawn.Site) -> None:
    site.status = 503
    page.goto(site.url)
    again = page.get_by_role("button", name="Try again")
    expect(again).to_be_visible()
    site.status = 200
    again.click()
    expect(drawn_node(page, "start")).to_be_visible()


def test_it_says_so_when_there_is_no_connection(page: Page, site: drawn.Site) -> None:
    page.route("**/graph.json", lambda route: route.abort())
    page.goto(site.url)
    expect(page.get_by_role("alert")).to_contain_text("No connection")
    expect(page.get_by_role("button", name="Try again")).to_be_visible()


def test_an_empty_graph_and_an_empty_sheet_say_so(page: Page, site: drawn.Site) -> None:
    site.graph["nodes"] = site.graph["nodes"][:5]
    opened(page, site)
    page.get_by_role("tab", name="Statistics").click()
    expect(page.get_by_text("This sheet is empty")).to_be_visible()
    site.graph = drawn.graph([], sheets=[{"key": "main", "name": "Main"}])
    opened(page, site)
    expect(page.get_by_text("This graph is empty")).to_be_visible()


def test_data_is_never_markup(page: Page, site: drawn.Site) -> None:
    one, two, three = HOSTILE
    nodes = [
        drawn.node(one, 0, 0, name=one, type=two, process=three, data={one: two, "list": HOSTILE}),
        drawn.node("b", 300, 0, name=two, handles={"L": [{"id": one, "type": "in", "accept": two, "label": three}]}),
        drawn.node("n", 0, 200, type="note", name=one, data={"content": f"# {one}\n{two}\n{three}"}),
    ]
    kind = {
        "key": two,
        "displayName": one,
        "description": two,
        "category": three,
        "icon": one,
        "handles": {},
        "process": "",
    }
    sheets = [{"key": "main", "name": one}, {"key": "x", "name": two}]
    site.graph = drawn.graph(
        nodes, [drawn.edge(one, "b", label=three, key=two)], name=one, sheets=sheets, nodeTypes=[kind]
    )
    opened(page, site)
    page.evaluate(SELECT, one)
    expect(details(page).get_by_role("heading", name=one)).to_be_visible()
    expect(details(page)).to_contain_text(two)
    expect(details(page).locator("pre")).to_have_text(three)
    expect(page.get_by_role("tab").first).to_contain_text(one)
    page.get_by_role("combobox").fill("onerror")
    expect(page.get_by_role("option").first).to_contain_text(one)
    assert page.evaluate("window.broken") is None
    assert page.locator("graph-view img, graph-view script").count() == 0


def test_odd_edges_and_handles_are_drawn_where_they_make_sense(page: Page, site: drawn.Site) -> None:
    nodes = [drawn.node("a", 0, 0, handles={}), drawn.node("b", 300, 0, handles={"T": [None, {"id": 7}], "X": 3})]
    edges = [
        drawn.edge("a", "a", key="loop"),
        drawn.edge("b", "a", key="back"),
        drawn.edge("a", "b", key="plain", sourceHandle="", targetHandle=""),
        drawn.edge("a", "b", key="helper", sourceHandle="ai_tool-0", targetHandle="ai_tool-0"),
        drawn.edge("a", "gone", key="dangling"),
    ]
    site.graph = drawn.graph(nodes, edges)
    opened(page, site)
    expect(page.locator(".lines > path")).to_have_count(4)
    expect(page.locator(".lines > path.ai")).to_have_count(1)
    paths = page.locator(".lines > path").evaluate_all("all => all.map(path => path.getAttribute('d'))")
    assert not any("NaN" in path or "undefined" in path for path in paths)


def test_a_thousand_nodes_keep_the_page_small(page: Page, site: drawn.Site) -> None:
    nodes = [drawn.node(f"n{i}", i % 40 * 260, i // 40 * 130, name=f"Step number {i}") for i in range(1000)]
    site.graph = drawn.graph(nodes, [drawn.edge(f"n{i}", f"n{i + 1}") for i in range(999)])
    opened(page, site)
    expect(page.locator(".far-label").first).to_be_visible()
    painted(page)
    boxes = [label.bounding_box() for label in page.locator(".far-label").all()]
    rows = sorted((box["y"], box["x"], box["width"]) for box in boxes if box)
    overlapping = [(a, b) for a, b in pairwise(rows) if a[0] == b[0] and a[1] + a[2] > b[1]]
    assert overlapping == []
    page.evaluate(SELECT, "n500")
    expect(drawn_node(page, "n500")).to_be_visible()
    expect(drawn_node(page, "n0")).to_have_count(0)
    assert page.locator(".nodes > g").count() < 250


def test_a_note_grows_around_a_card_that_sticks_out_of_it(page: Page, site: drawn.Site) -> None:
    opened(page, site)
    width = page.evaluate("""async () => {
        const source = [...document.querySelectorAll('script[type="module"]')].map((each) => each.src)[0];
        const { spread } = await import(new URL(source.replace(/graphs\\/.*/, 'graphs/view/model/spread.js')));
        const note = { note: true, box: { x: 0, y: 0, w: 240, h: 160 } };
        spread([note, { note: false, box: { x: 100, y: 40, w: 190, h: 64 } }], { x: 1, y: 1 });
        return note.box.w;
    }""")
    assert width >= 290
