"""Values of fields in SQL: taken out of JSON, for the columns of a kind."""

from graphs.objects.kinds import Field, Form

_TAKEN: dict[Form, str] = {
    "text": "r->>{}",
    "code": "r->>{}",
    "json": "r->{}",
    "number": "(r->>{})::double precision",
    "boolean": "(r->>{})::boolean",
    "key": "(r->>{})::bigint",
}


def taken(field: Field, place: int | str) -> str:
    """The field's value out of a row `r`: the place in a JSON array, or the quoted name in an object."""
    return _TAKEN[field.form].format(place)
