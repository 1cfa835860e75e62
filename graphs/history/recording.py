"""The only writer of the history: a change set, the versions it made and what it modified, in one statement."""

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.contrib.auth.models import User
from django.core.serializers.json import DjangoJSONEncoder
from django.db import connection
from django.dispatch import Signal

from graphs.history import hooks
from graphs.models import Object, Origin, Revision
from graphs.objects.kinds import Kind, store_of
from graphs.objects.operations import Create, Delete, Operation, Record, Update

to_json = DjangoJSONEncoder(allow_nan=False).encode
#: Characters of what an object is called in a revision.
LABEL_CHARS = Revision._meta.get_field("label").max_length


@dataclass(frozen=True, slots=True)
class Because:
    """Why something changes, and by whom. `around` is where it was asked for: its stream hears of all of it.

    `redoes`: it may bring back what somebody had taken back.
    """

    actor: User | None
    origin: Origin
    reason: str = ""
    cause: str = ""
    causes: tuple[str, ...] = ()
    prompt_version: str = ""
    model: str = ""
    undoes: tuple[uuid.UUID, ...] = ()
    around: Object | None = None
    redoes: bool = False


#: The kind of an object that a change changed, with the key of what holds it, or held it before; one for each of both.
Holders = Sequence[tuple[str, str]]


def holders_of(kind: Kind, *records: Record | None) -> Holders:
    """What holds an object with one of these records. Of kinds of which not everybody sees all nobody else hears."""
    if not kind.parent or kind.may_see is not None:
        return ()
    keys = (record.get("parent") for record in records if record)
    return [(kind.name, str(key)) for key in dict.fromkeys(keys) if key is not None]


@dataclass(frozen=True, slots=True)
class Revised:
    """An object that got a new version; `type` is the name of its kind, `id` its primary key."""

    type: str
    id: int
    key: str
    label: str
    version: int
    holders: Holders = ()

    @classmethod
    def of(cls, changed: Object, version: int) -> "Revised":
        return cls(changed.type, changed.pk, changed.key, store_of(changed.type).title(changed), version)


@dataclass(frozen=True, slots=True)
class Done:
    """What was done to one object."""

    revised: Revised
    operations: tuple[Operation, ...]


@dataclass(frozen=True, slots=True)
class Applied:
    """What was done. `touched` has the kinds and fields that are not what they were; "" is the field of what came."""

    change_set_id: uuid.UUID
    workspace_id: int
    objects: tuple[Revised, ...]
    touched: frozenset[tuple[str, str]]
    because: Because


#: Stores what the relations `revisions` (place, type, object, key, label, version) and `modifications` (number, place,
#: kind, key, action, field, old, new) hold, or nothing if there are no revisions. A modification has the place of its
#: revision.
STORED = """
made AS (
    INSERT INTO graphs_changeset (id, workspace, actor, actor_label, origin, cause, causes, reason, prompt_version,
        model, undoes, size)
    SELECT %(id)s::uuid, workspace, actor, actor_label, origin, cause, causes, reason, prompt_version, model, undoes,
        size
    FROM jsonb_to_record(%(made)s::jsonb) AS c(workspace bigint, actor bigint, actor_label varchar, origin varchar,
        cause varchar, causes varchar[], reason text, prompt_version varchar, model varchar, undoes uuid[], size int)
    WHERE EXISTS (SELECT FROM revisions)
), revised AS (
    INSERT INTO graphs_revision (change_set_id, type, object, key, label, version)
    SELECT %(id)s::uuid, type, object, key, label, version FROM revisions ORDER BY place
), modified AS (
    INSERT INTO graphs_modification (change_set_id, sequence, type, object, version, kind, key, action, field, old, new)
    SELECT %(id)s::uuid, m.number, r.type, r.object, r.version, m.kind, m.key, m.action, m.field, m.old, m.new
    FROM modifications AS m JOIN revisions AS r ON r.place = m.place
    ORDER BY m.number
)
"""
#: The relation of that name, of what `modified` gives with the place before each.
MODIFICATIONS = """
modifications AS (
    SELECT m.number, (m.row->>0)::bigint AS place, m.row->>1 AS kind, m.row->>2 AS key, m.row->>3 AS action,
        m.row->>4 AS field, nullif(m.row->5, 'null') AS old, nullif(m.row->6, 'null') AS new
    FROM jsonb_array_elements(%(modifications)s::jsonb) WITH ORDINALITY AS m(row, number)
)
"""
_REVISIONS = f"""
WITH revisions AS (
    SELECT r.number - 1 AS place, r.row->>0 AS type, (r.row->>1)::bigint AS object,
        r.row->>2 AS key, r.row->>3 AS label, (r.row->>4)::int AS version
    FROM jsonb_array_elements(%(revisions)s::jsonb) WITH ORDINALITY AS r(row, number)
), {MODIFICATIONS}
"""  # noqa: S608 - written above


