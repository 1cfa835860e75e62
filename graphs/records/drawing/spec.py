"""What the library is asked to draw: a specification of Vega. Texts are values in it, never expressions."""

from collections.abc import Iterable, Sequence
from typing import Any

from graphs.records.drawing.placing import CORNER, NAME_HEIGHT, Box, Name, Spot, is_beside
from graphs.records.drawing.scene import Axis, Mark, Scene

#: The first is in the library; elsewhere letters are as wide.
FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
NAME_SIZE = 12
INK, MUTED, LINE, PAPER = "#1a2030", "#586176", "#d7dce6", "#ffffff"
#: Shape and colour of each status; pages give colours of their own (`matrix.css`).
LOOKS = {
    "draft": ("circle", "#586176"),
    "generating": ("diamond", "#875800"),
    "ready": ("square", "#1b6b40"),
    "archived": ("cross", "#838ca0"),
}
_SYMBOL = 95
_SCHEMA = "https://vega.github.io/schema/vega/v6.json"


def measuring(names: Iterable[str]) -> dict[str, Any]:
    """A drawing whose rectangles are as wide as the names."""
    text = {"text": {"field": "name"}, "font": {"value": FONT}, "fontSize": {"value": NAME_SIZE}}
    box = {side: {"field": f"bounds.{side}"} for side in ("x", "x2", "y", "y2")}
    box["x"] = {"field": "bounds.x1"}
    box["y"] = {"field": "bounds.y1"}
    return {
        "$schema": _SCHEMA,
        "data": [{"name": "names", "values": [{"name": name} for name in names]}],
        "marks": [
            {"type": "text", "name": "texts", "from": {"data": "names"}, "encode": {"enter": text}},
            {"type": "rect", "name": "boxes", "from": {"data": "texts"}, "encode": {"enter": box}},
        ],
    }


def drawing(scene: Scene, spots: Sequence[Spot], names: Sequence[Name | None]) -> dict[str, Any]:
    """The drawing of a scene whose marks and names are at these places."""
    boxes = [name.box if name else None for name in names]
    shown = [_shown(*each) for each in zip(scene.marks, spots, names, strict=True)]
    return {
        "$schema": _SCHEMA,
        "width": scene.canvas.width,
        "height": scene.canvas.height,
        "padding": 8,
        "background": PAPER,
        **({"title": _heading(scene)} if scene.heading else {}),
        "config": {"text": {"font": FONT}, "axis": {"labelFont": FONT, "titleFont": FONT}},
        "data": [
            {"name": "of marks", "values": shown},
            {"name": "of leaders", "values": [_leader(*each) for each in zip(spots, boxes, strict=True)]},
            {"name": "of corners", "values": _corners(scene)},
        ],
        "scales": [
            {"name": "x", **_scale(scene.complexity, 0, scene.canvas.width)},
            {"name": "y", **_scale(scene.value, scene.canvas.height, 0)},
            {"name": "colour", "type": "ordinal", "domain": _labels(scene), "range": _looks(scene, 1)},
            {"name": "shape", "type": "ordinal", "domain": _labels(scene), "range": _looks(scene, 0)},
        ],
        "axes": [_axis(scene.complexity, "bottom", "x"), _axis(scene.value, "left", "y")],
        "legends": [_legend(scene)],
        "marks": [*_thresholds(scene), _corner_names(), _leaders(), _boxes(), _symbols(), _counts(), _names()],
    }


def _heading(scene: Scene) -> dict[str, Any]:
    """As wide as the plane; a longer one is cut."""
    look = {"font": FONT, "fontSize": 15, "color": INK, "anchor": "start", "offset": 10}
    return {"text": scene.heading, "limit": scene.canvas.width, **look}


def _scale(axis: Axis, begin: float, end: float) -> dict[str, Any]:
    """From one side of the plane to the other, with the threshold where `placing` has it."""
    if not 0 < axis.threshold < axis.most:
        return {"domain": [0, axis.most or 1], "range": [begin, end]}
    return {"domain": [0, axis.threshold, axis.most], "range": [begin, begin + (end - begin) * axis.split, end]}


def _shown(mark: Mark, spot: Spot, name: Name | None) -> dict[str, Any]:
    """A mark with what the library needs of it, in units of the drawing."""
    box = name.box if name else Box(spot.x, spot.y, 0, 0)
    shape, colour = LOOKS.get(mark.status, ("circle", MUTED))
    return {
        "x": spot.x,
        "y": spot.y,
        "size": _SYMBOL if mark.count == 1 else 3.1416 * spot.radius**2,
        "shape": shape,
        "colour": colour,
        "count": str(mark.count) if mark.count > 1 else "",
        "name": name.text if name else "",
        "left": box.x,
        "top": box.y,
        "width": box.width,
        "height": box.height,
    }


