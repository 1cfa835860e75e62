"""Takes back what was changed, by a change like any other; `rollback_conflicts` names what stands in the way."""

import hashlib
import json
import uuid
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from django.contrib.auth.models import User
from django.core.serializers.json import DjangoJSONEncoder
from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils.translation import gettext as _

from graphs.history import changes, fast_rollback
from graphs.history.outside import catch_up
from graphs.history.recording import Applied, Because, record, send_changed
from graphs.history.scopes import (
    AsOf,
    Caused,
    ChangeSets,
    OneModification,
    Scope,
    ScopedChanges,
    objects_of,
    read,
    to_hold,
)
from graphs.history.undo import Clash, Left, Undone, undo
from graphs.models import Object, Origin, Revision
from graphs.objects import holding
from graphs.objects.actions import ChangeRefused
from graphs.objects.kinds import KINDS, store_of
from graphs.objects.operations import Operation, Update, inverses, to_json
from graphs.objects.preconditions import Before, Conflicting
from graphs.objects.refs import Ref
from graphs.objects.stores import ObjectChange, befores, find, labels, users
from graphs.site.preview_places import require_time


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What somebody chose to leave as it is; without the key of an object, in whichever object it is."""

    item: Ref
    field: str = ""
    of: str | None = None


@dataclass(frozen=True, slots=True)
class ObjectRollback:
    """What a rollback does to one object, and what stands in the way of it there."""

    object: Object
    before: Before
    undone: Undone

    @property
    def change(self) -> ObjectChange:
        return ObjectChange(self.object, self.undone.operations)

    def names(self, items: Iterable[Ref]) -> Mapping[Ref, str]:
        """What people call these items now, but for those that are gone. An object without parts was read already."""
        if KINDS[self.object.type].parts:
            return labels(self.object, items)
        there = {item: self.before.found[item].record for item in items if item in self.before.found}
        return {item: KINDS[item.type].name_of(record) or item.key for item, record in there.items()}


@dataclass(frozen=True, slots=True)
class Plan:
    """What a rollback would do now; `gone` is what it cannot bring back, `state` names what it was computed from."""

    scope: Scope
    done: ScopedChanges
    steps: tuple[ObjectRollback, ...]
    gone: Mapping[Ref, str]
    state: str

    @property
    def clashes(self) -> tuple[tuple[Object, Clash], ...]:
        return tuple((step.object, clash) for step in self.steps for clash in step.undone.clashes)

    @property
    def conflict_count(self) -> int:
        """How much stands in the way, of which not all is named."""
        return len(self.gone) + sum(len(step.undone.clashes) for step in self.steps)

    @property
    def operations(self) -> tuple[Operation, ...]:
        return tuple(operation for step in self.steps for operation in step.undone.operations)

    @property
    def digest(self) -> str:
        """Digest of what would be done and of the state it was computed from; a rollback must match the one shown."""
        shown = hashlib.sha256()
        for step in self.steps:
            shown.update(f"{step.object.pk}\n".encode())
            # One after the other: as one text they would take three times what all of them hold.
            for operation in step.undone.operations:
                shown.update(f"{_AS_JSON(to_json(operation))}\n".encode())
        return shown.hexdigest()[:_RESULT] + self.state


#: Characters of a digest that are of the result; those of the state follow.
_RESULT = 40
_AS_JSON = DjangoJSONEncoder(sort_keys=True, separators=(",", ":")).encode


def _state(scope: Scope, left_out: Collection[LeftOut], objects: Sequence[Object]) -> str:
    named = [repr(scope), sorted(map(repr, left_out)), [(each.pk, each.version) for each in objects]]
    return hashlib.sha256(json.dumps(named).encode()).hexdigest()[_RESULT:]


class RollbackRefused(Exception):
    """Raised if nothing was changed; `plan` is what would have been done."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(type(self).__name__)
        self.plan = plan


class Clashing(RollbackRefused):
    """Later edits stand in the way, or an object is gone."""


class Outdated(RollbackRefused):
    """Raised if the rollback would by now do something else than what was shown."""


class NothingToUndo(RollbackRefused):
    """All of it was taken back already, or left out, or there was nothing."""


def roll_back(
    workspace_id: int,
    actor: User,
    scope: Scope,
    left_out: Collection[LeftOut] = (),
    reason: str = "",
    digest: str | None = None,
) -> Applied:
    """Rolls back as one change set; `digest` is of the plan that was shown. Raises `NotFound`, `RollbackRefused`."""
    with transaction.atomic():
        raised: dict[int, int] = {}
        if isinstance(scope, ChangeSets) and len(scope.ids) == 1 and not left_out:
            raised, applied = _in_one_statement(workspace_id, actor, scope, reason, digest)
            if applied is not None:
                return send_changed(applied)
        plan = preview(workspace_id, scope, left_out, held=True)
        if digest is not None and digest[:_RESULT] != plan.digest[:_RESULT]:
            raise Outdated(plan)
        if plan.clashes or plan.gone:
            raise Clashing(plan)
        if not plan.operations:
            raise NothingToUndo(plan)
        try:
            because = replace(_because(plan, actor, reason), redoes=plan.done.rollbacks)
            written = _changes(plan, raised)
            done = changes.write(written)
            changes.refuse_growth(written, Origin.ROLLBACK)
            return record(workspace_id, because, done)
        except Conflicting as conflicting:  # other code saved a row of a registered model, and waits for no header
            raise Outdated(plan) from conflicting


