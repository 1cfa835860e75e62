"""What others save past the one door is noticed, and stands in the history before anything that follows.

A row of a registered model may be saved by any code. Its header keeps the fields as the history left them: where the
row is another one, the difference is a change set "changed outside".
"""

import uuid
from collections.abc import Iterable
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Model
from django.db.models.functions import Now
from django.db.models.signals import post_delete, post_save

from graphs.history import live_edits
from graphs.history.recording import Because, Done, Revised, begin, record
from graphs.history.signals import saved_outside, send_changed
from graphs.models import Object, Origin
from graphs.objects.holding import raise_versions
from graphs.objects.kinds import KINDS
from graphs.objects.model_rows import record_of, row_of, writing
from graphs.objects.operations import difference
from graphs.objects.refs import Ref

_OUTSIDE = Because(None, Origin.OUTSIDE)


def catch_up(objects: Iterable[Object]) -> None:
    """Brings into the history what it lacks of these objects: live edits, and saves past this program."""
    some = sorted(objects, key=lambda each: each.pk)  # in the order in which everybody holds them
    live_edits.save_all(some)
    for each in some:
        if KINDS[each.type].rows is not None:
            notice(each)


def notice(of: Object) -> None:
    """Records how the object differs from what the history left. The first time its history begins."""
    kind = KINDS[of.type]
    with transaction.atomic():
        held = Object.objects.select_for_update(no_key=True).filter(pk=of.pk).first()
        if held is None:
            return
        row = row_of(held)
        now = record_of(kind, row) if row is not None else None
        if held.as_recorded is None:
            if now is not None:
                _remember(held, now)
                begin([held], Because(None, Origin.IMPORT))
            return
        change = difference(Ref(held.type, held.key), held.as_recorded, now)
        if change is None:
            return
        version = raise_versions([held.pk])[held.pk]
        last = Revised(held.type, held.pk, held.key, kind.name_of(now or held.as_recorded) or held.key, version)
        send_changed(record(uuid.uuid4(), held.workspace_id, _OUTSIDE, [Done(last, (change,))]))
        if now is None:
            held.delete()
        else:
            _remember(held, now)


def is_unnoticed(of: Object) -> bool:
    """Whether the object is another than the history left it, which nobody has noticed yet."""
    kind = KINDS.get(of.type)
    if kind is None or kind.rows is None or of.as_recorded is None:
        return False
    row = row_of(of)
    now = record_of(kind, row) if row is not None else None
    return difference(Ref(of.type, of.key), of.as_recorded, now) is not None


def _remember(held: Object, now: dict[str, Any]) -> None:
    Object.objects.filter(pk=held.pk).update(as_recorded=now)


def watch() -> None:
    """From here on saves and deletions of registered models are noticed as they happen."""
    for kind in KINDS.values():
        if kind.rows is not None:
            post_save.connect(_saved, sender=kind.model, dispatch_uid=f"saved-{kind.name}")
            post_delete.connect(_deleted, sender=kind.model, dispatch_uid=f"deleted-{kind.name}")


def _saved(sender: type[Model], instance: Model, raw: bool = False, **_kwargs: Any) -> None:
    _noticed(sender, instance, raw)


def _deleted(sender: type[Model], instance: Model, **_kwargs: Any) -> None:
    _noticed(sender, instance, raw=False)


def _noticed(model: type[Model], row: Model, raw: bool) -> None:
    """Notices a change of a row at once; after the commit if somebody holds its header, who may wait for the row."""
    if raw or writing():
        return
    kind = next(kind for kind in KINDS.values() if kind.model is model)
    headers = Object.objects.filter(type=kind.name, key=str(row.pk))
    if found := list(headers):
        with transaction.atomic():
            free = list(headers.select_for_update(no_key=True, skip_locked=True))
            for header in free:
                _look_at(header)
        for header in found:
            if header not in free:
                transaction.on_commit(partial(_look_at, header), robust=True)
    saved_outside.send(sender=model, kind=kind.name)


def _look_at(header: Object) -> None:
    """Notices a change of an object with a history; of any other one, only that there was one."""
    if header.as_recorded is None:
        Object.objects.filter(pk=header.pk).update(updated_at=Now())
    else:
        notice(header)
