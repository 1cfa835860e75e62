"""Where use cases are in the matrix of their folder: computed from ratings and weights each time, never stored."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import fsum
from typing import Any, Self

from graphs.records import limits


class Quadrant(StrEnum):
    HIGH_VALUE_LOW_COMPLEXITY = "highValueLowComplexity"
    HIGH_VALUE_HIGH_COMPLEXITY = "highValueHighComplexity"
    LOW_VALUE_LOW_COMPLEXITY = "lowValueLowComplexity"
    LOW_VALUE_HIGH_COMPLEXITY = "lowValueHighComplexity"


@dataclass(frozen=True, slots=True)
class Axis:
    """`points` are what its ratings give. Without levels a rating gives as many points as it is."""

    id: str
    name: str
    weight: float
    points: Mapping[int, float]

    @classmethod
    def of(cls, axis: Mapping[str, Any]) -> Self:
        points = {level["rating"]: level["points"] for level in axis.get("levels") or ()}
        points = points or {rating: rating for rating in range(1, limits.RATING + 1)}
        return cls(axis["id"], axis["name"], axis.get("weight", 1), points)

    @property
    def most(self) -> float:
        return self.weight * max(self.points.values())


@dataclass(frozen=True, slots=True)
class Amount:
    """What the ratings of one side amount to, of `most`. `unrated` are the axes whose rating is missing, by name.

    An axis that weighs nothing need not be rated.
    """

    points: float
    most: float
    unrated: tuple[str, ...]

    @property
    def share(self) -> float:
        """From 0 to 1; 0 where all axes weigh nothing."""
        return self.points / self.most if self.most else 0.0


@dataclass(frozen=True, slots=True)
class Side:
    """The axes of value, or of complexity. From `threshold` on an amount is high."""

    axes: tuple[Axis, ...]
    threshold: float

    @classmethod
    def of(cls, axes: Iterable[Mapping[str, Any]] | None, threshold: float | None) -> Self:
        """Without a threshold, half of what all axes give is high."""
        found = tuple(map(Axis.of, axes or ()))
        half = fsum(axis.most for axis in found) / 2
        return cls(found, half if threshold is None else threshold)

    @property
    def most(self) -> float:
        return fsum(axis.most for axis in self.axes)

    def amount(self, scores: Iterable[Mapping[str, Any]] | None) -> Amount:
        """What these scores amount to. Those of axes that are not there count nothing."""
        ratings = {score["axisId"]: score.get("rating") for score in scores or ()}
        points = {axis.id: axis.points.get(ratings.get(axis.id) or 0) for axis in self.axes}
        unrated = tuple(axis.name for axis in self.axes if axis.weight and points[axis.id] is None)
        return Amount(fsum(axis.weight * (points[axis.id] or 0) for axis in self.axes), self.most, unrated)

    def is_high(self, amount: Amount) -> bool:
        """Whether an amount reaches the threshold; nothing does where all axes weigh nothing."""
        return amount.most > 0 and amount.points >= self.threshold


@dataclass(frozen=True, slots=True)
class Place:
    """`x` is the share of complexity, `y` that of value."""

    value: Amount
    complexity: Amount
    quadrant: Quadrant

    @property
    def x(self) -> float:
        return self.complexity.share

    @property
    def y(self) -> float:
        return self.value.share

    @property
    def unrated(self) -> tuple[str, ...]:
        """The axes of both sides whose rating is missing, by name."""
        return (*self.value.unrated, *self.complexity.unrated)


@dataclass(frozen=True, slots=True)
class Matrix:
    """The axes and thresholds of a folder."""

    value: Side
    complexity: Side

    @classmethod
    def of(cls, matrix_config: Mapping[str, Any]) -> Self:
        """The matrix that a folder's `matrix_config` describes, which its shape has allowed."""
        thresholds = matrix_config.get("thresholds") or {}
        return cls(
            Side.of(matrix_config.get("valueAxes"), thresholds.get("value")),
            Side.of(matrix_config.get("complexityAxes"), thresholds.get("complexity")),
        )

    def place(self, data: Mapping[str, Any]) -> Place:
        """Where a use case with this data is."""
        value = self.value.amount(data.get("valueScores"))
        complexity = self.complexity.amount(data.get("complexityScores"))
        return Place(value, complexity, _quadrant(self.value.is_high(value), self.complexity.is_high(complexity)))

    def places(self, all_data: Sequence[Mapping[str, Any]]) -> list[Place]:
        """Where use cases are, in their order."""
        return [*map(Places(self).of, all_data)]


class Places:
    """Places by ratings: of thousands of use cases many are rated alike, and each place is computed once."""

    def __init__(self, matrix: Matrix) -> None:
        self._matrix = matrix
        self._known: dict[Any, Place] = {}

    def of(self, data: Mapping[str, Any]) -> Place:
        """Where a use case with this data is. Scores that other code saved in no shape are none."""
        try:
            ratings = (_ratings(data.get("valueScores")), _ratings(data.get("complexityScores")))
            found = self._known.get(ratings)
            if found is None:
                found = self._known[ratings] = self._matrix.place(data)
            return found
        except (AttributeError, KeyError, TypeError):
            return self._matrix.place({})


def titles_of_axes(matrix_config: Any, side: str) -> dict[str, str]:
    """What the axes of a side are called, by their ids; none of a configuration that other code saved in no shape."""
    axes = matrix_config.get(side) if isinstance(matrix_config, Mapping) else None
    found = [axis for axis in axes if isinstance(axis, Mapping)] if isinstance(axes, list) else []
    return {str(axis["id"]): str(axis["name"]) for axis in found if axis.get("id") and axis.get("name")}


def _ratings(scores: Any) -> tuple[Any, ...]:
    return tuple([(score["axisId"], score.get("rating")) for score in scores or ()])


def _quadrant(valuable: bool, complex_: bool) -> Quadrant:
    if valuable:
        return Quadrant.HIGH_VALUE_HIGH_COMPLEXITY if complex_ else Quadrant.HIGH_VALUE_LOW_COMPLEXITY
    return Quadrant.LOW_VALUE_HIGH_COMPLEXITY if complex_ else Quadrant.LOW_VALUE_LOW_COMPLEXITY
