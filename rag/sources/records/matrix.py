"""The matrix of a folder for a model: its rules, the place of each use case, and how many are where."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import F

from graphs.models import Folder
from graphs.records.kinds import FOLDER
from graphs.records.matrix import Matrix, Place, Side
from rag.sources.objects.family import Held

#: Sides of the scores in the data of a use case.
_SCORES = {"valueScores": F("data__valueScores"), "complexityScores": F("data__complexityScores")}
_CONFIG = tuple(field.name for field in FOLDER.fields if field.column == "matrix_config")


class PlacesOfUseCases:
    """Use cases by value against complexity."""

    def columns(self) -> Mapping[str, Any]:
        """Their scores."""
        return _SCORES

    def of_holder(self, row: Folder) -> dict[str, Any]:
        """The axes with weights and levels, and from how many points on a side is high."""
        if not (row.matrix_config.get("valueAxes") or row.matrix_config.get("complexityAxes")):
            return {}
        matrix = Matrix.of(row.matrix_config)
        sides = (("value", matrix.value, "valueAxes"), ("complexity", matrix.complexity, "complexityAxes"))
        return {"matrix": {name: _rules(side, row.matrix_config.get(key) or ()) for name, side, key in sides}}

    def shown_fields(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """The fields without those that the rules say."""
        return {name: value for name, value in fields.items() if name not in _CONFIG}

    def of_each(self, row: Folder, held: Held) -> dict[str, Any]:
        """Points of both sides, the quadrant, and the axes that are not rated."""
        return told_place(_matrix(row).place(held.columns)) if row.matrix_config else {}

    def of_all(self, row: Folder, held: Sequence[Held]) -> dict[str, Any]:
        """How many use cases are in each quadrant, and how many have a rating missing."""
        if not row.matrix_config:
            return {}
        places = _matrix(row).places([each.columns for each in held])
        quadrants = Counter(str(place.quadrant) for place in places)
        return {
            "quadrants": dict(quadrants.most_common()),
            "withRatingsMissing": sum(map(bool, (p.unrated for p in places))),
        }

    def order(self, row: Folder, held: Held) -> Any:
        """The most valuable for what it costs comes first."""
        place = _matrix(row).place(held.columns)
        return place.x - place.y


def told_place(place: Place) -> dict[str, Any]:
    """A place as columns of a table."""
    return {
        "value": place.value.points,
        "complexity": place.complexity.points,
        "quadrant": str(place.quadrant),
        "unrated": list(place.unrated),
    }


def _matrix(row: Folder) -> Matrix:
    return Matrix.of(row.matrix_config)


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
