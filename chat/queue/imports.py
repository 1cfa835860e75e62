"""Imports that are under way: whose they are and how far, what is imported for who imports it."""

from collections.abc import Sequence

from django.utils.text import capfirst
from django.utils.translation import gettext as _

from chat.actions.refusals import Refused
from chat.queue.entry import Entry, Place, Progress
from graphs.models import Role
from graphs.objects.kinds import KINDS
from graphs.site import imports_under_way
from graphs.site.access import Forbidden, Member, NotFound
from graphs.site.imports_under_way import ImportUnderWay


class Imports:
    kind = "import"

    def entries(self, member: Member, after: Place | None, most: int) -> Sequence[Entry]:
        """The imports into the member's workspace."""
        found = [_entry(member, each) for each in imports_under_way.under_way(member.workspace.pk)]
        return [entry for entry in found if after is None or entry.place > after][:most]

    def cancel(self, member: Member, key: str) -> None:
        """Has an own import stop, as admins may any; until it is stored nothing of it stays."""
        here = {each.id: each for each in imports_under_way.under_way(member.workspace.pk)}
        if key not in here:
            raise NotFound
        if here[key].user != member.user.pk and member.role != Role.ADMIN:
            raise Forbidden
        if not imports_under_way.ask_to_stop(member.workspace.pk, key):
            raise Refused("conflict", _("This import has ended meanwhile. What it changed can be undone."))

    def retry(self, member: Member, key: str) -> None:
        """Refuses: the file is not kept. Of what is not under way it says that it is absent."""
        if key not in {each.id for each in imports_under_way.under_way(member.workspace.pk)}:
            raise NotFound
        raise Refused("conflict", _("There is nothing to try again here."))


def _entry(member: Member, each: ImportUnderWay) -> Entry:
    own = each.user == member.user.pk
    kind = KINDS[each.kind]
    return Entry(
        kind=Imports.kind,
        key=each.id,
        state="running",
        since=each.since,
        person=each.person,
        own=own,
        title=(each.title or capfirst(str(kind.plural or kind.label))) if own else "",
        reason=_("It is being stopped.") if each.stopping else "",
        progress=Progress(each.done, each.total) if each.total else None,
        may_cancel=(own or member.role == Role.ADMIN) and not each.stopping,
    )
