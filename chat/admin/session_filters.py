"""The filters of the list of sessions that Django does not bring."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from chat.engine.states import Phase
from chat.models import Run, Session
from graphs.admin.audit import OfferedFilter, auditable
from graphs.admin.object_filters import KindFilter, ObjectFilter


class AboutKindFilter(KindFilter):
    column = "context_type"


class AboutFilter(ObjectFilter):
    columns = ("context_type", "context_id")


class PhaseFilter(OfferedFilter):
    title = _("phase")
    parameter_name = "phase"

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin) -> list[tuple[str, str]]:
        return [(phase.value, phase.value) for phase in Phase]

    def chosen(self, queryset: QuerySet[Session], value: str) -> QuerySet[Session]:
        return queryset.filter(phase=value)


class ModelFilter(OfferedFilter):
    """Sessions in which a model answered. Offers what was used in the person's workspaces."""

    title = _("model")
    parameter_name = "model"

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin) -> list[tuple[str, str]]:
        runs = Run.objects.exclude(model="").order_by("model")
        if not getattr(request.user, "is_superuser", False):
            runs = runs.filter(session__workspace__in=auditable(request))
        return [(model, model) for model in runs.values_list("model", flat=True).distinct()]

    def chosen(self, queryset: QuerySet[Any], value: str) -> QuerySet[Any]:
        return queryset.filter(pk__in=Run.objects.filter(model=value).values("session"))


class HiddenFilter(OfferedFilter):
    """Whether the owner deleted the session, which hides it from them."""

    title = _("deletion")
    parameter_name = "hidden"

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin) -> list[tuple[str, Any]]:
        return [("no", _("not deleted")), ("yes", _("deleted by its owner"))]

    def chosen(self, queryset: QuerySet[Session], value: str) -> QuerySet[Session]:
        return queryset.filter(hidden_at__isnull=value == "no")
