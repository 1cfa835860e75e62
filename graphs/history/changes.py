"""The one door for changes: operations, their history and the notice of them, in one transaction.

Proposals and edits by hand come through `apply`; rollbacks, which look at what they hold before they know what to do,
through `finish`.
"""

import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.db import transaction

from graphs.history import fast_updates, live_edits
from graphs.history.recording import Applied, Because, Done, Revised, record
from graphs.history.signals import send_changed
from graphs.models import Object
from graphs.objects.headers import parent_of
from graphs.objects.holding import hold
from graphs.objects.kinds import KINDS, store_of
from graphs.objects.operations import Delete, Operation, net
from graphs.objects.preconditions import Before
from graphs.objects.stores import Part, divided, refuse_users


@dataclass(frozen=True, slots=True)
class Change:
    """What is to be done to a held object, and what it touches. `version` is its new one, None if it is created."""

    part: Part
    version: int | None
    before: Before


def apply(around: Object, operations: Sequence[Operation], because: Because) -> Applied:
    """Changes an object, and others of its workspace that the operations name, and records it. All or nothing.

    What people did live is saved first. Raises `Conflicting` if an item is not what the operations expect or an edge
    would lose its end, and `Object.DoesNotExist` for an object that was deleted.
    """
    return apply_parts(divided(around, net(operations)) or [Part(around, ())], because)


def apply_parts(parts: Sequence[Part], because: Because) -> Applied:
    """Changes several objects of a workspace as one change set, each by `net` operations. Raises as `apply`."""
    with transaction.atomic():
        try:
            return _apply(parts, because)
        except Object.DoesNotExist:
            # One is gone, or has unsaved edits. Held from here on, it gets no more of them.
            for object_id in _there(parts):
                live_edits.save_edits(object_id)
        return _apply(parts, because)


def _apply(parts: Sequence[Part], because: Because) -> Applied:
    if len(parts) == 1 and fast_updates.fits(parts[0].operations):
        version, applied = fast_updates.apply(parts[0].object, parts[0].operations, because)
        if applied is not None:
            return send_changed(applied)
        versions = {parts[0].object.pk: version}
    else:
        versions = hold(_there(parts))
    hold_beside(parts)
    for part in parts:
        refuse_users(part, parts)
    found = [(part, store_of(part.object.type).before(part.object, part.operations)) for part in parts]
    return finish([Change(part, versions.get(part.object.pk), before) for part, before in found], because)


def hold_beside(parts: Sequence[Part]) -> None:
    """Holds what more has to stay as it is while these parts are done."""
    for kind in sorted({part.object.type for part in parts}):
        store_of(kind).hold(parts[0].object.workspace_id)


def _there(parts: Sequence[Part]) -> Collection[int]:
    """The objects that exist, in the order in which they are held."""
    return sorted(part.object.pk for part in parts if part.object.pk is not None)


def finish(changes: Sequence[Change], because: Because) -> Applied:
    """Writes and records changes of held objects of one workspace as one change set. Raises `Conflicting`."""
    for change in changes:
        change.before.refuse_conflicts(change.part.operations)
    workspace_id = changes[0].part.object.workspace_id
    places = range(len(changes))
    done = {place: _write(changes[place]) for place in sorted(places, key=lambda place: _turn(changes[place]))}
    return send_changed(record(uuid.uuid4(), workspace_id, because, [done[place] for place in places]))


def _turn(change: Change) -> tuple[int, int]:
    """What holds others comes before them, and goes after them."""
    own, above, kind = change.part.object, 0, KINDS[change.part.object.type]
    while (holder := parent_of(kind)) is not None and above < len(KINDS):
        above, kind = above + 1, holder
    if change.version is None:
        return 0, above
    goes = any(isinstance(each, Delete) and each.item.type == own.type for each in change.part.operations)
    return (2, -above) if goes else (1, 0)


def _write(change: Change) -> Done:
    """Does one part. An object that was deleted gets a last version, one that came back a higher one than it had."""
    changed, store = change.part.object, store_of(change.part.object.type)
    if change.version is None:
        operations = store.write(changed, change.part.operations, change.before)
        made = Object.objects.get(workspace=changed.workspace_id, type=changed.type, key=changed.key)
        return Done(Revised.of(made, made.version), operations)
    is_deleted = any(isinstance(each, Delete) and each.item.type == changed.type for each in change.part.operations)
    last = Revised.of(changed, change.version) if is_deleted else None
    operations = store.write(changed, change.part.operations, change.before)
    return Done(last or Revised.of(changed, change.version), operations)
