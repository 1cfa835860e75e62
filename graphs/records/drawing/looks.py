"""How marks look on paper; pages give them colours of their own (`matrix.css`)."""

from collections.abc import Sequence
from dataclasses import dataclass

INK, MUTED, LINE, PAPER = "#1a2030", "#586176", "#d7dce6", "#ffffff"


@dataclass(frozen=True, slots=True)
class Look:
    """The corners of a shape that reaches from -1 to 1, none of a circle, and its colour."""

    corners: Sequence[tuple[float, float]]
    colour: str

    def path(self, radius: float) -> str:
        """The shape as large as this, about the point 0, 0."""
        if not self.corners:
            return f"M{radius:g},0A{radius:g},{radius:g},0,1,1,{-radius:g},0A{radius:g},{radius:g},0,1,1,{radius:g},0Z"
        return f"M{'L'.join(f'{x * radius:g},{y * radius:g}' for x, y in self.corners)}Z"


_SQUARE = ((-1, -1), (1, -1), (1, 1), (-1, 1))
_DIAMOND = ((0, -1), (1, 0), (0, 1), (-1, 0))
_ARM = 0.4
_CROSS = (
    *((-1, -_ARM), (-1, _ARM), (-_ARM, _ARM), (-_ARM, 1), (_ARM, 1), (_ARM, _ARM)),
    *((1, _ARM), (1, -_ARM), (_ARM, -_ARM), (_ARM, -1), (-_ARM, -1), (-_ARM, -_ARM)),
)
#: Of a number, and of a status that nobody knows.
OTHER = Look((), MUTED)
LOOKS = {
    "draft": OTHER,
    "generating": Look(_DIAMOND, "#875800"),
    "ready": Look(_SQUARE, "#1b6b40"),
    "archived": Look(_CROSS, "#838ca0"),
}
