"""New graphs: empty ones, and copies of others with all that is in them. Each is a change with a history."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from graphs.history import editing
from graphs.models import Graph, Object
from graphs.models.workflows import MAX_NAME
from graphs.objects.actions import CreateObject
from graphs.objects.kinds import store_of
from graphs.objects.marks import mark_of
from graphs.objects.operations import Create, Operation
from graphs.objects.planning import plan
from graphs.site.access import Member
from graphs.workflows.keys import KeyTaken, check_key
from graphs.workflows.listing import graph_for
from graphs.workflows.store import GRAPH


@dataclass(frozen=True, slots=True)
class NewGraph:
    """What a person wants. Without a key one is made of the name; a copy has name and description of its source."""

    name: str | None = None
    key: str | None = None
    description: str | None = None
    copy_of: str | None = None


def make(member: Member, wanted: NewGraph, request: editing.Request) -> Graph:
    """The new graph. Raises `KeyTaken` and `KeyInvalid`, and what `editing.edit` does."""
    if wanted.key is not None:
        check_key(wanted.key)
    source = graph_for(member, wanted.copy_of) if wanted.copy_of is not None else None
    made = editing.create_object(
        member, GRAPH, request, [source] if source else [], lambda editor: _operations(editor, wanted, source)
    )
    return graph_for(member, made.key)


def _operations(member: Member, wanted: NewGraph, source: Graph | None) -> Sequence[Operation]:
    """What makes the graph. What is copied is held."""
    if source is not None:
        source = Graph.objects.get(pk=source.pk)
    name = wanted.name or (_copied(source.title) if source else "")
    if wanted.key and Graph.objects.filter(workspace=member.workspace, key=wanted.key).exists():
        raise KeyTaken(wanted.key)
    fields = {"name": name, "description": wanted.description or ""}
    if source is not None:
        fields = {"name": name, "metadata": source.metadata, "description": source.description}
        fields |= {} if wanted.description is None else {"description": wanted.description}
    creation = CreateObject(kind=GRAPH.name, fields=fields, key=wanted.key)
    own = plan(Object(workspace=member.workspace, type=GRAPH.name), [creation], member=member).operations
    if source is None:
        return own
    marked = [Create(each.item, each.record | mark_of(source)) for each in own if isinstance(each, Create)]
    return (*store_of(GRAPH.name).copied_parts(source), *marked)


def _copied(title: str) -> str:
    """What a copy is called: "Orders (copy)"."""
    longest = MAX_NAME - len(_("{name} (copy)").format(name=""))
    return _("{name} (copy)").format(name=title[:longest])
