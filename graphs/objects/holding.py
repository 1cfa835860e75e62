"""Holds the header rows of objects that are changed until the commit, so that versions rise in the order of commits."""

import json
from collections.abc import Collection, Sequence
from typing import TypeVar

from django.db import connection
from django.db.models import QuerySet

from graphs.models import Object, Workspace
from graphs.objects.operations import Record

Held = TypeVar("Held", bound=Object)
#: Does not touch an object with unsaved edits: what they did has to be in the history before anything that follows.
HOLD = """
UPDATE graphs_object SET version = version + 1, updated_at = statement_timestamp()
WHERE id = %(object)s AND unsaved_since IS NULL
"""
_HOLD_ONE = f"{HOLD} RETURNING id, version"
#: The next version of an object that is held already, with what the history has of it from now on.
RAISE_AND_REMEMBER = """
UPDATE graphs_object SET version = version + 1, updated_at = statement_timestamp(),
    as_recorded = coalesce(as_recorded, %(before)s::jsonb) || %(now)s::jsonb
WHERE id = %(object)s
"""
_HOLD_ALL = """
WITH held AS MATERIALIZED (
    SELECT id, unsaved_since FROM graphs_object WHERE id = ANY(%(objects)s::bigint[]) ORDER BY id FOR NO KEY UPDATE
)
UPDATE graphs_object AS o SET version = o.version + 1, updated_at = statement_timestamp() FROM held
WHERE o.id = held.id AND (SELECT count(*) FROM held WHERE unsaved_since IS NULL) = cardinality(%(objects)s::bigint[])
RETURNING o.id, o.version
"""
_RAISE = """
UPDATE graphs_object SET version = version + 1, updated_at = statement_timestamp(),
    unsaved_since = CASE WHEN %(live)s THEN coalesce(unsaved_since, statement_timestamp()) ELSE unsaved_since END
WHERE id = ANY(%(objects)s::bigint[])
RETURNING id, version
"""


def held(objects: "QuerySet[Held]", *, skip_locked: bool = False) -> "QuerySet[Held]":
    """These objects in the order of their primary keys; nobody else changes them until the transaction ends.

    Whoever changes several holds all of them at the start: two who hold them one by one wait for each other.
    """
    return objects.select_for_update(no_key=True, skip_locked=skip_locked).order_by("pk")


def hold(objects: Collection[int]) -> dict[int, int]:
    """Holds objects in the order of keys; gives new versions. Raises `Object.DoesNotExist` if gone or unsaved."""
    if not objects:
        return {}
    with connection.cursor() as cursor:
        if len(objects) == 1:
            cursor.execute(_HOLD_ONE, {"object": next(iter(objects))})
        else:
            cursor.execute(_HOLD_ALL, {"objects": list(objects)})
        versions = dict(cursor.fetchall())
    if not versions:
        raise Object.DoesNotExist
    return versions


def raise_versions(objects: Collection[int], *, live: bool = False) -> dict[int, int]:
    """The new versions of objects that are held already, by primary key. What changes them `live` is unsaved."""
    if not objects:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_RAISE, {"objects": list(objects), "live": live})
        return dict(cursor.fetchall())


_REMEMBER = """
UPDATE graphs_object AS o SET as_recorded = coalesce(o.as_recorded, v.before) || v.now
FROM jsonb_to_recordset(%(recorded)s::jsonb) AS v(id bigint, before jsonb, now jsonb) WHERE o.id = v.id
"""


def remember(recorded: Sequence[tuple[int, Record, Record]]) -> None:
    """Keeps the fields of held objects as the history has them: primary key, what they were, what is new of it."""
    if recorded:
        rows = [{"id": pk, "before": before, "now": now} for pk, before, now in recorded]
        with connection.cursor() as cursor:
            cursor.execute(_REMEMBER, {"recorded": json.dumps(rows)})


def hold_workspace(workspace_id: int) -> None:
    """Holds a workspace against others who change what is not of one object alone."""
    Workspace.objects.select_for_update(no_key=True).only("pk").get(pk=workspace_id)
