"""Places for nodes whose file gives none: rows under what has a place. Called by the readers."""

from collections.abc import Iterable
from itertools import count

COLUMNS = 6
COLUMN_WIDTH = 260.0
ROW_HEIGHT = 140.0

Position = tuple[float, float]


def fill(positions: Iterable[tuple[str, Position | None]]) -> list[Position]:
    """A place for each node. Input: per node its sheet and its place or None, in order; places are x, y in pixels."""
    given = list(positions)
    bottoms: dict[str, float] = {}
    for sheet, position in given:
        if position is not None:
            bottoms[sheet] = max(bottoms.get(sheet, position[1]), position[1])
    numbers: dict[str, count[int]] = {}
    return [
        position or _cell(next(numbers.setdefault(sheet, count())), bottoms.get(sheet, -ROW_HEIGHT) + ROW_HEIGHT)
        for sheet, position in given
    ]


def _cell(number: int, top: float) -> Position:
    row, column = divmod(number, COLUMNS)
    return column * COLUMN_WIDTH, top + row * ROW_HEIGHT
