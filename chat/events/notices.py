"""Appends to the streams of objects and workspaces, in the transaction of what changes, is proposed or decided."""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

from django.db.models.signals import post_save
from django.dispatch import receiver

from chat.events.append import append, appended, wake
from chat.events.vocabulary import NewEvent, to_json
from chat.models import Proposal, ProposalStatus, Stream
from graphs.history import hooks, queries
from graphs.history.hooks import Hook
from graphs.history.recording import Because, Holders
from graphs.models import Object, Workspace
from graphs.objects.headers import narrowed, parent_of, whole
from graphs.objects.kinds import KINDS, of_objects
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
    SELECT h.type || '_' || h.id AS name, jsonb_build_object('object', jsonb_build_object('type', h.type, 'id', h.key),
        'kind', x.row->>0, 'count', (x.row->>3)::int, 'changeSetId', %(id)s::uuid) AS data
    FROM jsonb_array_elements(%(holders)s::jsonb) AS x(row) JOIN graphs_object AS h
    ON h.workspace_id = {workspace} AND h.type = x.row->>1 AND h.key = x.row->>2
), noticed AS (
    SELECT place, name, type, data, row_number() OVER (PARTITION BY name ORDER BY place DESC) - 1 AS followers FROM (
        SELECT place, name, 'object_changed' AS type, {data} AS data FROM heard JOIN revisions USING (place)
        UNION ALL
        SELECT (SELECT count(*) FROM revisions), name, 'held_changed', data FROM inside
        WHERE EXISTS (SELECT FROM revisions)
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


def _relations(undoing: bool, held: bool) -> str:
    data = f"{_DATA} || jsonb_build_object('undoes', %(undoes)s::jsonb)" if undoing else _DATA
    told = _TO_HOLDERS if held else f"noticed AS ({_TO_OBJECTS}"
    workspace = _TO_WORKSPACE.format(data=data) if undoing else ""
    told = told.format(data=data, workspace=_WORKSPACE)
    return f", {_HEARD}, {told} {workspace}), {appended('noticed', _WORKSPACE)}"


def _given(because: Because, holders: Holders) -> dict[str, Any]:
    """Parameters for `_relations`: kinds that nobody else hears of, changes that are taken back, what holds objects."""
    undone = list(because.undoes[:MOST_NAMED])
    if because.undoes and because.redoes:
        undone = queries.taken_back_through(because.undoes, MOST_NAMED)
    given = {"narrowed": narrowed(), "undoes": to_json(list(map(str, undone)))}
    return given | (
        {"holders": to_json([_holder(*each, count) for each, count in Counter(holders).items()])} if holders else {}
    )


def _holder(held: str, key: str, count: int) -> tuple[str, str, str, int]:
    """What holds so many objects of a kind, by its kind and key."""
    holder = parent_of(KINDS[held])
    assert holder is not None
    return held, holder.name, key, count
