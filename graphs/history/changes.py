"""The one door for changes, their history and the notice of them: `apply`, and `write` for what is held already."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from types import MappingProxyType

from django.db import connection, transaction

from graphs.history import fast_rows, fast_updates, live_edits
from graphs.history.recording import Applied, Because, Done, Revised, holders_of, record, send_changed
from graphs.models import Object, Origin
from graphs.objects.headers import parent_of
from graphs.objects.holding import hold
from graphs.objects.kinds import KINDS, store_of
from graphs.objects.model_deletion import delete_all
from graphs.objects.model_refusals import refusals_of
from graphs.objects.operations import Create, Delete, Operation, Update, growth, net, result
from graphs.objects.plain_rows import ReadRow
from graphs.objects.preconditions import Before
from graphs.objects.refs import Ref
from graphs.objects.stores import (
    Coming,
    ObjectChange,
    befores,
    by_owner,
    find,
    refuse_unfit,
    refuse_users,
    require_room,
)


@dataclass(frozen=True, slots=True)
class HeldChange(ObjectChange):
    """A change of a held object, and what it touches. `version` is its new one, None if the change creates it."""

    version: int | None
    before: Before


def apply(
    around: Object,
    operations: Sequence[Operation],
    because: Because,
    known: Mapping[Ref, Object] | None = None,
    rows: Mapping[Ref, ReadRow] = MappingProxyType({}),
) -> Applied:
    """Changes an object, and others of its workspace that the operations name, all or nothing; saves live edits first.

    Headers may be `known` by who holds them, and `rows` as who asks has read them.
    Raises `Conflicting`, `ChangeRefused`, and `Object.DoesNotExist` for an object that was deleted.
    """
    by_ref = {operation.item: operation for operation in net(operations)}
    asked = [ObjectChange(of, tuple(by_ref[ref] for ref in refs)) for of, refs in by_owner(around, by_ref, known)]
    asked = asked or [ObjectChange(around, ())]
    with transaction.atomic():
        versions: dict[int, int] = {}
        if len(asked) == 1:
            versions, applied = _at_once(asked[0], because, rows.get(Ref(asked[0].object.type, asked[0].object.key)))
            if applied is not None:
                refuse_growth(asked, because.origin)
                return send_changed(applied)
        versions = versions or _hold_saved(sorted(each.object.pk for each in asked if each.object.pk is not None))
        hold_beside(asked)
        refuse_users(asked, asked)
        if because.origin != Origin.IMPORT:  # which brings what its file holds
            for each in asked:
                refuse_unfit(each.object, each.operations)
        held = [
            HeldChange(each.object, each.operations, versions.get(each.object.pk), before)
            for each, before in zip(asked, befores(asked, held=True), strict=True)
        ]
        done = write(held)
        refuse_growth(held, because.origin)
        return record(around.workspace_id, because, done)


def _at_once(change: ObjectChange, because: Because, row: ReadRow | None) -> tuple[dict[int, int], Applied | None]:
    """The new version of the object by its id, if it is held now, and what was done, if that went in one go."""
    if fast_updates.fits(change.operations):
        return fast_updates.apply(change.object, change.operations, because)
    return {}, fast_rows.apply(change, because, row) if fast_rows.fits(change) else None


def refuse_growth(written: Sequence[ObjectChange], origin: Origin) -> None:
    """Raises `ChangeRefused` if what was just written makes an object too large.

    An import may be as large as a file, and what comes as a whole is as large as what it is a copy of, or was.
    """
    if origin == Origin.IMPORT:
        return
    for each in written:
        of = each.object
        if not store_of(of.type).is_limited:
            continue
        comes = any(isinstance(operation, Create) and operation.item.type == of.type for operation in each.operations)
        if not comes and (by := growth(map(_without_places, each.operations))) > 0:
            store_of(of.type).refuse_growth(of, by, back=origin == Origin.ROLLBACK)


def _without_places(operation: Operation) -> Operation:
    """The operation without what makes no item larger: where it is, and numbers."""
    if not isinstance(operation, Update):
        return operation
    fields = KINDS[operation.item.type].fields
    places = {field.name for field in fields if field.position or field.form == "number"}
    old, new = (
        {name: value for name, value in record.items() if name not in places}
        for record in (operation.old, operation.new)
    )
    return Update(operation.item, old, new)


def _hold_saved(objects: Sequence[int]) -> dict[int, int]:
    """Holds objects once the history has their live edits; gives new versions. Raises `Object.DoesNotExist`."""
    try:
        return hold(objects)
    except Object.DoesNotExist:
        # One is gone, or has unsaved edits. Held from here on, it gets no more of them.
        for object_id in objects:
            live_edits.save_edits(object_id)
        return hold(objects)


def hold_beside(asked: Sequence[ObjectChange]) -> None:
    """Holds what more has to stay as it is while these changes are made."""
    for kind in sorted({each.object.type for each in asked}):
        store_of(kind).hold(asked[0].object.workspace_id)


def write(changes: Sequence[HeldChange]) -> list[Done]:
    """Writes changes of held objects and gives what was done, in their order. Raises `Conflicting`, `ChangeRefused`.

    A deleted object gets a last version, one that came back a higher one than it had.
    """
    for change in changes:
        change.before.refuse_conflicts(change.operations)
    if changes:
        every = (operation for change in changes for operation in change.operations)
        require_room(changes[0].object.workspace_id, every)
    done: dict[int, Done] = {}
    coming = Coming(versions={each.object.pk: each.version for each in changes if each.version is not None})
    for (turn, _type), group in groupby(sorted(changes, key=_turn_and_type), _turn_and_type):
        some = list(group)
        store = store_of(some[0].object.type)
        last = [_revised(each, each.object, each.version) if turn[0] == _GOES else None for each in some]
        written = store.write_all([(each, each.before) for each in some], coming)
        new = [Ref(each.object.type, each.object.key) for each in some if each.version is None]
        made = {ref: coming.headers[ref] for ref in new if ref in coming.headers}
        if unknown := [ref for ref in new if ref not in made]:
            made |= find(some[0].object.workspace_id, unknown)
        for change, revised, operations in zip(some, last, written, strict=True):
            changed = made.get(Ref(change.object.type, change.object.key), change.object)
            after = replace(change, operations=operations)
            done[id(change)] = Done(revised or _revised(after, changed, change.version or changed.version), operations)
    if coming.headers:
        Object.objects.bulk_create(coming.headers.values())
    if coming.gone:
        delete_all(coming.gone)
    deleted = [KINDS[each.object.type] for each in changes if _deletes_object(each)]
    if any(kind.rows for kind in deleted):
        with refusals_of(deleted[0]), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(_CHECK_CONSTRAINTS)
    return [done[id(change)] for change in changes]


def _revised(change: HeldChange, of: Object, version: int | None) -> Revised:
    """The version of an object, called as it is by now; what a row is called is in what was read and written."""
    assert version is not None
    kind = KINDS[of.type]
    if kind.rows is None:
        return Revised.of(of, version)
    stored = change.before.found.get(Ref(of.type, of.key))
    before = stored.record if stored else {}
    record = dict(before)
    for operation in change.operations:
        record |= result(operation)
    return Revised(of.type, of.pk, of.key, kind.name_of(record) or of.key, version, holders_of(kind, before, record))


#: Deferred ones would fail when the caller commits.
_CHECK_CONSTRAINTS = "DO $$ BEGIN SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED; END $$"
#: What comes, what stays, and what goes.
_COMES, _STAYS, _GOES = range(3)


def _turn_and_type(change: HeldChange) -> tuple[tuple[int, int], str]:
    return _turn(change), change.object.type


def _turn(change: HeldChange) -> tuple[int, int]:
    """What holds others comes before them, and goes after them."""
    above, kind = 0, KINDS[change.object.type]
    while (holder := parent_of(kind)) is not None and above < len(KINDS):
        above, kind = above + 1, holder
    if change.version is None:
        return _COMES, above
    return (_GOES, -above) if _deletes_object(change) else (_STAYS, 0)


def _deletes_object(change: HeldChange) -> bool:
    return any(isinstance(each, Delete) and each.item.type == change.object.type for each in change.operations)
