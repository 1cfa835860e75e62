"""What the data of a use case may be. Keys that no field names are kept as they are."""

import json
from typing import Annotated, Any, Self

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import gettext as _
from pydantic import ConfigDict, Field, model_validator

from graphs.objects.strict import StrictModel
from graphs.records import limits
from graphs.records.folders import AxisId, Rating
from graphs.records.texts import Line, Name, Text, Texts
from graphs.site.json_values import storable_object


class ScoreShape(StrictModel):
    """How a use case is rated on an axis; without a rating it is still to be rated."""

    axis_id: AxisId
    rating: Rating | None = None
    description: Text | None = None


Scores = Annotated[list[ScoreShape], Field(max_length=limits.AXES)]


class UseCaseShape(StrictModel):
    model_config = ConfigDict(extra="allow")

    name: Name
    description: Text | None = None
    problem: Text | None = None
    solution: Text | None = None
    benefits: Texts | None = None
    metrics: Texts | None = None
    risks: Texts | None = None
    constraints: Texts | None = None
    next_steps: Texts | None = None
    data_sources: Texts | None = None
    data_objects: Texts | None = None
    domain: Line | None = None
    technologies: Texts | None = None
    contact: Line | None = None
    deadline: Line | None = None
    references: Texts | None = None
    value_scores: Scores | None = None
    complexity_scores: Scores | None = None

    @model_validator(mode="before")
    @classmethod
    def _it_is_not_too_long(cls, data: Any) -> Any:
        """Looks at what was given: it is the data as they are stored."""
        if len(json.dumps(data, ensure_ascii=False, default=str)) > limits.DATA_CHARS:
            raise ValueError(_("all of it is more than {most} characters").format(most=intcomma(limits.DATA_CHARS)))
        return data

    @model_validator(mode="after")
    def _each_axis_is_rated_once(self) -> Self:
        for scores in (self.value_scores, self.complexity_scores):
            ids = [score.axis_id for score in scores or ()]
            if len(set(ids)) < len(ids):
                raise ValueError(_("two scores of one side are of the same axis"))
        return self

    @model_validator(mode="after")
    def _others_can_be_kept(self) -> Self:
        others: dict[str, Any] = self.model_extra or {}
        if len(others) > limits.OTHER_KEYS:
            raise ValueError(_("there are more than {most} other keys").format(most=intcomma(limits.OTHER_KEYS)))
        if any(not key or len(key) > limits.KEY_CHARS for key in others):
            raise ValueError(
                _("another key has no character, or more than {most}").format(most=intcomma(limits.KEY_CHARS))
            )
        storable_object(others)
        return self
