"""Live edits by a person: planned, checked and written as edits by hand are; `live_edits` records them later."""

from collections.abc import Sequence
from typing import Any

from django.contrib.auth.models import User
from django.contrib.humanize.templatetags.humanize import intcomma
from django.db import transaction
from django.utils.translation import gettext as _

from graphs.history.changes import HeldChange, refuse_growth, write
from graphs.history.editing import KeyUsed, Request, planned
from graphs.models import Graph, LiveEdit, Origin
from graphs.objects.actions import ChangeRefused
from graphs.objects.edit_conflicts import EditConflicts
from graphs.objects.holding import held, raise_versions
from graphs.objects.kinds import is_object, store_of
from graphs.objects.object_plan import MAX_OPERATIONS
from graphs.objects.operations import Create, Delete, Operation, fields, from_json, inverses, to_json
from graphs.objects.preconditions import Before, Conflicting
from graphs.objects.stores import refuse_unfit
from graphs.site.access import Member, hold_role, or_not_found


def edit(member: Member, graph_id: int, request: Request) -> LiveEdit:
    """Does at once what is asked for, all or nothing; needs `request.key`. Raises what `history.editing.edit` does."""
    with transaction.atomic():
        graph, done = _held(member, graph_id, request)
        if done is not None:
            return done
        operations = planned(member, graph, request).operations
        if any(is_object(operation.item.type) for operation in operations):
            raise ChangeRefused(_("Node types, and what a graph is called, are not changed live."))
        if len(operations) > MAX_OPERATIONS:
            message = _("{count} items would change; live at most {most} can at once. Do it without a live connection.")
            raise ChangeRefused(message.format(count=intcomma(len(operations)), most=intcomma(MAX_OPERATIONS)))
        return _do(member.user, graph, operations, request, Origin.MANUAL)


def take_back(member: Member, graph_id: int, version: int, request: Request) -> LiveEdit:
    """Takes back the person's edit that made this version, saved or not. Raises `NotFound`, and what `edit` does."""
    with transaction.atomic():
        graph, done = _held(member, graph_id, request)
        if done is not None:
            return done
        made = or_not_found(LiveEdit.objects.filter(object=graph, person=member.user.pk, version=version).first())
        operations = inverses(map(from_json, made.operations))
        refuse_unfit(graph, operations)
        return _do(member.user, graph, operations, request, Origin.ROLLBACK)


def _held(member: Member, graph_id: int, request: Request) -> tuple[Graph, LiveEdit | None]:
    """The graph, and what this request did to it before. Sent twice at once, the second one waits here."""
    hold_role(member).require_editor()
    graph = held(Graph.objects.filter(workspace=member.workspace, pk=graph_id)).get()
    done = LiveEdit.objects.filter(object=graph, person=member.user.pk, key=request.key).first()
    if done is not None and done.digest != request.digest:
        raise KeyUsed
    return graph, done


def _do(user: User, graph: Graph, operations: Sequence[Operation], request: Request, origin: Origin) -> LiveEdit:
    assert request.key is not None
    version = raise_versions([graph.pk], live=True)[graph.pk]
    before = store_of(graph.type).before(graph, operations)
    try:
        (done,) = write(written := [HeldChange(graph, tuple(operations), version, before)])
    except Conflicting as conflicting:
        raise EditConflicts.of(conflicting, operations) from conflicting
    refuse_growth(written, origin)
    stored = [_as_stored(operation, before) for operation in done.operations]
    return LiveEdit.objects.create(
        object=graph,
        version=version,
        person=user.pk,
        person_label=user.get_username(),
        key=request.key,
        digest=request.digest,
        operations=stored,
        items=[f"{operation['type']}:{operation['id']}" for operation in stored],
    )


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


def operations_json(edit: LiveEdit) -> list[dict[str, Any]]:
    """The operations of an edit for people who watch: what is there now, without what was there before."""
    names = ("action", "type", "id", "version", "new")
    return [
        {name: operation[name] for name in names if name in operation}
        | ({"record": fields(operation["record"])} if operation["action"] == "create" else {})
        for operation in edit.operations
    ]
