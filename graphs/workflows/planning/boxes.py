"""The rectangles of nodes, as the drawing shows them, and free places between them."""

from collections.abc import Iterable
from dataclasses import dataclass

from graphs.objects.operations import Record

#: As in `graphs/static/graphs/view/model/model.js` and `handles.js`.
CARD = (190.0, 64.0)
NOTE = (240.0, 160.0)
HANDLE_SPACING = 17.0
TITLED_HANDLE = 92.0
#: Room between nodes along the direction of the edges, and across it.
GAP_ALONG = 70.0
GAP_ACROSS = 36.0


@dataclass(frozen=True, slots=True)
class Box:
    """`x` and `y` are the upper left corner."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.x + self.width

    @property
    def bottom(self) -> float:
        return self.y + self.height

    def overlaps(self, other: "Box") -> bool:
        return self.x < other.right and other.x < self.right and self.y < other.bottom and other.y < self.bottom

    def at(self, x: float, y: float) -> "Box":
        return Box(x, y, self.width, self.height)


def box_of(node: Record) -> Box:
    """Where a node is drawn, grown so that its handles have room."""
    note = node["type"] == "note"
    default = NOTE if note else CARD
    width, height = node["width"] or default[0], node["height"] or default[1]
    if not note and not (node["width"] and node["height"]):
        across, down = (max(len(node["handles"].get(side, ())) for side in sides) for sides in ("TB", "LR"))
        # Handles on top and at the bottom may have titles, which take more room.
        width = max(width, TITLED_HANDLE * across if across > 1 else 0)
        height = max(height, HANDLE_SPACING * (down + 1))
    return Box(node["posX"], node["posY"], width, height)


def bounds(boxes: Iterable[Box]) -> Box:
    """The rectangle around all of them; there must be one."""
    boxes = list(boxes)
    x, y = min(box.x for box in boxes), min(box.y for box in boxes)
    return Box(x, y, max(box.right for box in boxes) - x, max(box.bottom for box in boxes) - y)


def free_y(wanted: Box, others: Iterable[Box]) -> float:
    """The upper edge nearest to the wanted one at which the box leaves a gap to all others."""
    taken = sorted(
        (other.y - GAP_ACROSS - wanted.height, other.bottom + GAP_ACROSS)
        for other in others
        if other.x < wanted.right + GAP_ACROSS and wanted.x < other.right + GAP_ACROSS
    )
    top = bottom = float("-inf")
    for start, end in taken:
        if start >= bottom:
            if top < wanted.y < bottom:
                break
            top, bottom = start, end
        bottom = max(bottom, end)
    if not top < wanted.y < bottom:
        return wanted.y
    return top if wanted.y - top < bottom - wanted.y else bottom
