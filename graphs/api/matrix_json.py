"""The matrix of a folder as the API answers with it."""

from collections.abc import Iterable, Sequence
from typing import Self

from graphs.records.folder_matrix import FolderMatrix, Rated
from graphs.records.matrix import Axis, Matrix, Quadrant, Side
from graphs.site.shapes import Shape

#: Digits behind the point: sums of products are not exact beyond.
_DIGITS = 6
#: Characters of names of axes that are told as missing in one answer; what lacks further ones has only their count.
UNRATED_CHARS = 200_000


class MatrixAxisShape(Shape):
    """`most` is what its best level gives, its weight included."""

    id: str
    name: str
    weight: float
    most: float

    @classmethod
    def of(cls, axis: Axis) -> Self:
        return cls(id=axis.id, name=axis.name, weight=axis.weight, most=round(axis.most, _DIGITS))


class SideShape(Shape):
    """The axes of one side. From `threshold` on an amount is high; `most` is all that a side can amount to."""

    axes: list[MatrixAxisShape]
    most: float
    threshold: float

    @classmethod
    def of(cls, side: Side) -> Self:
        axes = [MatrixAxisShape.of(axis) for axis in side.axes]
        return cls(axes=axes, most=round(side.most, _DIGITS), threshold=round(side.threshold, _DIGITS))


class SidesShape(Shape):
    value: SideShape
    complexity: SideShape

    @classmethod
    def of(cls, matrix: Matrix) -> Self:
        return cls(value=SideShape.of(matrix.value), complexity=SideShape.of(matrix.complexity))


class PlacedShape(Shape):
    """`x` is the share of complexity and `y` that of value, from 0 to 1.

    While ratings are missing, `unrated` names their axes: the amounts are those so far, and there is no place. Where
    many names were told before, there is `unratedCount` instead.
    """

    id: str
    name: str
    status: str
    value: float
    complexity: float
    x: float | None
    y: float | None
    quadrant: Quadrant | None
    unrated: list[str]
    unrated_count: int | None = None

    @classmethod
    def of_all(cls, rows: Iterable[Rated]) -> list[Self]:
        found, room = [], UNRATED_CHARS
        for each in rows:
            room -= sum(map(len, each.place.unrated))
            found.append(cls.of(each, names_axes=room >= 0))
        return found

    @classmethod
    def of(cls, each: Rated, *, names_axes: bool) -> Self:
        place = each.place
        is_placed = not place.unrated
        counted = {} if names_axes or is_placed else {"unrated_count": len(place.unrated)}
        return cls(
            id=each.id,
            name=each.name,
            status=each.status,
            value=round(place.value.points, _DIGITS),
            complexity=round(place.complexity.points, _DIGITS),
            x=round(place.x, _DIGITS) if is_placed else None,
            y=round(place.y, _DIGITS) if is_placed else None,
            quadrant=place.quadrant if is_placed else None,
            unrated=list(place.unrated) if names_axes else [],
            **counted,
        )


class FolderMatrixShape(Shape):
    """`useCaseCount` is of all, where the folder has more use cases than the first ones by name, which are here."""

    axes: SidesShape
    use_cases: list[PlacedShape]
    use_case_count: int | None = None

    @classmethod
    def of(cls, matrix: FolderMatrix) -> Self:
        use_cases = PlacedShape.of_all(matrix.use_cases)
        return cls(axes=SidesShape.of(matrix.matrix), use_cases=use_cases, **_count_of(matrix))


class MatrixPreview(Shape):
    """What other weights would make of a matrix: the rows of one page of its table, and the drawing."""

    axes: SidesShape
    use_cases: list[PlacedShape]
    pages: int
    drawing: str
    use_case_count: int | None = None

    @classmethod
    def of(cls, matrix: FolderMatrix, rows: Sequence[Rated], pages: int, drawing: str) -> Self:
        use_cases = PlacedShape.of_all(rows)
        axes = SidesShape.of(matrix.matrix)
        return cls(axes=axes, use_cases=use_cases, pages=pages, drawing=drawing, **_count_of(matrix))


def _count_of(matrix: FolderMatrix) -> dict[str, int]:
    return {"use_case_count": matrix.count} if matrix.is_cut else {}
