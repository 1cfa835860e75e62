"""Gives the history what people did live. Done by whoever comes first: a clock, who leaves, or who changes otherwise.

All edits of an object that are there are saved in one transaction that holds it; who comes second finds none.
"""

import logging
import uuid
from collections.abc import Iterable, Sequence
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models.functions import Now

from graphs.history.live_stretches import Stretch, stretches
from graphs.history.recording import Because, Done, Revised, record
from graphs.history.signals import send_changed
from graphs.models import LiveEdit, Object, Origin
from graphs.objects.holding import held
from graphs.objects.operations import Operation
from graphs.site.database_away import AWAY

log = logging.getLogger("countersign.workingcopy")

#: How long live edits wait for the history at most, as long as any web process runs.
SAVE_EVERY_S = 30
#: How long saved ones are kept: for who sends one again, takes it back, or edits what they saw before it.
KEEP = timedelta(days=7)


def save_edits(object_id: int) -> tuple[uuid.UUID, ...]:
    """The change sets that the unsaved edits of an object became; none if there were none, or no object."""
    with transaction.atomic():
        found = held(Object.objects.filter(pk=object_id)).first()
        return _save(found) if found is not None and found.unsaved_since is not None else ()


def save_all(objects: Iterable[Object]) -> None:
    """Saves the edits of several objects, in the order of their primary keys."""
    for object_id in sorted(each.pk for each in objects if each.unsaved_since is not None):
        save_edits(object_id)


def save_due(after_s: float = SAVE_EVERY_S) -> int:
    """Saves every object whose edits waited long enough and returns how many; held or failing ones are left."""
    due = Object.objects.filter(unsaved_since__lte=Now() - timedelta(seconds=after_s)).order_by("pk")
    return sum(_saved_alone(object_id) for object_id in due.values_list("pk", flat=True))


def _saved_alone(object_id: int) -> bool:
    try:
        with transaction.atomic():
            found = held(Object.objects.filter(pk=object_id), skip_locked=True).first()
            if found is None or found.unsaved_since is None:
                return False
            _save(found)
    except AWAY:
        raise
    except Exception:  # Any: whatever is wrong with one object, those after it have to be saved.
        log.exception("live edits of object %s cannot be saved", object_id)
        return False
    return True


def _save(of: Object) -> tuple[uuid.UUID, ...]:
    """The object is held, and its row says that there is something to save."""
    unsaved = LiveEdit.objects.filter(object=of, saved_at=None)
    folded = [(stretch, stretch.operations) for stretch in stretches(unsaved.order_by("version"))]
    kept = [(stretch, operations) for stretch, operations in folded if operations]
    # Each edit made a version of the object, and nobody else made any meanwhile: the last ones are the history's.
    first = of.version - len(kept) + 1
    saved = tuple(_record(of, first + place, stretch, operations) for place, (stretch, operations) in enumerate(kept))
    unsaved.update(saved_at=Now())
    Object.objects.filter(pk=of.pk).update(unsaved_since=None)
    return saved


def _record(of: Object, version: int, stretch: Stretch, operations: Sequence[Operation]) -> uuid.UUID:
    change_set_id = uuid.uuid4()
    actor = User(pk=stretch.person, username=stretch.label)
    parts = [Done(Revised.of(of, version), tuple(operations))]
    send_changed(record(change_set_id, of.workspace_id, Because(actor, Origin.MANUAL), parts))
    LiveEdit.objects.filter(pk__in=[edit.pk for edit in stretch.edits]).update(change_set=change_set_id)
    return change_set_id


def forget_old() -> None:
    """Drops live edits that the history has had for long."""
    LiveEdit.objects.filter(saved_at__lt=Now() - KEEP).delete()