def touched(workspace_id: int, scope: Scope) -> list[Ref]:
    """The objects with rights by row that a rollback would look at."""
    narrow = [kind.name for kind in KINDS.values() if kind.may_see or kind.may_edit]
    if not narrow:
        return []
    found = objects_of(workspace_id, scope)
    rows = Revision.objects.filter(object__in=found, type__in=narrow, change_set__workspace=workspace_id)
    return [Ref(type_, key) for type_, key in rows.values_list("type", "key").distinct().order_by()]


def _changes(plan: Plan, raised: Mapping[int, int]) -> list[changes.HeldChange]:
    """One change for each object of which something changes. Objects in `raised` already hold their new version."""
    steps = [step for step in plan.steps if step.undone.operations]
    there = [step.object.pk for step in steps if not step.object._state.adding]
    versions = {**raised, **holding.raise_versions([pk for pk in there if pk not in raised])}
    return [
        changes.HeldChange(each.object, each.undone.operations, versions.get(each.object.pk), each.before)
        for each in steps
    ]


def _in_one_statement(
    workspace_id: int, actor: User, scope: ChangeSets, reason: str, digest: str | None
) -> tuple[dict[int, int], Applied | None]:
    """What was done, or None, and the new version of the object if it is held."""
    (change_set_id,) = scope.ids
    done = fast_rollback.whole(workspace_id, change_set_id)
    if done is None or (digest is not None and digest[_RESULT:] != _state(scope, (), [done.object])):
        return {}, None
    causes = (f"change-set:{change_set_id}",)
    raised, applied = fast_rollback.take_back(
        done,
        Because(actor, Origin.ROLLBACK, reason, causes[0], causes, undoes=(change_set_id,), redoes=done.redoes),
        only_in=None if digest is None else done.object.version,
    )
    if applied is not None and done.brings > 0:
        store_of(done.object.type).refuse_growth(done.object, done.brings, back=True)
    return raised, applied


def catch_up_with(workspace_id: int, scope: Scope) -> None:
    """Brings into the history what it lacks of the objects of a scope; waits for who holds them."""
    catch_up(Object.objects.filter(workspace=workspace_id, pk__in=objects_of(workspace_id, scope)))


def _held(workspace_id: int, done: ScopedChanges) -> list[Object]:
    """The objects that are there, once the history has all of them. Others' saves make versions, or take one away."""
    rows = holding.held(Object.objects.filter(workspace=workspace_id, pk__in=done.objects.keys()))
    objects = list(rows)
    catch_up(objects)
    saved_by_others = any(KINDS[each.type].rows for each in objects if each.type in KINDS)
    return list(rows.all()) if saved_by_others else objects


def preview(workspace_id: int, scope: Scope, left_out: Collection[LeftOut] = (), *, held: bool = False) -> Plan:
    """What a rollback would do now, with `held` till the commit, in which the history is caught up with first.

    Otherwise it waits for nobody; `catch_up_with` comes before it. Raises `NotFound`.
    """
    done = to_hold(workspace_id, scope)
    if held:
        objects = _held(workspace_id, done)
    else:
        objects = list(Object.objects.filter(workspace=workspace_id, pk__in=done.objects.keys()).order_by("pk"))
    if isinstance(scope, AsOf):  # What was done since a version is known when nobody does more.
        done = read(workspace_id, scope)
    if held and len(objects) < len(done.objects):
        holding.hold_workspace(workspace_id)  # Others may bring back the same.
    missing, there_again = _missing(workspace_id, done, objects)
    deleted = [each for each, _label in missing if _came_or_went(each, done.objects[each.pk])]
    # One that went and is there again, as a new object of the same name, is what stands in the way.
    again = find(workspace_id, [Ref(each.type, each.key) for each in deleted]) if there_again else {}
    made = [ObjectChange(each, done.objects[each.pk]) for each in objects]
    whole = [each for each in deleted if each.type in KINDS and KINDS[each.type].parts]
    made += [
        ObjectChange(each if each in whole else again.get(Ref(each.type, each.key), each), done.objects[each.pk])
        for each in deleted
    ]
    if unknown := sorted({change.object.type for change in made} - KINDS.keys()):
        raise ChangeRefused(_("{kinds} is no longer known here.").format(kinds=", ".join(unknown)))
    if held and made:
        changes.hold_beside(made)
    steps = []
    chosen: dict[Ref, list[LeftOut]] = {}
    for each in left_out:
        chosen.setdefault(each.item, []).append(each)
    taken_back = [ObjectChange(change.object, inverses(change.operations)) for change in made]
    for change, before in zip(made, befores(taken_back, held=held), strict=True):
        require_time()
        left = _left_in(change, chosen)
        own = Ref(change.object.type, change.object.key)
        undone = undo(change.operations, before, left)
        if change.object in whole and undone.operations and own in again:
            # None of its parts is of the other one.
            undone = replace(undone, clashes=(Clash("recreated", own, ""),))
        steps.append(_with_unfit(ObjectRollback(change.object, before, undone)))
    come_back = {each.pk for each in deleted}
    gone = {Ref(each.type, each.key): label for each, label in missing if each.pk not in come_back}
    for each in left_out:
        gone.pop(each.item, None)
    state = _state(scope, left_out, objects)
    undone_changes = [step.change for step in steps]
    used = users(undone_changes, undone_changes)
    return Plan(scope, done, tuple(_with_users(step, used) for step in steps), gone, state)


