"""Rows of models as JSON, for statements that store several of them at once."""

import json
import uuid
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from django.db.models import JSONField, Model


def columns(model: type[Model], *without: str, of: str = "") -> str:
    """The names of a model's columns, for a statement, perhaps of a relation in it.

    Never `*`: a connection keeps the plan, and another version may add a column meanwhile.
    """
    names = [field.column for field in model._meta.concrete_fields if field.column not in without]
    return ", ".join(f'{of}."{name}"' if of else f'"{name}"' for name in names)


def as_json(rows: Sequence[Model]) -> str:
    """New rows of one model, as `jsonb_populate_recordset` takes them."""
    return json.dumps([_row(row) for row in rows], ensure_ascii=False, default=_as_text)


def _as_text(value: Any) -> str:
    """As PostgreSQL reads it. Raises `TypeError` for what it would read as something else."""
    if isinstance(value, uuid.UUID | date | Decimal):
        return str(value)
    raise TypeError(f"{type(value).__name__} is no value of a column here")


def _row(row: Model) -> dict[str, Any]:
    return {str(field.column): _value(field, row) for field in row._meta.concrete_fields}


def _value(field: Any, row: Model) -> Any:
    value = field.pre_save(row, add=True)
    return field.get_prep_value(value) if isinstance(field, JSONField) else value
