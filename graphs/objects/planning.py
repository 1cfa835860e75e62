"""From what is asked for to operations, for objects of any kind: a dry run, nothing is written.

What only a kind knows (nodes of a graph) is planned by its store. Later actions see what earlier ones would have done.
"""

import uuid
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from django.db import models
from django.utils.text import slugify
from django.utils.translation import gettext as _

from graphs.models import Object
from graphs.objects.actions import (
    MAX_ACTIONS,
    NAMES,
    Action,
    CreateObject,
    DeleteObject,
    MoveObject,
    ObjectAction,
    UpdateObject,
    steps_of,
)
from graphs.objects.headers import existing, is_key, may_see, parent_of
from graphs.objects.kinds import KINDS, Kind, is_object, store_of
from graphs.objects.model_rows import full_record, record_of, row_of
from graphs.objects.operations import Create, Delete, Operation, Record, Update, net
from graphs.objects.patches import replaced
from graphs.objects.planned import Planned, Target
from graphs.objects.refs import Ref
from graphs.objects.refusals import ChangeRefused, some
from graphs.objects.stores import Part, refuse_users
from graphs.objects.strict import Patch
from graphs.site.access import Member
from graphs.site.copying import new_ids
from graphs.site.json_values import same, shown


def plan(
    around: Object,
    asked: Sequence[Action],
    reserved: Callable[[], Collection[str]] = frozenset,
    member: Member | None = None,
) -> Planned:
    """What these actions would do, one after the other, with one operation for each item.

    Actions of the kind of `around` concern that object; those of objects in general name theirs, in its workspace.
    `reserved` gives keys that new parts do not get. Objects that the member may not see are absent. Raises
    `ChangeRefused`.
    """
    steps = steps_of(list(asked))
    own = [step for step in steps if not isinstance(step, ObjectAction)]
    others = [step for step in steps if isinstance(step, ObjectAction)]
    if not others:
        return store_of(around.type).plan(around, asked, reserved)
    planned = store_of(around.type).plan(around, own, reserved) if own else Planned((), ())
    more = _planned(_Draft(around.workspace_id, member), others, alone=len(steps) == 1)
    return Planned((*planned.operations, *more.operations), (*planned.targets, *more.targets))


def _planned(draft: "_Draft", steps: Sequence[ObjectAction], *, alone: bool) -> Planned:
    if len(steps) > MAX_ACTIONS:
        message = _("{count} actions at once are too many; at most {most} are possible.")
        raise ChangeRefused(message.format(count=len(steps), most=MAX_ACTIONS))
    problems: list[str] = []
    for number, step in enumerate(steps, start=1):
        try:
            draft.do(step)
        except ChangeRefused as refused:
            where = _("Action {number} ({name})").format(number=number, name=NAMES[type(step)])
            problems += refused.problems if alone else [f"{where}: {problem}" for problem in refused.problems]
    if problems:
        raise ChangeRefused(*problems)
    operations = net(draft.operations)
    if not operations:
        raise ChangeRefused(_("Nothing would change: everything is like this already."))
    return Planned(operations, tuple(draft.targets.values()))


