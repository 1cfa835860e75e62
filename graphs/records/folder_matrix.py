"""The matrix of one folder: its use cases with their places, those that still have to be rated apart."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

from pydantic import ValidationError

from graphs.models import Folder, Object, UseCase
from graphs.objects.headers import rows_named
from graphs.records.drawing.scene import Axis
from graphs.records.folders import MatrixShape
from graphs.records.kinds import FOLDER
from graphs.records.matrix import Matrix, Place, Places, Quadrant, Side
from graphs.site.access import Member, or_not_found

#: Use cases of one folder that its matrix has; further ones, by name, are left out.
MOST = 10_000
#: Rows of one page of the table.
PAGE = 100


@dataclass(frozen=True, slots=True)
class Rated:
    """A use case with its place; where a rating is missing it has none yet, and `place` is what there is."""

    id: str
    name: str
    status: str
    place: Place


@dataclass(frozen=True, slots=True)
class Cell:
    """The part of the plane in the n-th column and row of so many."""

    columns: int
    rows: int
    column: int
    row: int

    def __str__(self) -> str:
        return "-".join(map(str, (self.columns, self.rows, self.column, self.row)))

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """The cell that `str` made the text of; None for any other text."""
        parts = text.split("-")
        if len(parts) != 4 or not all(part.isascii() and part.isdigit() and len(part) <= 2 for part in parts):
            return None
        columns, rows, column, row = map(int, parts)
        return cls(columns, rows, column, row) if columns and rows else None


@dataclass(frozen=True)
class FolderMatrix:
    """`use_cases` are in the order of their names, `count` is how many the folder has."""

    folder: Folder
    matrix: Matrix
    use_cases: Sequence[Rated]
    count: int

    @property
    def is_cut(self) -> bool:
        return self.count > len(self.use_cases)

    @property
    def has_axes(self) -> bool:
        return bool(self.matrix.value.axes and self.matrix.complexity.axes)

    @cached_property
    def placed(self) -> list[Rated]:
        """Those that have a rating on every axis."""
        return [each for each in self.use_cases if not each.place.unrated] if self.has_axes else []

    @cached_property
    def unrated(self) -> list[Rated]:
        """Those that lack a rating; without axes there is none to lack."""
        return [each for each in self.use_cases if each.place.unrated] if self.has_axes else []

    def cell(self, use_case: Rated, columns: int, rows: int) -> Cell:
        """Where a use case is if the plane has so many columns and rows."""
        place, matrix = use_case.place, self.matrix
        column = _part(axis_of("", matrix.complexity), place.complexity.points, columns)
        return Cell(columns, rows, column, _part(axis_of("", matrix.value), place.value.points, rows))

    def within(self, cell: Cell | None) -> list[Rated]:
        """The placed use cases of a cell, all of them without one."""
        if cell is None:
            return self.placed
        return [each for each in self.placed if self.cell(each, cell.columns, cell.rows) == cell]


def axis_of(name: str, side: Side) -> Axis:
    """The side as it is drawn: as far as it can amount to, and to its threshold, with room for what reaches that."""
    beyond = side.threshold * 1.25 if side.threshold == side.most else 0.0
    return Axis(name, max(side.most, side.threshold, beyond) or 1.0, side.threshold)


def matrix_of(folder: Folder, config: Mapping[str, Any] | None = None) -> FolderMatrix:
    """The matrix of a folder, by another configuration if one is given."""
    matrix = _matrix(folder.matrix_config if config is None else config)
    columns = ("pk", "name", "status", "data__valueScores", "data__complexityScores")
    held = UseCase.objects.filter(folder=folder)
    rows = held.order_by("name", "pk").values_list(*columns)[: MOST + 1]
    places = Places(matrix)
    use_cases = [
        Rated(str(key), name, status, places.of({"valueScores": value, "complexityScores": complexity}))
        for key, name, status, value, complexity in rows
    ]
    count = len(use_cases) if len(use_cases) <= MOST else held.count()
    return FolderMatrix(folder, matrix, use_cases[:MOST], count)


def folder_for(member: Member, key: str) -> Folder:
    """A folder of the member's workspace. Foreign and absent alike raise `NotFound`."""
    return or_not_found(rows_named(member, FOLDER, [key]).get(key.lower()))


def version_of(folder: Folder) -> int:
    """The version of a folder; one that nobody has spoken of is at its first."""
    headers = Object.objects.filter(workspace=folder.workspace_id, type=FOLDER.name, key=str(folder.pk))
    return headers.values_list("version", flat=True).first() or 1


#: What the table may be ordered by; names come second.
ORDERS: Mapping[str, Callable[[Rated], Any]] = {
    "name": lambda each: each.name.casefold(),
    "status": lambda each: each.status,
    "value": lambda each: each.place.value.points,
    "complexity": lambda each: each.place.complexity.points,
    "quadrant": lambda each: list(Quadrant).index(each.place.quadrant),
}
DEFAULT_ORDER = "-value"


def ordered(use_cases: Sequence[Rated], order: str) -> list[Rated]:
    """Use cases by one of `ORDERS`, with a minus in front descending."""
    return sorted(use_cases, key=ORDERS[order.removeprefix("-")], reverse=order.startswith("-"))


def _matrix(config: Mapping[str, Any]) -> Matrix:
    """The matrix of a configuration. One that other code saved in no shape has no axes."""
    try:
        MatrixShape.model_validate(config)
    except ValidationError:
        return Matrix.of({})
    return Matrix.of(config)


def _part(axis: Axis, amount: float, parts: int) -> int:
    """In which of so many parts of an axis an amount is; none of them reaches over the threshold."""
    split, share = axis.split, axis.share(amount)
    below = min(max(round(split * parts), 1), parts - 1) if split > 0 else 0
    if amount < axis.threshold and below:
        return min(int(share / split * below), below - 1)
    return min(below + int((share - split) / ((1 - split) or 1) * (parts - below)), parts - 1)
