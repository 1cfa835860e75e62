"""Rows of models, for statements that are written out: read as the ORM would, and as JSON that stores several."""

import json
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from functools import cache
from typing import Any, TypeVar

from django.db import DEFAULT_DB_ALIAS, connection
from django.db.models import JSONField, Model

Row = TypeVar("Row", bound=Model)
Convert = Callable[[Any, Any, Any], Any]


def columns(model: type[Model], *without: str, of: str = "") -> str:
    """The names of a model's columns, for a statement, perhaps of a relation in it.

    Never `*`: a connection keeps the plan, and another version may add a column meanwhile.
    """
    names = [field.column for field in _stored(model) if field.column not in without]
    return ", ".join(f'{of}."{name}"' if of else f'"{name}"' for name in names)


def read(
    model: type[Row], statement: str, values: Sequence[Any] | Mapping[str, Any]
) -> list[tuple[Row, Sequence[Any]]]:
    """The rows of a statement that begins with all columns of a model, each with the columns after these.

    `Manager.raw` finds out anew each time which columns those are, which takes longer than to ask for one row.
    """
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return [row_of(model, found) for found in cursor.fetchall()]


def row_of(model: type[Row], found: Sequence[Any]) -> tuple[Row, Sequence[Any]]:
    """The row of a model whose columns, all of them, what was found begins with, and the columns after these."""
    names, converters = _reading(model)
    own = list(found[: len(names)])
    for place, convert in converters:
        own[place] = convert(own[place], None, connection)
    return model.from_db(DEFAULT_DB_ALIAS, names, own), found[len(names) :]


@cache
def _reading(model: type[Model]) -> tuple[list[str], list[tuple[int, Convert]]]:
    """The attributes of a model in the order of its columns, and what makes values of columns at these places."""
    fields = _stored(model)
    converters = [
        (place, convert) for place, field in enumerate(fields) for convert in field.get_db_converters(connection)
    ]
    return [field.attname for field in fields], converters


def as_json(rows: Sequence[Model]) -> str:
    """New rows of one model, as `jsonb_populate_recordset` takes them."""
    values = [{str(field.column): _value(field, row) for field in _stored(type(row))} for row in rows]
    return json.dumps(values, ensure_ascii=False, default=_as_text)


def as_array(texts: Iterable[str]) -> str:
    """Texts as PostgreSQL reads an array of them. The driver writes element by element, each time: this can be kept."""
    quoted = (text.replace("\\", "\\\\").replace('"', '\\"') for text in texts)
    return "{" + ",".join(f'"{text}"' for text in quoted) + "}"


def _stored(model: type[Model]) -> list[Any]:
    """The fields of a model but those that the database makes of others."""
    return [field for field in model._meta.concrete_fields if not field.generated]


def _as_text(value: Any) -> str:
    """The value as PostgreSQL reads it. Raises `TypeError` for one that it would read as something else."""
    if isinstance(value, uuid.UUID | date | Decimal):
        return str(value)
    raise TypeError(f"{type(value).__name__} is no value of a column here")


def _value(field: Any, row: Model) -> Any:
    value = field.pre_save(row, add=True)
    return field.get_prep_value(value) if isinstance(field, JSONField) else value
