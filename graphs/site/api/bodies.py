"""Bodies of requests as pydantic models: strict types, unknown fields refused."""

from itertools import islice
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.alias_generators import to_camel
from rest_framework.request import Request

from graphs.site.api.problems import invalid_fields
from graphs.site.field_sentences import wrong_fields


class Body(BaseModel):
    """What a request may say; names are camelCase on the wire."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, alias_generator=to_camel)


#: Errors that one answer names; a body may have more than anybody wants to read.
MOST_ERRORS = 50

AnyBody = TypeVar("AnyBody", bound=Body)


def read_body(request: Request, shape: type[AnyBody]) -> AnyBody:
    """The JSON body of a request as `shape`; raises `Problem` 400 that names each wrong field."""
    try:
        return shape.model_validate(_bounded(request.data, shape))
    except ValidationError as error:
        raise invalid_fields(errors_by_field(error)) from error


def _bounded(data: Any, shape: type[Body]) -> Any:
    """The body with no more unknown fields than an answer names: an error is made of each."""
    if not isinstance(data, dict) or len(data) <= MOST_ERRORS:
        return data
    known = {field.alias or name for name, field in shape.model_fields.items()}
    kept = known.union(islice((name for name in data if name not in known), MOST_ERRORS))
    return {name: value for name, value in data.items() if name in kept}


def errors_by_field(error: ValidationError) -> dict[str, list[str]]:
    """{"nodes.3.name": ["This must be a text."]}; errors of the whole body are under "body"."""
    found: dict[str, list[str]] = {}
    for steps, sentence in islice(wrong_fields(error), MOST_ERRORS):
        field = ".".join(str(step)[:100] for step in steps) or "body"
        found.setdefault(field, []).append(sentence)
    return found
