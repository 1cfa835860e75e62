"""Changes with their history, to look at in the admin."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from django.contrib.auth.models import User

from graphs.history import changes
from graphs.history.recording import Because
from graphs.models import ChangeSet, Graph, Object, Origin
from graphs.objects.operations import Create, Operation, Update
from graphs.objects.refs import Ref
from graphs.workflows import rows as graph_rows
from tests.things import Thing


def changed(graph: Object, operations: list[Operation], actor: User | None, **because: Any) -> ChangeSet:
    """A change by hand, unless `because` says otherwise."""
    given: dict[str, Any] = {"origin": Origin.MANUAL, **because}
    done = changes.apply(graph, operations, Because(actor, **given))
    return ChangeSet.objects.get(pk=done.change_set_id)


def update(
    graph: Graph,
    actor: User | None,
    key: str = "fetch-api",
    because: Mapping[str, Any] = MappingProxyType({}),
    **new: Any,
) -> ChangeSet:
    """Fields of a node, by their names on the wire."""
    item = Ref("node", key)
    old = graph_rows.nodes(graph, [key])[key].record
    return changed(graph, [Update(item, {name: old[name] for name in new}, new)], actor, **because)


def update_thing(
    thing: Thing, actor: User | None, because: Mapping[str, Any] = MappingProxyType({}), **new: Any
) -> ChangeSet:
    """Fields of a thing of any kind, called as those of a node."""
    fields = {"name": thing.name, "process": thing.text}
    values = {fields[name]: value for name, value in new.items()}
    operation = Update(thing.item, {name: thing.record[name] for name in values}, values)
    return changed(thing.around, [operation], actor, **because)


def create(graph: Graph, actor: User | None, key: str = "more", like: str = "fetch-api", **because: Any) -> ChangeSet:
    record = graph_rows.nodes(graph, [like])[like].record
    return changed(graph, [Create(Ref("node", key), {**record, "name": key.title()})], actor, **because)
