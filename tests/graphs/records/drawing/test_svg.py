"""What is drawn of a scene, read from the SVG itself."""

import itertools
from itertools import pairwise
from xml.etree.ElementTree import Element

import pytest

from graphs.records.drawing.scene import CANVASES, Axis, Scene
from graphs.records.drawing.svg import svg
from graphs.records.drawing.texts import width
from tests.graphs.records.drawing.scenes import (
    box_of,
    many,
    mark,
    marks_of,
    moved_by,
    part_of,
    read,
    scene,
    symbol_box,
)

NAMES_THAT_HURT = [
    "<script>alert(1)</script>",
    '"&<>\'"',
    "{{7*7}} ${x} #{x}",
    "datum.x + 1",
    "日本語のユースケース",
    "שלום עולם",
    "🎉 emoji 👩‍👩‍👧",
    "a\u0301" * 30,
    "W" * 200,
    "line\nbreak\ttab",
    "\x01 \x1b[31m \ufffe \uffff",
]


def drawn(shown: Scene) -> bytes:
    """What the process draws of the line that it is sent."""
    return svg(Scene.from_json(shown.to_json()))


@pytest.mark.parametrize(("count", "size"), [(60, "wide"), (60, "narrow"), (25, "narrow")])
def test_names_stand_apart_from_each_other_and_from_all_marks(count: int, size: str) -> None:
    found = marks_of(read(drawn(scene(many(count), size))))
    names = [box_of(each) for each in found]
    assert len(names) == count
    symbols = [symbol_box(each) for each in found]
    assert not [pair for pair in itertools.combinations(names, 2) if pair[0].overlaps(pair[1])]
    assert not [1 for name in names for symbol in symbols if name.overlaps(symbol)]
    assert not [pair for pair in itertools.combinations(symbols, 2) if pair[0].overlaps(pair[1])]


def test_each_mark_is_a_link_that_tells_what_it_is() -> None:
    (found,) = marks_of(read(drawn(scene([mark("a", name="Picking", status="ready", told="Picking: ready")]))))
    assert found.tag.endswith("}a")
    assert found.get("href") == "/use-cases/a/"
    assert found.get("aria-label") == "Picking: ready"
    assert found.get("class") == "mark status-ready"
    assert next(iter(found)).text == "Picking: ready"
    name = part_of(found, "name")
    assert name is not None
    assert name.text == "Picking"


def test_who_hears_it_read_is_told_what_it_is() -> None:
    root = read(drawn(scene([mark("a")])))
    title, desc = list(root)[:2]
    assert (title.text, desc.text) == ("Matrix of Warehouse", "What it shows.")
    assert root.get("aria-labelledby") == title.get("id")
    assert root.get("aria-describedby") == desc.get("id")
    texts = {element.text for element in root.iter() if element.tag.endswith("}text")}
    assert {"Value", "Complexity", "Quick wins", "Hard to justify", "Draft", "Ready"} <= texts


def test_statuses_differ_in_shape_not_in_colour_alone() -> None:
    marks = [
        mark(status, 4 * index + 2, 8, status=status) for index, status in enumerate(("draft", "ready", "archived"))
    ]
    symbols = [part_of(each, "symbol") for each in marks_of(read(drawn(scene(marks))))]
    assert len({symbol.get("d") for symbol in symbols if symbol is not None}) == 3


def test_a_count_stands_in_the_mark_of_a_cell() -> None:
    (found,) = marks_of(read(drawn(scene([mark("cell", name="", status="", count=1234, told="1,234 use cases")]))))
    count = part_of(found, "count")
    assert count is not None
    assert count.text == "1234"
    assert found.get("class") == "mark cluster"
    assert part_of(found, "name") is None


def test_a_drawing_has_nothing_that_a_policy_of_a_page_forbids() -> None:
    root = read(drawn(scene(many(10))))
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert tags <= {"svg", "g", "a", "path", "line", "rect", "text", "title", "desc"}
    names = {name.rpartition("}")[2] for element in root.iter() for name in element.attrib}
    assert not [name for name in names if name == "style" or name.startswith("on")]
    hrefs = {element.get("href") for element in root.iter() if element.get("href")}
    assert all(href is not None and href.startswith("/use-cases/") for href in hrefs)


@pytest.mark.parametrize("name", NAMES_THAT_HURT)
def test_any_name_is_only_text(name: str) -> None:
    root = read(drawn(scene([mark("a", name=name, told=name)], title=name, description=name)))
    (found,) = marks_of(root)
    assert found.get("aria-label") is not None
    assert not [element for element in root.iter() if element.tag.endswith("}script")]
    shown = part_of(found, "name")
    assert shown is not None
    assert shown.text
    assert box_of(found).width <= 190
    assert float(shown.get("textLength", "")) <= box_of(found).width


