"""Proposals in the drawing, and how it redraws by itself, in a real browser and without Django."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import FloatRect, Locator, Page, expect

from tests.browser import Windows, at_rest, center, painted
from tests.graphs import drawn

pytestmark = pytest.mark.browser

RETRY = drawn.proposal(
    "add-retry",
    drawn.added("retry", 600, 0, name="Retry"),
    drawn.connected("fetch-api", "retry"),
    drawn.changed("edge", "fetch-api-error-log", "delete", "Fetch api → Error log"),
    reason="The API fails now and then.",
)
RENAME = drawn.proposal(
    "rename",
    drawn.changed("node", "fetch-api", "update", "Fetch api", name=("Fetch api", "Fetch\u202eplayers")),
    drawn.changed("node", "filter", "delete", "Filter"),
    drawn.changed("node", "start", "update", "Start", posX=(0, 40), posY=(0, -160)),
)
OTHER_SHEET = drawn.proposal("sorting", drawn.changed("node", "sort", "update", "Sort", data=({}, {"by": "points"})))

#: Tells every animation of an element, and every proposal that the drawing says was chosen. A page that was used before
#: runs it as often as it was used.
LISTEN = """
if (!window.animated) {
  window.animated = []; window.chosen = [];
  const animate = Element.prototype.animate;
  Element.prototype.animate = function (frames, options) {
    window.animated.push([this.dataset.key ?? "", Object.keys(frames[0])[0]]);
    return animate.call(this, frames, options);
  };
  document.addEventListener("countersign:select-proposal", ({ detail }) => {
    window.chosen.push([detail.id, detail.from]);
  });
}
"""
TELL = "([type, detail]) => document.dispatchEvent(new CustomEvent(`countersign:${type}`, { detail }))"


@pytest.fixture
def site() -> Iterator[drawn.Site]:
    with drawn.served() as site:
        site.graph = drawn.players()
        site.proposals = [RETRY, RENAME, OTHER_SHEET]
        yield site


@pytest.fixture
def motion() -> str:
    return "reduce"


@pytest.fixture
def page(windows: Windows, motion: str) -> Iterator[Page]:
    page = windows.open(reduced_motion=motion)
    page.add_init_script(LISTEN)
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda said: complaints.append(said.text) if "Content Security Policy" in said.text else None)
    yield page
    assert complaints == []


def opened(page: Page, site: drawn.Site) -> Page:
    page.goto(site.url)
    expect(page.locator(".zoom")).to_be_visible()
    expect(page.locator(".waiting")).to_be_visible()
    painted(page)
    return page


def ghosts(page: Page, proposal: str, action: str = "") -> Locator:
    return page.locator(f'.ghosts [data-proposal="{proposal}"]{"." + action if action else ""}')


def tell(page: Page, type_: str, **detail: object) -> None:
    page.evaluate(TELL, [type_, detail])


def test_each_kind_of_change_is_drawn_with_its_sign(page: Page, site: drawn.Site) -> None:
    opened(page, site)
    expect(page.locator(".waiting-button")).to_have_text("3 changes wait")
    expect(ghosts(page, "add-retry", "create").locator(".card")).to_have_count(1)
    expect(ghosts(page, "add-retry", "create")).to_have_count(2)
    expect(ghosts(page, "add-retry", "create").locator("path.ghost-line")).to_have_count(1)
    expect(ghosts(page, "add-retry", "delete").locator("path.ghost-line")).to_have_count(1)
    expect(ghosts(page, "rename", "delete").locator(".ghost-strike")).to_have_count(1)
    expect(ghosts(page, "rename", "move").locator(".ghost-trail")).to_have_count(1)
    expect(ghosts(page, "rename", "update").locator(".ghost-ring")).to_have_count(1)
    signs = page.locator(".ghosts .ghost-badge text").all_text_contents()
    assert sorted(signs) == sorted(["+ 1", "+ 1", "− 1", "~ 2", "− 2", "→ 2"])
    expect(page.locator(".nodes > g")).to_have_count(4)
    line, at = (at_rest(ghosts(page, "add-retry", "create").locator(part).first) for part in (".ghost-line", ".card"))
    assert line["x"] + line["width"] == pytest.approx(at["x"], abs=8)


def test_what_would_change_is_told_beside_the_mouse_with_nothing_hidden(page: Page, site: drawn.Site) -> None:
    opened(page, site)
    page.mouse.move(*center(ghosts(page, "rename", "update").locator(".ghost-ring")))
    tip = page.locator(".tip")
    expect(tip).to_contain_text("Change Fetch api")
    expect(tip.locator("del")).to_have_text("Fetch api")
    expect(tip.locator("ins")).to_have_text("Fetch⟦U+202E⟧players")


def test_a_proposal_is_chosen_by_keyboard_and_framed_on_its_sheet(page: Page, site: drawn.Site) -> None:
    opened(page, site)
    page.get_by_role("application").focus()
    page.keyboard.press("p")
    rows = page.locator(".waiting-list li > button")
    expect(rows.first).to_be_focused()
    expect(rows.first).to_contain_text("The API fails now and then.")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_role("tab", name="Statistics")).to_have_attribute("aria-selected", "true")
    expect(ghosts(page, "sorting", "update")).to_have_class("ghost update chosen")
    expect(page.locator(".waiting-list .diff")).to_contain_text("points")
    assert page.evaluate("window.chosen") == [["sorting", "drawing"]]
    page.keyboard.press("Escape")
    expect(page.get_by_role("application")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(".ghost.chosen")).to_have_count(0)


def test_the_page_can_ask_for_a_proposal_before_the_drawing_is_there(page: Page, site: drawn.Site) -> None:
    page.goto(site.url, wait_until="domcontentloaded")
    tell(page, "select-proposal", id="sorting", **{"from": "chat"})
    expect(ghosts(page, "sorting", "update")).to_have_class("ghost update chosen")
    tell(page, "select-proposal", id="decided-long-ago", **{"from": "inbox"})
    expect(page.locator(".toast")).to_contain_text("does not wait")


def overlap(one: FloatRect, other: FloatRect) -> bool:
    return all(
        one[at] < other[at] + other[size] and other[at] < one[at] + one[size]
        for at, size in (("x", "width"), ("y", "height"))
    )


def zoomed_out(page: Page, until: str) -> None:
    for _step in range(20):
        if page.locator(until).count():
            break
        page.get_by_label("Zoom out").click()
        painted(page)
    expect(page.locator(until).first).to_be_attached()
    painted(page)


def test_a_badge_that_grew_leaves_the_name_of_its_node_free(page: Page, site: drawn.Site) -> None:
    site.graph["nodes"][1]["name"] = "Players of the season"
    opened(page, site)
    zoomed_out(page, ".nodes .bold")
    drawn_names = page.locator(".nodes text.name, .ghosts text.name").all()
    names = [box for box in (name.bounding_box() for name in drawn_names) if box]
    badges = page.locator(".ghosts .ghost:not(:has(.ghost-line)) .ghost-badge").all()
    assert names
    assert badges
    for badge in badges:
        box = badge.bounding_box()
        assert box
        assert not [name for name in names if overlap(box, name)]


def test_far_out_a_badge_is_on_its_block(page: Page, site: drawn.Site) -> None:
    opened(page, site)
    zoomed_out(page, ".far-icon")
    ring, badge = (center(ghosts(page, "rename", "update").locator(part)) for part in (".ghost-ring", ".ghost-badge"))
    assert ring[1] == pytest.approx(badge[1], abs=2)


def test_clicking_a_ghost_tells_the_chat_and_goes_on_to_the_next_one_there(page: Page, site: drawn.Site) -> None:
    site.proposals = [RENAME, drawn.proposal("again", drawn.changed("node", "fetch-api", "delete", "Fetch api"))]
    opened(page, site)
    badges = page.locator(".ghosts .update .ghost-badge, .ghosts .delete .ghost-badge").all()
    places = {(round(box["x"]), round(box["y"])) for box in (badge.bounding_box() for badge in badges) if box}
    assert len(places) == len(badges) == 3
    middle = center(ghosts(page, "rename", "update").locator(".ghost-ring"))
    for _click in range(3):
        page.mouse.click(*middle)
    chosen = [id_ for id_, _from in page.evaluate("window.chosen")]
    assert set(chosen) == {"rename", "again"}
    assert chosen[0] == chosen[2] != chosen[1]
    page.mouse.click(20, 200)
    expect(page.locator(".ghost.chosen")).to_have_count(0)


def test_what_was_decided_goes_and_an_empty_graph_shows_what_comes(page: Page, site: drawn.Site) -> None:
    site.graph = drawn.graph([])
    site.proposals = [drawn.proposal("first", drawn.added("first", 0, 0))]
    opened(page, site)
    expect(ghosts(page, "first", "create")).to_be_visible()
    expect(page.get_by_text("This graph is empty")).to_have_count(0)
    tell(page, "proposals", object={"type": "graph", "id": "someone-elses"}, proposals=[])
    tell(page, "proposals", object={"type": "graph", "id": "players"}, proposals=[])
    expect(page.locator(".waiting")).to_be_hidden()
    expect(page.locator(".ghosts > *")).to_have_count(0)
    expect(page.get_by_text("This graph is empty")).to_be_visible()


def test_what_proposals_hold_is_never_markup(page: Page, site: drawn.Site) -> None:
    hostile = "<img src=x onerror=window.broken=1>"
    entry = drawn.changed("node", "fetch-api", "update", hostile, name=("Fetch api", hostile), data=({}, {hostile: 1}))
    site.proposals = [drawn.proposal(hostile, entry, drawn.added(hostile, 0, 300, name=hostile), reason=hostile)]
    opened(page, site)
    page.get_by_role("application").focus()
    page.keyboard.press("p")
    page.keyboard.press("Enter")
    page.mouse.move(*center(page.locator(".ghost.update .ghost-ring")))
    expect(page.locator(".tip")).to_contain_text(hostile)
    assert page.evaluate("window.broken") is None
    assert page.locator("graph-view img").count() == 0


def test_a_thousand_ghosts_keep_the_page_small(page: Page, site: drawn.Site) -> None:
    nodes = [drawn.node(f"n{i}", i % 100 * 260, i // 100 * 130) for i in range(10_000)]
    moves = [drawn.changed("node", f"n{i}", "update", posX=(0, i % 40 * 260 + 30)) for i in range(1_000)]
    site.graph = drawn.graph(nodes, [])
    site.proposals = [drawn.proposal("layout", *moves)]
    opened(page, site)
    expect(page.locator(".ghosts > g").first).to_be_attached()
    tell(page, "select-node", key="n505")
    expect(page.locator('.nodes [data-key="n505"]')).to_be_visible()
    page.wait_for_function("document.querySelectorAll('.ghosts > g').length < 300")


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_it_redraws_by_itself_and_what_moved_glides(page: Page, site: drawn.Site, motion: str) -> None:
    opened(page, site)
    page.evaluate("document.body.append(document.createElement('chat-widget'))")  # so it asks for nothing now and then
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if request.url.endswith("/graph.json") else None)
    page.evaluate("window.animated = []")
    site.graph["version"] = 9
    site.graph["nodes"][0] |= {"posX": -80, "version": 2}
    site.graph["nodes"] = [node for node in site.graph["nodes"] if node["key"] != "error-log"]
    site.graph["nodes"].append(drawn.node("brand-new", 300, 260))
    page.evaluate(f"for (let version = 2; version < 10; version += 1) ({TELL})(['object-changed', "
                  "{ object: { type: 'graph', id: 'players' }, version }])")  # fmt: skip
    expect(page.locator('.nodes [data-key="brand-new"]')).to_be_visible()
    expect(page.locator('.nodes [data-key="error-log"]')).to_have_count(0)
    assert len(asked) == 1
    animated = {tuple(each) for each in page.evaluate("window.animated") if each[0]}
    nodes = {("start", "transform"), ("brand-new", "opacity"), ("error-log", "opacity")}
    assert nodes <= animated if motion == "no-preference" else not animated
    assert ("fetch-api", "transform") not in animated
    expect(page.locator(".leaving > *")).to_have_count(0)


def test_a_change_without_a_version_is_looked_at_too(page: Page, site: drawn.Site) -> None:
    opened(page, site)
    site.graph["nodes"][0] |= {"name": "Begin", "version": 2}
    tell(page, "object-changed", object={"type": "graph", "id": "players"}, version=None)
    expect(page.locator('.nodes [data-key="start"]')).to_contain_text("Begin")


def test_without_a_chat_panel_it_asks_now_and_then(page: Page, site: drawn.Site) -> None:
    page.clock.install()
    opened(page, site)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if request.url.endswith("/graph.json") else None)
    site.graph["nodes"][0] |= {"name": "Begin", "version": 2}
    page.clock.fast_forward(16_000)
    page.clock.fast_forward(1_000)
    expect(page.locator('.nodes [data-key="start"]')).to_contain_text("Begin")
    told = len(asked)
    page.evaluate("document.body.append(document.createElement('chat-widget'))")
    page.clock.fast_forward(40_000)
    page.clock.fast_forward(1_000)
    site.graph["nodes"][0] |= {"name": "Told", "version": 3}
    tell(page, "object-changed", object={"type": "graph", "id": "players"}, version=7)
    page.clock.fast_forward(2_000)
    expect(page.locator('.nodes [data-key="start"]')).to_contain_text("Told")
    assert len(asked) == told + 1
    page.context.close()  # Its clock stays.
