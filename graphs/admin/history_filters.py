"""The filters of the list of change sets: some choose, others are typed."""

import uuid
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Any, ClassVar

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db.models import Exists, Model, OuterRef, QuerySet
from django.http import HttpRequest
from django.utils.timezone import make_aware
from django.utils.translation import gettext_lazy as _

from graphs.admin.audit import OfferedFilter, WorkspaceFilter, column_filter
from graphs.history.queries import undoing
from graphs.models import ChangeSet, Origin, Workspace


class ChangeWorkspaceFilter(WorkspaceFilter):
    """Change sets name their workspace by its id alone."""

    def chosen(self, queryset: QuerySet[Any], value: str) -> QuerySet[Any]:
        return queryset.filter(workspace__in=Workspace.objects.filter(slug=value).values("pk"))


OriginFilter = column_filter("origin", _("origin"), Origin.choices)


class UndoneFilter(OfferedFilter):
    title = _("undone")
    parameter_name = "undone"
    offered = (("yes", _("taken back, perhaps done again")), ("no", _("never taken back")))

    def chosen(self, queryset: QuerySet[ChangeSet], value: str) -> QuerySet[ChangeSet]:
        undone = Exists(undoing([OuterRef("pk")]))
        return queryset.filter(undone if value == "yes" else ~undone)


class TypedFilter(admin.ListFilter):
    """A filter with input fields: `inputs` are parameter, label and type of each. Nonsense finds nothing."""

    template = "admin/typed_filter.html"
    inputs: ClassVar[tuple[tuple[str, Any, str], ...]] = ()
    #: What the value of the first input is looked up by.
    lookup: ClassVar[str] = ""

    def __init__(
        self, request: HttpRequest, params: dict[str, list[str]], model: type[Model], model_admin: admin.ModelAdmin
    ) -> None:
        super().__init__(request, params, model, model_admin)
        for name, _label, _type in self.inputs:
            if name in params:
                self.used_parameters[name] = params.pop(name)[-1].strip()

    def expected_parameters(self) -> list[str | None]:
        return [name for name, _label, _type in self.inputs]

    def has_output(self) -> bool:
        return True

    def choices(self, changelist: ChangeList) -> Iterator[dict[str, Any]]:
        """One, with all that the template needs; `kept` are the other parameters of the page."""
        own = [name for name, _label, _type in self.inputs]
        kept = [(name, value) for name, value in changelist.params.items() if name not in own]
        yield {
            "inputs": [(name, label, type_, self.value(name)) for name, label, type_ in self.inputs],
            "kept": kept,
            "without": changelist.get_query_string(remove=own),
            "used": any(self.value(name) for name in own),
        }

    def value(self, name: str) -> str:
        return str(self.used_parameters.get(name, ""))

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        value = self.value(self.inputs[0][0])
        return queryset.filter(**{self.lookup: value}) if value else queryset


class WhoFilter(TypedFilter):
    """Filters by the name the person had then."""

    title = _("person")
    inputs = (("who", _("User name"), "search"),)
    lookup = "actor_label__iexact"


class ConversationFilter(TypedFilter):
    title = _("conversation")
    inputs = (("session", _("Id of the session"), "search"),)

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        named = self.value("session")
        if not named:
            return queryset
        try:
            return self.of(queryset, uuid.UUID(named))
        except ValueError:
            return queryset.none()

    def of(self, queryset: QuerySet[Any], session_id: uuid.UUID) -> QuerySet[Any]:
        """The rows that came of this conversation."""
        return queryset.filter(causes__contains=[f"session:{session_id}"])


class DatesFilter(TypedFilter):
    """Filters by first and last day, both included."""

    title = _("date")
    inputs = (("from", _("From"), "date"), ("to", _("To"), "date"))

    def queryset(self, request: HttpRequest, queryset: QuerySet[ChangeSet]) -> QuerySet[ChangeSet]:
        for name, _label, _type in self.inputs:
            if not (written := self.value(name)):
                continue
            day = _day(written)
            if day is None:
                return queryset.none()
            begin = make_aware(datetime(day.year, day.month, day.day))
            queryset = queryset.filter(
                **{"created_at__gte": begin} if name == "from" else {"created_at__lt": begin + timedelta(days=1)}
            )
        return queryset


def _day(written: str) -> date | None:
    """A day as browsers write it, of the years in which something can have happened."""
    try:
        day = date.fromisoformat(written)
    except ValueError:
        return None
    return day if 1970 <= day.year < 9999 else None
