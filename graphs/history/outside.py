"""What others save past the one door is noticed, and stands in the history before anything that follows.

A row of a registered model may be saved by any code. Its header keeps the fields as the history left them: where the
row is another one, the difference is a change set "changed outside".
"""

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from django.db import transaction
from django.db.models import Model
from django.db.models.functions import Now
from django.db.models.signals import post_delete, post_save

from graphs.history import live_edits
from graphs.history.recording import Because, Done, Revised, begin, holders_of, record, saved_outside
from graphs.models import Object, Origin
from graphs.objects.headers import ref_of, rows_with, whole
from graphs.objects.holding import held, raise_versions, remember
from graphs.objects.kinds import KINDS, Kind, kinds_of, of_models
from graphs.objects.model_rows import row_of, writing
from graphs.objects.model_values import record_of
from graphs.objects.operations import Record, difference
from graphs.objects.refs import Ref
from graphs.objects.registration import registered

_OUTSIDE = Because(None, Origin.OUTSIDE)

log = logging.getLogger("countersign.objects")


def catch_up(objects: Iterable[Object]) -> None:
    """Brings into the history what it lacks of these objects: live edits, and saves past this program."""
    wholes = {each.pk: each for each in map(whole, objects)}.values()
    some: dict[int, list[Object]] = {}
    for each in sorted(wholes, key=lambda each: each.pk):  # in the order in which everybody holds them
        if each.unsaved_since is not None:
            live_edits.save_edits(each.pk)
        kind = KINDS.get(each.type)
        if kind is not None and kind.rows is not None:
            some.setdefault(each.workspace_id, []).append(each)
    for beside in some.values():
        _notice_all(beside)


def notice(of: Object) -> None:
    """Records how the object differs from what the history left. The first time its history begins."""
    _notice_all([of])


def is_recorded(of: Object, row: Model) -> bool:
    """Whether a row, read after its object, is as the history left it; an object without a row of its own never is."""
    kind = KINDS[of.type]
    if kind.rows is None or of.as_recorded is None:
        return False
    now = record_of(kind, row)
    return now.keys() == of.as_recorded.keys() and difference(Ref(of.type, of.key), of.as_recorded, now) is None


def _notice_all(objects: Sequence[Object]) -> None:
    """Does so for objects of one workspace."""
    with transaction.atomic():
        headers = list(held(Object.objects.filter(pk__in=[of.pk for of in objects])))
        rows = _rows_of(headers)
        new = [header for header in headers if header.as_recorded is None and header.pk in rows]
        for header in headers:
            if header.as_recorded is not None:
                _notice_held(header, header.as_recorded, rows.get(header.pk))
        if new:
            remember([(header.pk, {}, rows[header.pk]) for header in new])
            begin(
                new,
                Because(None, Origin.IMPORT),
                [_revised(each, rows[each.pk], each.version) for each in new],
            )


def _rows_of(headers: Sequence[Object]) -> dict[int, Record]:
    """The records of objects of one workspace, by primary key; absent ones are left out."""
    if len(headers) == 1:
        row = row_of(headers[0])
        return {} if row is None else {headers[0].pk: record_of(KINDS[headers[0].type], row)}
    found: dict[int, Record] = {}
    for kind in (KINDS[name] for name in dict.fromkeys(header.type for header in headers)):
        of_kind = {header.key: header.pk for header in headers if header.type == kind.name}
        for row in rows_with(kind, headers[0].workspace_id, of_kind):
            found[of_kind[ref_of(kind, row).key]] = record_of(kind, row)
    return found


def _notice_held(header: Object, was: Record, now: Record | None) -> None:
    """Records how a held object differs from what the history left, and has its record now."""
    change = difference(Ref(header.type, header.key), was, now)
    if change is None:
        if now is not None and now.keys() != was.keys():  # other fields are registered by now
            _remember(header, now)
        return
    version = raise_versions([header.pk])[header.pk]
    last = replace(_revised(header, now or was, version), holders=holders_of(KINDS[header.type], was, now))
    record(header.workspace_id, _OUTSIDE, [Done(last, (change,))])
    if now is None:
        header.delete()
    else:
        _remember(header, now)


def _revised(header: Object, record: Record, version: int) -> Revised:
    label = KINDS[header.type].name_of(record) or header.key
    return Revised(header.type, header.pk, header.key, label, version)


def begin_history(of: Object) -> None:
    """Has the history of a row of a registered model begin: from here on whoever deletes it is noticed."""
    if KINDS[of.type].rows is not None:
        notice(of)


def is_unnoticed(of: Object) -> bool:
    """Whether the object is another than the history left it, which nobody has noticed yet."""
    kind = KINDS.get(of.type)
    if kind is None or kind.rows is None or of.as_recorded is None:
        return False
    row = row_of(of)
    now = record_of(kind, row) if row is not None else None
    return difference(Ref(of.type, of.key), of.as_recorded, now) is not None


def _remember(header: Object, now: dict[str, Any]) -> None:
    Object.objects.filter(pk=header.pk).update(as_recorded=now)


def watch() -> None:
    """Notices saves and deletions of registered models from here on, as they happen."""
    for kind in of_models():
        _watch(kind)
    registered.connect(_watch)


def _watch(kind: Kind, **_kwargs: Any) -> None:
    for model in _with_heirs(kind.model):
        post_save.connect(_noticed, sender=model, dispatch_uid=f"saved-{kind.name}")
        post_delete.connect(_noticed, sender=model, dispatch_uid=f"deleted-{kind.name}")


def _with_heirs(model: type[Model]) -> Iterator[type[Model]]:
    """The model, its proxies, and those that extend it: Django sends each one's signals in its own name."""
    yield model
    for heir in model.__subclasses__():
        yield from _with_heirs(heir)


def _noticed(sender: type[Model], instance: Model, raw: bool = False, **_kwargs: Any) -> None:
    """Notices a change of a row at once; after the commit if somebody holds its header, who may wait for the row."""
    if raw or writing():
        return
    for kind in kinds_of(sender):
        try:
            with transaction.atomic():
                _notice_row(ref_of(kind, instance))
        except Exception:  # Any: what other code saves is saved, and this is noticed when somebody looks.
            log.exception("a change of %s was not noticed", kind.name)
        saved_outside.send(sender=sender, kind=kind.name)


def _notice_row(ref: Ref) -> None:
    headers = Object.objects.filter(type=ref.type, key=ref.key)
    found = list(headers)
    free = list(held(headers, skip_locked=True)) if found else []
    for header in found:
        if header in free:
            _look_at(header)
        else:
            # Not a partial: Django has no name to log it by, and would raise that at whoever saves.
            transaction.on_commit(lambda header=header: _look_at(header), robust=True)  # type: ignore[misc]


def _look_at(header: Object) -> None:
    """Notices a change of an object with a history; of any other one, only that there was one."""
    if header.as_recorded is None:
        Object.objects.filter(pk=header.pk).update(updated_at=Now())
    else:
        notice(header)
