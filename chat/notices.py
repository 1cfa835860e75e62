"""Tells the streams of objects and workspaces what concerns them: changes, what is proposed, what was decided.

Every graph has a stream `graph_<id>` and every workspace a stream `workspace_<id>`, which all members of the workspace
may read. They are made with it; events are appended in the transaction of what they tell of, those of graphs first.
"""

import uuid
from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models.signals import post_save
from django.dispatch import receiver

from chat.events.append import append_to
from chat.events.vocabulary import NewEvent
from chat.models import Proposal, ProposalStatus, Stream
from graphs import history, writing
from graphs.models import Graph, Workspace
from graphs.recording import Applied, Revised

#: Change sets that an event of a rollback names at most; whoever was taken back beyond is seen with the next reload.
MOST_NAMED = 200


def stream_name(graph_id: int) -> str:
    return f"graph_{graph_id}"


def workspace_stream_name(workspace_id: int) -> str:
    return f"workspace_{workspace_id}"


def tell(graph_id: int, workspace_id: int, events: Sequence[NewEvent]) -> None:
    """Appends to the graph's stream; of an answer's ids nothing is told there, the conversation is its owner's."""
    append_to(stream_name(graph_id), workspace_id, [NewEvent(event.type, event.data) for event in events])


def tell_workspace(workspace_id: int, proposals: Iterable[Proposal]) -> None:
    """What waits in a workspace is more or less by these: their ids, and whether they still do."""
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


@receiver(writing.changed)
def tell_of_change(change: Applied, **_kwargs: Any) -> None:
    """Whoever changed it, every open page of a graph hears of it: of the graph first, then of types that changed.

    Of what takes changes back the workspace hears, too: cards of proposals stand on many pages.
    """
    told: dict[int, list[NewEvent]] = {}
    undoes = history.taken_back_through(change.because.undoes, MOST_NAMED) if change.because.undoes else []
    for revised in change.objects:
        if revised.type == "graph":
            events = told[revised.id] = []
        events.append(_changed(revised, change.change_set_id, undoes))
    for graph_id, of_graph in told.items():
        tell(graph_id, change.workspace_id, of_graph)
    if undoes:
        of_all = [events[0] for events in told.values()]
        append_to(workspace_stream_name(change.workspace_id), change.workspace_id, of_all)


def _changed(revised: Revised, change_set_id: uuid.UUID, undoes: Sequence[uuid.UUID]) -> NewEvent:
    object_ = {"type": revised.type, "id": revised.key}
    data: dict[str, Any] = {"object": object_, "version": revised.version, "changeSetId": str(change_set_id)}
    if undoes:
        data["undoes"] = list(map(str, undoes))
    return NewEvent("object_changed", data)