class _Draft:
    """Objects of a workspace while a plan is made: as they are stored, with the changes so far."""

    def __init__(self, workspace_id: int, member: Member | None) -> None:
        self.operations: list[Operation] = []
        self.targets: dict[Ref, Target] = {}
        self._workspace_id = workspace_id
        self._member = member
        self._records: dict[Ref, Record | None] = {}
        self._objects: dict[Ref, Object] = {}

    def do(self, step: ObjectAction) -> None:
        match step:
            case UpdateObject():
                self._update(step.object, self._updates(step))
            case MoveObject():
                self._move(step)
            case CreateObject():
                self._create(step)
            case DeleteObject():
                self._delete(step.object)

    def _updates(self, step: UpdateObject) -> Record:
        record, kind = self._record(step.object), KINDS[step.object.type]
        new = dict(step.updates or {})
        _require_fields(kind, new)
        for number, patch in enumerate(step.patches or ()):
            _require_fields(kind, [patch.path])
            text = new.get(patch.path, record[patch.path])
            if not isinstance(text, str):
                raise ChangeRefused(_("{field} is no text. Give its new value in updates.").format(field=patch.path))
            where = _("patches[{index}] of {what}").format(index=number, what=f'"{patch.path}"')
            new[patch.path] = replaced(text, Patch(search=patch.search, replace=patch.replace), where)
        return new

    def _update(self, ref: Ref, new: Record) -> None:
        record, kind = self._record(ref), KINDS[ref.type]
        of = self._objects[ref]
        full = full_record(kind, of, record | new, row_of(of) if of.pk is not None else None)
        wanted = {name: value for name, value in full.items() if not same(record[name], value)}
        checked = store_of(ref.type).checked(ref, wanted)
        changed = {name: value for name, value in checked.items() if not same(record[name], value)}
        if changed:
            self.operations.append(Update(ref, {name: record[name] for name in changed}, changed))
            self._records[ref] = record | changed

    def _move(self, step: MoveObject) -> None:
        kind = KINDS.get(step.object.type)
        self._record(step.object)
        holder = parent_of(kind) if kind else None
        if kind is None or holder is None:
            raise ChangeRefused(_("{object} has no place to be moved from.").format(object=step.object))
        self._update(step.object, {"parent": self._parent_key(kind, step.parent)})

    def _create(self, step: CreateObject) -> None:
        kind = KINDS.get(step.kind)
        if kind is None or not is_object(step.kind) or not may_create(kind):
            known = some(each.name for each in KINDS.values() if is_object(each.name) and may_create(each))
            message = _("Objects of the kind {kind} cannot be created. Kinds: {known}.")
            raise ChangeRefused(message.format(kind=f'"{shown(step.kind)}"', known=known))
        _require_fields(kind, step.fields)
        values = dict(step.fields)
        if step.parent and not kind.parent:
            raise ChangeRefused(_("Objects of the kind {kind} have no parent.").format(kind=kind.name))
        if kind.parent:
            values["parent"] = self._parent_key(kind, step.parent) if step.parent else values.get("parent")
        key = step.key or _new_key(kind, str(values.get(kind.title) or ""))
        if not is_key(kind, key):
            message = _("No {kind} can have the key {key}. Leave it out, then one is made.")
            raise ChangeRefused(message.format(kind=kind.name, key=f'"{shown(key)}"'))
        ref = Ref(kind.name, key)
        if self._records.get(ref) is not None or existing(self._workspace_id, ref) is not None:
            raise ChangeRefused(_("There is {object} already.").format(object=ref))
        of = Object(workspace_id=self._workspace_id, type=kind.name, key=key)
        record = store_of(kind.name).checked(ref, full_record(kind, of, values))
        self._objects[ref], self._records[ref] = of, record
        self.operations.append(Create(ref, record))

    def _delete(self, ref: Ref) -> None:
        record, kind = self._record(ref), KINDS[ref.type]
        if kind.parts:
            raise ChangeRefused(_("{object} cannot be deleted here.").format(object=ref))
        deleted = Delete(ref, record)
        earlier = [Part(self._objects[each.item], (each,)) for each in self.operations]
        refuse_users(Part(self._objects[ref], (deleted,)), earlier)
        self.operations.append(deleted)
        self._records[ref] = None

    def _parent_key(self, kind: Kind, ref: Ref) -> str:
        """The key of a parent that exists, now or after earlier actions."""
        holder = parent_of(kind)
        if holder is None or ref.type != holder.name:
            wanted = holder.name if holder else "-"
            message = _("{object} can be no parent here: it has to be a {kind}.")
            raise ChangeRefused(message.format(object=ref, kind=wanted))
        self._record(ref)
        return ref.key

    def _record(self, ref: Ref) -> Record:
        """The record of an object as it would be by now. Raises `ChangeRefused` if there is none."""
        if ref not in self._records:
            found = existing(self._workspace_id, ref)
            if found is not None and self._member is not None and not may_see(self._member, found):
                found = None
            row = row_of(found) if found else None
            if found is None or row is None:
                raise ChangeRefused(_("There is no {object}.").format(object=f'"{shown(str(ref))}"'))
            self._objects[ref], self._records[ref] = found, record_of(KINDS[ref.type], row)
            self.targets[ref] = Target(ref.type, ref.key, found.version)
        record = self._records[ref]
        if record is None:
            raise ChangeRefused(_("There is no {object}.").format(object=f'"{shown(str(ref))}"'))
        return record


def may_create(kind: Kind) -> bool:
    """Whether new objects of the kind can be made here: it is known which workspace they belong to."""
    if kind.parts:
        return False
    return kind.rows is None or bool(kind.parent) or (bool(kind.workspace) and "__" not in kind.workspace)


def _require_fields(kind: Kind, names: Iterable[str]) -> None:
    unknown = [name for name in names if name not in kind.by_name or name == "parent"]
    if unknown:
        known = ", ".join(name for name in kind.by_name if name != "parent")
        message = _("There is no field {unknown}. Fields of {kind}: {known}.")
        raise ChangeRefused(message.format(unknown=some(map(shown, unknown)), kind=kind.name, known=known))


def _new_key(kind: Kind, title: str) -> str:
    """A key that no other object gets."""
    column: Any = kind.model._meta.pk
    if isinstance(column, models.UUIDField):
        return str(uuid.uuid4())
    if isinstance(column, models.IntegerField) and not issubclass(kind.model, Object):
        return str(new_ids(kind.model, 1)[0])
    return f"{slugify(title)[:40] or kind.name.lower()}-{uuid.uuid4().hex[:6]}"
