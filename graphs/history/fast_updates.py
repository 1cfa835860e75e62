"""The change that is made most often, in one statement: some fields of items that are still what was expected.

Where an item is not as expected it only holds the object: `changes` goes the long way, which names the conflicts.
"""

import uuid
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Any, TypeGuard

from django.db import connection

from graphs.history import hooks
from graphs.history.recording import STORED, Applied, Because, Revised, parameters, to_json
from graphs.models import Object
from graphs.objects.holding import HOLD
from graphs.objects.kinds import KINDS, Field, Kind, store_of, taken
from graphs.objects.operations import Operation, Update


def fits(operations: Sequence[Operation]) -> TypeGuard[Sequence[Update]]:
    """Whether all of them change the same fields of parts of one kind, none of which concerns another item."""
    if not operations or not isinstance(operations[0], Update):
        return False
    kind, names = KINDS[operations[0].item.type], operations[0].new.keys()
    return plain(kind, names) and all(
        isinstance(each, Update) and each.item.type == kind.name and each.new.keys() == each.old.keys() == names
        for each in operations
    )


def plain(kind: Kind, names: Collection[str]) -> bool:
    """Whether the kind is one of parts, and these fields are columns of their own that concern no other item."""
    if not kind.owner:
        return False
    return not any(each.form == "key" or each.inside or each.constrains for each in map(kind.field, names))


def apply(of: Object, operations: Sequence[Update], because: Because) -> tuple[dict[int, int], Applied | None]:
    """Holds and changes the object in one statement; gives its new version by its id, and what was done, if any."""
    change_set_id = uuid.uuid4()
    kind = operations[0].item.type
    names = tuple(field.name for field in KINDS[kind].fields if field.name in operations[0].new)
    items = [(o.item.key, *(o.new[name] for name in names), *(o.old[name] for name in names)) for o in operations]
    label = store_of(of.type).title(of)
    given = parameters(change_set_id, of.workspace_id, because, len(items) * len(names)) | {
        "object": of.pk,
        "label": label,
        "items": to_json(items),
    }
    with connection.cursor() as cursor:
        cursor.execute(_statement(kind, names, len(items) == 1, bool(because.undoes)), given)
        found = cursor.fetchone()
    return outcome(found, change_set_id, of, label, kind, names, because)


def outcome(
    found: Sequence[Any] | None,
    change_set_id: uuid.UUID,
    of: Object,
    label: str,
    kind: str,
    names: Sequence[str],
    because: Because,
) -> tuple[dict[int, int], Applied | None]:
    """What one statement did to the fields of these names, from its row: version, whether it did, the hook's result.

    Gives the new version by primary key, none of an object that is gone or has unsaved edits.
    """
    if found is None:
        return {}, None
    version, done, result = found
    if not done:
        return {of.pk: version}, None
    hooks.hook.stored(result)
    revised = Revised(of.type, of.pk, of.key, label, version)
    touched = frozenset((kind, name) for name in names)
    return {of.pk: version}, Applied(change_set_id, of.workspace_id, (revised,), touched, because)


@lru_cache
def _statement(kind: str, names: tuple[str, ...], one: bool, undoing: bool) -> str:
    """An item is a JSON array of its key, the new values and the expected ones.

    One that another transaction changed while this one waited for the object is compared as it is by then: PostgreSQL
    looks again at rows that it locks. Nothing is written unless all of them are as expected.
    """
    fields = [KINDS[kind].field(name) for name in names]
    named = ", ".join(f"({place}, '{name}')" for place, name in enumerate(names, start=1))
    changing = _changing_one(kind, fields) if one else _changing_many(kind, fields)
    return f"""
WITH held AS (
    {HOLD} RETURNING id AS object, type, version, key
), items AS MATERIALIZED (
    SELECT i.row->>0 AS key, i.row AS r, i.number
    FROM jsonb_array_elements(%(items)s::jsonb) WITH ORDINALITY AS i(row, number)
), {changing}, revisions AS (
    SELECT 0 AS place, type, object, key, %(label)s AS label, version FROM held, fit
), modifications AS (
    SELECT (i.number - 1) * {len(names)} + f.place AS number, 0 AS place, '{kind}' AS kind, i.key, 'update' AS action,
        f.name AS field, nullif(i.r->(f.place + {len(names)}), 'null') AS old, nullif(i.r->f.place, 'null') AS new
    FROM items AS i CROSS JOIN (VALUES {named}) AS f(place, name)
), {STORED} {hooks.hook.relations(undoing, False)}
SELECT version, EXISTS (SELECT FROM revisions), {hooks.hook.result} FROM held
"""  # noqa: S608 - names of tables and columns are the registry's


def _changing_one(kind: str, fields: Sequence[Field]) -> str:
    """The statement for one item, which compares and writes its fields at once."""
    return f"""
changed AS (
    UPDATE {KINDS[kind].table} AS t SET {_set(fields)} FROM held, items
    WHERE t.{KINDS[kind].owner} = %(object)s AND t.key = (SELECT key FROM items) AND {_as_expected(fields)}
    RETURNING t.id
), fit AS (
    SELECT FROM changed
)"""  # noqa: S608


def _changing_many(kind: str, fields: Sequence[Field]) -> str:
    """Relations that change items. There is a row in `fit` if all are as expected, and only then they are changed."""
    return f"""
found AS (
    SELECT id, r FROM held, items, {each_locked(kind, "items.key", _as_expected(fields))}
), fit AS (
    SELECT WHERE (SELECT count(*) FROM found) = (SELECT count(*) FROM items)
), changed AS (
    UPDATE {KINDS[kind].table} AS t SET {_set(fields)} FROM fit, found WHERE t.id = found.id
)"""  # noqa: S608


def each_locked(kind: str, key: str, where: str) -> str:
    """A relation with the `id` of the row with this key where `where` holds of it (`t`), locked after `held`.

    Looked up one by one: no estimate of how many there are makes PostgreSQL compare each with each.
    """
    return f"""LATERAL (
        SELECT t.id FROM {KINDS[kind].table} AS t WHERE t.{KINDS[kind].owner} = held.object AND t.key = {key} AND
        {where} FOR NO KEY UPDATE
    ) AS each"""  # noqa: S608


def _set(fields: Sequence[Field]) -> str:
    columns = ", ".join(field.attribute for field in fields)
    values = ", ".join(taken(field, place) for place, field in enumerate(fields, start=1))
    return f"({columns}, version) = ROW({values}, t.version + 1)"


def _as_expected(fields: Sequence[Field]) -> str:
    return " AND ".join(
        f"to_jsonb(t.{field.attribute}) IS NOT DISTINCT FROM nullif(r->{place}, 'null')"
        for place, field in enumerate(fields, start=len(fields) + 1)
    )
