"""The one door for changes, their history and the notice of them: `apply`, and `finish` for what is held already."""

import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.db import transaction

from graphs.history import fast_updates, live_edits
from graphs.history.recording import Applied, Because, Done, Revised, record, send_changed
from graphs.models import Object
from graphs.objects.headers import parent_of
from graphs.objects.holding import hold
from graphs.objects.kinds import KINDS, store_of
from graphs.objects.operations import Delete, Operation, net
from graphs.objects.preconditions import Before
from graphs.objects.stores import ObjectChange, divided, refuse_users


@dataclass(frozen=True, slots=True)
class HeldChange(ObjectChange):
    """A change of a held object, and what it touches. `version` is its new one, None if the change creates it."""

    version: int | None
    before: Before


def apply(around: Object, operations: Sequence[Operation], because: Because) -> Applied:
    """Changes an object, and others of its workspace that the operations name, all or nothing; saves live edits first.

    Raises `Conflicting`, `ChangeRefused`, and `Object.DoesNotExist` for an object that was deleted.
    """
    return apply_all(divided(around, net(operations)) or [ObjectChange(around, ())], because)


def apply_all(asked: Sequence[ObjectChange], because: Because) -> Applied:
    """Changes several objects of a workspace as one change set, each by `net` operations. Raises as `apply`."""
    with transaction.atomic():
        try:
            return _apply(asked, because)
        except Object.DoesNotExist:
            # One is gone, or has unsaved edits. Held from here on, it gets no more of them.
            for object_id in _there(asked):
                live_edits.save_edits(object_id)
        return _apply(asked, because)


def _apply(asked: Sequence[ObjectChange], because: Because) -> Applied:
    if len(asked) == 1 and fast_updates.fits(asked[0].operations):
        version, applied = fast_updates.apply(asked[0].object, asked[0].operations, because)
        if applied is not None:
            return send_changed(applied)
        versions = {asked[0].object.pk: version}
    else:
        versions = hold(_there(asked))
    hold_beside(asked)
    for each in asked:
        refuse_users(each, asked)
    held = [
        HeldChange(of, operations, versions.get(of.pk), store_of(of.type).before(of, operations))
        for of, operations in ((each.object, each.operations) for each in asked)
    ]
    return finish(held, because)


def hold_beside(asked: Sequence[ObjectChange]) -> None:
    """Holds what more has to stay as it is while these changes are made."""
    for kind in sorted({each.object.type for each in asked}):
        store_of(kind).hold(asked[0].object.workspace_id)


def _there(asked: Sequence[ObjectChange]) -> Collection[int]:
    """The objects that exist, in the order in which they are held."""
    return sorted(each.object.pk for each in asked if each.object.pk is not None)


def finish(changes: Sequence[HeldChange], because: Because) -> Applied:
    """Writes and records changes of held objects of one workspace as one change set. Raises `Conflicting`."""
    for change in changes:
        change.before.refuse_conflicts(change.operations)
    done = {id(change): _write(change) for change in sorted(changes, key=_turn)}
    recorded = record(uuid.uuid4(), changes[0].object.workspace_id, because, [done[id(change)] for change in changes])
    return send_changed(recorded)


def _turn(change: HeldChange) -> tuple[int, int]:
    """What holds others comes before them, and goes after them."""
    above, kind = 0, KINDS[change.object.type]
    while (holder := parent_of(kind)) is not None and above < len(KINDS):
        above, kind = above + 1, holder
    if change.version is None:
        return 0, above
    return (2, -above) if _deletes_object(change) else (1, 0)


def _write(change: HeldChange) -> Done:
    """Writes one change. A deleted object gets a last version, one that came back a higher one than it had."""
    changed, store = change.object, store_of(change.object.type)
    if change.version is None:
        operations = store.write(changed, change.operations, change.before)
        made = Object.objects.get(workspace=changed.workspace_id, type=changed.type, key=changed.key)
        return Done(Revised.of(made, made.version), operations)
    last = Revised.of(changed, change.version) if _deletes_object(change) else None
    operations = store.write(changed, change.operations, change.before)
    return Done(last or Revised.of(changed, change.version), operations)


def _deletes_object(change: HeldChange) -> bool:
    return any(isinstance(each, Delete) and each.item.type == change.object.type for each in change.operations)
