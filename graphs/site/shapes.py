"""Answers of the API as pydantic models: what builds an answer is what the OpenAPI document says of it."""

from datetime import datetime
from typing import Annotated, Any, Self, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, WrapValidator
from pydantic.alias_generators import to_camel

T = TypeVar("T")
#: The type of a field that holds JSON which was stored or made before: it is described, and sent as it is.
AsItIs = Annotated[T, WrapValidator(lambda value, _check: value)]
#: Ids and moments that are sent as texts.
Id = Annotated[str, BeforeValidator(str)]
Moment = Annotated[str, BeforeValidator(datetime.isoformat)]


class Shape(BaseModel):
    """An answer, or a part of one. Names are camelCase on the wire; a field that is not given is absent there."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, validate_by_name=True, validate_by_alias=True)

    @classmethod
    def from_attributes(cls, source: object, **others: Any) -> Self:
        """The shape with `others`; its remaining fields are attributes of `source`."""
        return cls(**{name: getattr(source, name) for name in cls.model_fields if name not in others}, **others)

    def to_json(self) -> dict[str, Any]:
        """The answer as plain data. `model_dump` would copy every value in depth, and some are megabytes of JSON."""
        given = self.model_fields_set
        return {
            str(field.alias): _plain(getattr(self, name))
            for name, field in type(self).model_fields.items()
            if name in given
        }


def _plain(value: Any) -> Any:
    if isinstance(value, Shape):
        return value.to_json()
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value
