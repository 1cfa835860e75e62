"""What can be read on a phone, from afar, and on every colour; in a real browser and without Django."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser import at_rest, center, eventually
from tests.graphs import drawn
from tests.graphs.view.looking import SELECT, details, drawn_node, opened, zoom

pytestmark = pytest.mark.browser
#: From where to where labels reach across.
SIDES = "labels => labels.map((label) => label.getBoundingClientRect()).map(({ left, right }) => [left, right])"


def test_on_a_phone_the_details_come_from_below(page: Page, site: drawn.Site) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    opened(page, site)
    finger = page.get_by_role("button", name="Zoom in").bounding_box()
    assert finger
    assert min(finger["width"], finger["height"]) >= 40
    page.evaluate(SELECT, "fetch-api")
    box = at_rest(details(page))
    assert (box["x"], box["width"]) == (0, 390)
    assert box["y"] > 300
    eventually(page, lambda: center(drawn_node(page, "fetch-api").locator(".card"))[1] < box["y"], True)
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_a_node_that_the_page_asks_for_is_brought_before_the_eyes(page: Page, site: drawn.Site) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    opened(page, site)
    page.evaluate("""() => {
        document.body.style.cssText = "height: auto; padding: 900px 0";
        document.querySelector("graph-view").style.height = "60vh";
    }""")
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.evaluate(SELECT, "fetch-api")
    page.get_by_role("button", name="Make the panel taller").click()
    page.evaluate("scrollTo(0, 0)")
    page.evaluate(SELECT, "filter")
    expect(details(page).get_by_role("heading", name="Filter")).to_be_visible()
    expect(page.locator("graph-view")).to_be_in_viewport(ratio=1)
    card = at_rest(drawn_node(page, "filter").locator(".card"))
    sheet = at_rest(details(page))
    assert card["y"] >= 0
    assert card["y"] + card["height"] <= sheet["y"]


def test_names_at_the_edges_stay_on_a_phone_when_everything_is_shown(page: Page, site: drawn.Site) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    names = ["Choose season and team now", "In the middle", "Write the season summary"]
    nodes = [drawn.node(f"n{i}", i * 600, 0, name=name) for i, name in enumerate(names)]
    note = drawn.node("memo", 0, 300, type="note", data={"content": "---\n\n## Remember\nThis."}, width=400, height=90)
    site.graph = drawn.graph([*nodes, note])
    opened(page, site)
    expect(page.locator(".far-heading")).to_have_text("Remember")
    sides = page.locator(".far-label").evaluate_all(
        SIDES
    )  # All at once: a label gives way to a new one at each drawing.
    assert len(sides) >= 2
    assert [side for side in sides if side[0] < 0 or side[1] > 390] == []


def test_types_with_long_names_stay_in_their_list(page: Page, site: drawn.Site) -> None:
    site.attributes = "editable"
    site.graph = drawn.graph([drawn.node("n", 0, 0, type="long-" * 18)])
    opened(page, site)
    page.get_by_role("button", name="New node").click()
    types = page.get_by_role("listbox", name="Type")
    expect(types.locator(".row-note", has_text="long-" * 18)).to_be_visible()
    assert types.evaluate("(list) => list.scrollWidth - list.clientWidth") == 0


def test_cards_at_half_size_still_show_what_they_are(page: Page, site: drawn.Site) -> None:
    opened(page, site)
    page.mouse.move(600, 400)
    page.keyboard.down("Control")
    while (before := zoom(page)) >= 50:
        page.mouse.wheel(0, 40)
        expect(page.locator(".percent")).not_to_have_text(re.compile(rf"^{before:.0f}\b"))
    page.keyboard.up("Control")
    assert zoom(page) > 42
    expect(drawn_node(page, "filter").locator(".tile")).to_have_count(1)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_names_read_well_on_every_colour(page: Page, site: drawn.Site, scheme: str) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    kinds = [
        "starter",
        "return",
        "html",
        "entryType",
        "if",
        "webhook",
        "n8n.postgres",
        "function",
        "agent",
        "gmail",
        "acme.x",
        "vendor.y",
    ]
    site.graph = drawn.graph(
        [drawn.node(f"n{i}", i % 4 * 300, i // 4 * 150, type=kind) for i, kind in enumerate(kinds)]
    )
    opened(page, site)
    page.get_by_role("button", name="Zoom in").click()
    expect(page.locator(".nodes > g")).to_have_count(len(kinds))
    ratios = page.locator(".nodes > g").evaluate_all(CONTRASTS)
    assert len(ratios) >= len(kinds)
    assert min(ratios) >= 4.5


CONTRASTS = """groups => {
  const context = Object.assign(document.createElement("canvas"), {width: 1, height: 1}).getContext("2d");
  const light = colour => {
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...context.getImageData(0, 0, 1, 1).data].map(value => value / 255)
      .map(value => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
  const colour = (element, name) => getComputedStyle(element)[name];
  return groups.flatMap(group => {
    const card = colour(group.querySelector(".card"), "fill");
    const texts = [...group.querySelectorAll("text:not(.monogram)")].map(text => ratio(colour(text, "fill"), card));
    const tile = group.querySelector(".tile");
    const icon = group.querySelector(".icon-path");
    return tile && icon ? [...texts, ratio(colour(icon, "stroke"), colour(tile, "fill"))] : texts;
  });
}"""
