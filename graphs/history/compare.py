"""What changed between two versions of an object, however far they are apart: net operations, read from the history.

Of every field that changed only the first and the last modification in between are read. Which fields those are is read
from the versions in between where they are few; over many versions of an object whose changes come back to the same few
fields, the index is searched from field to field, so that a hundred thousand versions cost as much as a hundred.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from django.db import connection

from graphs.models import Modification
from graphs.objects.kinds import KINDS
from graphs.objects.operations import OF_THE_ROW, Operation, Record, difference, fields, inverses
from graphs.objects.refs import Ref

#: Versions that are simply read.
NEAR = 500
#: Fields that are searched for one by one; an object on which more have changed is read, too.
FEW_FIELDS = 2_000

_READ = """
WITH touched AS MATERIALIZED (
    SELECT DISTINCT m.kind, m.key, m.field
    FROM graphs_revision AS r JOIN graphs_modification AS m USING (change_set_id, type, object)
    WHERE r.type = %(type)s AND r.object = %(object)s AND r.version > %(a)s AND r.version <= %(b)s
)
"""
_SEARCHED = """
WITH RECURSIVE every AS (
    (SELECT kind, key, field FROM graphs_modification WHERE type = %(type)s AND object = %(object)s
     ORDER BY kind, key, field LIMIT 1)
    UNION ALL
    SELECT beyond.* FROM every, LATERAL (
        SELECT m.kind, m.key, m.field FROM graphs_modification AS m
        WHERE m.type = %(type)s AND m.object = %(object)s
            AND (m.kind, m.key, m.field) > (every.kind, every.key, every.field)
        ORDER BY m.kind, m.key, m.field LIMIT 1
    ) AS beyond
), touched AS MATERIALIZED (SELECT * FROM every LIMIT %(few)s)
"""
_ENDS = """
SELECT touched.kind, touched.key, touched.field,
    first.action, first.version, first.old, last.action, last.version, last.old, last.new
FROM touched
LEFT JOIN LATERAL (
    SELECT action, version, old FROM graphs_modification AS m
    WHERE type = %(type)s AND object = %(object)s AND m.kind = touched.kind AND m.key = touched.key
        AND m.field = touched.field AND version > %(a)s AND version <= %(b)s
    ORDER BY version LIMIT 1
) AS first ON true
LEFT JOIN LATERAL (
    SELECT action, version, old, new FROM graphs_modification AS m
    WHERE type = %(type)s AND object = %(object)s AND m.kind = touched.kind AND m.key = touched.key
        AND m.field = touched.field AND version > %(a)s AND version <= %(b)s
    ORDER BY version DESC LIMIT 1
) AS last ON true
"""
#: Columns of `_ENDS` that hold JSON.
_JSON = (5, 8, 9)


class _Ends(NamedTuple):
    """The first and the last modification of a field; of the field "", an item came or went."""

    first_action: str
    first_version: int
    first_old: Any
    last_action: str
    last_version: int
    last_old: Any
    last_new: Any


def between(type_: str, object_id: int, a: int, b: int) -> tuple[Operation, ...]:
    """What takes an object from its version `a` to its version `b`, at most one operation for each item."""
    if a > b:
        return inverses(between(type_, object_id, b, a))
    if a == b:
        return ()
    by_item: dict[Ref, dict[str, _Ends]] = {}
    for kind, key, field, *ends in _rows(type_, object_id, a, b):
        if ends[0] is not None:
            by_item.setdefault(Ref(kind, key), {})[field] = _Ends(*ends)
    order = list(KINDS)
    items = sorted(by_item, key=lambda item: (order.index(item.type), item.key))
    found = (_operation(item, by_item[item]) for item in items)
    return tuple(operation for operation in found if operation is not None)


def _rows(type_: str, object_id: int, a: int, b: int) -> Iterable[Sequence[Any]]:
    where = {"type": type_, "object": object_id, "a": a, "b": b, "few": FEW_FIELDS}
    if b - a > NEAR:
        found = list(_fetch(_SEARCHED, where))
        if len(found) < FEW_FIELDS:
            return found
    return _fetch(_READ, where)


def _fetch(touched: str, where: dict[str, Any]) -> Iterator[Sequence[Any]]:
    """Row by row, so that of all values the texts are not there beside what is made of them."""
    with connection.cursor() as cursor:
        cursor.execute(touched + _ENDS, where)
        for row in cursor:
            # Django's cursor gives JSON as text. A field that was changed once has its old value twice.
            read = {text: json.loads(text) for column in _JSON if (text := row[column]) is not None}
            yield [read.get(value) if column in _JSON else value for column, value in enumerate(row)]


def _operation(item: Ref, ends: dict[str, _Ends]) -> Operation | None:
    whole = ends.pop("", None)
    if whole is None:
        old = {name: each.first_old for name, each in ends.items()}
        return difference(item, old, {name: each.last_new for name, each in ends.items()})
    old_record, new_record = _before(whole, ends), _after(whole, ends)
    if new_record is None and old_record is not None:
        # Brought back, it is newer than it ever was.
        row = {name: whole.last_old[name] for name in OF_THE_ROW if name in whole.last_old}
        old_record = fields(old_record) | row
    return difference(item, old_record, new_record)


def _before(whole: _Ends, ends: dict[str, _Ends]) -> Record | None:
    """The item as it was until it first came or went; None where it came."""
    if whole.first_action == Modification.Action.CREATE:
        return None
    changed = {name: each.first_old for name, each in ends.items() if each.first_version < whole.first_version}
    return {**whole.first_old, **changed}


def _after(whole: _Ends, ends: dict[str, _Ends]) -> Record | None:
    """The item as it is since it last came or went; None where it went."""
    if whole.last_action == Modification.Action.DELETE:
        return None
    changed = {name: each.last_new for name, each in ends.items() if each.last_version > whole.last_version}
    return {**whole.last_new, **changed}
