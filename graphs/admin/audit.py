"""Audit pages of the admin, read only: superusers see every workspace, other staff those they are admin of."""

import uuid
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any, ClassVar

from django.contrib import admin
from django.contrib.auth.models import User
from django.core.paginator import Paginator
from django.db.models import Model, QuerySet, UUIDField
from django.http import Http404, HttpRequest, HttpResponseBase
from django.urls import URLPattern, path
from django.utils.translation import gettext_lazy as _

from graphs.admin.display import column
from graphs.models import Role, Workspace

#: What lies further back is found by filters and dates.
NEWEST = 10_000


def auditable(request: HttpRequest) -> QuerySet[Workspace]:
    """The workspaces whose audit the person may see; none before they are signed in, as on the login page."""
    if not isinstance(request.user, User):
        return Workspace.objects.none()
    if request.user.is_superuser:
        return Workspace.objects.all()
    return Workspace.objects.filter(memberships__user=request.user, memberships__role=Role.ADMIN)


def may_audit(request: HttpRequest) -> bool:
    """Whether the person may see the audit of any workspace; asked once a request."""
    known: bool | None = getattr(request, "may_audit", None)
    if known is None:
        known = bool(getattr(request.user, "is_superuser", False)) or auditable(request).exists()
        request.may_audit = known  # type: ignore[attr-defined]
    return known


class NewestPaginator(Paginator):
    """Pages through a list that grows for ever: ends after `NEWEST` rows, counted no further."""

    object_list: Any

    @cached_property
    def count(self) -> int:
        return int(self.object_list.order_by().values("pk")[:NEWEST].count())


class ReadOnlyAdmin(admin.ModelAdmin):
    """Rows that nobody adds, changes or deletes here. What is absent, or not to be seen, answers 404."""

    actions = None
    list_per_page = 50
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    change_form_template = "admin/read_only.html"

    #: Pages beside the list and below a row's own: the end of the address, what answers, its name. What answers gets
    #: the request, the row if it is about one, and what every page of the admin needs.
    list_pages: ClassVar[Sequence[tuple[str, Callable[..., HttpResponseBase], str]]] = ()
    row_pages: ClassVar[Sequence[tuple[str, Callable[..., HttpResponseBase], str]]] = ()

    class Media:
        css: ClassVar = {"all": ["graphs/admin.css"]}

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.page_view)
        of_list = [path(end, view, {"page": page}, name=name) for end, page, name in self.list_pages]
        of_row = [
            path(f"<uuid:object_id>/{end}", view, {"page": page}, name=name) for end, page, name in self.row_pages
        ]
        return [*of_list, *of_row, *super().get_urls()]

    def page_view(
        self, request: HttpRequest, page: Callable[..., HttpResponseBase], object_id: uuid.UUID | None = None
    ) -> HttpResponseBase:
        """One of the pages of `list_pages` or `row_pages`."""
        row = () if object_id is None else (self.get_object(request, str(object_id)),)
        return page(request, *row, self.admin_site.each_context(request))

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    has_change_permission = has_delete_permission = has_add_permission

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return bool(getattr(request.user, "is_superuser", False))

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        found = super().get_object(request, object_id, from_field) if self.has_view_permission(request) else None
        if found is None:
            raise Http404
        return found


class AuditAdmin(ReadOnlyAdmin):
    """Rows of workspaces; `workspace_path` leads from a row to its workspace."""

    workspace_path = "workspace"
    tenant = column(_("workspace"), lambda obj: obj.workspace, "workspace__name")

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return may_audit(request)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows = super().get_queryset(request)
        if getattr(request.user, "is_superuser", False):
            return rows
        return rows.filter(**{f"{self.workspace_path}__in": auditable(request)})

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """The row with this id, if it is one; else those with these words."""
        if isinstance(self.opts.pk, UUIDField):
            with suppress(ValueError):
                return queryset.filter(pk=uuid.UUID(search_term.strip())), False
        return super().get_search_results(request, queryset, search_term)


class OfferedFilter(admin.SimpleListFilter):
    """A filter of `column`, else of the column `parameter_name`; shows nothing for a value that is not `offered`."""

    column: ClassVar[str] = ""
    offered: ClassVar[Iterable[tuple[str, Any]]] = ()

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin) -> list[tuple[str, Any]]:
        return list(self.offered)

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        value = self.value()
        if value is None:
            return queryset
        if value not in dict(self.lookup_choices):
            return queryset.none()
        return self.chosen(queryset, value)

    def chosen(self, queryset: QuerySet[Any], value: str) -> QuerySet[Any]:
        """The rows that this value stands for."""
        return queryset.filter(**{self.column or str(self.parameter_name): value})


def column_filter(column: str, title: Any, offered: Iterable[tuple[str, Any]]) -> type[OfferedFilter]:
    """A filter that offers these values of a column."""
    return type("ColumnFilter", (OfferedFilter,), {"parameter_name": column, "title": title, "offered": offered})


class WorkspaceFilter(OfferedFilter):
    """Offers the workspaces the person may audit, and no other."""

    title = _("workspace")
    parameter_name = "workspace"

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin) -> list[tuple[str, str]]:
        assert isinstance(model_admin, AuditAdmin)
        self._path = model_admin.workspace_path
        return list(auditable(request).values_list("slug", "name"))

    def chosen(self, queryset: QuerySet[Any], value: str) -> QuerySet[Any]:
        return queryset.filter(**{f"{self._path}__slug": value})