def record(workspace_id: int, because: Because, parts: Sequence[Done]) -> Applied:
    """Stores what was done to objects as a change set, in the transaction that did it, and tells of it."""
    held = any(part.revised.holders for part in parts)
    applied, result = _store(_record(bool(because.undoes), held), workspace_id, because, parts)
    hooks.hook.stored(result)
    return send_changed(applied)


def begin(new: Sequence[Object], because: Because, revised: Sequence[Revised] = ()) -> None:
    """Stores the first revisions of objects, in the transaction that made them; nobody is told.

    They are `revised`, where that was read with them.
    """
    parts = [Done(each, ()) for each in revised or [Revised.of(each, each.version) for each in new]]
    _store(_BEGIN, new[0].workspace_id, because, parts)


_BEGIN = f"{_REVISIONS}, {STORED} SELECT NULL"


@cache
def _record(undoing: bool, held: bool) -> str:
    return f"{_REVISIONS}, {STORED} {hooks.hook.relations(undoing, held)} SELECT {hooks.hook.result}"


def _store(statement: str, workspace_id: int, because: Because, parts: Sequence[Done]) -> tuple[Applied, Any]:
    """Stores what was done and returns it, with the result of the hook that stored something beside it."""
    change_set_id = uuid.uuid4()
    objects = tuple(part.revised for part in parts)
    modifications = [(place, *row) for place, part in enumerate(parts) for row in modified(part.operations)]
    holders = [each for part in parts for each in part.revised.holders]
    given = parameters(change_set_id, workspace_id, because, len(modifications), holders) | {
        "revisions": to_json(
            [(each.type, each.id, each.key, each.label[:LABEL_CHARS], each.version) for each in objects]
        ),
        "modifications": to_json(modifications),
    }
    with connection.cursor() as cursor:
        cursor.execute(statement, given)
        (result,) = cursor.fetchone()
    touched = frozenset((kind, field) for _, kind, _, action, field, *_ in modifications if action != "delete")
    return Applied(change_set_id, workspace_id, objects, touched, because), result


def parameters(
    change_set_id: uuid.UUID, workspace_id: int, because: Because, size: int, holders: Holders = ()
) -> dict[str, Any]:
    """Parameters of `STORED` and of the hook, packed into few values because psycopg adapts each one."""
    made = {
        "workspace": workspace_id,
        "actor": because.actor.pk if because.actor else None,
        "actor_label": because.actor.get_username() if because.actor else "",
        "origin": because.origin.value,
        "cause": because.cause,
        "causes": because.causes,
        "reason": because.reason,
        "prompt_version": because.prompt_version,
        "model": because.model,
        "undoes": because.undoes,
        "size": size,
        "around": f"{because.around.type}_{because.around.pk}" if because.around else None,
    }
    return {"id": str(change_set_id), "made": to_json(made), **hooks.hook.given(because, holders)}


def modified(operations: Sequence[Operation]) -> Iterator[tuple[Any, ...]]:
    """One row for each field that changed, and one for each item that came or went."""
    for operation in operations:
        kind, key = operation.item
        match operation:
            case Create(_, new):
                yield kind, key, "create", "", None, new
            case Delete(_, old):
                yield kind, key, "delete", "", old, None
            case Update(_, old, new):
                for name in new:
                    yield kind, key, "update", name, old[name], new[name]


#: Sent with `change` (`Applied`) inside the transaction, after everything else of it. The objects and the streams that
#: tell of it are held: a receiver that locks rows of its own does so after them, as every other process must.
changed = Signal()
#: Sent with `kind` (its name) when other code saved or deleted a row of a registered model, inside its transaction.
saved_outside = Signal()


def send_changed(applied: Applied) -> Applied:
    """Sends `changed` and returns what was done."""
    changed.send(sender=Object, change=applied)
    return applied
