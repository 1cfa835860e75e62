"""The drawing of a scene as SVG: it can be read aloud, reached by keyboard, and coloured by a page."""

import math
from collections.abc import Sequence
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from graphs.records.drawing import axes, placing
from graphs.records.drawing.elements import add, element, moved
from graphs.records.drawing.looks import INK, LOOKS, MUTED, OTHER, PAPER
from graphs.records.drawing.placing import CORNER, NAME_HEIGHT, RADIUS, Box, Spot
from graphs.records.drawing.scene import Mark, Scene
from graphs.records.drawing.texts import FAMILY, cut, width

#: The size of names and of what the legend says, and of the counts in marks.
_SIZE, _COUNT_SIZE = 12, 11
_HEADING_SIZE = 15
#: Bold letters are so much wider.
_BOLD = 1.1
_PAD = 8
_HEADING, _ROW, _BELOW_LEGEND = 25, 18, 12
#: How far the words of the legend are from its symbols, and its columns from each other.
_LEGEND_WORD, _LEGEND_GAP = 16, 24
#: From the middle of a line of names to the line that they stand on, in sizes of the font.
_MIDDLE = 0.33
#: How much smaller a symbol is than what it may take.
_APART = 0.6


def svg(scene: Scene) -> bytes:
    """The drawing of a scene."""
    corners = [width(text, _SIZE) for text in scene.quadrants]
    widths = [width(mark.name, _SIZE) for mark in scene.marks]
    spots = placing.spots(scene, corners)
    boxes = placing.names(widths, spots, corners, scene.canvas, placing.threshold_lines(scene))
    root, plane = _frame(scene)
    axes.draw(plane, scene)
    _draw_thresholds(plane, scene)
    _draw_corners(plane, scene, corners)
    _draw_leaders(plane, scene.marks, spots, boxes)
    marks = add(plane, "g", class_="marks", font_size=_SIZE)
    for mark, spot, box in zip(scene.marks, spots, boxes, strict=True):
        _draw_mark(marks, mark, spot, box)
    return ElementTree.tostring(root, encoding="unicode").encode()


def _frame(scene: Scene) -> tuple[Element, Element]:
    """The drawing with all that stands around its plane, and the plane, which is empty."""
    rows = math.ceil(len(scene.statuses) / _legend_columns(scene))
    left = math.ceil(_PAD + axes.left_of(scene))
    heading = _HEADING if scene.heading else 0
    top = _PAD + heading + rows * _ROW + _BELOW_LEGEND
    wide = left + scene.canvas.width + math.ceil(_PAD + max(axes.right_of(scene), RADIUS))
    high = top + scene.canvas.height + axes.BELOW
    root = element(
        "svg",
        xmlns="http://www.w3.org/2000/svg",
        class_=f"matrix-drawing {scene.size}",
        viewBox=f"0 0 {wide} {high}",
        width=wide,
        role="group",
        aria_labelledby="matrix-title",
        aria_describedby="matrix-description",
        font_family=FAMILY,
    )
    add(root, "title", scene.title, id="matrix-title")
    add(root, "desc", scene.description, id="matrix-description")
    add(root, "rect", width=wide, height=high, fill=PAPER)
    if scene.heading:
        text = cut(scene.heading, _HEADING_SIZE * _BOLD, wide - 2 * _PAD)
        add(root, "text", text, x=_PAD, y=_PAD + 13, font_size=_HEADING_SIZE, font_weight="bold", fill=INK)
    at = moved(left, _PAD + heading)
    _draw_legend(add(root, "g", class_="legend", transform=at, font_size=_SIZE, fill=INK), scene)
    return root, add(root, "g", class_="plane", transform=moved(left, top))


def _legend_columns(scene: Scene) -> int:
    return 2 if scene.size == "narrow" else 4


def _draw_legend(legend: Element, scene: Scene) -> None:
    columns, x = _legend_columns(scene), 0.0
    for column in range(columns):
        statuses = scene.statuses[column::columns]
        for row, (status, label) in enumerate(statuses):
            y, look = (row + 0.5) * _ROW, LOOKS[status]
            shape, at = look.path(RADIUS - _APART), moved(x + RADIUS, y)
            add(legend, "path", class_=f"status-{status}", d=shape, transform=at, fill=look.colour)
            length = _as_long_as(width(label, _SIZE))
            add(legend, "text", label, x=x + _LEGEND_WORD, y=y + _MIDDLE * _SIZE, **length)
        x += _LEGEND_WORD + max((width(label, _SIZE) for _status, label in statuses), default=0.0) + _LEGEND_GAP


