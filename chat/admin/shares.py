"""With whom conversations are shared, and the links to them: admins of a workspace see and revoke both."""

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import Exists, Model, OuterRef, Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from chat.actions import sharing
from chat.admin import figures
from chat.models import Share, SharedLink
from graphs.admin.audit import AuditAdmin, OfferedFilter, WorkspaceFilter, column_filter, may_audit
from graphs.admin.display import change_link, column
from graphs.models import Membership

AccessFilter = column_filter("access", _("may"), Share.Access.choices)


class EndedFilter(OfferedFilter):
    title = _("has ended")
    parameter_name = "ended"
    offered = (("no", _("no")), ("yes", _("yes")))

    def chosen(self, queryset: QuerySet[SharedLink], value: str) -> QuerySet[SharedLink]:
        now = timezone.now()
        return queryset.filter(expires_at__gt=now) if value == "no" else queryset.filter(expires_at__lte=now)


class RevocableAdmin(AuditAdmin):
    """What somebody gave away of a conversation. Deleting it revokes it; nothing else of it is changed here."""

    actions = ("delete_selected",)  # type: ignore[assignment]
    workspace_path = "session__workspace"
    list_select_related: ClassVar[Any] = ("session__workspace", "session__owner")
    given = column(_("since"), lambda obj: figures.moment(obj.created_at), "created_at")
    owner = column(_("owner"), lambda obj: obj.session.owner.get_username(), "session__owner__username")
    tenant = column(_("workspace"), lambda obj: str(obj.session.workspace), "session__workspace__name")

    class Media:
        css: ClassVar = {"all": ["chat/admin.css"]}

    @admin.display(description=_("conversation"))
    def conversation(self, obj: Share | SharedLink) -> SafeString:
        return change_link(obj.session)

    @admin.display(description=_("holds"), boolean=True)
    def holds(self, obj: Any) -> bool:
        """Whether it gives anything now: who lost access themselves gives none."""
        there = obj.session.hidden_at is None and obj.session.owner.is_active and obj.owner_is_there
        return bool(there and obj.is_valid)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        owners = Membership.objects.filter(user=OuterRef("session__owner"), workspace=OuterRef("session__workspace"))
        return super().get_queryset(request).annotate(owner_is_there=Exists(owners))

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return may_audit(request)

    def delete_model(self, request: HttpRequest, obj: Share | SharedLink) -> None:
        self.delete_queryset(request, type(obj)._default_manager.filter(pk=obj.pk))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        sharing.revoke(request.user, queryset)  # type: ignore[arg-type]


@admin.register(Share)
class ShareAdmin(RevocableAdmin):
    list_display = ("given", "conversation", "owner", "reader", "access", "holds", "tenant")
    list_select_related = (*RevocableAdmin.list_select_related, "user")
    list_filter = (WorkspaceFilter, AccessFilter, "created_at")
    search_fields = ("session__title", "session__owner__username", "user__username")
    fields = ("given", "conversation", "owner", "reader", "access", "holds", "tenant")
    reader = column(_("shared with"), lambda obj: obj.user.get_username(), "user__username")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        readers = Membership.objects.filter(user=OuterRef("user"), workspace=OuterRef("session__workspace"))
        return super().get_queryset(request).annotate(is_valid=Q(Exists(readers), user__is_active=True))


@admin.register(SharedLink)
class SharedLinkAdmin(RevocableAdmin):
    """Its token is nowhere, and the digest of it is neither shown here nor searched."""

    list_display = ("given", "conversation", "owner", "reasoning", "tool_results", "until", "holds", "tenant")
    list_filter = (WorkspaceFilter, EndedFilter, "reasoning", "tool_results", "expires_at")
    search_fields = ("session__title", "session__owner__username")
    fields = ("given", "conversation", "owner", "reasoning", "tool_results", "until", "holds", "tenant")
    until = column(_("until"), lambda obj: figures.moment(obj.expires_at), "expires_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).defer("digest").annotate(is_valid=Q(expires_at__gt=timezone.now()))

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Django lets an address filter by every column: so the digest could be found letter by letter."""
        return not lookup.startswith("digest") and super().lookup_allowed(lookup, value, request)
