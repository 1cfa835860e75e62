"""The lists of business records: found, ordered, made by hand, and given another status together."""

from collections.abc import Sequence

from django.conf import settings
from django.contrib import messages
from django.contrib.humanize.templatetags.humanize import intcomma
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_POST, require_safe
from pydantic import ValidationError

from graphs.history import editing
from graphs.models import Object
from graphs.models.records import Status
from graphs.objects.actions import MAX_ACTIONS, ChangeRefused, CreateObject, UpdateObject
from graphs.objects.edit_conflicts import EditConflicts
from graphs.objects.headers import address_of, children_of, is_key, object_for, parent_of, rows_named
from graphs.objects.kinds import KINDS, Kind
from graphs.objects.refs import Ref
from graphs.objects.word_search import MOST_WORDS, words_of
from graphs.records import listing
from graphs.records.listing import ORDERS, Asked
from graphs.site import search_time
from graphs.site.access import Member, NotFound
from graphs.site.api import limits
from graphs.site.api.paging import Page, page_of
from graphs.site.api.problems import Problem, too_much_to_search
from graphs.site.pages import asked_without, layout_of, member_page, render_page, searching
from graphs.site.search_time import TooMuchToSearch

RECORDS_PER_PAGE = 50
_ARROWS = (("", "↑"), ("-", "↓"))
_LABELS = {"name": gettext_lazy("Name"), "status": gettext_lazy("Status"), "changed": gettext_lazy("Changed")}
#: The names of the addresses of the lists, by kind.
LISTS = {"company": "companies", "folder": "folders", "usecase": "use-cases"}


@searching
@require_safe
@member_page
def record_list(request: HttpRequest, member: Member, kind: str) -> HttpResponse:
    """The records of a kind in the workspace. What cannot be asked for is left out."""
    known = KINDS[kind]
    words = words_of(request.GET.get("search", ""))
    asked = _asked(request, member, known, words[:MOST_WORDS])
    rows, refused = listing.matching(member, known, asked), ""
    shown = rows.filter(status=asked.status) if asked.status else rows
    try:
        with search_time.bounded(bool(asked.search)):
            counts = listing.by_status(rows)
            page = page_of(listing.shown(known, shown), asked.ordering, request.GET.get("cursor"), RECORDS_PER_PAGE)
    except TooMuchToSearch:
        counts, page, refused = dict.fromkeys(Status.values, 0), Page([], None, None), too_much_to_search().detail
    except Problem:
        return redirect(f"{reverse(LISTS[kind])}{asked_without(request, 'cursor')}")
    holder = parent_of(known)
    records = listing.as_listed(known, page.rows)
    context = {
        "kind": known,
        "asked": asked,
        "search": asked.search,
        "filters": listing.as_filters(known, asked),
        "refused": refused,
        "most_words": MOST_WORDS if len(words) > MOST_WORDS else None,
        "is_filtered": bool(asked.search or asked.status or asked.holder or asked.is_in_nothing),
        "everywhere": asked_without(request, "in", "cursor"),
        "records": records,
        "keys": [record.key for record in records],
        "children": children_of(known),
        **{f"{name}_label": label for name, label in _LABELS.items()},
        "page": page,
        "total": sum(counts.values()),
        "found": counts[asked.status] if asked.status else sum(counts.values()),
        "most_at_once": MAX_ACTIONS,
        "statuses": [(status, status.label, counts[status]) for status in Status if status != Status.GENERATING],
        "orders": {name: "" if asked.order != name else "-" for name in ORDERS},
        "choices_of_order": [
            (f"{minus}{name}", f"{label} {arrow}") for name, label in _LABELS.items() for minus, arrow in _ARROWS
        ],
        "holder_kind": holder,
        "holders": listing.holders(member, known, asked.holder),
        "above": holder and parent_of(holder),
        "holders_above": listing.holders(member, holder, asked.holder) if holder else [],
        "new": f"new-{known.url}",
        "status": f"{known.url}-status",
        "list": LISTS[kind],
    }
    return render_page(request, member, "graphs/records/list.html", context, status=400 if refused else 200)


@require_POST
@member_page
def new_record(request: HttpRequest, member: Member, kind: str) -> HttpResponse:
    """Makes a record that has a name, and leads to its page."""
    member.require_editor()
    known = KINDS[kind]
    name, holder = request.POST.get("name", "").strip(), request.POST.get("parent", "")
    above = _holder(member, known, holder)
    parent = f"{above.type}:{above.key}" if above else None
    try:
        _count(member)
        if holder and above is None:
            raise ChangeRefused(_("What was to hold it is not there any more."))
        action = CreateObject.model_validate({"kind": kind, "fields": {known.title: name}, "parent": parent})
        made = editing.create_object(member, known, editing.Request([action]))
    except (ChangeRefused, Problem, ValidationError) as refused:
        messages.error(request, _sentence(KINDS[kind], refused))
        return _back(request, kind)
    return redirect(f"{address_of(member, made)}{layout_of(member)['here']}")


