"""Gives the history what people did live: whoever comes first saves all edits of an object, the second finds none."""

import logging
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models.functions import Now

from graphs.history.recording import Because, Done, Revised, record
from graphs.models import LiveEdit, Object, Origin
from graphs.objects.holding import held
from graphs.objects.kinds import KINDS
from graphs.objects.operations import Operation, from_json, net
from graphs.site.database_away import AWAY

log = logging.getLogger("countersign.workingcopy")

#: How long live edits wait for the history at most, as long as any web process runs.
SAVE_EVERY_S = 30
#: How long saved ones are kept: for who sends one again, takes it back, or edits what they saw before it.
KEEP = timedelta(days=7)


@dataclass(slots=True)
class Stretch:
    """Edits of one person that can stand as one change: what others did between them touches nothing of it."""

    person: int
    label: str
    edits: list[LiveEdit] = field(default_factory=list)
    touched: set[str] = field(default_factory=set)

    @property
    def operations(self) -> tuple[Operation, ...]:
        """The operations with the first `old` and last `new` of each field, without fields that were taken back."""
        return net(from_json(operation) for edit in self.edits for operation in edit.operations)


def stretches(edits: Iterable[LiveEdit]) -> Sequence[Stretch]:
    """The edits of an object as changes; an edit joins its person's last one unless others touched the same since."""
    found: list[Stretch] = []
    edits = list(edits)
    # Only where something of a kind comes, goes or changes does it matter what names it.
    changed = {operation["type"] for edit in edits for operation in edit.operations}
    for edit in edits:
        # The items of the edit, and those that they name, as an edge does its ends.
        touched = set(edit.items) | {
            f"{field.names}:{record[field.name]}"
            for operation in edit.operations
            for field in KINDS[operation["type"]].fields
            if field.names in KINDS and field.names in changed
            for record in (operation.get("record"), operation.get("old"), operation.get("new"))
            if record and field.name in record
        }
        stretch = next((each for each in reversed(found) if each.person == edit.person or each.touched & touched), None)
        if stretch is None or stretch.person != edit.person:
            stretch = Stretch(edit.person, edit.person_label)
            found.append(stretch)
        stretch.edits.append(edit)
        stretch.touched |= touched
    return found


def save_edits(object_id: int) -> tuple[uuid.UUID, ...]:
    """The change sets that the unsaved edits of an object became; none if there were none, or no object."""
    with transaction.atomic():
        found = held(Object.objects.filter(pk=object_id)).first()
        return _save(found) if found is not None and found.unsaved_since is not None else ()


def save_due(after_s: float = SAVE_EVERY_S) -> int:
    """Saves every object whose edits waited long enough and returns how many; held or failing ones are left."""
    due = Object.objects.filter(unsaved_since__lte=Now() - timedelta(seconds=after_s)).order_by("pk")
    saved = 0
    for object_id in due.values_list("pk", flat=True):
        try:
            with transaction.atomic():
                found = held(Object.objects.filter(pk=object_id), skip_locked=True).first()
                if found is None or found.unsaved_since is None:
                    continue
                _save(found)
            saved += 1
        except AWAY:
            raise
        except Exception:  # Any: whatever is wrong with one object, those after it have to be saved.
            log.exception("live edits of object %s cannot be saved", object_id)
    return saved


def _save(of: Object) -> tuple[uuid.UUID, ...]:
    """The object is held, and its row says that there is something to save."""
    unsaved = LiveEdit.objects.filter(object=of, saved_at=None)
    folded = [(stretch, stretch.operations) for stretch in stretches(unsaved.order_by("version"))]
    kept = [(stretch, operations) for stretch, operations in folded if operations]
    saved = []
    # Each edit made a version of the object, and nobody else made any meanwhile: the last ones are the history's.
    for version, (stretch, operations) in enumerate(kept, start=of.version - len(kept) + 1):
        because = Because(User(pk=stretch.person, username=stretch.label), Origin.MANUAL)
        change_set_id = record(of.workspace_id, because, [Done(Revised.of(of, version), operations)]).change_set_id
        LiveEdit.objects.filter(pk__in=[edit.pk for edit in stretch.edits]).update(change_set=change_set_id)
        saved.append(change_set_id)
    unsaved.update(saved_at=Now())
    Object.objects.filter(pk=of.pk).update(unsaved_since=None)
    return tuple(saved)


def forget_old() -> None:
    """Drops live edits that the history has had for long."""
    LiveEdit.objects.filter(saved_at__lt=Now() - KEEP).delete()
