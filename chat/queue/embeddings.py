"""Embeddings that take long: of large graphs, and those that are paused or whose model fails. They are everybody's."""

from collections.abc import Sequence
from datetime import datetime

from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from chat.actions.refusals import Refused
from chat.queue.entry import Entry, Place, Progress, State
from graphs.models import Role
from graphs.objects.refs import Ref
from graphs.objects.stores import find
from graphs.site.access import Forbidden, Member, NotFound
from rag.embeddings import collections, held_back, long_waits
from rag.embeddings.long_waits import LongWait


class Embeddings:
    kind = "embedding"

    def entries(self, member: Member, after: Place | None, most: int) -> Sequence[Entry]:
        """What takes long in the member's workspace."""
        waits = long_waits.of_workspace(member.workspace.pk)
        refs = [Ref.parse(wait.collection.account.object) for wait in waits if wait.collection.account.object]
        there = find(member.workspace.pk, refs) if refs else {}
        changed = {ref: header.updated_at for ref, header in there.items()}
        found = sorted((_entry(member, wait, changed) for wait in waits), key=lambda each: each.place)
        return [entry for entry in found if after is None or entry.place > after][:most]

    def cancel(self, member: Member, key: str) -> None:
        """Has a collection wait until somebody lets it go on, as admins may."""
        _require_admin(member, key)
        held_back.hold_back(key)

    def retry(self, member: Member, key: str) -> None:
        """Has a collection go on that was paused, as admins may."""
        _require_admin(member, key)
        if not any(_is_paused(each) for each in _named(member, key)):
            raise Refused("conflict", _("There is nothing to try again here."))
        held_back.let_go_on(key)


def _require_admin(member: Member, key: str) -> None:
    if key not in collections.names(member.workspace.pk):
        raise NotFound
    if member.role != Role.ADMIN:
        raise Forbidden
    if not _named(member, key):
        raise Refused("conflict", _("This embedding is done."))


def _named(member: Member, key: str) -> list[LongWait]:
    return [each for each in long_waits.of_workspace(member.workspace.pk) if each.collection.name == key]


def _is_paused(wait: LongWait) -> bool:
    return wait.held_back or wait.unpaid_until is not None


def _entry(member: Member, wait: LongWait, changed: dict[Ref, datetime]) -> Entry:
    about = wait.collection.account.object
    ref = Ref.parse(about) if about else None
    admin = member.role == Role.ADMIN
    return Entry(
        kind=Embeddings.kind,
        key=wait.collection.name,
        state=_state(wait),
        since=max(wait.since, changed.get(ref, wait.since)) if ref else wait.since,
        title=wait.collection.label,
        object=ref,
        model=wait.model,
        reason=_reason(wait),
        progress=Progress(wait.done, wait.total),
        may_cancel=admin and not wait.held_back,
        may_retry=admin and _is_paused(wait),
    )


def _state(wait: LongWait) -> State:
    if wait.held_back:
        return "paused"
    return "running" if wait.runs else "waiting"


def _reason(wait: LongWait) -> str:
    if wait.held_back:
        return _("An admin has paused it. Until it goes on, new texts are found by their words only.")
    if wait.unpaid_until is not None:
        return _("No budget pays for it now. It is tried again at %(time)s.") % {"time": _time(wait.unpaid_until)}
    if wait.failing_until is not None:
        return _("The model does not answer. It is asked again at %(time)s.") % {"time": _time(wait.failing_until)}
    return "" if wait.runs else _("It waits for a worker, which takes one after the other.")


def _time(moment: datetime) -> str:
    return date_format(localtime(moment), "TIME_FORMAT")
