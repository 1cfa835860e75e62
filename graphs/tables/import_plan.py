"""What an import of rows would do: an operation for each row that changes something, and what is wrong by row."""

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from django.utils.translation import gettext as _

from graphs.history.recording import to_json
from graphs.models import Object
from graphs.objects.actions import ChangeRefused, CreateObject
from graphs.objects.asked_values import refuse_oversized, refuse_too_much
from graphs.objects.headers import parent_of, require_may_edit_all, rows_named
from graphs.objects.kinds import Kind
from graphs.objects.object_plan import ObjectPlan
from graphs.objects.one_by_one import refuse_many
from graphs.objects.operations import Create, Operation, Record, Update
from graphs.objects.refs import Ref
from graphs.objects.stores import find
from graphs.site.access import Member
from graphs.site.json_values import same
from graphs.tables.cells import NoValue, value_of
from graphs.tables.columns import PARENT, Columns, columns_of
from graphs.tables.holders import NoHolder, key_of, keys_by_title
from graphs.tables.row_errors import RowError, RowRefused, as_errors, of_file
from graphs.tables.table import Row, Table

Action = Literal["create", "update", "unchanged"]
#: Bytes of what a preview says of the file, and of each of its rows.
_OF_FILE = 12
_OF_ROW = 4


@dataclass(frozen=True, slots=True)
class RowPlan:
    """What becomes of one row; `ref` names the object, also one that is new. `was` is its record before."""

    number: int
    action: Action
    ref: Ref
    title: str
    was: Record
    operation: Create | Update | None

    @property
    def new(self) -> Record:
        match self.operation:
            case Create(_, record):
                return record
            case Update(_, _, new):
                return new
        return {}


@dataclass(slots=True)
class ImportPlan:
    rows: list[RowPlan] = field(default_factory=list)
    errors: list[RowError] = field(default_factory=list)

    @property
    def operations(self) -> list[Operation]:
        return [row.operation for row in self.rows if row.operation is not None]

    def count(self, action: Action) -> int:
        return sum(row.action == action for row in self.rows)


def plan(member: Member, kind: Kind, table: Table) -> ImportPlan:
    """What the rows would do now. Nothing is stored."""
    columns, problems = columns_of(kind, table.heads)
    if problems:
        return ImportPlan(errors=[of_file(each) for each in problems])
    return _Planning(member, kind, table, columns).planned()


def digest_of(table: Table, planned: ImportPlan) -> str:
    """What tells an import whether all is as the preview has shown it: of the file, and of each row."""
    return base64.urlsafe_b64encode(_of_file(table) + b"".join(map(_of_row, planned.rows))).decode()


def changed_since(table: Table, planned: ImportPlan, digest: str) -> list[RowPlan] | None:
    """The rows that would do something else than the digest's preview has shown; None if that was of another file."""
    try:
        seen = base64.urlsafe_b64decode(digest)
    except ValueError:
        return None
    if seen[:_OF_FILE] != _of_file(table) or len(seen) != _OF_FILE + _OF_ROW * len(planned.rows):
        return None
    places = range(_OF_FILE, len(seen), _OF_ROW)
    rows = zip(places, planned.rows, strict=True)
    return [row for at, row in rows if seen[at : at + _OF_ROW] != _of_row(row) and row.action != "unchanged"]


def _of_file(table: Table) -> bytes:
    told = to_json([table.heads, [row.cells for row in table.rows], *([table.parent] if table.parent else [])])
    return hashlib.blake2b(told.encode(), digest_size=_OF_FILE).digest()


def _of_row(row: RowPlan) -> bytes:
    """What the row finds and does: the fields that it changes with what is in them now."""
    told = to_json([row.action, row.was if row.action == "update" else {}])
    return hashlib.blake2b(told.encode(), digest_size=_OF_ROW).digest()


