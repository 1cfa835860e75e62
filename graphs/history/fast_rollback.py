"""The rollback that is made most often, in one statement: of one change set that changed fields of parts of one object.

Where something is not as it was left it only holds the object: `rollback` decides field by field and names the clashes.
"""

import uuid
from dataclasses import dataclass
from functools import lru_cache

from django.db import connection

from graphs.history import hooks
from graphs.history.fast_updates import each_locked, outcome, plain
from graphs.history.recording import STORED, Applied, Because, parameters
from graphs.models import Object, Origin
from graphs.objects.holding import HOLD
from graphs.objects.kinds import KINDS, taken

#: The object, kind and fields of a change set. Two rows, or a size that is not all of its modifications, do not fit.
_WHAT = """
SELECT o.id, o.type, o.key, o.version, m.kind, array_agg(DISTINCT m.field), c.size,
    (SELECT label FROM graphs_revision WHERE type = o.type AND object = o.id ORDER BY version DESC LIMIT 1), c.origin,
    coalesce(sum(octet_length(m.old::text)), 0) - coalesce(sum(octet_length(m.new::text)), 0)
FROM graphs_changeset AS c JOIN graphs_modification AS m ON m.change_set_id = c.id
JOIN graphs_object AS o ON o.id = m.object AND o.workspace_id = c.workspace
WHERE c.id = %(undone)s::uuid AND c.workspace = %(workspace)s AND m.action = 'update'
    AND m.old IS DISTINCT FROM m.new
GROUP BY o.id, m.kind, c.size, c.origin
HAVING count(*) = c.size
"""


@dataclass(frozen=True, slots=True)
class Whole:
    """A change set that can be taken back at once, if all of it is as it was left. `redoes`: it took something back.

    `brings` is how many bytes more there are then.
    """

    id: uuid.UUID
    object: Object
    kind: str
    fields: tuple[str, ...]
    size: int
    label: str
    redoes: bool
    brings: int


def whole(workspace_id: int, change_set_id: uuid.UUID) -> Whole | None:
    """The change set's fields; None if it created or deleted something, changed names of items, or is not there."""
    with connection.cursor() as cursor:
        cursor.execute(_WHAT, {"undone": str(change_set_id), "workspace": workspace_id})
        row = cursor.fetchone()
    if row is None:
        return None
    object_id, type_, key, version, kind, names, size, label, origin, brings = row
    if kind not in KINDS or not plain(KINDS[kind], names):
        return None
    changed = Object(pk=object_id, workspace_id=workspace_id, type=type_, key=key, version=version)
    return Whole(change_set_id, changed, kind, tuple(names), size, label, origin == Origin.ROLLBACK, int(brings))


def take_back(done: Whole, because: Because, only_in: int | None = None) -> tuple[dict[int, int], Applied | None]:
    """Holds the object; gives its new version and what was done, if anything: nothing but in version `only_in`."""
    change_set_id, changed = uuid.uuid4(), done.object
    given = parameters(change_set_id, changed.workspace_id, because, done.size) | {
        "object": changed.pk,
        "label": done.label,
        "undone": str(done.id),
        "only_in": only_in,
    }
    with connection.cursor() as cursor:
        cursor.execute(_statement(done.kind, done.fields), given)
        found = cursor.fetchone()
    return outcome(found, change_set_id, changed, done.label, done.kind, done.fields, because)


@lru_cache
def _statement(kind: str, names: tuple[str, ...]) -> str:
    """The statement; `old` and `new` of an item hold the fields that the change set changed, and only those."""
    fields = [KINDS[kind].field(name) for name in names]
    columns = ", ".join(field.attribute for field in fields)
    values = ", ".join(
        f"CASE WHEN r ? '{field.name}' THEN {taken(field, repr(field.name))} ELSE t.{field.attribute} END"
        for field in fields
    )
    expected = " AND ".join(
        f"(NOT new ? '{field.name}' OR to_jsonb(t.{field.attribute}) IS NOT DISTINCT FROM "
        f"nullif(new->'{field.name}', 'null'))"
        for field in fields
    )
    return f"""
WITH held AS (
    {HOLD} RETURNING id AS object, type, version, key
), done AS MATERIALIZED (
    SELECT key, jsonb_object_agg(field, old) AS r, jsonb_object_agg(field, new) AS new
    FROM graphs_modification WHERE change_set_id = %(undone)s::uuid GROUP BY key
), found AS (
    SELECT id, r FROM held, done, {each_locked(kind, "done.key", expected)}
), revisions AS (
    SELECT 0 AS place, type, object, key, %(label)s AS label, version FROM held
    WHERE (SELECT count(*) FROM found) = (SELECT count(*) FROM done)
        AND (%(only_in)s::int IS NULL OR version = %(only_in)s::int + 1)
), modifications AS (
    SELECT sequence AS number, 0 AS place, kind, key, action, field, new AS old, old AS new
    FROM graphs_modification WHERE change_set_id = %(undone)s::uuid
), changed AS (
    UPDATE {KINDS[kind].table} AS t SET ({columns}, version) = ROW({values}, t.version + 1)
    FROM revisions, found WHERE t.id = found.id
), {STORED} {hooks.hook.relations(True, False)}
SELECT version, EXISTS (SELECT FROM revisions), {hooks.hook.result} FROM held
"""  # noqa: S608 - names of tables and columns are the registry's
