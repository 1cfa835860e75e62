"""Workspaces and who belongs to them, for superusers. Nothing with a history is deleted here."""

from typing import Any, ClassVar

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from graphs.admin.display import column, list_link
from graphs.admin.workflows import counted
from graphs.models import Membership, Object, Workspace


class SuperusersOnly:
    """Pages and inlines where only superusers see and change anything."""

    def has_module_permission(self, request: HttpRequest) -> bool:
        return bool(getattr(request.user, "is_superuser", False))

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self.has_module_permission(request)

    has_add_permission = has_change_permission = has_delete_permission = has_view_permission


class ManagedAdmin(SuperusersOnly, admin.ModelAdmin):
    """Rows that superusers manage; others do not even learn which there are."""

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        if not self.has_view_permission(request):
            raise PermissionDenied
        return super().get_object(request, object_id, from_field)


class NotDeleted(ManagedAdmin):
    """What conversations and history name is kept."""

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class MembershipInline(SuperusersOnly, admin.TabularInline):
    """The memberships of a person or of a workspace, on its page."""

    model = Membership
    extra = 0
    fields: ClassVar = ("user", "workspace", "role")
    autocomplete_fields: ClassVar = ("user", "workspace")


@admin.register(Workspace)
class WorkspaceAdmin(NotDeleted):
    list_display = ("name", "slug", "member_count", "object_count", "created_at")
    search_fields = ("name", "slug")
    fields = ("name", "slug")
    prepopulated_fields: ClassVar = {"slug": ("name",)}
    inlines = (MembershipInline,)
    view_on_site = False
    object_count = column(_("objects"), lambda obj: list_link(Object, obj.objects_of or 0, workspace=obj.slug))

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        workspaces = super().get_queryset(request)
        return workspaces.annotate(members=counted(Membership, "workspace"), objects_of=counted(Object, "workspace"))

    @admin.display(description=_("members"))
    def member_count(self, obj: Any) -> SafeString:
        return list_link(Membership, obj.members or 0, workspace__id__exact=obj.pk)


@admin.register(Membership)
class MembershipAdmin(ManagedAdmin):
    list_display = ("user", "workspace", "role", "created_at")
    list_display_links = ("user",)
    list_select_related = ("user", "workspace")
    list_filter = ("role", "workspace")
    search_fields = ("user__username", "workspace__name", "workspace__slug")
    fields = ("user", "workspace", "role")
    autocomplete_fields = ("user", "workspace")
