"""What others save past the one door is noticed, and stands in the history before anything that follows.

A row of a registered model may be saved by any code. Its header keeps the fields as the history left them: where the
row is another one, the difference is a change set "changed outside".
"""

import uuid
from collections.abc import Iterable
from typing import Any

from django.db import transaction
from django.db.models import Model
from django.db.models.signals import post_delete, post_save

from graphs.history import live_edits
from graphs.history.recording import Because, Done, Revised, begin, record
from graphs.history.signals import tell
from graphs.models import Object, Origin
from graphs.objects.holding import raise_versions
from graphs.objects.kinds import KINDS
from graphs.objects.model_rows import record_of, row_of, writing
from graphs.objects.operations import difference
from graphs.objects.refs import Ref

_OUTSIDE = Because(None, Origin.OUTSIDE)


def catch_up(objects: Iterable[Object]) -> None:
    """Brings into the history what it lacks of these objects: live edits, and saves past this program."""
    some = list(objects)
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
                begin(held, Because(None, Origin.IMPORT))
            return
        change = difference(Ref(held.type, held.key), held.as_recorded, now)
        if change is None:
            return
        version = raise_versions([held.pk])[held.pk]
        last = Revised(held.type, held.pk, held.key, kind.name_of(now or held.as_recorded) or held.key, version)
        tell(record(uuid.uuid4(), held.workspace_id, _OUTSIDE, [Done(last, (change,))]))
        if now is None:
            held.delete()
        else:
            _remember(held, now)


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
    """Only objects that somebody has spoken of have a history to keep true."""
    if raw or writing():
        return
    kind = next(kind for kind in KINDS.values() if kind.model is model)
    for header in Object.objects.filter(type=kind.name, key=str(row.pk)):
        notice(header)
