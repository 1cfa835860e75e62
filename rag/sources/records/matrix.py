"""The matrix of a folder for a model: its rules, the place of each use case, and how many are where."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import F

from graphs.models import Folder
from graphs.records.kinds import FOLDER
from graphs.records.matrix import Matrix, Places, Side
from rag.sources.objects.family import Held

#: Sides of the scores in the data of a use case.
_SCORES = {"valueScores": F("data__valueScores"), "complexityScores": F("data__complexityScores")}
_CONFIG = tuple(field.name for field in FOLDER.fields if field.column == "matrix_config")


class PlacesOfUseCases:
    """Use cases by value against complexity."""

    def columns(self) -> Mapping[str, Any]:
        """Their scores."""
        return _SCORES

    def at(self, row: Folder) -> "MatrixOfFolder | None":
        """The matrix of a folder that has axes."""
        config = row.matrix_config
        return MatrixOfFolder(config) if config.get("valueAxes") or config.get("complexityAxes") else None


class MatrixOfFolder:
    """The matrix of one folder; places are computed once."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        self._config = config
        self._matrix = Matrix.of(config)
        self._places = Places(self._matrix)

    def of_holder(self) -> dict[str, Any]:
        """The axes with weights and levels, and from how many points on a side is high."""
        sides = (("value", self._matrix.value, "valueAxes"), ("complexity", self._matrix.complexity, "complexityAxes"))
        return {"matrix": {name: _rules(side, self._config.get(key) or ()) for name, side, key in sides}}

    def shown_fields(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """The fields without those that the rules say."""
        return {name: value for name, value in fields.items() if name not in _CONFIG}

    def of_each(self, held: Held) -> dict[str, Any]:
        """Points of both sides, the quadrant, and the axes that are not rated."""
        place = self._places.of(held.columns)
        return {
            "value": place.value.points,
            "complexity": place.complexity.points,
            "quadrant": str(place.quadrant),
            "unrated": list(place.unrated),
        }

    def of_all(self, held: Sequence[Held]) -> dict[str, Any]:
        """How many use cases are in each quadrant, and how many have a rating missing."""
        places = [self._places.of(each.columns) for each in held]
        quadrants = Counter(str(place.quadrant) for place in places)
        unrated = sum(bool(place.unrated) for place in places)
        return {"quadrants": dict(quadrants.most_common()), "withRatingsMissing": unrated}

    def order(self, held: Held) -> float:
        """What is most valuable for what it costs comes first."""
        place = self._places.of(held.columns)
        return place.x - place.y


def _rules(side: Side, axes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "most": side.most,
        "highFrom": side.threshold,
        "axes": [
            {"id": axis.id, "name": axis.name, "weight": axis.weight, "levels": _levels(raw)}
            for axis, raw in zip(side.axes, axes, strict=True)
        ],
    }


def _levels(axis: Mapping[str, Any]) -> str:
    """The ratings of an axis in a line: "1 none = 1; 2 a few = 3"."""
    levels = (
        (f"{each['rating']} {each.get('label', '')}".strip(), each["points"]) for each in axis.get("levels") or ()
    )
    return "; ".join(f"{called} = {points:g}" for called, points in levels)
