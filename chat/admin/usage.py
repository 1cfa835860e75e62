"""Calls to models: what each took and cost."""

from datetime import timedelta
from typing import Any, get_args

from django.conf import settings
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from chat.admin import figures
from chat.models import ModelCall
from graphs.admin.audit import AuditAdmin, OfferedFilter, WorkspaceFilter
from graphs.admin.display import change_link
from rag.vendor_errors import ErrorCode

OUTCOMES = ("complete", "stopped", *get_args(ErrorCode))


class ProviderFilter(OfferedFilter):
    title = _("provider")
    parameter_name = "provider"

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin) -> list[tuple[str, str]]:
        return [(name, name) for name in settings.CHAT_PROVIDERS]

    def chosen(self, queryset: QuerySet[ModelCall], value: str) -> QuerySet[ModelCall]:
        return queryset.filter(provider=value)


class OutcomeFilter(OfferedFilter):
    title = _("outcome")
    parameter_name = "outcome"

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin) -> list[tuple[str, str]]:
        return [(outcome, outcome) for outcome in OUTCOMES]

    def chosen(self, queryset: QuerySet[ModelCall], value: str) -> QuerySet[ModelCall]:
        return queryset.filter(outcome=value)


@admin.register(ModelCall)
class ModelCallAdmin(AuditAdmin):
    workspace_path = "run__session__workspace"
    list_display = (
        *("created", "session", "model", "prompt_tokens", "completion_tokens", "dollars", "latency", "outcome"),
        *("tenant", "provider", "cached_tokens", "estimated"),
    )
    list_select_related = ("run__session__workspace",)
    list_filter = (WorkspaceFilter, ProviderFilter, OutcomeFilter, "created_at")
    search_fields = ("model", "run__session__title")
    ordering = ("-id",)
    fields = list_display

    @admin.display(description=_("created"), ordering="created_at")
    def created(self, obj: ModelCall) -> str:
        return figures.moment(obj.created_at)

    @admin.display(description=_("session"))
    def session(self, obj: ModelCall) -> SafeString:
        return change_link(obj.run.session)

    @admin.display(description=_("workspace"))
    def tenant(self, obj: ModelCall) -> str:
        return str(obj.run.session.workspace)

    @admin.display(description=_("cost"), ordering="cost")
    def dollars(self, obj: ModelCall) -> str:
        return figures.money(obj.cost)

    @admin.display(description=_("latency"), ordering="latency_ms")
    def latency(self, obj: Any) -> str:
        return figures.duration(timedelta(milliseconds=obj.latency_ms))
