"""The only writer of the history: a change set, the versions it made and what it modified, in one statement."""

import json
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.core.serializers.json import DjangoJSONEncoder

from graphs.models import Graph, Origin
from graphs.objects import NODE_TYPE
from graphs.operations import Create, Delete, Operation, Update
from graphs.prepared import prepared


@dataclass(frozen=True, slots=True)
class Because:
    """Who changes something, and why; see `graphs.models.ChangeSet`."""

    actor: User | None
    origin: Origin
    reason: str = ""
    cause: str = ""
    causes: tuple[str, ...] = ()
    prompt_version: str = ""
    model: str = ""
    undoes: tuple[uuid.UUID, ...] = ()


@dataclass(frozen=True, slots=True)
class Revised:
    """An object that got a new version; `type` is "graph" or "nodeType", `id` its primary key."""

    type: str
    id: int
    key: str
    label: str
    version: int


@dataclass(frozen=True, slots=True)
class Part:
    """What was done to one graph. `objects` has the graph first, then the types of its workspace that changed."""

    objects: tuple[Revised, ...]
    operations: tuple[Operation, ...]


@dataclass(frozen=True, slots=True)
class Applied:
    """What was done, nearly always to one graph."""

    change_set_id: uuid.UUID
    workspace_id: int
    parts: tuple[Part, ...]
    because: Because

    @property
    def objects(self) -> tuple[Revised, ...]:
        return tuple(revised for part in self.parts for revised in part.objects)

    @property
    def operations(self) -> tuple[Operation, ...]:
        return tuple(operation for part in self.parts for operation in part.operations)


#: Stores what the relation `revisions` holds (place, type, object, key, label, version), or nothing where it is empty.
#: Each of the modifications begins with the place of its revision.
STORED = """
made AS (
    INSERT INTO graphs_changeset (id, workspace, actor, actor_label, origin, cause, causes, reason, prompt_version,
        model, undoes, size)
    SELECT %(id)s, %(workspace)s, %(actor)s, %(actor_label)s, %(origin)s, %(cause)s, %(causes)s::varchar[], %(reason)s,
        %(prompt_version)s, %(model)s, %(undoes)s::uuid[], %(size)s
    WHERE EXISTS (SELECT FROM revisions)
), revised AS (
    INSERT INTO graphs_revision (change_set_id, type, object, key, label, version)
    SELECT %(id)s, type, object, key, label, version FROM revisions ORDER BY place
), modified AS (
    INSERT INTO graphs_modification (change_set_id, sequence, type, object, version, kind, key, action, field, old, new)
    SELECT %(id)s, m.number, r.type, r.object, r.version, m.row->>1, m.row->>2, m.row->>3, m.row->>4,
        nullif(m.row->5, 'null'), nullif(m.row->6, 'null')
    FROM jsonb_array_elements(%(modifications)s::jsonb) WITH ORDINALITY AS m(row, number)
    JOIN revisions AS r ON r.place = (m.row->>0)::int
    ORDER BY m.number
)
"""
_RECORD = f"""
WITH revisions AS (
    SELECT r.number - 1 AS place, r.row->>0 AS type, (r.row->>1)::bigint AS object, r.row->>2 AS key,
        r.row->>3 AS label, (r.row->>4)::int AS version
    FROM jsonb_array_elements(%(revisions)s::jsonb) WITH ORDINALITY AS r(row, number)
), {STORED}
SELECT
"""  # noqa: S608 - the only insertion is a constant


def record(applied: Applied) -> None:
    """Stores what was done; belongs into the transaction that did it."""
    objects = applied.objects
    places = {(revised.type, revised.key): place for place, revised in enumerate(objects)}
    modifications = [
        row
        for part in applied.parts
        for row in modification_rows(part.operations, places[part.objects[0].type, part.objects[0].key], places)
    ]
    revisions = to_json([(o.type, o.id, o.key, o.label, o.version) for o in objects])
    given = parameters(applied.change_set_id, applied.workspace_id, applied.because, modifications)
    with prepared() as cursor:
        cursor.execute(_RECORD, given | {"revisions": revisions})


def begin(graph: Graph, because: Because) -> None:
    """The first revision of a graph that is there as a whole; belongs into the transaction that made it.

    What it began with is not stored twice: every later state leads back to it.
    """
    revised = Revised("graph", graph.pk, graph.key, graph.title, graph.version)
    record(Applied(uuid.uuid4(), graph.workspace_id, (Part((revised,), ()),), because))


def parameters(
    change_set_id: uuid.UUID, workspace_id: int, because: Because, modifications: Sequence[Sequence[Any]]
) -> dict[str, Any]:
    """Those of `STORED`."""
    return {
        "id": change_set_id,
        "workspace": workspace_id,
        "actor": because.actor.pk if because.actor else None,
        "actor_label": because.actor.get_username() if because.actor else "",
        "origin": because.origin.value,
        "cause": because.cause,
        "causes": list(because.causes),
        "reason": because.reason,
        "prompt_version": because.prompt_version,
        "model": because.model,
        "undoes": list(because.undoes),
        "size": len(modifications),
        "modifications": to_json(modifications),
    }


def modification_rows(
    operations: Iterable[Operation], graph: int, places: Mapping[tuple[str, str], int]
) -> Iterator[Sequence[Any]]:
    """One row for each field that changed, and one for each item that came or went.

    They begin with the place of the graph, or with those of types by (type, key).
    """
    for operation in operations:
        kind, key = operation.item.kind, operation.item.key
        place = places[kind, key] if kind == NODE_TYPE.name else graph
        match operation:
            case Create(_, new):
                yield place, kind, key, "create", "", None, new
            case Delete(_, old):
                yield place, kind, key, "delete", "", old, None
            case Update(_, old, new):
                for name in new:
                    yield place, kind, key, "update", name, old[name], new[name]


def to_json(value: Any) -> str:
    return json.dumps(value, cls=DjangoJSONEncoder, allow_nan=False)
