"""Scenes for tests, and the boxes that a finished drawing has."""

import random
import re
from collections.abc import Sequence
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from graphs.records.drawing.placing import Box
from graphs.records.drawing.scene import Axis, Mark, Scene

WORDS = (
    *("Predict", "demand", "Route", "optimisation", "Invoice", "matching", "Chat", "for", "customers", "Damage"),
    *("detection", "Shift", "planning"),
)
STATUSES = ("draft", "generating", "ready", "archived")
_MOVED = re.compile(r"translate\(([-\d.]+),([-\d.]+)\)")


def mark(key: str, complexity: float = 5, value: float = 5, name: str = "Picking", **more: object) -> Mark:
    given = {"status": "draft", "count": 1, "told": f"{name}, told", "href": f"/use-cases/{key}/"}
    return Mark(key=key, complexity=complexity, value=value, name=name, **given | more)  # type: ignore[arg-type]


def scene(marks: Sequence[Mark] = (), size: str = "wide", **more: object) -> Scene:
    given = {
        "locale": "en-US",
        "title": "Matrix of Warehouse",
        "description": "What it shows.",
        "complexity": Axis("Complexity", 32, 16),
        "value": Axis("Value", 32, 14),
        "quadrants": ("Quick wins", "Large projects", "Small extras", "Hard to justify"),
        "statuses": tuple((status, status.capitalize()) for status in STATUSES),
    }
    return Scene(size=size, marks=tuple(marks), **given | more)  # type: ignore[arg-type]


def many(count: int, seed: int = 7) -> list[Mark]:
    """Use cases with names of several words, many of them on or beside each other."""
    by = random.Random(seed)
    return [
        mark(
            f"id{index}",
            sum(by.choice([1, 2, 3, 5, 8]) * weight for weight in (1, 2, 1)),
            sum(by.choice([1, 2, 3, 5, 8]) * weight for weight in (2, 1, 1)),
            " ".join(by.sample(WORDS, by.randint(2, 6))),
            status=by.choice(STATUSES),
        )
        for index in range(count)
    ]


def marks_of(root: Element) -> list[Element]:
    return [each for each in root.iter() if "mark" in each.get("class", "").split()]


def part_of(mark: Element, class_: str) -> Element | None:
    return next((part for part in mark if part.get("class") == class_), None)


def read(drawing: bytes) -> Element:
    return ElementTree.fromstring(drawing)


def box_of(mark: Element) -> Box:
    """The box of the name of a mark, as its rectangle in the drawing says."""
    part = part_of(mark, "box")
    assert part is not None
    return Box(*(float(part.get(name, "")) for name in ("x", "y", "width", "height")))


def moved_by(element: Element) -> tuple[float, float]:
    found = _MOVED.match(element.get("transform", ""))
    assert found
    return float(found[1]), float(found[2])


def symbol_box(mark: Element, half: float = 4.5) -> Box:
    part = part_of(mark, "symbol")
    assert part is not None
    x, y = moved_by(part)
    return Box(x - half, y - half, 2 * half, 2 * half)
