"""Answers of the API as pydantic models: what builds an answer is what the OpenAPI document says of it."""

from datetime import datetime
from functools import cache
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
        return cls(**{name: getattr(source, name) for name in wire_names(cls) if name not in others}, **others)

    def to_json(self) -> dict[str, Any]:
        """The answer as plain data. `model_dump` would copy every value in depth, and some are megabytes of JSON."""
        names, given = wire_names(type(self)), self.model_fields_set
        return {names[name]: _plain(value) for name, value in self.__dict__.items() if name in given}


@cache
def wire_names(shape: type[Shape]) -> dict[str, str]:
    """The names of the wire by the names of the fields."""
    return {name: str(field.alias) for name, field in shape.model_fields.items()}


def _plain(value: Any) -> Any:
    """The value as plain data; lists hold shapes or JSON, not both."""
    if isinstance(value, Shape):
        return value.to_json()
    if isinstance(value, list) and value and isinstance(value[0], Shape):
        return [item.to_json() for item in value]
    return value