@require_POST
@member_page
def change_status(request: HttpRequest, member: Member, kind: str) -> HttpResponse:
    """Gives the chosen records another status, as one change; those that have it stay as they are."""
    member.require_editor()
    status = request.POST.get("status", "")
    try:
        _count(member)
        chosen = _chosen(request, member, KINDS[kind])
        if status not in Status.values or not chosen:
            raise ChangeRefused(_("Choose records, and the status that they get."))
        new = {"status": status}
        actions = [UpdateObject.model_validate({"object": str(ref), "updates": new}) for ref in chosen]
        done = editing.edit(member, object_for(member, chosen[0]), editing.Request(actions))
    except (ChangeRefused, EditConflicts, Problem, NotFound, Object.DoesNotExist) as refused:
        messages.error(request, _sentence(KINDS[kind], refused))
    else:
        count = len(chosen)
        text = ngettext("%(count)s record is “%(status)s” now.", "%(count)s records are “%(status)s” now.", count)
        told = text % {"count": intcomma(count), "status": Status(status).label}
        messages.success(request, told, extra_tags=str(done))  # by which the page offers to take it back
    return _back(request, kind)


def _chosen(request: HttpRequest, member: Member, kind: Kind) -> list[Ref]:
    """The records that were chosen one by one, or the first that the list finds. Raises `ChangeRefused`."""
    if not request.POST.get("all"):
        rows = rows_named(member, kind, request.POST.getlist("record")[:RECORDS_PER_PAGE])
        return [Ref(kind.name, key) for key in rows]
    asked = _asked(request, member, kind, words_of(request.GET.get("search", ""))[:MOST_WORDS])
    if asked.is_in_nothing:
        raise ChangeRefused(_("What was to hold it is not there any more."))
    found = listing.matching(member, kind, asked).order_by(*asked.ordering)
    if asked.status:
        found = found.filter(status=asked.status)
    try:
        with search_time.bounded(bool(asked.search)):
            return [Ref(kind.name, str(key)) for key in found.values_list("pk", flat=True)[:MAX_ACTIONS]]
    except TooMuchToSearch:
        raise ChangeRefused(too_much_to_search().detail) from None


def _asked(request: HttpRequest, member: Member, kind: Kind, words: Sequence[str]) -> Asked:
    """What the address asks for, without what cannot be."""
    status, order = request.GET.get("status", ""), request.GET.get("order", "name")
    key = request.GET.get("in", "") if parent_of(kind) else ""
    holder = _above(member, kind, key)
    return Asked(
        search=" ".join(words),
        status=status if status in Status.values else "",
        holder=holder,
        is_in_nothing=bool(key) and holder is None,
        order=order if order.removeprefix("-") in ORDERS else "name",
    )


def _holder(member: Member, kind: Kind, key: str) -> Object | None:
    """The object with this key that may hold those of a kind."""
    holder = parent_of(kind)
    return _visible(member, Ref(holder.name, key)) if holder and key else None


def _above(member: Member, kind: Kind, key: str) -> Object | None:
    """The object with this key that may hold those of a kind, or what holds them."""
    holder = parent_of(kind)
    return (_holder(member, kind, key) or _above(member, holder, key)) if holder and key else None


def _visible(member: Member, ref: Ref) -> Object | None:
    if not is_key(KINDS[ref.type], ref.key):
        return None
    try:
        return object_for(member, ref)
    except NotFound:
        return None


def _count(member: Member) -> None:
    """Raises `Problem` 429 for a member who changes too much."""
    limits.require("changes", str(member.user.pk), settings.LIMIT_CHANGES)


def _sentence(kind: Kind, refused: Exception) -> str:
    if isinstance(refused, ValidationError):
        return _("This is no name: it has signs that no text may have.")
    if isinstance(refused, ChangeRefused):
        return " ".join(_with_label(kind, problem) for problem in refused.problems)
    if isinstance(refused, Problem):
        return str(refused.detail)
    return _("Somebody changed or deleted one of them meanwhile. Look again.")


def _with_label(kind: Kind, problem: str) -> str:
    """A problem that begins with the name of a field, with what people call the field instead."""
    name, _colon, sentence = problem.partition(": ")
    field = kind.by_name.get(name)
    told = {"label": capfirst(str(field.label)), "name": sentence} if field and sentence else None
    return _("%(label)s: %(name)s") % told if told else problem


def _back(request: HttpRequest, kind: str) -> HttpResponse:
    """To the list as it was asked for."""
    return redirect(f"{reverse(LISTS[kind])}{asked_without(request)}")
