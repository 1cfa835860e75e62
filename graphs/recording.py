"""The only writer of the history: a change set, the versions it made and what it modified, in one statement."""

import json
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.core.serializers.json import DjangoJSONEncoder
from django.db import connection

from graphs.models import Graph, Origin
from graphs.objects import NODE_TYPE
from graphs.operations import Create, Delete, Operation, Update


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
    undoes: uuid.UUID | None = None


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


_RECORD = """
WITH made AS (
    INSERT INTO graphs_changeset (id, workspace, actor, actor_label, origin, cause, causes, reason, prompt_version,
        model, undoes, size)
    VALUES (%(id)s, %(workspace)s, %(actor)s, %(actor_label)s, %(origin)s, %(cause)s, %(causes)s::varchar[], %(reason)s,
        %(prompt_version)s, %(model)s, %(undoes)s, %(size)s)
), revised AS (
    INSERT INTO graphs_revision (change_set_id, type, object, key, label, version)
    SELECT %(id)s, r->>0, (r->>1)::bigint, r->>2, r->>3, (r->>4)::int
    FROM jsonb_array_elements(%(revisions)s::jsonb) AS r
)
INSERT INTO graphs_modification (change_set_id, sequence, type, object, version, kind, key, action, field, old, new)
SELECT %(id)s, m.number, m.row->>0, (m.row->>1)::bigint, (m.row->>2)::int, m.row->>3, m.row->>4, m.row->>5, m.row->>6,
    nullif(m.row->7, 'null'), nullif(m.row->8, 'null')
FROM jsonb_array_elements(%(modifications)s::jsonb) WITH ORDINALITY AS m(row, number)
"""


def record(applied: Applied) -> None:
    """Stores what was done; belongs into the transaction that did it."""
    because = applied.because
    modifications = [row for part in applied.parts for row in _modifications(part)]
    parameters: dict[str, Any] = {
        "id": applied.change_set_id,
        "workspace": applied.workspace_id,
        "actor": because.actor.pk if because.actor else None,
        "actor_label": because.actor.get_username() if because.actor else "",
        "origin": because.origin,
        "cause": because.cause,
        "causes": list(because.causes),
        "reason": because.reason,
        "prompt_version": because.prompt_version,
        "model": because.model,
        "undoes": because.undoes,
        "size": len(modifications),
        "revisions": _json([(o.type, o.id, o.key, o.label, o.version) for o in applied.objects]),
        "modifications": _json(modifications),
    }
    with connection.cursor() as cursor:
        cursor.execute(_RECORD, parameters)


def begin(graph: Graph, because: Because) -> None:
    """The first revision of a graph that is there as a whole; belongs into the transaction that made it.

    What it began with is not stored twice: every later state leads back to it.
    """
    revised = Revised("graph", graph.pk, graph.key, graph.title, graph.version)
    record(Applied(uuid.uuid4(), graph.workspace_id, (Part((revised,), ()),), because))


def _modifications(part: Part) -> Iterator[Sequence[Any]]:
    """One row for each field that changed, and one for each item that came or went."""
    graph, *changed_types = part.objects
    types = {revised.key: revised for revised in changed_types}
    for operation in part.operations:
        item = operation.item
        owner = types[item.key] if item.kind == NODE_TYPE.name else graph
        where = (owner.type, owner.id, owner.version, item.kind, item.key)
        match operation:
            case Create(_, new):
                yield *where, "create", "", None, new
            case Delete(_, old):
                yield *where, "delete", "", old, None
            case Update(_, old, new):
                for name in new:
                    yield *where, "update", name, old[name], new[name]


def _json(value: Any) -> str:
    return json.dumps(value, cls=DjangoJSONEncoder, allow_nan=False)
