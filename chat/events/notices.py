"""Appends to the streams of objects and workspaces what concerns them: changes, proposals, decisions.

Every object has a stream `<type>_<id>` and every workspace a stream `workspace_<id>`, which all members of the
workspace may read. Events are appended in the transaction of what they tell of, those of objects first.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models.signals import post_save
from django.dispatch import receiver

from chat.events.append import append_to, appended, wake
from chat.events.vocabulary import NewEvent, to_json
from chat.models import Proposal, ProposalStatus, Stream
from graphs.history import hooks, queries
from graphs.history.hooks import Hook
from graphs.history.recording import Because
from graphs.models import Graph, Object, Workspace
from graphs.objects.refs import Ref

#: Change sets that an event of a rollback names at most; whoever was taken back beyond is seen with the next reload.
MOST_NAMED = 200


def stream_name(of: Object) -> str:
    return f"{of.type}_{of.pk}"


def stream_of(of: Object) -> str:
    """The name of the object's stream, which is there from now on."""
    name = stream_name(of)
    if not Stream.objects.filter(name=name).exists():
        _make(name, of.workspace_id)
    return name


def workspace_stream_name(workspace_id: int) -> str:
    return f"workspace_{workspace_id}"


def notify_object(of: Object, events: Sequence[NewEvent]) -> None:
    """Appends to the object's stream, without the ids of an answer: the conversation is its owner's.

    An object that is still to be created has none.
    """
    if of.pk is None:
        return
    append_to(stream_name(of), of.workspace_id, [NewEvent(event.type, event.data) for event in events])


def notify_workspace(workspace_id: int, proposals: Iterable[Proposal]) -> None:
    """Appends to the workspace's stream which of these proposals wait, and which no longer do."""
    events = [_news(proposal) for proposal in proposals]
    if events:
        append_to(workspace_stream_name(workspace_id), workspace_id, events)


def _news(proposal: Proposal) -> NewEvent:
    named = {"proposalId": str(proposal.pk), "object": Ref(proposal.object_type, proposal.object_key).to_json()}
    if proposal.status == ProposalStatus.PENDING:
        return NewEvent("proposal", named)
    return NewEvent("decision", {**named, "status": str(proposal.status)})


@receiver(post_save, sender=Graph)
def make_stream(instance: Graph, created: bool, raw: bool = False, **_kwargs: Any) -> None:
    """A graph can be watched from its first moment on."""
    if created and not raw:
        _make(stream_name(instance), instance.workspace_id)


@receiver(post_save, sender=Workspace)
def make_workspace_stream(instance: Workspace, created: bool, raw: bool = False, **_kwargs: Any) -> None:
    """So can a workspace."""
    if created and not raw:
        _make(workspace_stream_name(instance.pk), instance.pk)


def _make(name: str, workspace_id: int) -> None:
    Stream.objects.bulk_create([Stream(name=name, workspace_id=workspace_id)], ignore_conflicts=True)


#: Every open page of an object hears of what changed on it, and of all parts of a change that was asked for there.
_TO_OBJECTS = """
heard AS (
    SELECT place, type || '_' || object AS name FROM revisions
    UNION ALL
    SELECT place, around.name FROM revisions, (SELECT %(made)s::jsonb->>'around' AS name) AS around
    WHERE around.name <> type || '_' || object
), noticed AS (
    SELECT place, name, 'object_changed' AS type, {told} AS data,
        row_number() OVER (PARTITION BY name ORDER BY place DESC) - 1 AS followers
    FROM heard JOIN revisions USING (place)
"""
#: The workspace hears of what takes changes back, after the objects: cards of proposals stand on many pages.
_TO_WORKSPACE = """
    UNION ALL
    SELECT NULL, 'workspace_' || (%(made)s::jsonb->>'workspace'), 'object_changed', {told},
        row_number() OVER (ORDER BY place DESC) - 1
    FROM revisions
"""
_TOLD = """jsonb_build_object(
    'object', jsonb_build_object('type', type, 'id', key), 'version', version, 'changeSetId', %(id)s::uuid
)"""


def register() -> None:
    """Makes every statement that stores a change append its events, too."""
    hooks.register(Hook(_relations, "(SELECT array_agg(ARRAY[id, last_sequence]) FROM raised)", _given, wake))


def _relations(undoing: bool) -> str:
    told = f"{_TOLD} || jsonb_build_object('undoes', %(undoes)s::jsonb)" if undoing else _TOLD
    noticed = _TO_OBJECTS + _TO_WORKSPACE if undoing else _TO_OBJECTS
    workspace = "(%(made)s::jsonb->>'workspace')::bigint"
    return f"{noticed.format(told=told)}), {appended('noticed', workspace)}"


def _given(because: Because) -> dict[str, Any]:
    """Which changes are taken back."""
    if not because.undoes:
        return {}
    return {"undoes": to_json(list(map(str, queries.taken_back_through(because.undoes, MOST_NAMED))))}
