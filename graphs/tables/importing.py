"""Imports rows of a file as objects of a kind: one change set, all or nothing, marked as come from outside."""

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import F

from graphs.history import editing
from graphs.history.outside import catch_up
from graphs.models import ChangeSet, Modification, Object, Origin, Revision
from graphs.objects.edit_conflicts import EditConflict, EditConflicts
from graphs.objects.headers import existing, parent_of, rows_named
from graphs.objects.holding import held
from graphs.objects.kinds import Kind
from graphs.objects.last_changes import last_of_fields
from graphs.objects.model_batches import come_together
from graphs.objects.operations import Operation
from graphs.objects.refs import Ref
from graphs.objects.stores import find
from graphs.site.access import Member
from graphs.site.imports_under_way import Made, Running, importing
from graphs.tables import csv_files, spreadsheets
from graphs.tables.columns import PARENT, columns_of, is_known
from graphs.tables.import_plan import ImportPlan, RowPlan, changed_since, plan
from graphs.tables.table import Table
from graphs.workflows import trust

#: Conflicts that one refusal explains; its count is of all.
MOST_CONFLICTS = 200


@dataclass(frozen=True, slots=True)
class Imported:
    """What was done."""

    change_set: uuid.UUID
    creates: int
    updates: int


class RowsRefused(Exception):
    """Some rows cannot be imported; nothing was stored."""

    def __init__(self, planned: ImportPlan) -> None:
        super().__init__(f"{len(planned.errors)} errors")
        self.planned = planned


class OtherFile(Exception):
    """The file is not the one that the preview has shown."""


class _NothingToDo(Exception): ...


def read(kind: Kind, data: bytes) -> Table:
    """The table of a file, a spreadsheet or CSV. Raises `TableRefused`."""
    if data.startswith(spreadsheets.MARK):
        return spreadsheets.read(data)
    return csv_files.read(data, lambda head: is_known(kind, head))


def import_rows(
    member: Member, kind: Kind, table: Table, request: editing.Request, expected: str = ""
) -> Imported | None:
    """Does what the rows say, all of it or nothing; gives None if all is like this already.

    With what a preview `expected`, only if that is so still.

    Raises `RowsRefused`, `OtherFile`, `EditConflicts`, `KeyUsed`, `ChangeRefused`, `Forbidden` and `ImportStopped`.
    """
    member.require_editor()
    with importing(member.workspace.pk, member.user, kind.name) as running:
        done = _import(member, kind, table, request, expected, running)
        running.made = Made(kind.name) if done else None
        return done


def _import(
    member: Member, kind: Kind, table: Table, request: editing.Request, expected: str, running: Running
) -> Imported | None:
    count = len(table.rows)
    changed: list[Object] = []
    if _names_some(kind, table):
        planned = _without_errors(plan(member, kind, table))
        changed = _headers(member, [row.ref for row in planned.rows if row.action == "update"])
        catch_up(changed)
    ahead = plan(member, kind, table) if _may_plan_ahead(kind, table) else None
    planned_now: list[Operation] = []  # nothing for a request that was done before

    def operations(editor: Member) -> Sequence[Operation]:
        now = _without_errors(ahead if ahead and _stands(editor, kind, ahead) else plan(editor, kind, table))
        if expected:
            _refuse_changed(editor, table, now, expected)
        if not now.operations:
            raise _NothingToDo
        planned_now.extend(now.operations)
        running.tell(0, count)
        return now.operations

    try:
        with transaction.atomic():
            list(held(Object.objects.filter(pk__in=[each.pk for each in changed])))
            done = editing.change_several(member, kind, request, plan_it=operations, origin=Origin.IMPORT)
            if planned_now:
                _mark(member, done)
            running.tell(count, count)
    except _NothingToDo:
        return None
    return _counted(done)


