"""Primary keys that the database counts."""

from typing import Any

from django.db import connection, models

from graphs.models import Object

#: So far ahead a key may be chosen, as those who make several rows at once do; the database counts on behind it.
FAR = 1_000
_SEQUENCE = "pg_get_serial_sequence(%(table)s, %(column)s)"
_LAST = f"coalesce(pg_sequence_last_value({_SEQUENCE}::regclass), 0)"


def counts_keys(model: type[models.Model]) -> bool:
    """Whether the database counts the model's primary keys; those of objects of ours are not their keys."""
    return isinstance(model._meta.pk, models.AutoField) and not issubclass(model, Object)


def new_ids(model: type[models.Model], count: int) -> list[int]:
    """`count` primary keys in rising order, which nobody else gets."""
    found = _asked(model, f"nextval({_SEQUENCE}) FROM generate_series(1, %(count)s)", count=count)
    return [number for (number,) in found]


def is_far(model: type[models.Model], key: int) -> bool:
    """Whether a key lies far ahead of the last one that was counted."""
    ((last,),) = _asked(model, _LAST)
    return key > last + FAR


def count_on_from(row: models.Model) -> None:
    """Counts on behind a row whose key was chosen: the next row of its application must not meet it."""
    _asked(type(row), f"setval({_SEQUENCE}, %(key)s) WHERE {_LAST} < %(key)s", key=row.pk)


def _asked(model: type[models.Model], what: str, **values: int) -> list[tuple[int, ...]]:
    primary: models.Field[Any, Any] = model._meta.pk
    where: dict[str, Any] = {"table": connection.ops.quote_name(model._meta.db_table), "column": primary.column}
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {what}", where | values)
        return list(cursor.fetchall())