def test_a_name_that_is_too_long_is_cut_and_told_in_full() -> None:
    name = "Predict demand of " * 8
    (found,) = marks_of(read(drawn(scene([mark("a", name=name)]))))
    shown = part_of(found, "name")
    assert shown is not None
    assert shown.text
    assert shown.text.startswith("Predict demand of Predict")
    assert shown.text.endswith("…")
    assert name in (found.get("aria-label") or "")
    assert 150 < float(shown.get("textLength", "")) <= box_of(found).width


@pytest.mark.parametrize("size", ["wide", "narrow"])
def test_a_letter_of_several_parts_is_not_cut_within(size: str) -> None:
    (found,) = marks_of(read(drawn(scene([mark("a", name="👩‍👩‍👧" * 12)], size))))
    shown = part_of(found, "name")
    assert shown is not None
    assert shown.text
    assert set(shown.text.removesuffix("…").split("👩‍👩‍👧")) <= {"", "👩", "👩‍👩"}


def test_a_name_is_as_long_in_every_font() -> None:
    (found,) = marks_of(read(drawn(scene([mark("a", name="Picking")]))))
    shown = part_of(found, "name")
    assert shown is not None
    assert float(shown.get("textLength", "")) == pytest.approx(box_of(found).width, abs=1)


def test_letters_that_are_as_wide_as_high_get_the_room_they_need() -> None:
    (found,) = marks_of(read(drawn(scene([mark("a", name="日本語")]))))
    assert box_of(found).width >= 36


def test_numbers_are_those_of_the_reader() -> None:
    root = read(drawn(scene([mark("a")], locale="fr-FR", complexity=Axis("Complexité", 4_000, 1))))
    texts = {element.text for element in root.iter() if element.tag.endswith("}text")}
    assert "4\u00a0000" in texts or "4\u202f000" in texts


def places(root: Element, class_: str) -> dict[str, tuple[float, float]]:
    """Where the texts of a group stand."""
    (group,) = (each for each in root.iter() if each.get("class") == class_)
    return {each.text or "": (float(each.get("x", "")), float(each.get("y", ""))) for each in group if each.text}


@pytest.mark.parametrize("size", ["wide", "narrow"])
def test_amounts_stand_where_marks_of_as_much_do_and_leave_each_other_room(size: str) -> None:
    axes = {"complexity": Axis("Complexity", 40, 4), "value": Axis("Value", 2e8, 1e8)}
    root = read(drawn(scene([mark("a", 20, 5e7)], size, **axes)))
    amounts = places(root, "amounts")
    (symbol,) = (symbol_box(each, 0) for each in marks_of(root))
    assert amounts["20"][0] == pytest.approx(symbol.x, abs=1)
    assert amounts["50,000,000"][1] - 4 == pytest.approx(symbol.y, abs=1)
    plane = CANVASES[size].height
    below = sorted((x, width(text, 11)) for text, (x, y) in amounts.items() if y > plane + 5)
    assert len(below) > 2
    assert not [1 for (x, a), (other, b) in pairwise(below) if other - x < (a + b) / 2]


def test_what_stands_around_the_plane_has_room_within_the_drawing() -> None:
    axes = {"complexity": Axis("Complexity", 2e8, 1e8), "value": Axis("Value", 2e8, 1e8)}
    root = read(drawn(scene([], "narrow", heading="A long heading " * 9, locale="fr-FR", **axes)))
    wide = float(root.get("viewBox", "").split()[2])
    plane = next(each for each in root.iter() if each.get("class") == "plane")
    left, _top = moved_by(plane)
    for text, (x, _y) in places(root, "amounts").items():
        room = width(text, 11)
        assert left + x - (room if x < 0 else room / 2) > 20 * (x < 0)
        assert left + x + room / 2 * (x >= 0) <= wide
    heading = next(each for each in root if each.text and each.text.startswith("A long"))
    assert heading.text is not None
    assert heading.text.endswith("…")


def test_the_same_scene_is_drawn_the_same() -> None:
    assert drawn(scene(many(40))) == drawn(scene(many(40)))


def test_a_scene_comes_through_as_it_is() -> None:
    given = scene([mark("a", name="é\n\u2028🎉")])
    assert "\n" not in given.to_json()
    assert Scene.from_json(given.to_json()) == given
