"""Appends to the streams of objects and workspaces, in the transaction of what changes, is proposed or decided."""

from collections.abc import Collection, Sequence
from typing import Any

from django.db import connection
from django.db.models.signals import post_save
from django.dispatch import receiver

from chat.events.append import append, appended, wake
from chat.events.vocabulary import NewEvent, to_json
from chat.models import Proposal, ProposalStatus, Stream
from graphs.history import hooks, queries
from graphs.history.hooks import Hook
from graphs.history.recording import Because
from graphs.models import Object, Workspace
from graphs.objects.headers import narrowed, parent_of, whole
from graphs.objects.kinds import KINDS, Kind, of_objects
from graphs.objects.refs import Ref
from graphs.objects.streams import streams

#: Change sets that an event of a rollback names at most; whoever was taken back beyond is seen with the next reload.
MOST_NAMED = 200


def stream_name(of: Object) -> str:
    return f"{of.type}_{of.pk}"


def stream_of(of: Object) -> str:
    """The name of the object's stream, which is there from now on; of a view it is that of the whole."""
    name = stream_name(whole(of))
    if not Stream.objects.filter(name=name).exists():
        _make(name, of.workspace_id)
    return name


def streams_of(objects: Collection[Object]) -> dict[int, str]:
    """The names of the objects' streams, by the objects' primary keys. Who has a header of its own has its stream."""
    return {of.pk: stream_name(of) if KINDS[of.type].rows is None else stream_of(of) for of in objects}


def workspace_stream_name(workspace_id: int) -> str:
    return f"workspace_{workspace_id}"


def notify(changed_proposals: Sequence[tuple[Proposal, Sequence[NewEvent]]]) -> None:
    """Appends the events of proposals to the streams of their objects; to the workspace's, which of them wait.

    They go without the ids of the answer. What changes further objects, of kinds that narrow who sees them, is told to
    no stream; the workspace hears of no such kind at all.
    """
    hidden, waiting = set(narrowed()), []
    for proposal, events in changed_proposals:
        about = whole(proposal.about)
        changed = map(Ref.from_json, proposal.brief.get("objects", []))
        if hidden.intersection(ref.type for ref in changed if ref != proposal.ref):
            continue
        if about.pk is not None:
            append((stream_name(about), about.workspace_id), [NewEvent(event.type, event.data) for event in events])
        if about.type not in hidden:
            waits = proposal.status == ProposalStatus.PENDING
            named = {"proposalId": str(proposal.pk), "object": proposal.ref.to_json()}
            status = {} if waits else {"status": str(proposal.status)}
            waiting.append(NewEvent("proposal" if waits else "decision", named | status))
    if waiting:
        workspace_id = changed_proposals[0][0].workspace_id
        append((workspace_stream_name(workspace_id), workspace_id), waiting)


def make_stream(instance: Object, created: bool, raw: bool = False, **_kwargs: Any) -> None:
    """Makes the stream of an object with a header of its own, so that it can be watched from the first moment on."""
    if created and not raw:
        _make(stream_name(instance), instance.workspace_id)


@receiver(post_save, sender=Workspace)
def make_workspace_stream(instance: Workspace, created: bool, raw: bool = False, **_kwargs: Any) -> None:
    """Makes the stream of a workspace, so that it can be watched from the first moment on."""
    if created and not raw:
        _make(workspace_stream_name(instance.pk), instance.pk)


def _make(name: str, workspace_id: int) -> None:
    Stream.objects.bulk_create([Stream(name=name, workspace_id=workspace_id)], ignore_conflicts=True)


