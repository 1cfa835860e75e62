"""How Node-RED draws an entry: its rectangle and its points, which files do not hold. Called by `node_red`."""

from dataclasses import dataclass
from typing import Any

from graphs.models.workflows import MAX_NAME
from graphs.workflows.interchange.grid import Position
from graphs.workflows.interchange.parsed_graph import size_or

#: Pixels of the editor: the least width of a node, of a letter and of what surrounds the label; heights.
MIN_WIDTH, LETTER, AROUND_LABEL, RASTER = 100, 7, 57, 20
MIN_HEIGHT, OUTPUT_HEIGHT = 30, 15
GROUP_WIDTH, GROUP_HEIGHT = 200.0, 100.0

_STARTS = ("inject", "catch", "complete", "status", "watch", "unknown")


@dataclass(frozen=True, slots=True)
class Rectangle:
    """`position` is the upper left corner, None where the file has no place."""

    position: Position | None
    width: float
    height: float


def rectangle(entry_type: str, title: str, raw: dict[str, Any]) -> Rectangle:
    """The rectangle of an entry; its x and y are the centre, except for groups."""
    if entry_type == "group":
        width, height = size_or(raw.get("w"), GROUP_WIDTH), size_or(raw.get("h"), GROUP_HEIGHT)
        return Rectangle(_corner(raw, 0, 0), width, height)
    wanted = len(title[:MAX_NAME]) * LETTER + AROUND_LABEL
    width = float(max(MIN_WIDTH, -(-wanted // RASTER) * RASTER))
    height = float(max(MIN_HEIGHT, OUTPUT_HEIGHT * len(raw.get("wires") or ())))
    return Rectangle(_corner(raw, width / 2, height / 2), width, height)


def _corner(raw: dict[str, Any], left: float, above: float) -> Position | None:
    x, y = raw.get("x"), raw.get("y")
    return None if x is None or y is None else (x - left, y - above)


def handles(entry_type: str, raw: dict[str, Any], wired: bool) -> dict[str, Any]:
    """One input if the type has one or a wire leads there, and the outputs; none without `wires`."""
    sides: dict[str, list[dict[str, str]]] = {}
    if wired or ("wires" in raw and entry_type not in _STARTS and not entry_type.endswith(" in")):
        sides["L"] = [{"id": "in-0", "type": "in", "accept": "msg"}]
    outputs = [_output(raw, index) for index in range(len(raw.get("wires") or ()))]
    return sides | ({"R": outputs} if outputs else {})


def _output(raw: dict[str, Any], index: int) -> dict[str, str]:
    point = {"id": f"out-{index}", "type": "out", "accept": "msg"}
    label = output_label(raw, index)
    return point | {"label": label} if label else point


def output_label(raw: dict[str, Any], index: int) -> str:
    """What the author of the flow called this output, or nothing."""
    labels = raw.get("outputLabels")
    label = labels[index] if isinstance(labels, list) and index < len(labels) else ""
    return label[:MAX_NAME] if isinstance(label, str) else ""