def _draw_thresholds(plane: Element, scene: Scene) -> None:
    wide, high = scene.canvas.width, scene.canvas.height
    x, y = wide * scene.complexity.split, high * (1 - scene.value.split)
    lines = add(plane, "g", class_="thresholds", stroke=MUTED, stroke_width=1.2, stroke_dasharray="6,4")
    add(lines, "line", x1=0, x2=wide, y1=y, y2=y)
    add(lines, "line", x1=x, x2=x, y1=0, y2=high)


def _draw_corners(plane: Element, scene: Scene, widths: Sequence[float]) -> None:
    """The names of the quadrants, each in its corner."""
    right, bottom = scene.canvas.width - CORNER, scene.canvas.height - 7
    at = ((CORNER, 16, "start"), (right, 16, "end"), (CORNER, bottom, "start"), (right, bottom, "end"))
    names = add(plane, "g", class_="corners", font_size=_SIZE, font_style="italic", fill=MUTED)
    for text, length, (x, y, anchor) in zip(scene.quadrants, widths, at, strict=True):
        add(names, "text", text, x=x, y=y, text_anchor=anchor, **_as_long_as(length))


def _as_long_as(length: float) -> dict[str, str | float]:
    """Makes a text so long in every font of a reader."""
    return {"textLength": math.floor(length), "lengthAdjust": "spacingAndGlyphs"}


def _draw_leaders(plane: Element, marks: Sequence[Mark], spots: Sequence[Spot], boxes: Sequence[Box | None]) -> None:
    """Lines from marks to their names that do not stand beside them."""
    lines = add(plane, "g", class_="leaders", stroke=MUTED, stroke_width=0.7)
    for mark, spot, box in zip(marks, spots, boxes, strict=True):
        if box and not placing.is_beside(spot, box):
            x, y = box.nearest(spot)
            add(lines, "line", x1=spot.x, x2=x, y1=spot.y, y2=y, data_leader=mark.key)


def _draw_mark(marks: Element, mark: Mark, spot: Spot, box: Box | None) -> None:
    """A link that tells what it is, with the box behind the name, the symbol, and the name or the count."""
    kind = f"status-{mark.status}" if mark.count == 1 else "cluster"
    link = add(marks, "a", href=mark.href, class_=f"mark {kind}", data_key=mark.key, aria_label=mark.told)
    add(link, "title", mark.told)
    if box:
        behind = add(link, "rect", class_="box", x=box.x, y=box.y, width=box.width, height=box.height)
        behind.attrib |= {"fill": PAPER, "fill-opacity": "0.8"}
    look = LOOKS.get(mark.status, OTHER)
    shape, at = look.path(spot.radius - _APART), moved(spot.x, spot.y)
    add(link, "path", class_="symbol", d=shape, transform=at, fill=look.colour, stroke=PAPER, stroke_width=1)
    if mark.count > 1:
        _draw_count(link, mark.count, spot)
    if box:
        _draw_name(link, mark.name, box)


def _draw_count(link: Element, count: int, spot: Spot) -> None:
    y = spot.y + _MIDDLE * _COUNT_SIZE
    text = add(link, "text", str(count), class_="count", x=spot.x, y=y, font_size=_COUNT_SIZE, fill=PAPER)
    text.attrib |= {"text-anchor": "middle", "font-weight": "bold"}


def _draw_name(link: Element, name: str, box: Box) -> None:
    """The name, cut to its box."""
    text, y = cut(name, _SIZE, box.width), box.y + NAME_HEIGHT / 2 + _MIDDLE * _SIZE
    length = _as_long_as(min(width(text, _SIZE), box.width))
    shown = add(link, "text", text, class_="name", x=box.x, y=y, fill=INK, **length)
    # For pictures: fonts that have other scripts have thin letters where nothing is said. Browsers do not know it.
    shown.set("font-variation-settings", '"wght" 400')
