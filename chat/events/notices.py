"""Appends to the streams of objects and workspaces what concerns them: changes, proposals, decisions.

Every graph has a stream `graph_<id>` and every workspace a stream `workspace_<id>`, which all members of the workspace
may read. They are made with it; events are appended in the transaction of what they tell of, those of graphs first.
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
from graphs.models import Graph, Workspace

#: Change sets that an event of a rollback names at most; whoever was taken back beyond is seen with the next reload.
MOST_NAMED = 200


def stream_name(graph_id: int) -> str:
    return f"graph_{graph_id}"


def workspace_stream_name(workspace_id: int) -> str:
    return f"workspace_{workspace_id}"


def notify_graph(graph_id: int, workspace_id: int, events: Sequence[NewEvent]) -> None:
    """Appends to the graph's stream, without the ids of an answer: the conversation is its owner's alone."""
    append_to(stream_name(graph_id), workspace_id, [NewEvent(event.type, event.data) for event in events])


def notify_workspace(workspace_id: int, proposals: Iterable[Proposal]) -> None:
    """Appends to the workspace's stream which of these proposals wait, and which no longer do."""
    events = [_news(proposal) for proposal in proposals]
    if events:
        append_to(workspace_stream_name(workspace_id), workspace_id, events)


def _news(proposal: Proposal) -> NewEvent:
    named = {"proposalId": str(proposal.pk), "object": {"type": "graph", "id": proposal.graph_key}}
    if proposal.status == ProposalStatus.PENDING:
        return NewEvent("proposal", named)
    return NewEvent("decision", {**named, "status": str(proposal.status)})


@receiver(post_save, sender=Graph)
def make_stream(instance: Graph, created: bool, raw: bool = False, **_kwargs: Any) -> None:
    """A graph can be watched from its first moment on."""
    if created and not raw:
        _make(stream_name(instance.pk), instance.workspace_id)


@receiver(post_save, sender=Workspace)
def make_workspace_stream(instance: Workspace, created: bool, raw: bool = False, **_kwargs: Any) -> None:
    """So can a workspace."""
    if created and not raw:
        _make(workspace_stream_name(instance.pk), instance.pk)


def _make(name: str, workspace_id: int) -> None:
    Stream.objects.bulk_create([Stream(name=name, workspace_id=workspace_id)], ignore_conflicts=True)


#: Whoever changed it, every open page of a graph hears of it: of the graph first, then of types that changed with it.
_TO_GRAPHS = """
noticed AS (
    SELECT place, 'graph_' || graph AS name, 'object_changed' AS type, {told} AS data,
        row_number() OVER (PARTITION BY graph ORDER BY place DESC) - 1 AS followers
    FROM revisions
"""
#: Of what takes changes back the workspace hears, too, after the graphs: cards of proposals stand on many pages.
_TO_WORKSPACE = """
    UNION ALL
    SELECT NULL, 'workspace_' || (%(made)s::jsonb->>'workspace'), 'object_changed', {told},
        row_number() OVER (ORDER BY place DESC) - 1
    FROM revisions WHERE type = 'graph'
"""
_TOLD = """jsonb_build_object(
    'object', jsonb_build_object('type', type, 'id', key), 'version', version, 'changeSetId', %(id)s::uuid
)"""


def register() -> None:
    """Makes every statement that stores a change append its events, too."""
    hooks.register(Hook(_relations, "(SELECT array_agg(ARRAY[id, last_sequence]) FROM raised)", _given, wake))


def _relations(undoing: bool) -> str:
    told = f"{_TOLD} || jsonb_build_object('undoes', %(undoes)s::jsonb)" if undoing else _TOLD
    noticed = _TO_GRAPHS + _TO_WORKSPACE if undoing else _TO_GRAPHS
    workspace = "(%(made)s::jsonb->>'workspace')::bigint"
    return f"{noticed.format(told=told)}), {appended('noticed', workspace)}"


def _given(because: Because) -> dict[str, Any]:
    """Which changes are taken back."""
    if not because.undoes:
        return {}
    return {"undoes": to_json(list(map(str, queries.taken_back_through(because.undoes, MOST_NAMED))))}
