"""What the library drew, made into a drawing that can be read aloud, reached by keyboard and coloured by a page."""

import math
import re
from collections.abc import Sequence
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from graphs.records.drawing.placing import Name
from graphs.records.drawing.scene import Mark, Scene

_SVG, _XLINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}"
_WIDTH = re.compile(r"^M[-\d.]+,[-\d.]+h([\d.]+)v")
#: The groups whose n-th children together show the n-th mark.
_PARTS = ("boxes", "symbols", "counts", "names")
ElementTree.register_namespace("", _SVG[1:-1])


def widths(svg: str) -> list[float]:
    """The widths of the rectangles of a measuring drawing."""
    (boxes,) = _groups(ElementTree.fromstring(svg), "boxes")  # noqa: S314 - the library wrote it
    found = [_WIDTH.match(box.get("d", "")) for box in boxes]
    return [float(match.group(1)) if match else 0.0 for match in found]


def finished(svg: str, scene: Scene, names: Sequence[Name | None], corners: Sequence[float]) -> str:
    """The drawing with a link for each mark, in whose words it is told, and with classes in place of the library's.

    `corners` are the widths of the names of the quadrants.
    """
    root = ElementTree.fromstring(svg)  # noqa: S314 - the library wrote it
    parts = {name: list(group) for name in _PARTS for group in _groups(root, name)}
    for element, name in zip(parts["names"], names, strict=True):
        if name:
            _fit(element, name.length)
    for group in _groups(root, "corners"):
        for element, width in zip(group, corners, strict=True):
            _fit(element, width)
    links = [_link(mark, [parts[name][index] for name in _PARTS]) for index, mark in enumerate(scene.marks)]
    _replace(root, links)
    _name_leaders(root, scene.marks)
    _colour_legend(root, scene)
    for element in root.iter():
        _clean(element)
    root.attrib.pop("height")
    root.set("width", root.attrib.pop("width"))
    root.set("class", f"matrix-drawing {scene.size}")
    _tell(root, scene)
    return ElementTree.tostring(root, encoding="unicode")


def _groups(root: Element, name: str) -> list[Element]:
    return [group for group in root.iter(f"{_SVG}g") if name in group.get("class", "").split()]


def _link(mark: Mark, parts: Sequence[Element]) -> Element:
    link = Element(f"{_SVG}a", {"href": mark.href, "class": _classes(mark), "data-key": mark.key})
    link.set("aria-label", mark.told)
    title = ElementTree.SubElement(link, f"{_SVG}title")
    title.text = mark.told
    for name, part in zip(_PARTS, parts, strict=True):
        if part.text or name == "symbols" or (name == "boxes" and mark.name):
            part.set("class", name.removesuffix("es") if name == "boxes" else name.removesuffix("s"))
            link.append(part)
    return link


def _fit(element: Element, length: float) -> None:
    """Makes a name as long in every font of a reader as it is in the library's."""
    element.set("textLength", str(math.floor(length)))
    element.set("lengthAdjust", "spacingAndGlyphs")


def _classes(mark: Mark) -> str:
    return f"mark status-{mark.status}" if mark.count == 1 else "mark cluster"


def _replace(root: Element, links: Sequence[Element]) -> None:
    """Puts the links where their parts were."""
    (last,) = _groups(root, "names")
    for name in _PARTS:
        for group in _groups(root, name):
            group.clear()
    last.set("class", "marks")
    last.extend(links)


def _name_leaders(root: Element, marks: Sequence[Mark]) -> None:
    for group in _groups(root, "leaders"):
        for line, mark in zip(list(group), marks, strict=True):
            line.set("data-leader", mark.key)
            if float(line.get("x2", 0)) == float(line.get("y2", 0)) == 0:
                group.remove(line)


def _colour_legend(root: Element, scene: Scene) -> None:
    """Names the symbols of the legend after their status, for the page to colour."""
    symbols = [path for group in _groups(root, "role-legend-symbol") for path in group.iter(f"{_SVG}path")]
    for symbol, (status, _label) in zip(symbols, scene.statuses, strict=True):
        symbol.set("class", f"status-{status}")


def _clean(element: Element) -> None:
    """Takes away styles, which a page's policy forbids, and the library's words for who hears the drawing read."""
    for name in ("style", "aria-roledescription", f"{_XLINK}href"):
        element.attrib.pop(name, None)
    if element.tag != f"{_SVG}a":
        element.attrib.pop("aria-label", None)
        element.attrib.pop("role", None)


def _tell(root: Element, scene: Scene) -> None:
    root.set("role", "group")
    root.set("aria-labelledby", "matrix-title")
    root.set("aria-describedby", "matrix-description")
    told = [("title", "matrix-title", scene.title), ("desc", "matrix-description", scene.description)]
    for index, (tag, id_, text) in enumerate(told):
        element = Element(f"{_SVG}{tag}", {"id": id_})
        element.text = text
        root.insert(index, element)
