"""The axes of a drawing: round amounts in the numbers of its reader, with lines through the plane."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from xml.etree.ElementTree import Element

from graphs.records.drawing.elements import add, moved
from graphs.records.drawing.looks import INK, LINE, MUTED
from graphs.records.drawing.scene import Axis, Scene
from graphs.records.drawing.texts import width

#: About so many steps from one end of an axis to the other.
_STEPS = 6
#: Weights may be so small that amounts have no digits that one could read: below this an axis has its 0 alone.
_LEAST = 1e-6
#: What stands between thousands, and before what is less than one.
_SIGNS = {"en-US": (",", "."), "fr-FR": ("\u202f", ",")}
_LABEL_SIZE, _TITLE_SIZE = 11, 13
#: How long the line at an amount is, and how far its label is from the plane.
_TICK, _LABEL = 5, 7
#: The least distance of two labels.
_GAP = 4
#: What the axis below the plane takes there.
BELOW = 40


@dataclass(frozen=True, slots=True)
class Tick:
    """An amount: how far along the plane it stands, from 0 to 1, and its label."""

    share: float
    label: str

    @property
    def width(self) -> float:
        return width(self.label, _LABEL_SIZE)


def ticks(axis: Axis, locale: str) -> list[Tick]:
    """The round amounts of an axis, from 0 on."""
    if axis.most < _LEAST:
        return [Tick(0.0, "0")]
    step = _round(axis.most / _STEPS)
    digits = max(-math.floor(math.log10(step)), 0)
    thousands, point = _SIGNS[locale]
    signs = str.maketrans({",": thousands, ".": point})
    amounts = [number * step for number in range(math.floor(axis.most / step * (1 + 1e-9)) + 1)]
    return [Tick(axis.share(amount), f"{amount:,.{digits}f}".translate(signs)) for amount in amounts]


def _round(amount: float) -> float:
    """1, 2 or 5 times a power of ten, whichever is nearest to an amount."""
    power = 10.0 ** math.floor(math.log10(amount))
    return min((factor * power for factor in (1, 2, 5, 10)), key=lambda step: abs(math.log(step / amount)))


def left_of(scene: Scene) -> float:
    """What the axis at the left of the plane takes there."""
    return max(tick.width for tick in ticks(scene.value, scene.locale)) + _LABEL + _TITLE_SIZE + 6


def right_of(scene: Scene) -> float:
    """What the last label below the plane may take at its right."""
    return ticks(scene.complexity, scene.locale)[-1].width / 2


def draw(plane: Element, scene: Scene) -> None:
    """Adds both axes to the plane."""
    wide, high = scene.canvas.width, scene.canvas.height
    across = [(tick, round(wide * tick.share)) for tick in ticks(scene.complexity, scene.locale)]
    up = [(tick, round(high * (1 - tick.share))) for tick in ticks(scene.value, scene.locale)]
    # Half a unit more, so that a line of one unit covers whole pixels.
    grid = add(plane, "g", class_="grid", transform=moved(0.5, 0.5), stroke=LINE, stroke_opacity=0.6)
    lines = add(plane, "g", class_="axis", transform=moved(0.5, 0.5), stroke=MUTED)
    for _tick, x in across:
        add(grid, "line", x1=x, x2=x, y1=0, y2=high)
        add(lines, "line", x1=x, x2=x, y1=high, y2=high + _TICK)
    for _tick, y in up:
        add(grid, "line", x1=0, x2=wide, y1=y, y2=y)
        add(lines, "line", x1=-_TICK, x2=0, y1=y, y2=y)
    add(lines, "line", x1=0, x2=wide, y1=high, y2=high)
    add(lines, "line", x1=0, x2=0, y1=0, y2=high)
    labels = add(plane, "g", class_="amounts", font_size=_LABEL_SIZE, fill=MUTED)
    for tick, place in _apart([(tick, x, tick.width) for tick, x in across]):
        add(labels, "text", tick.label, x=place, y=high + _LABEL + 9, text_anchor="middle")
    for tick, place in _apart([(tick, y, _LABEL_SIZE) for tick, y in up]):
        add(labels, "text", tick.label, x=-_LABEL, y=place + 4, text_anchor="end")
    names = add(plane, "g", class_="axis-names", font_size=_TITLE_SIZE, font_weight="bold", fill=INK)
    add(names, "text", scene.complexity.name, x=wide / 2, y=high + BELOW - 8, text_anchor="middle")
    turned = f"{moved(_TITLE_SIZE - 3 - left_of(scene), high / 2)} rotate(-90)"
    add(names, "text", scene.value.name, transform=turned, text_anchor="middle")


def _apart(labels: Sequence[tuple[Tick, float, float]]) -> list[tuple[Tick, float]]:
    """Those of labels, with their places and how much room they take, that have it: all, every other one, or fewer."""
    found = list(labels)
    while any(abs(b - a) < (room + other) / 2 + _GAP for (_, a, room), (_, b, other) in pairwise(found)):
        found = found[::2]
    return [(tick, place) for tick, place, _room in found]
