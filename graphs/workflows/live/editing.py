"""Live edits by a person: checked and done as edits by hand are, with the history left to `saving`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Coalesce, Now
from django.utils.translation import gettext as _

from graphs.history.editing import KeyUsed, Request
from graphs.models import Graph, LiveEdit, Object
from graphs.objects.actions import ChangeRefused
from graphs.objects.edit_conflicts import EditConflicts, SeenVersions
from graphs.objects.holding import held
from graphs.objects.kinds import is_object, store_of
from graphs.objects.operations import Create, Delete, Operation, fields, from_json, inverses, to_json
from graphs.objects.planning import plan
from graphs.objects.preconditions import Before, Conflicting
from graphs.site.access import Member, hold_role, or_not_found


@dataclass(frozen=True, slots=True)
class Edited:
    """What a live edit did: the version of the graph that it made, and the operations as `LiveEdit` has them."""

    version: int
    by: str
    at: datetime
    operations: Sequence[dict[str, Any]]

    @classmethod
    def of(cls, edit: LiveEdit) -> "Edited":
        return cls(edit.version, edit.person_label, edit.created_at, edit.operations)

    def to_json(self) -> list[dict[str, Any]]:
        """The operations for people who watch: what is there now, without what was there before."""
        names = ("action", "type", "id", "version", "new")
        return [
            {name: operation[name] for name in names if name in operation}
            | ({"record": fields(operation["record"])} if operation["action"] == "create" else {})
            for operation in self.operations
        ]


def edit(member: Member, graph_id: int, request: Request) -> Edited:
    """Does at once what is asked for, all or nothing; needs `request.key`. Raises what `history.editing.edit` does."""

    def asked(graph: Graph) -> Sequence[Operation]:
        seen = SeenVersions.read(graph, request.seen)
        operations = plan(graph, request.actions).operations
        if any(is_object(operation.item.type) for operation in operations):
            raise ChangeRefused(_("Node types belong to the whole workspace. They are not changed live."))
        seen.refuse_conflicts(operations)
        return operations

    return _once(member, graph_id, request, asked)


def take_back(member: Member, graph_id: int, version: int, request: Request) -> Edited:
    """Takes back the person's edit that made this version, saved or not. Raises `NotFound`, and what `edit` does."""

    def inverse(graph: Graph) -> Sequence[Operation]:
        made = LiveEdit.objects.filter(object=graph, person=member.user.pk, version=version).first()
        return inverses(map(from_json, or_not_found(made).operations))

    return _once(member, graph_id, request, inverse)


def _once(member: Member, graph_id: int, request: Request, what: Callable[[Graph], Sequence[Operation]]) -> Edited:
    """Does `what`, or gives what this request did before. Sent twice at once, the second one waits for the graph."""
    with transaction.atomic():
        hold_role(member).require_editor()
        graph = held(Graph.objects.filter(workspace=member.workspace, pk=graph_id)).get()
        done = LiveEdit.objects.filter(object=graph, person=member.user.pk, key=request.key).first()
        if done is not None and done.digest != request.digest:
            raise KeyUsed
        return Edited.of(done) if done else _do(member.user, graph, what(graph), request)


def _do(user: User, graph: Graph, operations: Sequence[Operation], request: Request) -> Edited:
    assert request.key is not None
    store = store_of(graph.type)
    before = store.before(graph, operations)
    try:
        before.refuse_conflicts(operations)
    except Conflicting as conflicting:
        raise EditConflicts.of(conflicting, operations) from conflicting
    stored = [_as_stored(operation, before) for operation in store.write(graph, operations, before)]
    Object.objects.filter(pk=graph.pk).update(
        version=F("version") + 1, updated_at=Now(), unsaved_since=Coalesce("unsaved_since", Now())
    )
    made = LiveEdit.objects.create(
        object=graph,
        version=graph.version + 1,
        person=user.pk,
        person_label=user.get_username(),
        key=request.key,
        digest=request.digest,
        operations=stored,
        items=[f"{operation['type']}:{operation['id']}" for operation in stored],
    )
    return Edited.of(made)


def _as_stored(operation: Operation, before: Before) -> dict[str, Any]:
    """The operation as JSON, with the version that its item has afterwards."""
    match operation:
        case Create(_, record):
            version = record.get("version", 0) + 1
        case Delete(_, record):
            version = record["version"]
        case _:
            version = before.found[operation.item].version + 1
    return to_json(operation) | {"version": version}
