"""The objects of a workspace while a plan is made: as they would be after the actions taken so far."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import gettext as _

from graphs.models import Object
from graphs.objects import plain_rows
from graphs.objects.actions import (
    Action,
    ChangeRefused,
    CreateObject,
    DeleteObject,
    MoveObject,
    ObjectAction,
    UpdateObject,
    some,
)
from graphs.objects.asked_values import (
    refuse_reserved,
    refuse_weight,
    require_fields,
    require_place,
)
from graphs.objects.headers import existing, headers_of, is_key, may_see, parent_of, ref_of, rows_of, rows_with
from graphs.objects.kinds import KINDS, Kind, is_object, store_of, whole_of
from graphs.objects.model_rows import full_record, new_row, row_of, without_a_look, writes_together
from graphs.objects.model_users import led_by
from graphs.objects.model_values import record_of
from graphs.objects.new_keys import NewKeys, is_new, may_create, no_key
from graphs.objects.operations import Create, Delete, Operation, Record, Target, Update, net, weight
from graphs.objects.patches import replaced
from graphs.objects.plain_rows import ReadRow, stores_as_given
from graphs.objects.refs import Ref
from graphs.objects.stores import ObjectChange, refuse_users
from graphs.objects.strict import Patch
from graphs.site.access import Member
from graphs.site.counted_keys import counts_keys, is_far
from graphs.site.json_values import same, shown

#: Items that one plan may change, beside those that go with something of which they are parts.
MAX_OPERATIONS = 5_000
#: Rows of what goes along that are read at once: each may be as long as a value may be.
AT_ONCE = 100


@dataclass(slots=True)
class _PlannedObject:
    """An object as it would be by now: its record is None once it is deleted. A new one has no primary key."""

    of: Object
    row: Any
    record: Record | None


class ObjectPlan:
    """The objects of a workspace while a plan is made. What only a kind knows, its planner adds."""

    def __init__(self, around: Object, member: Member | None) -> None:
        self.around = around
        self.operations: list[Operation] = []
        self.targets: dict[Ref, Target] = {}
        #: Rows of objects that are held, as they were read.
        self.rows: dict[Ref, ReadRow] = {}
        #: What is done once after all steps, by what only a kind knows.
        self.at_end: list[Callable[[], None]] = []
        #: How many items change only because something goes that they are on, as many as there are, or that they hold.
        self.going_along = 0
        self._member = member
        self._planned: dict[Ref, _PlannedObject] = {}
        self._keys = NewKeys(around.workspace_id)
        self._together: set[Ref] = set()

    def do(self, step: ObjectAction) -> None:
        match step:
            case UpdateObject():
                self.change(whole_of(step.object), self._updates(step))
            case MoveObject():
                self._move(step)
            case CreateObject():
                self._create(step)
            case DeleteObject() if whole_of(step.object) != step.object:
                message = _("{object} is a part of {whole}, and goes only with it.")
                raise ChangeRefused(message.format(object=step.object, whole=whole_of(step.object)))
            case DeleteObject():
                self.remove(step.object)

    def look_ahead(self, steps: Sequence[ObjectAction], known: Mapping[Ref, Object]) -> None:
        """Reads together the rows of registered models that these steps name."""
        named = dict.fromkeys(whole_of(ref) for step in steps for ref in step.named())
        rows: dict[Ref, Any] = {}
        for kind in (KINDS[name] for name in dict.fromkeys(ref.type for ref in named) if is_object(name)):
            keys = [ref.key for ref in named if ref.type == kind.name]
            if kind.rows is not None and (len(keys) > 1 or known):
                found = self._rows_with(kind, keys, known)
                seen = {ref_of(kind, row): row for row in found if self._sees(kind, row)}
                rows |= seen
                if writes_together(kind):
                    self._together |= seen.keys()
        self._read(rows, known)

    def _rows_with(self, kind: Kind, keys: Sequence[str], known: Mapping[Ref, Object]) -> Iterable[Any]:
        """The rows with these keys. One that may be written as it is read, once it is held, is kept so."""
        of = known.get(Ref(kind.name, keys[0])) if len(keys) == 1 else None
        if of is None or not stores_as_given(kind):
            return rows_with(kind, self.around.workspace_id, keys)
        read = plain_rows.read(kind, of)
        if read is None:
            return []
        self.rows[Ref(kind.name, keys[0])] = read
        return [read.row()]

    def is_together(self, step: Action) -> bool:
        """Whether a step changes fields of an object that is read, and written, together with others of its kind."""
        return isinstance(step, UpdateObject) and whole_of(step.object) in self._together

    def read(self, kind: Kind, rows: Iterable[Object]) -> None:
        """Takes rows of objects that were read together."""
        for row in rows:
            self.take(kind, row, row)

    def take(self, kind: Kind, of: Object, row: Any) -> None:
        """Takes an object with its row, which was read."""
        self._planned[Ref(kind.name, of.key)] = _PlannedObject(of, row, record_of(kind, row))

    @property
    def headers(self) -> dict[Ref, Object]:
        """The headers of objects that were there when they were read."""
        return {ref: planned.of for ref, planned in self._planned.items() if planned.of.pk is not None}

    def find(self, ref: Ref) -> Record | None:
        """The record of an object that was read or made; None if there is none by now."""
        return planned.record if (planned := self._planned.get(ref)) else None

    def depend(self, ref: Ref, *, there: bool = False) -> None:
        """Notes that the plan holds only while this object is as it is, or only while it is `there`."""
        if (of := self._planned[ref].of).pk is None:
            return
        if there:
            self.targets.setdefault(ref, Target(ref.type, ref.key, 0))
        else:
            self.targets[ref] = Target(ref.type, ref.key, of.version)

    def add(self, kind: Kind, key: str, values: Record, *, free: bool = False) -> None:
        """Makes an object. Its parent may be a new one, which its model finds nowhere yet. A `free` key nobody has."""
        ref = Ref(kind.name, key)
        known = free or ref in self._planned
        if self.find(ref) is not None or (not known and existing(self.around.workspace_id, ref)):
            raise ChangeRefused(_("There is {object} already.").format(object=ref))
        of = Object(workspace_id=self.around.workspace_id, type=kind.name, key=key)
        planned = _PlannedObject(of, new_row(kind, of, {}), None)
        require_place(kind, planned.of, planned.row, values)
        record = store_of(kind.name).checked(ref, self._full(planned, values, without_a_look(kind, free=free)))
        self._planned[ref] = replace(planned, record=record)
        self._keys.give(ref)
        self.operations.append(Create(ref, record))

    def change(self, ref: Ref, new: Record) -> None:
        """Changes those of the fields that differ."""
        record, planned = self._record(ref), self._planned[ref]
        self.depend(ref, there=bool(KINDS[ref.type].parts))
        full = self._full(planned, new)
        wanted = {name: value for name, value in full.items() if not same(record[name], value)}
        checked = store_of(ref.type).checked(ref, wanted)
        changed = {name: value for name, value in checked.items() if not same(record[name], value)}
        if changed:
            self.operations.append(Update(ref, {name: record[name] for name in changed}, changed))
            planned.record = record | changed

    def remove(self, ref: Ref) -> None:
        """Deletes an object, after those that it holds where its kind takes them along."""
        self._record(ref)
        deleted: list[ObjectChange] = []
        below = self._below(ref)
        self.going_along += bool(below)  # a holder of as much as may change at once goes with it
        for each in (*below, ref):
            self.depend(each)
            planned = self._planned[each]
            deleted.append(ObjectChange(planned.of, (Delete(each, planned.record or {}),)))
        operations = [operation for change in deleted for operation in change.operations]
        refuse_users(deleted, self._changes(operations))
        self.operations += operations
        for operation in operations:
            self._planned[operation.item].record = None

    def require_few(self, operations: Sequence[Operation]) -> None:
        """Raises `ChangeRefused` where more items would change than may at once."""
        if (counted := len(operations) - self.going_along) > MAX_OPERATIONS:
            message = _("{count} items would change; at most {most} can at once. Do it in parts.")
            raise ChangeRefused(message.format(count=intcomma(counted), most=intcomma(MAX_OPERATIONS)))

    def _below(self, ref: Ref) -> list[Ref]:
        """What goes with an object, what holds others behind them. Raises `ChangeRefused` for too much, read so far."""
        found: dict[Ref, Any] = {}
        records: dict[Ref, Record] = {}
        chars = 0
        level = [ref]
        while level:
            above, level = level, []
            for each, row in self._held_by(above):
                if each in found:
                    continue
                found[each], records[each] = row, record_of(KINDS[each.type], row)
                level.append(each)
                chars += weight([Delete(each, records[each])])
                refuse_weight(len(found), chars)
            if len(found) > MAX_OPERATIONS:
                message = _("“{object}” would go with more than {most} objects. Delete some of them first.")
                name = KINDS[ref.type].name_of(self._planned[ref].record or {}) or str(ref)
                raise ChangeRefused(message.format(object=shown(name), most=intcomma(MAX_OPERATIONS)))
        self._read(found, records=records)
        return list(reversed(found))

    def _held_by(self, refs: Sequence[Ref]) -> Iterator[tuple[Ref, Any]]:
        """What goes with these objects and is not gone or moved by now, with its row. It is read together."""
        for kind in (KINDS[name] for name in dict.fromkeys(ref.type for ref in refs)):
            keys = [ref.key for ref in refs if ref.type == kind.name]
            for child, column in led_by(kind) if kind.cascade else ():
                rows = rows_of(child, self.around.workspace_id).filter(**{f"{column}__pk__in": keys}).order_by("pk")
                for row in rows[: MAX_OPERATIONS + 1].iterator(AT_ONCE):
                    ref = ref_of(child, row)
                    if self._sees(child, row) and self._is_held(ref, keys if column == child.parent else None):
                        yield ref, row

    def _is_held(self, ref: Ref, by: Collection[str] | None) -> bool:
        """Whether an object that was there is not gone by now, nor moved away from its parent, one of those."""
        planned = self._planned.get(ref)
        if planned is None or planned.record is None:
            return planned is None
        return by is None or planned.record["parent"] in by

    def _read(
        self,
        rows: Mapping[Ref, Any],
        known: Mapping[Ref, Object] = MappingProxyType({}),
        records: Mapping[Ref, Record] = MappingProxyType({}),
    ) -> None:
        """Takes rows of registered models, and their records as far as they are known, that nothing was planned for."""
        new = {ref: row for ref, row in rows.items() if ref not in self._planned}
        headers = {**known, **headers_of(self.around.workspace_id, [ref for ref in new if ref not in known])}
        for ref, row in new.items():
            record = records[ref] if ref in records else record_of(KINDS[ref.type], row)
            self._planned[ref] = _PlannedObject(headers[ref], row, record)

    def _sees(self, kind: Kind, row: Any) -> bool:
        return kind.may_see is None or self._member is None or kind.may_see(self._member, row)

    def _changes(self, more: Sequence[Operation]) -> list[ObjectChange]:
        """What is done so far and by `more`, by the object that has it."""
        here, done = _PlannedObject(self.around, None, None), net([*self.operations, *more])
        return [ObjectChange(self._planned.get(each.item, here).of, (each,)) for each in done]

    def _full(self, planned: _PlannedObject, new: Record, known: Collection[str] = ()) -> Record:
        """The record of an object with these values, once its model allows them; `known` columns need no look."""
        kind = KINDS[planned.of.type]
        holder, key = parent_of(kind), ((planned.record or {}) | new).get("parent")
        parent = self._planned.get(Ref(holder.name, str(key))) if holder else None
        # The workspace of a header is there, and `add` looks whether its name is free.
        unchecked = ["workspace"] if issubclass(kind.model, Object) else [each for each in known if each != kind.parent]
        if parent is not None and (parent.of.pk is None or (parent.record is not None and kind.parent in known)):
            setattr(planned.row, kind.parent, parent.row)
            unchecked.append(kind.parent)
        return full_record(kind, planned.of, new, planned.row, unchecked)

    def _updates(self, step: UpdateObject) -> Record:
        record = self._record(whole_of(step.object))
        kind = KINDS[step.object.type]
        new = dict(step.updates or {})
        require_fields(kind, new)
        for number, patch in enumerate(step.patches or ()):
            require_fields(kind, [patch.path])
            text = new.get(patch.path, record[patch.path])
            if not isinstance(text, str):
                raise ChangeRefused(_("{field} is no text. Give its new value in updates.").format(field=patch.path))
            where = _('patches[{index}] of "{what}"').format(index=number, what=patch.path)
            new[patch.path] = replaced(text, Patch(search=patch.search, replace=patch.replace), where)
        refuse_reserved(kind, new, record)
        return new

    def _move(self, step: MoveObject) -> None:
        self._record(step.object)
        kind = KINDS[step.object.type]
        if parent_of(kind) is None:
            raise ChangeRefused(_("{object} has no place to be moved from.").format(object=step.object))
        self.change(step.object, {"parent": self._parent_key(kind, step.parent) if step.parent else None})

    def _create(self, step: CreateObject) -> None:
        kind = KINDS.get(step.kind)
        if kind is None or not is_object(step.kind) or not may_create(kind):
            known = some(each.name for each in KINDS.values() if is_object(each.name) and may_create(each))
            message = _('Objects of the kind "{kind}" cannot be created. Kinds: {known}.')
            raise ChangeRefused(message.format(kind=shown(step.kind), known=known))
        require_fields(kind, step.fields)
        refuse_reserved(kind, step.fields, {})
        values = dict(step.fields)
        if step.parent and not kind.parent:
            raise ChangeRefused(_("Objects of the kind {kind} have no parent.").format(kind=kind.name))
        if kind.parent:
            values["parent"] = self._parent_key(kind, step.parent) if step.parent else values.get("parent")
        key = step.key or self._keys.make(kind, str(values.get(kind.title) or ""))
        if not is_key(kind, key) or (counts_keys(kind.model) and is_far(kind.model, int(key))):
            raise no_key(Ref(kind.name, key))
        self.add(kind, key, values, free=not step.key and is_new(kind))

    def _parent_key(self, kind: Kind, ref: Ref) -> str:
        """The key of a parent that exists, now or after earlier actions."""
        holder = parent_of(kind)
        if holder is None or ref.type != holder.name:
            wanted = holder.name if holder else "-"
            message = _("{object} can be no parent here: it has to be a {kind}.")
            raise ChangeRefused(message.format(object=ref, kind=wanted))
        self._record(ref)
        self.depend(ref, there=True)
        return ref.key

    def _record(self, ref: Ref) -> Record:
        """The record of an object as it would be by now. Raises `ChangeRefused` if there is none."""
        if ref not in self._planned:
            found = existing(self.around.workspace_id, ref)
            if found is not None and self._member is not None and not may_see(self._member, found):
                found = None
            if found is not None and (row := row_of(found)) is not None:
                self._planned[ref] = _PlannedObject(found, row, record_of(KINDS[ref.type], row))
        record = self.find(ref)
        if record is None:
            raise ChangeRefused(_('There is no "{object}".').format(object=shown(str(ref))))
        return record
