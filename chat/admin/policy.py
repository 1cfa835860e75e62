"""The policy: rules that ask before changes, and allowances that let some through, for the admins of each workspace."""

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import ForeignKey, Model
from django.forms import ModelForm
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from chat.admin import policy_page
from chat.admin.policy_forms import AllowanceForm, RuleForm
from chat.models import Allowance, ValidationRule
from graphs.admin.audit import AuditAdmin, WorkspaceFilter, auditable, may_audit
from graphs.admin.display import column


class PolicyAdmin(AuditAdmin):
    """Rows that admins of a workspace manage for it; superusers also what holds for the whole site."""

    change_form_template = None  # type: ignore[assignment]
    change_list_template = "admin/chat/policy/change_list.html"
    list_select_related: ClassVar[Any] = ("workspace",)
    #: The column of the person who changed a row last; it and the moment are the last of `fields`.
    changed_by: ClassVar[str] = ""

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return may_audit(request)

    has_change_permission = has_delete_permission = has_add_permission

    def save_model(self, request: HttpRequest, obj: Any, form: ModelForm, change: bool) -> None:
        if self.changed_by:
            setattr(obj, self.changed_by, request.user)
        super().save_model(request, obj, form, change)

    def get_fields(self, request: HttpRequest, obj: Model | None = None) -> Any:
        return (self.fields or ())[:-2] if self.changed_by and obj is None else self.fields

    def formfield_for_foreignkey(self, db_field: ForeignKey, request: HttpRequest, **kwargs: Any) -> Any:
        """Offers one's own workspaces only; what holds for the whole site is the superusers'."""
        if db_field.name == "workspace":
            kwargs["queryset"] = auditable(request)
            kwargs["required"] = not (db_field.blank and request.user.is_superuser)
            kwargs["help_text"] = "" if kwargs["required"] else db_field.help_text
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def get_form(self, request: HttpRequest, obj: Model | None = None, change: bool = False, **kwargs: Any) -> Any:
        """The form without the buttons beside the workspace, which lead elsewhere."""
        form = super().get_form(request, obj, change, **kwargs)
        widget = form.base_fields["workspace"].widget
        widget.can_add_related = widget.can_change_related = widget.can_view_related = False
        return form


@admin.register(ValidationRule)
class ValidationRuleAdmin(PolicyAdmin):
    form = RuleForm
    list_display = ("level", "where", "shown_tool")
    list_filter = (WorkspaceFilter,)
    fields = ("workspace", "tool")
    list_pages = (("explained/", policy_page.page, "chat_policy_explained"),)
    where = column(_("workspace"), lambda obj: obj.workspace or _("all workspaces"))
    shown_tool = column(_("asks before"), lambda obj: obj.tool or _("every change"))

    @admin.display(description=_("level"))
    def level(self, obj: ValidationRule) -> Any:
        if obj.tool:
            return _("one tool")
        return _("the workspace") if obj.workspace_id else _("the whole site")


@admin.register(Allowance)
class AllowanceAdmin(PolicyAdmin):
    form = AllowanceForm
    list_display = ("tool", "what", "where", "workspace", "given_by", "created_at")
    list_select_related = ("workspace", "given_by")
    list_filter = (WorkspaceFilter,)
    search_fields = ("tool", "object_key", "item_key")
    fields = ("workspace", "tool", "what", "object_key", "item_key", "given_by", "created_at")
    readonly_fields = ("given_by", "created_at")
    changed_by = "given_by"
    what = column(_("may change"), policy_page.what_in_words)
    where = column(_("of"), policy_page.where_in_words)
