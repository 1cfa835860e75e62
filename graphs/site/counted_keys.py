"""Primary keys that the database counts."""

from typing import Any

from django.db import connection, models

from graphs.models import Object

#: So far ahead a key may be chosen, as those who make several rows at once do; the database counts on behind it.
FAR = 1_000


def counts_keys(model: type[models.Model]) -> bool:
    """Whether the database counts the model's primary keys; those of objects of ours are not their keys."""
    return isinstance(model._meta.pk, models.AutoField) and not issubclass(model, Object)


def new_ids(model: type[models.Model], count: int) -> list[int]:
    """`count` primary keys in rising order, which nobody else gets."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT nextval(pg_get_serial_sequence(%s, %s)) FROM generate_series(1, %s)", [*_place(model), count]
        )
        return [number for (number,) in cursor.fetchall()]


def is_far(model: type[models.Model], key: int) -> bool:
    """Whether a key lies far ahead of the last one that was counted, and of all rows."""
    if _sequence(model) is None:
        return False
    highest: int = model._base_manager.aggregate(highest=models.Max("pk"))["highest"] or 0
    return key > max(_last(model), highest) + FAR


def count_on_from(row: models.Model) -> None:
    """Counts on behind a row whose key was chosen: the next row of its application must not meet it.

    It is counted forward only, as others count meanwhile; not where rows lie far ahead of what was counted before.
    """
    model = type(row)
    if _sequence(model) is not None and 0 < (ahead := row.pk - _last(model)) <= FAR:
        new_ids(model, ahead)


def _sequence(model: type[models.Model]) -> str | None:
    """The name of the sequence, quoted; None if the column has none of its own."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_get_serial_sequence(%s, %s)", _place(model))
        (name,) = cursor.fetchone()
    return str(name) if name else None


def _place(model: type[models.Model]) -> list[str]:
    """The table and column of the model's primary key."""
    primary: models.Field[Any, Any] = model._meta.pk
    return [connection.ops.quote_name(model._meta.db_table), str(primary.column)]


def _last(model: type[models.Model]) -> int:
    """The key that was counted last, or the one before that with which counting begins."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT last_value - (NOT is_called)::int FROM {_sequence(model)}")  # noqa: S608 - a quoted name
        (last,) = cursor.fetchone()
    return int(last)
