"""What can be taken back from a change set, as addresses: offered on its pages, and read from what is asked for."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import Http404, HttpRequest, QueryDict
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from graphs.history.queries import first_revisions
from graphs.history.scopes import AsOf, Caused, ChangeSets, OneModification, Scope
from graphs.models import ChangeSet, Object, Revision

#: Objects of a change set that are offered to be as they were; another one where its versions led here.
OBJECTS_OFFERED = 20


@dataclass(frozen=True, slots=True)
class Choice:
    """Something that can be taken back from here; `address` is its page."""

    text: str
    address: str
    chosen: bool = False


def choices(change_set: ChangeSet, named: str = "", asked_for: QueryDict | None = None) -> list[Choice]:
    """What can be taken back from a change set: itself, what it belongs to, or everything since it.

    Of its objects the first are offered, and the one that is `named`.
    """
    found: list[tuple[str, dict[str, str]]] = [(_("Only this change set"), {})] if change_set.size else []
    for what, kind in (("turn", "message"), ("session", "session")):
        if cause := _cause(change_set, kind):
            count = ChangeSet.objects.filter(workspace=change_set.workspace, causes__contains=[cause]).count()
            found.append((str(_TEXTS[what] % {"count": intcomma(count)}), {"what": what}))
    for revision in _offered(change_set, named):
        label = {"label": revision.label or revision.key}
        where = {"object": f"{revision.type}:{revision.object}"}
        if change_set.size:
            found.append((_("“%(label)s” as it was before this") % label, {"what": "before", **where}))
        if revision.later:
            found.append((_("“%(label)s” as this left it") % label, {"what": "after", **where}))
    return [
        Choice(text, address(change_set, query), asked_for is not None and asked_for.dict() == query)
        for text, query in found
    ]


def _offered(change_set: ChangeSet, named: str) -> list[Any]:
    """Revisions in their order, which know whether there are later ones."""
    of, since = OuterRef("object"), Q(version__gt=OuterRef("version"))
    # The row knows versions of live edits that the history does not have yet; of what is gone the history is left.
    later = Exists(Object.objects.filter(since, pk=of)) | Exists(
        Revision.objects.filter(since, object=of, type=OuterRef("type"))
    )
    which = [first_revisions([change_set.pk], OBJECTS_OFFERED)]
    if named:
        which.append(_named(change_set, named))
    found = {row.pk: row for rows in which for row in rows.annotate(later=later)}
    return [row for _pk, row in sorted(found.items())]


def address(change_set: ChangeSet, query: Mapping[str, Any]) -> str:
    """The address of the page that takes back what the query says."""
    return reverse("admin:graphs_changeset_rollback", args=[change_set.pk], query=query)


def chosen(request: HttpRequest, change_set: ChangeSet) -> list[Choice]:
    """The choices, with the one that the page is about marked."""
    found = choices(change_set, request.GET.get("object", ""), request.GET)
    if any(choice.chosen for choice in found):
        return found
    also = len(request.GET.getlist("also"))
    text = _("The %(count)s change sets that you marked") % {"count": also + 1} if also else _("Only this part of it")
    return [Choice(text, request.get_full_path(), chosen=True), *found]


_TEXTS: Mapping[str, str | Promise] = {
    "turn": gettext_lazy("All that the same turn of the conversation changed (change sets: %(count)s)"),
    "session": gettext_lazy("All that the same conversation changed (change sets: %(count)s)"),
}


def asked(query: QueryDict, change_set: ChangeSet) -> Scope:
    """What the address asks to take back; nonsense is a 404, as `rollback` makes of what is of another workspace."""
    match query.get("what", ""):
        case "":
            return ChangeSets(_several(query.getlist("also"), change_set))
        case "modification":
            named = query.get("modification", "")
            if named.isdecimal() and len(named) <= 18 and change_set.modifications.filter(pk=int(named)).exists():
                return OneModification(int(named))
        case "turn" | "session" as what:
            cause = _cause(change_set, "message" if what == "turn" else "session")
            if cause:
                return Caused(cause)
        case "before" | "after" as what:
            revision = _revision(change_set, query.get("object", ""))
            return AsOf(revision.type, revision.object, revision.version - (what == "before"))
    raise Http404


def _several(also: list[str], change_set: ChangeSet) -> tuple[uuid.UUID, ...]:
    try:
        return tuple(dict.fromkeys([change_set.pk, *map(uuid.UUID, also)]))
    except ValueError:
        raise Http404 from None


def _revision(change_set: ChangeSet, named: str) -> Revision:
    found = _named(change_set, named).first()
    if found is None:
        raise Http404
    return found


def _named(change_set: ChangeSet, named: str) -> QuerySet[Revision]:
    """The revision of an object that an address names, or none."""
    type_, _colon, object_ = named.partition(":")
    if not (object_.isdecimal() and len(object_) <= 18):
        return Revision.objects.none()
    return Revision.objects.filter(change_set=change_set, type=type_, object=int(object_))


def _cause(change_set: ChangeSet, kind: str) -> str:
    return next((cause for cause in change_set.causes if cause.startswith(f"{kind}:")), "")