def _missing(
    workspace_id: int, done: ScopedChanges, objects: Sequence[Object]
) -> tuple[list[tuple[Object, str]], bool]:
    """The objects that are not there any more, not saved, each with what it was called last.

    Gives, too, whether there is another one by now that has the name of one of them.
    """
    ids = done.objects.keys() - {each.pk for each in objects}
    if not ids:
        return [], False
    named_so = Object.objects.filter(workspace=workspace_id, type=OuterRef("type"), key=OuterRef("key"))
    last = Revision.objects.filter(object__in=ids, change_set__workspace=workspace_id).order_by("object", "-version")
    rows = (
        last.annotate(again=Exists(named_so)).distinct("object").values_list("object", "type", "key", "label", "again")
    )
    found = list(rows)
    gone = [
        (Object(pk=pk, workspace_id=workspace_id, type=type_, key=key), label) for pk, type_, key, label, _a in found
    ]
    return gone, any(again for *_row, again in found)


def _left_in(change: ObjectChange, chosen: Mapping[Ref, Sequence[LeftOut]]) -> list[Left]:
    """What was chosen, by item, of what a change touches."""
    items = dict.fromkeys(operation.item for operation in change.operations)
    return [
        Left(each.item, each.field)
        for item in items
        for each in chosen.get(item, ())
        if each.of in (None, change.object.key)
    ]


def _came_or_went(which: Object, operations: Sequence[Operation]) -> bool:
    """Whether the history has the object itself, so that it can bring it back."""
    own = Ref(which.type, which.key)
    return any(operation.item == own and not isinstance(operation, Update) for operation in operations)


def _with_users(step: ObjectRollback, used: Mapping[Ref, Sequence[Ref]]) -> ObjectRollback:
    """The step with a clash for each user of an object that it deletes."""
    own = Ref(step.object.type, step.object.key)
    clashes = tuple(Clash("used", own, "", by=user) for user in used.get(own, ()))
    return replace(step, undone=replace(step.undone, clashes=(*step.undone.clashes, *clashes)))


def _with_unfit(step: ObjectRollback) -> ObjectRollback:
    """The step with a clash for each part that nobody could make as it would be."""
    if step.object._state.adding:
        return step
    by_item = {operation.item: operation for operation in step.undone.operations}
    clashes = tuple(
        Clash("unfit", item, _only_field(by_item[item]), by=None if item == each.part else each.part, why=each.why)
        for each in store_of(step.object.type).unfit(step.object, step.undone.operations)
        for item in each.by
    )
    return replace(step, undone=replace(step.undone, clashes=(*step.undone.clashes, *clashes)))


def _only_field(operation: Operation) -> str:
    return next(iter(operation.new)) if isinstance(operation, Update) and len(operation.new) == 1 else ""


def _because(plan: Plan, actor: User, reason: str) -> Because:
    """The causes of a rollback. It `undoes` only what is taken back as a whole."""
    there = {step.object.pk for step in plan.steps}
    whole = plan.done.objects.keys() <= there and not any(step.undone.left for step in plan.steps)
    undoes: tuple[uuid.UUID, ...] = ()
    match plan.scope:
        case ChangeSets(ids):
            causes = tuple(f"change-set:{id_}" for id_ in ids)
            undoes = plan.done.change_sets if whole else ()
        case OneModification(id_):
            causes = (f"modification:{id_}",)
        case Caused(cause):
            # Not among the causes: what is taken back is no further change of that conversation.
            return Because(actor, Origin.ROLLBACK, reason, cause, undoes=plan.done.change_sets if whole else ())
        case AsOf(version=version):
            causes = (f"as-of:{version}",)
    return Because(actor, Origin.ROLLBACK, reason, causes[0], causes, undoes=undoes)
