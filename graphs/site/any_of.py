"""Conditions that name many values: as one array, where thousands of parameters take longer than their rows."""

from collections.abc import Collection
from typing import Any

from django.db.models import BooleanField, F, Func, Q, Value

#: So many values stand in a statement one by one.
FEW = 1_000


def any_of(column: str, values: Collection[Any]) -> Q:
    """Whether the column is one of the values, which are all texts or all whole numbers."""
    if len(values) <= FEW:
        return Q(**{f"{column}__in": values})
    array = "text[]" if isinstance(next(iter(values)), str) else "bigint[]"
    # A field for the array would look at each of its values.
    named = Value(list(values))
    return Q(
        Func(F(column), named, template=f"%(expressions)s::{array})", arg_joiner=" = ANY(", output_field=BooleanField())
    )