def _names_some(kind: Kind, table: Table) -> bool:
    """Whether rows name objects that may be there: what only makes new ones is planned once, where it is done."""
    place = columns_of(kind, table.heads)[0].id
    return place is not None and any(row.cells[place].strip() for row in table.rows)


def _may_plan_ahead(kind: Kind, table: Table) -> bool:
    """Whether rows are planned before the workspace is held, for which others wait: new ones that are stored together.

    What has to be unique is looked at when they are stored, and what the person may do does not depend on the row.
    """
    kinds = [kind, *filter(None, [parent_of(kind)])]
    is_row = kind.rows is not None and not kind.view_of and come_together(kind, ())
    return is_row and not _names_some(kind, table) and all(not (each.may_see or each.may_edit) for each in kinds)


def _stands(editor: Member, kind: Kind, ahead: ImportPlan) -> bool:
    """Whether what was planned ahead is what would be planned now: what is to hold the rows is there still."""
    holder = parent_of(kind)
    keys = {str(row.new[PARENT]) for row in ahead.rows if row.new.get(PARENT) is not None}
    return bool(ahead.errors) or holder is None or not keys or keys <= rows_named(editor, holder, keys).keys()


def _without_errors(planned: ImportPlan) -> ImportPlan:
    if planned.errors:
        raise RowsRefused(planned)
    return planned


def _headers(member: Member, refs: Sequence[Ref]) -> list[Object]:
    """The headers of rows, which get one if nobody has spoken of them yet."""
    there = find(member.workspace.pk, refs)
    found = (there.get(ref) or existing(member.workspace.pk, ref) for ref in refs)
    return [each for each in found if each is not None]


def _refuse_changed(member: Member, table: Table, now: ImportPlan, expected: str) -> None:
    """Raises `OtherFile`, or `EditConflicts` with what would be done otherwise than a preview has shown."""
    changed = changed_since(table, now, expected)
    if changed is None:
        raise OtherFile
    if changed:
        there = find(member.workspace.pk, [row.ref for row in changed])
        places = [_Place(row, of, name) for row in changed for of in (there.get(row.ref),) for name in _names(row, of)]
        raise EditConflicts(_explained(places[:MOST_CONFLICTS]), len(places))


@dataclass(frozen=True, slots=True)
class _Place:
    """A field that a row would change otherwise than was shown; no `name` stands for the object, which is gone."""

    row: RowPlan
    of: Object | None
    name: str


def _names(row: RowPlan, of: Object | None) -> Iterable[str]:
    return [""] if of is None or row.action == "create" else row.was


def _explained(places: Sequence[_Place]) -> list[EditConflict]:
    """What stands in each place, with who changed it last."""
    known = [(place.of, place.name) for place in places if place.of is not None and place.name]
    last = last_of_fields(known)
    found: list[EditConflict] = []
    for place in places:
        row, of, name = place.row, place.of, place.name
        if of is None or not name:
            found.append(EditConflict(row.ref, "", None, None, row.new))
            continue
        latest = last.get((of.pk, name))
        by, at, old = (latest.by, latest.at, latest.old) if latest else ("", None, None)
        found.append(EditConflict(row.ref, name, old, row.was[name], row.new.get(name), of.version, by, at))
    return found


def _mark(member: Member, done: uuid.UUID) -> None:
    """Marks what a change set changed as untrusted: what is in it came from outside."""
    changed = Revision.objects.filter(change_set=done).values("object")
    Object.objects.filter(pk__in=changed).update(**trust.mark(member.user))


def _counted(done: uuid.UUID) -> Imported:
    """What a change set did to objects, also one that an earlier request made with this key; parts are not counted."""
    rows = ChangeSet.objects.get(pk=done).modifications.filter(kind=F("type")).order_by()
    creates = rows.filter(action=Modification.Action.CREATE).count()
    updates = rows.filter(action=Modification.Action.UPDATE).values("object").distinct().count()
    return Imported(done, creates, updates)
