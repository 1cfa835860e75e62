"""What the values of a folder may be, the axes of its matrix among them."""

from collections.abc import Iterable
from typing import Annotated, Self

from django.utils.translation import gettext as _
from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from graphs.objects.strict import STORABLE, StrictModel
from graphs.records import limits
from graphs.records.executive_summaries import ExecutiveSummaryShape
from graphs.records.texts import Line, Name, Text
from graphs.site.json_values import with_whole_numbers

AxisId = Annotated[str, Field(min_length=1, max_length=limits.AXIS_ID_CHARS), STORABLE]
Rating = Annotated[int, Field(ge=1, le=limits.RATING), BeforeValidator(with_whole_numbers)]
Threshold = Annotated[float, Field(ge=0, le=limits.THRESHOLD, allow_inf_nan=False)]


class LevelShape(StrictModel):
    """What a rating of an axis means, and how many points it gives."""

    rating: Rating
    label: Line = ""
    points: Annotated[float, Field(ge=0, le=limits.POINTS, allow_inf_nan=False)]


class AxisShape(StrictModel):
    id: AxisId
    name: Name
    weight: Annotated[float, Field(ge=0, le=limits.WEIGHT, allow_inf_nan=False)] = 1
    levels: Annotated[list[LevelShape], Field(max_length=limits.RATING)] = []

    @model_validator(mode="after")
    def _ratings_are_unique(self) -> Self:
        if _repeats(level.rating for level in self.levels):
            raise ValueError(_("two levels of the axis “{id}” have one rating").format(id=self.id))
        return self


def _ids_differ(axes: list[AxisShape]) -> list[AxisShape]:
    if _repeats(axis.id for axis in axes):
        raise ValueError(_("two axes of one side have the same id"))
    return axes


Axes = Annotated[list[AxisShape], Field(max_length=limits.AXES), AfterValidator(_ids_differ)]


class ThresholdsShape(StrictModel):
    """From how many points on the value, or the complexity, of a use case is high; without one, from half of all."""

    value: Threshold | None = None
    complexity: Threshold | None = None


class MatrixShape(StrictModel):
    value_axes: Axes | None = None
    complexity_axes: Axes | None = None
    thresholds: ThresholdsShape | None = None


class FolderShape(StrictModel):
    name: Name
    description: Text
    matrix_config: Annotated[MatrixShape, Field(alias="matrix_config")]
    executive_summary: Annotated[ExecutiveSummaryShape, Field(alias="executive_summary")]


def _repeats(values: Iterable[object]) -> bool:
    found = list(values)
    return len(set(found)) < len(found)