#: Every open page of an object hears of what changed on it, and of all parts of a change that was asked for there.
_HEARD = """
heard AS (
    SELECT place, type || '_' || object AS name FROM revisions
    UNION ALL
    SELECT place, around.name FROM revisions, (SELECT %(made)s::jsonb->>'around' AS name) AS around
    WHERE around.name <> type || '_' || object AND type <> ALL(%(narrowed)s::text[])
)
"""
_TO_OBJECTS = """
    SELECT place, name, 'object_changed' AS type, {data} AS data,
        row_number() OVER (PARTITION BY name ORDER BY place DESC) - 1 AS followers
    FROM heard JOIN revisions USING (place)
"""
#: The page of an object hears of what it holds, too: once, however much that was.
_TO_HOLDERS = """
inside AS (
    SELECT type || '_' || object AS name, jsonb_build_object(
        'object', jsonb_build_object('type', type, 'id', key), 'kind', kind, 'count', count(*),
        'changeSetId', %(id)s::uuid
    ) AS data
    FROM ({holders}) AS held (kind, item, type, object, key) GROUP BY type, object, key, kind
), noticed AS (
    SELECT place, name, type, data, row_number() OVER (PARTITION BY name ORDER BY place DESC) - 1 AS followers FROM (
        SELECT place, name, 'object_changed' AS type, {data} AS data FROM heard JOIN revisions USING (place)
        UNION ALL
        SELECT (SELECT count(*) FROM revisions), name, 'held_changed', data FROM inside
    ) AS told
"""
#: The workspace hears of what takes changes back, after the objects: cards of proposals stand on many pages.
_TO_WORKSPACE = """
    UNION ALL
    SELECT NULL, 'workspace_' || (%(made)s::jsonb->>'workspace'), 'object_changed', {data},
        row_number() OVER (ORDER BY place DESC) - 1
    FROM revisions WHERE type <> ALL(%(narrowed)s::text[])
"""
_DATA = """jsonb_build_object(
    'object', jsonb_build_object('type', type, 'id', key), 'version', version, 'changeSetId', %(id)s::uuid
)"""
_WORKSPACE = "(%(made)s::jsonb->>'workspace')::bigint"


def register() -> None:
    """Makes streams for new objects, tells their names, and every statement that stores a change append its events."""
    for kind in of_objects():
        if kind.rows is None:
            post_save.connect(make_stream, sender=kind.model)
    streams.of = streams_of
    hooks.hook = Hook(_relations, "(SELECT array_agg(ARRAY[id, last_sequence]) FROM raised)", _given, wake)


def _relations(undoing: bool, kinds: frozenset[str]) -> str:
    data = f"{_DATA} || jsonb_build_object('undoes', %(undoes)s::jsonb)" if undoing else _DATA
    holders = " UNION ".join(_holders(KINDS[name]) for name in sorted(kinds) if _is_told_above(KINDS[name]))
    told = _TO_HOLDERS.format(holders=holders, data=data) if holders else f"noticed AS ({_TO_OBJECTS.format(data=data)}"
    workspace = _TO_WORKSPACE.format(data=data) if undoing else ""
    return f", {_HEARD}, {told} {workspace}), {appended('noticed', _WORKSPACE)}"


def _is_told_above(kind: Kind) -> bool:
    """Whether objects of the kind are held by others, whose readers see all of them."""
    return parent_of(kind) is not None and kind.may_see is None


def _holders(kind: Kind) -> str:
    """A relation of the objects of a kind that a change made others, each with what holds it, and what held it before.

    A row has the holder that it had before the statement, or has by now; where that is another one, or the row came or
    went, the modifications say so.
    """
    holder = parent_of(kind)
    assert holder is not None
    table: Any = kind.model._meta
    quoted = connection.ops.quote_name
    key, column = table.pk, table.get_field(kind.parent)
    foreign = f"t.{quoted(column.column)}"
    # A row leads to a primary key, which is the header's own where that is the row; the history says keys.
    leads = f"h.id = {foreign}" if holder.rows is None else f"h.key = {foreign}::text"
    in_modification = f"""CASE
        WHEN m.kind = '{kind.name}' AND m.action = 'update' AND m.field = 'parent' THEN v.value #>> ARRAY[]::text[]
        WHEN m.kind = '{kind.name}' AND m.action <> 'update' THEN v.value->>'parent'
    END"""
    return f"""
    SELECT r.type, r.key, h.type, h.id, h.key FROM revisions AS r
    JOIN {quoted(table.db_table)} AS t
        ON t.{quoted(key.column)} = CASE WHEN r.type = '{kind.name}' THEN r.key::{key.rel_db_type(connection)} END
    JOIN graphs_object AS h ON {_is(holder)} AND {leads}
    UNION
    SELECT m.kind, m.key, h.type, h.id, h.key FROM modifications AS m
    CROSS JOIN LATERAL (VALUES (m.old), (m.new)) AS v(value)
    JOIN graphs_object AS h ON {_is(holder)} AND h.key = {in_modification}
    """  # noqa: S608 - names of tables, columns and kinds are the registry's


def _is(holder: Kind) -> str:
    """The condition that a header (`h`) is one of a kind, in the workspace of the change."""
    return f"h.workspace_id = {_WORKSPACE} AND h.type = '{holder.name}'"


def _given(because: Because) -> dict[str, Any]:
    """Parameters for `_relations`: the kinds that nobody else hears of, and the changes that are taken back."""
    undone = list(because.undoes[:MOST_NAMED])
    if because.undoes and because.redoes:
        undone = queries.taken_back_through(because.undoes, MOST_NAMED)
    return {"narrowed": narrowed(), "undoes": to_json(list(map(str, undone)))}