class _Planning:
    """One reading of a table: all objects that its rows name are read at once."""

    def __init__(self, member: Member, kind: Kind, table: Table, columns: Columns) -> None:
        self.member, self.kind, self.table, self.columns = member, kind, table, columns
        self.around = Object(workspace=member.workspace, type=kind.name)
        self.objects = ObjectPlan(self.around, member)
        self.there = self._take(kind, self._keys(columns.id))
        self.holders = self._holders()
        self.heads = {name: table.heads[place] for name, place in columns.fields.items()}
        self.heads |= {PARENT: PARENT if columns.parent is None else table.heads[columns.parent]}
        self.seen: dict[str, int] = {}

    def planned(self) -> ImportPlan:
        done = ImportPlan()
        for row in self.table.rows:
            try:
                done.rows.append(self._row(row))
            except RowRefused as refused:
                done.errors += refused.errors
        try:
            refuse_many(done.operations)
            refuse_too_much(done.operations)
        except ChangeRefused as refused:
            done.errors.append(RowError(None, "", "too_many_rows", str(refused)))
        return done

    def _keys(self, place: int | None) -> set[str]:
        return set() if place is None else {row.cells[place].strip() for row in self.table.rows} - {""}

    def _holders(self) -> Mapping[str, Sequence[str]]:
        """The keys of what holds objects, by each text of the file that names some."""
        holder = parent_of(self.kind)
        if holder is None:
            return {}
        named = self._keys(self.columns.parent) | ({self.table.parent} - {""})
        by_key = self._take(holder, named)
        by_title = keys_by_title(self.member, holder, named - by_key.keys())
        self._take(holder, [keys[0] for keys in by_title.values() if len(keys) == 1])
        return by_title | {key: [key] for key in by_key}

    def _take(self, kind: Kind, keys: Iterable[str]) -> Mapping[str, Object]:
        """Those of these objects that the person may see, by key."""
        rows = rows_named(self.member, kind, keys)
        headers = find(self.member.workspace.pk, [Ref(kind.name, key) for key in rows])
        found: dict[str, Object] = {}
        for key, row in rows.items():
            of = headers.get(Ref(kind.name, key))
            found[key] = of or Object(workspace=self.member.workspace, type=kind.name, key=key)
            self.objects.take(kind, found[key], row)
        return found

    def _row(self, row: Row) -> RowPlan:
        """Raises `RowRefused`."""
        if row.refused:
            raise RowRefused([of_file(row.refused)])
        key = "" if self.columns.id is None else row.cells[self.columns.id].strip()
        if key and self.seen.setdefault(key, row.number) != row.number:
            message = _("Row %(row)s has this id, too.") % {"row": self.seen[key]}
            head = self.table.heads[self.columns.id or 0]
            raise RowRefused([RowError(row.number, "id", "id_twice", message, head)])
        ref = Ref(self.kind.name, key)
        was = self.objects.find(ref) if key in self.there else None
        values, errors = self._values(row, was)
        before = len(self.objects.operations)
        try:
            with as_errors(self.kind, row.number, self.heads):
                self._do(ref, was, values)
                made = self.objects.operations[before:]
                refuse_oversized(made)
                require_may_edit_all(self.member, made)
        except RowRefused as refused:
            known = {each.column for each in errors}
            errors += [each for each in refused.errors if each.column not in known]
        if errors:
            raise RowRefused(errors)
        return self._told(row, ref, was, made)

    def _do(self, ref: Ref, was: Record | None, values: Record) -> None:
        if was is None:
            self._create(values)
        elif not all(same(value, was[name]) for name, value in values.items()):
            self.objects.change(ref, values)

    def _told(self, row: Row, ref: Ref, was: Record | None, made: Sequence[Operation]) -> RowPlan:
        operation = made[0] if made else None
        match operation:
            case Create(item, record):
                return RowPlan(row.number, "create", item, self.kind.name_of(record) or item.key, {}, operation)
            case Update(item, old, new):
                title = self.kind.name_of((was or {}) | new) or item.key
                return RowPlan(row.number, "update", item, title, old, operation)
        return RowPlan(row.number, "unchanged", ref, self.kind.name_of(was or {}) or ref.key, {}, None)

    def _create(self, values: Record) -> None:
        parent = values.pop(PARENT, None)
        holder = parent_of(self.kind)
        of = str(Ref(holder.name, parent)) if holder and parent else None
        self.objects.do(CreateObject.model_validate({"kind": self.kind.name, "parent": of, "fields": values}))

    def _values(self, row: Row, was: Record | None) -> tuple[Record, list[RowError]]:
        """The values that the row gives, those of a new object without what is empty, and what is wrong with others."""
        values: Record = {}
        errors: list[RowError] = []
        for name, place in self.columns.fields.items():
            of, now = self.kind.field(name), None if was is None else was[name]
            text = row.cells[place]
            if was is None and not text:
                continue
            try:
                values[name] = value_of(self.kind, of, text, now, decimal_comma=self.table.decimal_comma)
            except NoValue as error:
                errors.append(RowError(row.number, name, "no_value", str(error), self.heads[name]))
        try:
            values |= self._holder(row, was)
        except NoHolder as error:
            errors.append(RowError(row.number, PARENT, error.code, str(error), self.heads[PARENT]))
        return values, errors

    def _holder(self, row: Row, was: Record | None) -> Record:
        """What the row says of the object that holds its own; where it says nothing, a new one gets the file's."""
        place = self.columns.parent
        text = "" if place is None else row.cells[place].strip()
        if text or (self.table.parent and was is None):
            return {PARENT: key_of(text or self.table.parent, self.holders)}
        return {} if was is None or place is None else {PARENT: None}
