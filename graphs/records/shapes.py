"""Whether the values of a record are what they may be, told in sentences that begin with a path."""

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ValidationError

from graphs.models import Company, Folder, UseCase
from graphs.models.records import Record
from graphs.records.companies import CompanyShape
from graphs.records.folders import FolderShape
from graphs.records.use_cases import UseCaseShape
from graphs.site.field_sentences import wrong_fields
from graphs.site.json_values import shown

_SHAPES: dict[type[Record], type[BaseModel]] = {Company: CompanyShape, Folder: FolderShape, UseCase: UseCaseShape}


def problems_of(record: Record) -> Sequence[str]:
    """What is wrong with a record: "data.valueScores.0.rating: This must be at least 1."."""
    shape, prefix = _SHAPES[type(record)], ("data",) if isinstance(record, UseCase) else ()
    try:
        shape.model_validate(_values(record))
    except ValidationError as error:
        found = [((*prefix, *steps), sentence) for steps, sentence in wrong_fields(error)]
        return [f"{shown('.'.join(map(str, path)))}: {sentence}" if path else sentence for path, sentence in found]
    return []


def _values(record: Record) -> Any:
    """The values that the shape is of: all that is in the data of a use case, else the columns."""
    if isinstance(record, UseCase):
        return record.data
    fields = _SHAPES[type(record)].model_fields
    return {name: getattr(record, name) for name in fields}
