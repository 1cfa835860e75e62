"""The matrix of a folder in a real browser, watched for what the security policy blocks."""

import itertools
import random
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from graphs.models import ChangeSet, Folder, UseCase
from tests.browser import Windows, eventually, sign_in
from tests.graphs.api.callers import with_token
from tests.graphs.records.asking import update
from tests.graphs.records.conftest import AXES, company, folder
from tests.graphs.records.drawing.scenes import STATUSES, many
from tests.graphs.records.test_folder_matrix import rated
from tests.graphs.records.test_scenes import fill

__all__ = ["company", "folder"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
HALVES = {
    "valueAxes": [{"id": "gain", "name": "Gain", "weight": 2}],
    "complexityAxes": [{"id": "data", "name": "Data", "weight": 1}],
}
#: The boxes of all names and symbols of the drawing, in pixels.
BOXES = """() => [...document.querySelectorAll("a.mark :is(.name, .symbol)")].map((part) => {
  const { x, y, width, height } = part.getBoundingClientRect();
  return [x, y, width, height];
})"""
#: What the drawing shows: all texts and all marks with their boxes, and on which side of the thresholds a mark stands.
SHOWN = """() => {
  const box = (part) => { const { x, y, width, height } = part.getBoundingClientRect(); return [x, y, width, height]; };
  const drawing = document.querySelector("svg.matrix-drawing");
  const [across, up] = [...drawing.querySelectorAll(".thresholds line")].map(box);
  const texts = [...drawing.querySelectorAll("text")].filter((text) => text.textContent.trim());
  const marks = [...drawing.querySelectorAll("a.mark")];
  return {
    frame: box(drawing),
    texts: texts.map((text) => [text.textContent, box(text), text.closest("a.mark")?.dataset.key ?? ""]),
    marks: marks.map((mark) => {
      const [x, y, width, height] = box(mark.querySelector(".symbol"));
      const side = [x + width / 2 >= up[0] - 0.1, y + height / 2 <= across[1] + 0.1];
      return [mark.dataset.key, [x, y, width, height], mark.getAttribute("aria-label"), side];
    }),
  };
}"""
#: Whether complexity and value are high in a quadrant.
SIDES = {
    "Quick wins": [False, True],
    "Large projects": [True, True],
    "Small extras": [False, False],
    "Hard to justify": [True, False],
}
#: Ratings of value and complexity of the n-th use case, of which many are at one place, along a line, or in corners.
HOSTILE: dict[str, Callable[[int], tuple[int, int]]] = {
    "one place": lambda n: (3, 3),
    "nearly one place": lambda n: (3 + n % 2, 3),
    "the best": lambda n: (5, 5),
    "the least": lambda n: (1, 1),
    "a line": lambda n: (1 + n % 5, 1 + n % 5),
    "corners": lambda n: (1 + 4 * (n % 2), 1 + 4 * (n // 2 % 2)),
    "the upper side": lambda n: (5, 1 + n % 5),
}
#: What stands out less than 3 : 1 from the surface below it.
PALE = """() => {
  const paint = (colour) => {
    const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const light = (colour) => {
    const linear = (part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    const [r, g, b] = paint(colour).map((part) => linear(part / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const surface = light(getComputedStyle(document.querySelector(".matrix-figure")).backgroundColor);
  return [...document.querySelectorAll(".matrix-drawing :is(text, .symbol, [class^=status-])")].filter((part) => {
    const own = light(getComputedStyle(part).fill);
    return (Math.max(own, surface) + 0.05) / (Math.min(own, surface) + 0.05) < 3;
  }).map((part) => part.outerHTML.slice(0, 200));
}"""


class Looking:
    """The page of the matrix of a folder, as one person sees it."""

    def __init__(self, page: Page, folder: Folder) -> None:
        self.page = page
        self.folder = folder
        self.marks = page.locator("a.mark")
        self.rows = page.locator("[data-rows] tr")

    def open(self, query: str = "") -> "Looking":
        self.page.goto(f"/folders/{self.folder.pk}/matrix/{query}")
        expect(self.page.locator("svg.matrix-drawing")).to_be_visible()
        return self

    def be_as_wide_as(self, width: int) -> None:
        """In a window of another width the page draws anew what is there by now."""
        if self.page.viewport_size == {"width": width, "height": 900}:
            return
        self.page.locator("svg.matrix-drawing").evaluate("drawing => drawing.classList.add('before')")
        self.page.set_viewport_size({"width": width, "height": 900})
        expect(self.page.locator("svg.matrix-drawing:not(.before)")).to_be_visible()

    def told(self, name: str) -> str:
        found = self.page.locator(f'a.mark[aria-label^="{name}:"]').get_attribute("aria-label")
        assert found
        return found

    def weigh(self, axis: str, weight: str) -> None:
        self.page.get_by_label(axis, exact=True).fill(weight)


@pytest.fixture
def looking(windows: Windows, alice: User, folder: Folder, live_server: object) -> Iterator[Looking]:
    """Alice, who edits."""
    yield from _looking(windows, alice, folder, str(live_server))


def _looking(windows: Windows, user: User, folder: Folder, url: str, **look: object) -> Iterator[Looking]:
    page = windows.open(base_url=url, **look)
    blocked: list[str] = []
    page.on("console", lambda said: blocked.append(said.text) if "Content Security Policy" in said.text else None)
    page.on("pageerror", lambda error: blocked.append(str(error)))
    sign_in(page.context, user, url)
    yield Looking(page, folder)
    assert blocked == []


def portfolio(folder: Folder, count: int) -> None:
    by = random.Random(3)
    folder.matrix_config = HALVES
    folder.save()
    for index, mark in enumerate(many(count)):
        made = rated(folder, f"{mark.name} {index}", by.choice([1, 2, 3, 4, 5]), by.choice([1, 2, 3, 4, 5]))
        UseCase.objects.filter(pk=made.pk).update(status=STATUSES[index % 4])


def saved() -> int:
    """How many changes Alice made."""
    return ChangeSet.objects.filter(actor_label="alice").count()


def overlap(a: list[float], b: list[float]) -> bool:
    """Whether two boxes meet on more than half a pixel."""
    across = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    down = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    return min(across, down) > 0.5


@pytest.mark.parametrize(("width", "count"), [(1280, 60), (390, 25)])
def test_names_stand_apart_on_the_screen(looking: Looking, width: int, count: int) -> None:
    portfolio(looking.folder, count)
    looking.page.set_viewport_size({"width": width, "height": 900})
    looking.open()
    expect(looking.marks).to_have_count(count)
    boxes = looking.page.evaluate(BOXES)
    assert len(boxes) == 2 * count
    assert [pair for pair in itertools.combinations(boxes, 2) if overlap(*pair)] == []
    assert looking.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize(
    ("places", "threshold"),
    [*((places, None) for places in HOSTILE), ("the best", 5), ("the least", 1.1), ("corners", 5), ("one place", 3)],
)
def test_nothing_stands_on_anything_else_however_they_are_rated(
    looking: Looking, places: str, threshold: float | None
) -> None:
    thresholds = {"value": threshold and threshold * 2, "complexity": threshold}
    looking.folder.matrix_config = HALVES | {"thresholds": thresholds}
    looking.folder.save()
    for index, made in enumerate(many(70)):
        rated(looking.folder, f"{made.name} {index}", *HOSTILE[places](index))
    every = list(UseCase.objects.filter(folder=looking.folder).values_list("pk", flat=True))
    looking.page.emulate_media(reduced_motion="reduce")  # No mark glides to its place.
    looking.page.set_viewport_size({"width": 390, "height": 900})
    looking.open()
    assert looking.marks.first.evaluate("mark => getComputedStyle(mark).transitionProperty") == "none"
    for width, count in ((390, 70), (1280, 70), (390, 60), (1280, 60), (390, 25)):
        UseCase.objects.filter(pk__in=every[count:]).delete()
        looking.be_as_wide_as(width)
        shown = looking.page.evaluate(SHOWN)
        assert laid_over(shown) == [], (width, count)
        if len(shown["marks"]) == count:
            sides = [(label, side) for _key, _box, label, side in shown["marks"]]
            assert [label for label, side in sides if side != SIDES[label.rpartition(", ")[2]]] == []


def laid_over(shown: dict[str, Any]) -> list[Any]:
    """Texts and marks that stand on each other or reach out of the drawing, and names without a gap between them."""
    marks = [("mark", box, key) for key, box, _label, _side in shown["marks"]]
    texts = [(text, box, key) for text, box, key in shown["texts"]]
    pairs = itertools.combinations([*marks, *texts], 2)
    found: list[Any] = [(a, b) for a, b in pairs if overlap(a[1], b[1]) and not is_count_of(a, b)]
    names = [(text, [x - 1, y, width + 2, height], key) for text, (x, y, width, height), key in texts if key]
    found += [(a, b) for a, b in itertools.combinations(names, 2) if overlap(a[1], b[1])]
    left, top, wide, high = shown["frame"]
    found += [
        each for each in (*marks, *texts) for x, y, width, height in (each[1],)
        if x < left - 1 or y < top - 1 or x + width > left + wide + 1 or y + height > top + high + 1
    ]  # fmt: skip
    return found


def is_count_of(mark: tuple[str, Any, str], text: tuple[str, Any, str]) -> bool:
    """Whether a text is the number that stands in a mark."""
    return mark[0] == "mark" and mark[2] == text[2] and text[0].isdigit()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_can_be_read_in_light_and_dark(
    windows: Windows, alice: User, folder: Folder, live_server: object, scheme: str
) -> None:
    portfolio(folder, 8)
    for looking in _looking(windows, alice, folder, str(live_server), color_scheme=scheme):
        looking.open()
        assert looking.page.evaluate(PALE) == []


def test_a_click_on_a_name_leads_to_the_use_case(looking: Looking) -> None:
    made = rated(looking.folder, "Picking")
    looking.open()
    looking.page.locator("a.mark .name").click()
    looking.page.wait_for_url(f"**/use-cases/{made.pk}/**")


def test_who_hovers_is_told_what_it_is(looking: Looking) -> None:
    rated(looking.folder, "Picking")
    looking.open()
    looking.page.locator("a.mark .symbol").hover()
    expect(looking.page.locator("[data-hint]")).to_have_text("Picking: draft, value 10, complexity 3, Large projects")
    looking.page.mouse.move(0, 0)
    expect(looking.page.locator("[data-hint]")).to_contain_text("Arrow keys")


def test_arrows_go_from_one_to_the_next_and_enter_opens_it(looking: Looking) -> None:
    looking.folder.matrix_config = HALVES
    looking.folder.save()
    rated(looking.folder, "Left", 3, 1)
    right = rated(looking.folder, "Right", 3, 5)
    rated(looking.folder, "Above", 5, 1)
    looking.open()
    assert looking.page.locator('a.mark[tabindex="0"]').count() == 1
    looking.page.locator('a.mark[aria-label^="Left:"]').focus()
    focused = looking.page.locator("a.mark:focus")
    for key, name in [("ArrowUp", "Above"), ("ArrowDown", "Left"), ("ArrowRight", "Right"), ("ArrowRight", "Right")]:
        looking.page.keyboard.press(key)
        expect(focused).to_have_attribute("aria-label", re.compile(f"^{name}:"))
    assert looking.page.locator('a.mark[tabindex="0"]').count() == 1
    looking.page.keyboard.press("Enter")
    looking.page.wait_for_url(f"**/use-cases/{right.pk}/**")


def test_other_weights_move_places_and_rows_at_once_and_save_nothing(looking: Looking) -> None:
    rated(looking.folder, "Picking")
    looking.open()
    assert "complexity 3," in looking.told("Picking")
    looking.weigh("Data", "4")
    expect(looking.page.locator("a.mark")).to_have_attribute("aria-label", re.compile("complexity 12,"))
    expect(looking.rows.first).to_contain_text("12")
    expect(looking.page.locator("form [data-state]")).to_have_text("Tried, not saved.")
    looking.folder.refresh_from_db()
    assert looking.folder.matrix_config == AXES
    looking.page.get_by_role("button", name="Discard").click()
    expect(looking.page.locator("a.mark")).to_have_attribute("aria-label", re.compile("complexity 3,"))
    expect(looking.page.get_by_label("Data", exact=True)).to_have_value("1")
    expect(looking.page.get_by_role("button", name="Save", exact=True)).to_be_disabled()


def test_the_number_that_holds_without_a_threshold_follows_the_weights(looking: Looking) -> None:
    rated(looking.folder, "Picking")
    looking.open()
    threshold = looking.page.locator("#threshold-complexity")
    threshold.fill("")
    expect(threshold).to_have_attribute("placeholder", "2.5")
    looking.weigh("Data", "4")
    expect(threshold).to_have_attribute("placeholder", "10")


def test_a_threshold_moves_them_into_other_quadrants(looking: Looking) -> None:
    rated(looking.folder, "Picking")
    looking.open()
    looking.page.locator("#threshold-complexity").fill("4")
    expect(looking.page.locator("a.mark")).to_have_attribute("aria-label", re.compile("Quick wins"))


def test_weights_and_thresholds_are_saved_as_one_change(looking: Looking) -> None:
    rated(looking.folder, "Picking")
    looking.open()
    looking.weigh("Data", "4")
    looking.weigh("Gain", "0.5")
    looking.page.locator("#threshold-complexity").fill("")
    looking.page.get_by_role("button", name="Save", exact=True).click()
    expect(looking.page.locator("form [data-state]")).to_have_text("Saved.")
    looking.folder.refresh_from_db()
    config = looking.folder.matrix_config
    assert config["complexityAxes"][0]["weight"] == 4
    assert config["valueAxes"][0]["weight"] == 0.5
    assert config["valueAxes"][0]["levels"] == AXES["valueAxes"][0]["levels"]
    assert config["thresholds"] == {"value": 5, "complexity": None}
    assert saved() == 1
    looking.weigh("Data", "5")
    looking.page.get_by_role("button", name="Save", exact=True).click()
    eventually(looking.page, saved, 2)


def meanwhile(alice: User, folder: Folder) -> None:
    """Another window of Alice's saves another weight."""
    axes = [{**AXES["complexityAxes"][0], "weight": 9}]
    assert update(with_token(alice), folder, **{"matrix_config.complexityAxes": axes}).status_code == 201


def test_a_conflict_is_shown_and_theirs_can_be_taken(looking: Looking, alice: User) -> None:
    rated(looking.folder, "Picking")
    looking.open()
    meanwhile(alice, looking.folder)
    looking.weigh("Data", "4")
    looking.page.get_by_role("button", name="Save", exact=True).click()
    alert = looking.page.locator("[data-trouble]")
    expect(alert).to_contain_text("Somebody changed the same meanwhile; nothing was saved.")
    expect(alert).to_contain_text("alice")
    expect(alert.locator("li li")).to_have_text([re.compile("^Data: weight.*9.*→.*4$")])
    looking.page.get_by_role("button", name="Show theirs").click()
    expect(looking.page.get_by_label("Data", exact=True)).to_have_value("9")
    expect(looking.page.locator("a.mark")).to_have_attribute("aria-label", re.compile("complexity 27,"))
    expect(alert).to_be_hidden()
    assert saved() == 1


def test_after_a_conflict_ones_own_can_be_saved(looking: Looking, alice: User) -> None:
    rated(looking.folder, "Picking")
    looking.open()
    meanwhile(alice, looking.folder)
    looking.weigh("Data", "4")
    looking.page.get_by_role("button", name="Save", exact=True).click()
    looking.page.get_by_role("button", name="Save mine instead").click()
    expect(looking.page.locator("form [data-state]")).to_have_text("Saved.")
    looking.folder.refresh_from_db()
    assert looking.folder.matrix_config["complexityAxes"][0]["weight"] == 4
    assert saved() == 2


def test_what_others_change_moves_them_while_nothing_is_tried(looking: Looking, alice: User) -> None:
    rated(looking.folder, "Picking")
    looking.open()
    meanwhile(alice, looking.folder)
    told = {"object": {"type": "folder", "id": str(looking.folder.pk)}, "version": 2}
    looking.page.evaluate(
        "detail => document.dispatchEvent(new CustomEvent('countersign:object-changed', { detail }))", told
    )
    expect(looking.page.locator("a.mark")).to_have_attribute("aria-label", re.compile("complexity 27,"))
    expect(looking.page.get_by_label("Data", exact=True)).to_have_value("9")


def test_what_others_change_leaves_what_is_tried(looking: Looking, alice: User) -> None:
    rated(looking.folder, "Picking")
    looking.open()
    looking.weigh("Data", "4")
    meanwhile(alice, looking.folder)
    told = {"object": {"type": "folder", "id": str(looking.folder.pk)}, "version": 2}
    looking.page.evaluate(
        "detail => document.dispatchEvent(new CustomEvent('countersign:object-changed', { detail }))", told
    )
    expect(looking.page.get_by_label("Data", exact=True)).to_have_value("4")
    looking.page.get_by_role("button", name="Save", exact=True).click()
    expect(looking.page.locator("[data-trouble]")).to_contain_text("nothing was saved")


def test_the_form_fits_its_frame_in_french(windows: Windows, alice: User, folder: Folder, live_server: object) -> None:
    rated(folder, "Picking")
    for looking in _looking(windows, alice, folder, str(live_server), locale="fr-FR"):
        for width in (1280, 390):
            looking.page.set_viewport_size({"width": width, "height": 900})
            looking.open()
            form = looking.page.locator("[data-weights]")
            assert form.evaluate("form => form.scrollWidth <= form.clientWidth")


def test_what_is_no_weight_is_not_saved(looking: Looking) -> None:
    rated(looking.folder, "Picking")
    looking.open()
    for wrong in ("-1", "1001", ""):
        looking.weigh("Data", wrong)
        expect(looking.page.get_by_role("button", name="Save", exact=True)).to_be_disabled()
        expect(looking.page.locator("[data-state]")).to_contain_text("A weight is a number from 0 to 1000")
    looking.weigh("Data", "2")
    expect(looking.page.get_by_role("button", name="Save", exact=True)).to_be_enabled()
    expect(looking.page.locator("[data-state]")).to_have_text("Tried, not saved.")
    looking.page.get_by_role("button", name="Discard").click()
    expect(looking.page.get_by_role("button", name="Discard")).to_be_disabled()


def test_a_viewer_looks_and_edits_nothing(windows: Windows, bob: User, folder: Folder, live_server: object) -> None:
    rated(folder, "Picking")
    for looking in _looking(windows, bob, folder, str(live_server)):
        looking.open()
        expect(looking.page.get_by_label("Data", exact=True)).to_be_disabled()
        expect(looking.page.get_by_role("button", name="Save", exact=True)).to_have_count(0)


def test_a_number_leads_to_the_rows_of_its_part(looking: Looking) -> None:
    fill(looking.folder, 70)
    looking.open()
    expect(looking.marks).to_have_count(5)
    looking.marks.first.click()
    looking.page.wait_for_url("**cell=12-10-2-9**")
    expect(looking.rows).to_have_count(14)
    looking.page.get_by_role("link", name="Show all").click()
    expect(looking.rows).to_have_count(70)


def test_columns_order_the_table(looking: Looking) -> None:
    rated(looking.folder, "Aaa", data=1)
    rated(looking.folder, "Bbb", data=5)
    looking.open()
    looking.page.get_by_role("link", name="Complexity", exact=True).click()
    expect(looking.page.locator("th[aria-sort]")).to_contain_text("Complexity")
    expect(looking.rows.first).to_contain_text("Bbb")


def test_it_prints_the_drawing_and_the_table_alone(looking: Looking) -> None:
    rated(looking.folder, "Picking")
    looking.open()
    looking.page.emulate_media(media="print")
    expect(looking.page.locator("[data-weights]")).to_be_hidden()
    expect(looking.page.locator(".top")).to_be_hidden()
    expect(looking.page.get_by_role("navigation")).to_have_count(0)
    expect(looking.page.locator("svg.matrix-drawing")).to_be_visible()
    expect(looking.rows.first).to_be_visible()
    title = looking.page.locator("#matrix-table-title")
    expect(title).to_have_css("break-after", "avoid")  # it does not stand alone below the drawing
    looking.page.emulate_media(media="screen")


def test_a_drawing_that_does_not_come_leaves_the_table(looking: Looking) -> None:
    rated(looking.folder, "Picking")
    looking.page.route("**/matrix.svg*", lambda route: route.fulfill(status=503, body="{}"))
    looking.page.goto(f"/folders/{looking.folder.pk}/matrix/")
    expect(looking.page.locator("[data-hint]")).to_have_text("The drawing did not come. The table has the same.")
    expect(looking.rows.first).to_contain_text("Picking")
