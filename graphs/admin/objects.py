"""All objects of any kind: which there are, what is in them, and the ways to all that is known about them."""

from collections.abc import Callable, Iterable
from itertools import groupby
from operator import attrgetter
from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db.models import Exists, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce, NullIf
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from graphs.admin.audit import AuditAdmin, WorkspaceFilter
from graphs.admin.display import change_link, column, json_code, link, list_link
from graphs.admin.object_filters import KindFilter
from graphs.admin.versions import VersionedAdmin, versions_page
from graphs.models import ChangeSet, Membership, Object, Revision
from graphs.objects.headers import ref_of, rows_with, title_of, url_of
from graphs.objects.kinds import KINDS
from graphs.objects.model_rows import row_of
from graphs.objects.model_values import record_of
from graphs.objects.refs import Ref

#: Gives the link to a list of rows about an object.
About = Callable[[Object], SafeString]


def changes_of(of: Object) -> SafeString:
    """The list of everything that was changed of an object."""
    return list_link(ChangeSet, gettext("changes"), object=str(of), workspace=of.workspace.slug)


def object_link(workspace_id: int, ref: Ref) -> SafeString | str:
    """A link to the page of an object by its name; the name alone if it is gone."""
    found = Object.objects.filter(workspace=workspace_id, type=ref.type, key=ref.key).first()
    return change_link(found) if found else str(ref)


#: What is known about an object, as links; other apps add theirs when the program starts.
ABOUT: list[About] = [changes_of]


def _entitle(objects: Iterable[Any]) -> None:
    """Gives those that the history has no title of the one of their row, asked for by workspace and kind."""
    where = attrgetter("workspace_id", "type")
    unknown = [each for each in objects if each.label == each.key and each.type in KINDS]
    for (workspace_id, type_), some in groupby(sorted(unknown, key=where), where):
        kind, by_key = KINDS[type_], {each.key: each for each in some}
        for row in rows_with(kind, workspace_id, by_key):
            by_key[ref_of(kind, row).key].label = title_of(kind, row)


class OfKindFilter(KindFilter):
    column = "type"


@admin.register(Object)
class ObjectAdmin(VersionedAdmin, AuditAdmin):
    list_display = ("title", "kind", "key", "tenant", "version", "updated_at", "history")
    list_select_related = ("workspace",)
    list_filter = (WorkspaceFilter, OfKindFilter, "updated_at")
    search_fields = ("key", "label")
    search_help_text = _("Searches keys and titles.")
    ordering = ("-updated_at", "-id")
    fields = (
        ("title", "kind", "key", "tenant"),
        ("version", "created_at", "updated_at", "unsaved_since"),
        ("known", "own_page"),
        "record",
    )
    title = column(_("title"), lambda obj: obj.label, "label")
    kind = column(_("kind"), lambda obj: KINDS[obj.type].label if obj.type in KINDS else obj.type, "type")
    known = column(_("about it"), lambda obj: format_html_join(" · ", "{}", ((about(obj),) for about in ABOUT)))

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """All objects; `label` is the title that the history knows, `readable` whether the person is a member."""
        last = Revision.objects.filter(type=OuterRef("type"), object=OuterRef("pk")).order_by("-version")
        label = NullIf(Subquery(last.values("label")[:1]), Value(""))
        mine = Membership.objects.filter(user=request.user.pk, workspace=OuterRef("workspace"))
        return super().get_queryset(request).annotate(label=Coalesce(label, "key"), readable=Exists(mine))

    def get_changelist_instance(self, request: HttpRequest) -> ChangeList:
        changes = super().get_changelist_instance(request)
        _entitle(changes.result_list)
        return changes

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        found = super().get_object(request, object_id, from_field)
        _entitle([found])
        return found

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.versions_view)
        return [path("<int:object_id>/versions/", view, name="graphs_object_versions"), *super().get_urls()]

    def versions_view(self, request: HttpRequest, object_id: int) -> HttpResponse:
        """The versions of an object, also of one that was deleted."""
        site = {**self.admin_site.each_context(request), "opts": self.opts}
        return versions_page(request, self.get_queryset(request).filter(pk=object_id).first(), object_id, site)

    def view_on_site(self, obj: Any) -> str | None:
        row = row_of(obj) if obj.readable and obj.type in KINDS else None
        address = url_of(KINDS[obj.type], row) if row else ""
        return f"{address}?workspace={obj.workspace.slug}" if address else None

    @admin.display(description=_("history"))
    def history(self, obj: Object) -> SafeString:
        return link(reverse("admin:graphs_object_versions", args=[obj.pk]), gettext("versions"))

    @admin.display(description=_("in the admin"))
    def own_page(self, obj: Object) -> SafeString | str:
        row = row_of(obj) if obj.type in KINDS else None
        return change_link(row) if row and self.admin_site.is_registered(type(row)) else "—"

    @admin.display(description=_("fields"))
    def record(self, obj: Object) -> SafeString | str:
        row = row_of(obj) if obj.type in KINDS else None
        return json_code(record_of(KINDS[obj.type], row)) if row else gettext("It was deleted.")
