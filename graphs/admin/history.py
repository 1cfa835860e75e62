"""Change sets: the audit list of everything that was changed, and one with its differences side by side."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.contrib import admin, messages
from django.contrib.humanize.templatetags.humanize import intcomma
from django.contrib.postgres.expressions import ArraySubquery
from django.core.paginator import Paginator
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import JSONObject
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.timezone import localtime
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from graphs.admin import causes, history_filters, history_rollback, history_scopes, object_filters
from graphs.admin.audit import NEWEST, AuditAdmin, NewestPaginator, auditable, may_audit
from graphs.admin.display import change_link, column, link
from graphs.admin.history_diff import ShownItem, of_modifications
from graphs.history.code_diff import visible
from graphs.history.queries import first_revisions, revision_counts, undoing, undone_by
from graphs.models import ChangeSet, Modification, Object, Revision, Workspace
from graphs.objects.kinds import KINDS
from graphs.objects.refs import Ref
from graphs.objects.stores import labels_of

MODIFICATIONS_PER_PAGE = 50
#: Objects that are named of a change set; the others are counted.
OBJECTS_SHOWN = 20
#: Change sets that one rollback may be about; a turn or a whole session is one choice of its own.
MOST_CHOSEN = 50
_LINES = mark_safe("<br>")


@dataclass(frozen=True, slots=True)
class ShownObject:
    label: str
    items: list[ShownItem]


@admin.register(ChangeSet)
class ChangeSetAdmin(AuditAdmin):
    list_display = ("when", "what", "actor_label", "origin", "objects", "count", "caused_by")
    list_display_links = ("when",)
    list_filter = (
        history_filters.ChangeWorkspaceFilter,
        history_filters.WhoFilter,
        history_filters.OriginFilter,
        object_filters.ChangeKindFilter,
        object_filters.ChangeObjectFilter,
        history_filters.DatesFilter,
        history_filters.ConversationFilter,
        history_filters.UndoneFilter,
    )
    search_fields = ("reason", "actor_label", "model", "prompt_version")
    search_help_text = _("Searches reasons, people, models, prompt versions and the ids of change sets.")
    sortable_by = ()
    paginator = NewestPaginator
    actions = ("roll_back",)  # type: ignore[assignment]
    change_form_template = "admin/graphs/changeset/change_form.html"
    change_list_template = "admin/graphs/changeset/change_list.html"
    row_pages = (("rollback/", history_rollback.page, "graphs_changeset_rollback"),)
    fields = (
        ("created_at", "actor_label", "tenant"),
        ("origin", "model", "prompt_version"),
        "what",
        ("linked_objects", "led_here"),
    )
    when = column(_("when"), lambda obj: date_format(localtime(obj.created_at), "SHORT_DATETIME_FORMAT"))
    count = column(_("changes"), lambda obj: obj.size)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        first = Modification.objects.filter(change_set=OuterRef("pk")).order_by("sequence")
        columns = first.values(row=JSONObject(kind="kind", key="key", action="action"))
        revised = Revision.objects.filter(change_set=OuterRef("pk"))
        named = revised.order_by("id").values(row=JSONObject(label="label", key="key"))
        return (
            super()
            .get_queryset(request)
            .annotate(
                first=Subquery(columns[:1]),
                named=ArraySubquery(named[:OBJECTS_SHOWN]),
                revised=Subquery(revised.order_by().values("change_set").values(count=Count("id"))),
                undone_by=Subquery(undoing([OuterRef("pk")]).values("pk")[:1]),
                workspace_name=Subquery(Workspace.objects.filter(pk=OuterRef("workspace")).values("name")),
            )
        )

    def has_roll_back_permission(self, request: HttpRequest) -> bool:
        """Whether they are an admin of a workspace: that sees its audit and may take back what was done there."""
        return may_audit(request)

    @admin.action(description=_("Roll back the selected change sets …"), permissions=["roll_back"])
    def roll_back(self, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
        """Leads to the page that shows the result first."""
        newest = queryset.order_by("-created_at", "-id").values_list("pk", "workspace")
        chosen = list(newest[: MOST_CHOSEN + 1])
        if len(chosen) > MOST_CHOSEN:
            text = gettext("Choose up to %(most)s change sets, or open one and take back all of its conversation.")
            self.message_user(request, text % {"most": MOST_CHOSEN}, messages.ERROR)
            return None
        if len({workspace for _pk, workspace in chosen}) != 1:
            self.message_user(request, gettext("Choose change sets of one workspace."), messages.ERROR)
            return None
        first, *also = (pk for pk, _workspace in chosen)
        return HttpResponseRedirect(history_scopes.address(ChangeSet(pk=first), {"also": also}))

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        live = Object.objects.filter(workspace__in=auditable(request)).exclude(unsaved_since=None)
        shown = {"newest": NEWEST, "unsaved": live.exists()}
        return super().changelist_view(request, {**(extra_context or {}), **shown})

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        change_set = self.get_object(request, object_id)
        rows = Paginator(change_set.modifications.order_by("sequence"), MODIFICATIONS_PER_PAGE)
        page = rows.get_page(request.GET.get("page"))
        shown = {
            "page": page,
            "objects": _objects(change_set, list(page), whole="whole" in request.GET),
            "whole_address": f"?whole&page={page.number}",
            "undone_by": _still_undoing(change_set),
            "undone": ChangeSet.objects.filter(pk__in=change_set.undoes).order_by("created_at"),
            "choices": history_scopes.choices(change_set, request.GET.get("object", "")),
        }
        return super().change_view(request, object_id, form_url, {**(extra_context or {}), **shown})

    @admin.display(description=_("workspace"))
    def tenant(self, obj: Any) -> str:
        return obj.workspace_name or gettext("deleted workspace %(id)s") % {"id": obj.workspace}

    @admin.display(description=_("objects"))
    def objects(self, obj: Any) -> SafeString:
        named = [each["label"] or each["key"] for each in obj.named]
        lines = [*named, *_and_more((obj.revised or 0) - len(named))]
        return format_html_join(_LINES, "{}", ((line,) for line in lines)) or SafeString("—")

    @admin.display(description=_("objects"))
    def linked_objects(self, obj: ChangeSet) -> SafeString:
        return format_html_join(_LINES, "{}", ((each,) for each in _links(obj))) or SafeString("—")

    @admin.display(description=_("reason"))
    def what(self, obj: Any) -> SafeString:
        """The reason, else what was changed first; marked where it was taken back or takes something back."""
        text = obj.reason or (_in_words(**obj.first) if obj.first else gettext("It began here"))
        return format_html("{} {}", text, format_html_join(" ", '<span class="state">{}</span>', _marks(obj)))

    @admin.display(description=_("caused by"))
    def caused_by(self, obj: ChangeSet) -> SafeString:
        found = causes.links(obj.causes or [obj.cause])
        return format_html_join(" · ", "{}", ((each,) for each in found)) or SafeString("—")

    @admin.display(description=_("caused by"))
    def led_here(self, obj: ChangeSet) -> SafeString:
        """The causes, and on this page alone what is to be known of them: it takes a query for each."""
        every = obj.causes or [obj.cause]
        shown = [*causes.links(every), *causes.notes(every)]
        return format_html_join(" · ", "{}", ((each,) for each in shown)) or SafeString("—")


def _links(change_set: ChangeSet) -> Iterator[str]:
    """Links to the first objects as they are, and to their versions; of one that is gone its versions are left."""
    revisions = list(first_revisions([change_set.pk], OBJECTS_SHOWN))
    there = Object.objects.in_bulk([revision.object for revision in revisions])
    for revision in revisions:
        name, found = _name(revision), there.get(revision.object)
        shown = change_link(found, name) if found else format_html("{} {}", name, gettext("(deleted since)"))
        last = revision.version
        compared = {"a": last - 1, "b": last} if last > 1 else None
        address = reverse("admin:graphs_object_versions", args=[revision.object], query=compared)
        yield format_html('{} <span class="quiet">{}</span> {}', shown, last, link(address, gettext("versions")))
    yield from _and_more(revision_counts([change_set.pk]).get(change_set.pk, 0) - len(revisions))


def _and_more(count: int) -> Iterator[str]:
    """A line for objects that are not named, where there are some."""
    if count > 0:
        text = ngettext("and %(count)s more object", "and %(count)s more objects", count)
        yield text % {"count": intcomma(count)}


def _objects(change_set: ChangeSet, rows: Sequence[Modification], whole: bool) -> list[ShownObject]:
    """The rows of a change set by object, in their order."""
    items: dict[int, set[Ref]] = {}
    for row in rows:
        items.setdefault(row.object, set()).add(Ref(row.kind, row.key))
    names = {(each.type, each.object): _name(each) for each in change_set.revisions.filter(object__in=items)}
    there = Object.objects.in_bulk(items)
    known = labels_of((there[pk], refs) for pk, refs in items.items() if pk in there)
    return [
        ShownObject(names.get(named, ""), of_modifications(list(own), known.get(named[1], {}), whole))
        for named, own in groupby(rows, key=lambda row: (row.type, row.object))
    ]


def _name(revision: Revision) -> str:
    return revision.label or revision.key


def _still_undoing(change_set: ChangeSet) -> list[ChangeSet]:
    """What takes it back, but for what was itself taken back since."""
    found = list(undoing([change_set.pk]).order_by("created_at"))
    undone = undone_by([each.pk for each in found])
    return [each for each in found if each.pk not in undone]


def _marks(obj: Any) -> Iterator[tuple[str]]:
    if obj.undone_by and undone_by([obj.pk]):  # unless that was undone again
        yield (gettext("undone"),)
    if obj.undoes:
        yield (gettext("undoes another"),)


def _in_words(kind: str, key: str, action: str) -> str:
    label = KINDS[kind].label if kind in KINDS else kind
    done = {"action": Modification.Action(action).label, "what": f"{label} {visible(key)}"}
    return gettext("%(action)s: %(what)s") % done