def _leader(spot: Spot, box: Box | None) -> dict[str, float]:
    """The line from a mark to its name; without length where the name is beside it."""
    x, y = box.nearest(spot) if box else (spot.x, spot.y)
    near = not box or is_beside(spot, box)
    return {"x": spot.x, "y": spot.y, "x2": spot.x if near else x, "y2": spot.y if near else y}


def _axis(axis: Axis, orient: str, scale: str) -> dict[str, Any]:
    return {
        "orient": orient,
        "scale": scale,
        "title": axis.name,
        "tickCount": 6,
        "grid": True,
        "gridColor": LINE,
        "gridOpacity": 0.6,
        "domainColor": MUTED,
        "tickColor": MUTED,
        "labelColor": MUTED,
        "titleColor": INK,
        "titleFontSize": 13,
        "labelFontSize": 11,
        "labelOverlap": True,
    }


def _legend(scene: Scene) -> dict[str, Any]:
    return {
        "fill": "colour",
        "shape": "shape",
        "orient": "top",
        "direction": "horizontal",
        "columns": 2 if scene.size == "narrow" else 4,
        "labelFont": FONT,
        "labelFontSize": 12,
        "labelColor": INK,
        "symbolSize": _SYMBOL,
        "columnPadding": 24,
        "rowPadding": 6,
    }


def _labels(scene: Scene) -> list[str]:
    return [label for _status, label in scene.statuses]


def _looks(scene: Scene, which: int) -> list[str]:
    return [LOOKS[status][which] for status, _label in scene.statuses]


def _thresholds(scene: Scene) -> list[dict[str, Any]]:
    """Two lines through the plane, where the library's scales put the thresholds."""
    width, height = {"value": scene.canvas.width}, {"value": scene.canvas.height}
    dashed = {"stroke": {"value": MUTED}, "strokeDash": {"value": [6, 4]}, "strokeWidth": {"value": 1.2}}
    x, y = ({"scale": scale, "value": axis.threshold} for scale, axis in (("x", scene.complexity), ("y", scene.value)))
    across = {"x": {"value": 0}, "x2": width, "y": y, **dashed}
    up = {"y": {"value": 0}, "y2": height, "x": x, **dashed}
    return [
        {"type": "rule", "name": f"threshold-{number}", "encode": {"enter": each}}
        for number, each in enumerate((across, up))
    ]


def _corners(scene: Scene) -> list[dict[str, Any]]:
    """The names of the quadrants, each in its corner."""
    right, bottom = scene.canvas.width - CORNER, scene.canvas.height - 7
    at = ((CORNER, 16, "left"), (right, 16, "right"), (CORNER, bottom, "left"), (right, bottom, "right"))
    return [
        {"text": text, "x": x, "y": y, "align": align} for text, (x, y, align) in zip(scene.quadrants, at, strict=True)
    ]


def _corner_names() -> dict[str, Any]:
    look = {
        "fill": {"value": MUTED},
        "fontSize": {"value": 12},
        "fontStyle": {"value": "italic"},
        "font": {"value": FONT},
    }
    return _mark("text", "corners", "corners", _fields("x", "y", "text", "align") | look)


def _leaders() -> dict[str, Any]:
    return _mark(
        "rule",
        "leaders",
        "leaders",
        _fields("x", "y", "x2", "y2") | {"stroke": {"value": MUTED}, "strokeWidth": {"value": 0.7}},
    )


def _boxes() -> dict[str, Any]:
    at = {"x": {"field": "left"}, "y": {"field": "top"}} | _fields("width", "height")
    return _mark("rect", "boxes", "marks", at | {"fill": {"value": PAPER}, "fillOpacity": {"value": 0.8}})


def _symbols() -> dict[str, Any]:
    look = {"fill": {"field": "colour"}, "stroke": {"value": PAPER}, "strokeWidth": {"value": 1}}
    return _mark("symbol", "symbols", "marks", _fields("x", "y", "size", "shape") | look)


def _counts() -> dict[str, Any]:
    centred = {"align": {"value": "center"}, "baseline": {"value": "middle"}, "fill": {"value": PAPER}}
    look = centred | {"fontSize": {"value": 11}, "fontWeight": {"value": "bold"}, "font": {"value": FONT}}
    return _mark("text", "counts", "marks", _fields("x", "y") | {"text": {"field": "count"}} | look)


def _names() -> dict[str, Any]:
    at = {"x": {"field": "left"}, "y": {"field": "top", "offset": NAME_HEIGHT / 2}, "baseline": {"value": "middle"}}
    text = {"text": {"field": "name"}, "fill": {"value": INK}}
    return _mark("text", "names", "marks", at | text | {"fontSize": {"value": NAME_SIZE}, "font": {"value": FONT}})


def _fields(*names: str) -> dict[str, Any]:
    return {name: {"field": name} for name in names}


def _mark(type_: str, name: str, data: str, encoded: dict[str, Any]) -> dict[str, Any]:
    return {"type": type_, "name": name, "from": {"data": f"of {data}"}, "encode": {"enter": encoded}}
