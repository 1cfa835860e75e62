"""Processes that drive runs, for superusers: which are alive, and which fell silent."""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib import admin
from django.db.models import BooleanField, Count, ExpressionWrapper, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce, Now
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from chat.models import Process, Run, RunStatus
from graphs.admin.audit import OfferedFilter, ReadOnlyAdmin
from graphs.admin.display import column


class AliveFilter(OfferedFilter):
    title = _("alive")
    parameter_name = "alive"
    offered = (("yes", _("yes")), ("no", _("no: silent")))

    def chosen(self, queryset: QuerySet[Any], value: str) -> QuerySet[Any]:
        return queryset.filter(is_alive=value == "yes")


@admin.register(Process)
class ProcessAdmin(ReadOnlyAdmin):
    """Silent ones are deleted after a while; their runs are taken over by others long before."""

    list_display = ("label", "id", "alive", "driven", "started_at", "seen_at")
    list_filter = (AliveFilter,)
    search_fields = ("label",)
    ordering = ("-seen_at",)
    fields = list_display
    driven = column(_("runs it drives"), lambda obj: int(obj.runs))

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        silence = Now() - timedelta(seconds=settings.PROCESS_SILENT_S)
        running = Run.objects.filter(process=OuterRef("pk"), status=RunStatus.RUNNING).order_by().values("process")
        is_alive = ExpressionWrapper(Q(seen_at__gt=silence), output_field=BooleanField())
        runs = Coalesce(Subquery(running.annotate(count=Count("pk")).values("count")), 0)
        return super().get_queryset(request).annotate(is_alive=is_alive, runs=runs)

    @admin.display(description=_("alive"), boolean=True)
    def alive(self, obj: Any) -> bool:
        return bool(obj.is_alive)
