"""The filters of lists by the object that a row is about: its kind, and its key."""

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from graphs.admin.audit import OfferedFilter
from graphs.admin.history_filters import TypedFilter
from graphs.models import Revision
from graphs.objects.kinds import of_objects


class KindFilter(OfferedFilter):
    """Offers the kinds of objects."""

    title = _("kind")
    parameter_name = "kind"
    column = "object_type"

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin) -> list[tuple[str, Any]]:
        return [(kind.name, kind.label) for kind in of_objects()]


class ObjectFilter(TypedFilter):
    """Filters by key, or by kind and key as in `graph:nba`; `columns` hold the two."""

    title = _("object")
    inputs = (("object", _("Key, as in graph:nba"), "search"),)
    columns: ClassVar = ("object_type", "object_key")

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        named = self.value("object")
        return self.about(queryset, named) if named else queryset

    def about(self, queryset: QuerySet[Any], named: str) -> QuerySet[Any]:
        """The rows about the object."""
        type_column, key_column = self.columns
        type_, _colon, key = named.partition(":")
        return queryset.filter(Q(**{key_column: named}) | Q(**{type_column: type_, key_column: key}))


class ChangeKindFilter(KindFilter):
    """Filters by the kind of the objects that were changed."""

    def chosen(self, queryset: QuerySet[Any], value: str) -> QuerySet[Any]:
        return queryset.filter(pk__in=Revision.objects.filter(type=value).values("change_set"))


class ChangeObjectFilter(ObjectFilter):
    """Filters by an object that was changed."""

    columns: ClassVar = ("type", "key")

    def about(self, queryset: QuerySet[Any], named: str) -> QuerySet[Any]:
        return queryset.filter(pk__in=super().about(Revision.objects.all(), named).values("change_set"))
