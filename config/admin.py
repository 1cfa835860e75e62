"""The admin of this site: its name, and its people. Roles come from memberships, not from Django's groups."""

from typing import Any, ClassVar

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Group, User
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from graphs.admin.display import column
from graphs.admin.people import MembershipInline, NotDeleted

admin.site.site_header = _("Countersign administration")
admin.site.site_title = "Countersign"
admin.site.index_title = _("Audit and administration")

admin.site.unregister([Group, User])


@admin.register(User)
class PersonAdmin(NotDeleted, UserAdmin):
    """People are made inactive instead of deleted: conversations and history name them."""

    list_display = ("username", "full_name", "email", "roles", "is_active", "is_staff", "is_superuser", "last_login")
    list_filter = ("is_active", "is_staff", "is_superuser", "memberships__workspace")
    filter_horizontal: ClassVar = ()
    fieldsets: ClassVar = (
        (None, {"fields": ("username", "password")}),
        (_("Person"), {"fields": ("first_name", "last_name", "email")}),
        (
            _("Access"),
            {
                "fields": ("is_active", "is_staff", "is_superuser"),
                "description": _(
                    "Staff who are admin of a workspace see its audit here; superusers see and manage everything. "
                    "What somebody may do on the site is their role in each workspace, below."
                ),
            },
        ),
        (_("Dates"), {"fields": ("last_login", "date_joined")}),
    )
    readonly_fields = ("last_login", "date_joined")
    inlines = (MembershipInline,)
    full_name = column(_("name"), lambda obj: obj.get_full_name(), "last_name")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).prefetch_related("memberships__workspace")

    @admin.display(description=_("roles"))
    def roles(self, obj: Any) -> str:
        return ", ".join(f"{each.workspace.slug}: {each.get_role_display()}" for each in obj.memberships.all())
