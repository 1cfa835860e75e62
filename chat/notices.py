"""Tells the streams of objects what concerns them: that they changed, what is proposed and what was decided.

Every graph has a stream `graph_<id>`, which every member of its workspace may read. It is made with the graph; events
are appended in the transaction of what they tell of.
"""

import uuid
from collections.abc import Sequence
from typing import Any

from django.db.models.signals import post_save
from django.dispatch import receiver

from chat.events.append import append_to
from chat.events.vocabulary import NewEvent
from chat.models import Stream
from graphs import writing
from graphs.models import Graph
from graphs.recording import Applied, Revised


def stream_name(graph_id: int) -> str:
    return f"graph_{graph_id}"


def tell(graph_id: int, workspace_id: int, events: Sequence[NewEvent]) -> None:
    """Appends to the graph's stream; of an answer's ids nothing is told there, the conversation is its owner's."""
    append_to(stream_name(graph_id), workspace_id, [NewEvent(event.type, event.data) for event in events])


@receiver(post_save, sender=Graph)
def make_stream(instance: Graph, created: bool, raw: bool = False, **_kwargs: Any) -> None:
    """A graph can be watched from its first moment on."""
    if created and not raw:
        stream = Stream(name=stream_name(instance.pk), workspace_id=instance.workspace_id)
        Stream.objects.bulk_create([stream], ignore_conflicts=True)


@receiver(writing.changed)
def tell_of_change(change: Applied, **_kwargs: Any) -> None:
    """Whoever changed it, every open page of a graph hears of it: of the graph first, then of types that changed."""
    told: dict[int, list[NewEvent]] = {}
    for revised in change.objects:
        if revised.type == "graph":
            events = told[revised.id] = []
        events.append(_changed(revised, change.change_set_id))
    for graph_id, of_graph in told.items():
        tell(graph_id, change.workspace_id, of_graph)


def _changed(revised: Revised, change_set_id: uuid.UUID) -> NewEvent:
    object_ = {"type": revised.type, "id": revised.key}
    data = {"object": object_, "version": revised.version, "changeSetId": str(change_set_id)}
    return NewEvent("object_changed", data)
