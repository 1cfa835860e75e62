"""The versions of an object with a history: when each came about, and what differs between any two."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern, path
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from graphs.admin.audit import auditable
from graphs.admin.history_diff import of_diff
from graphs.history.compare import between
from graphs.history.diffs import diff_of
from graphs.models import ChangeSet, Object, Revision
from graphs.objects.stores import labels

VERSIONS_PER_PAGE = 50
#: Items of the difference that a page shows.
ITEMS_SHOWN = 100


class Wanted(forms.Form):
    """The two versions to compare, and the newest one to list."""

    a = forms.IntegerField(label=gettext_lazy("version"), required=False, min_value=0)
    b = forms.IntegerField(label=gettext_lazy("with version"), required=False, min_value=0)
    below = forms.IntegerField(required=False, min_value=1, widget=forms.HiddenInput)

    def __init__(self, last: int, data: Mapping[str, Any]) -> None:
        super().__init__(data)
        self._last = last

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        for name in ("a", "b"):
            if (cleaned.get(name) or 0) > self._last:
                self.add_error(name, _("The last version is %(last)s.") % {"last": self._last})
        return cleaned


@dataclass(frozen=True, slots=True)
class Versioned:
    """An object with versions; `row` is None where it was deleted since."""

    type: str
    pk: int
    name: str
    row: Model | None


class VersionedAdmin(admin.ModelAdmin):
    """Adds the page of its versions to the admin of a kind of object; `type_` is what revisions call it."""

    type_: str

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.versions_view)
        name = f"{self.opts.app_label}_{self.opts.model_name}_versions"
        return [path("<int:object_id>/versions/", view, name=name), *super().get_urls()]

    def versions_view(self, request: HttpRequest, object_id: int) -> HttpResponse:
        if not self.has_view_permission(request):
            raise Http404
        row = self.get_queryset(request).filter(pk=object_id).first()
        name = self._last_name(request, object_id) if row is None else str(row)
        shown = Versioned(self.type_, object_id, name, row)
        return page(request, shown, {**self.admin_site.each_context(request), "opts": self.opts})

    def _last_name(self, request: HttpRequest, object_id: int) -> str:
        """What an object was called that is gone; 404 where its workspace is not the person's to audit."""
        seen = ChangeSet.objects.filter(workspace__in=auditable(request).values("pk"))
        revisions = Revision.objects.filter(type=self.type_, object=object_id, change_set__in=seen)
        last = revisions.order_by("-version").first()
        if last is None:
            raise Http404
        return last.label or last.key


def page(request: HttpRequest, shown: Versioned, site: Mapping[str, Any]) -> HttpResponse:
    """The versions of an object the person may see, newest first, and the difference of `?a=` and `?b=`."""
    revisions = Revision.objects.filter(type=shown.type, object=shown.pk).select_related("change_set")
    revisions = revisions.order_by("-version")
    last = revisions.values_list("version", flat=True).first() or 0
    wanted = Wanted(last, request.GET)
    usable = wanted.is_valid()
    listed = _listed(revisions, wanted.cleaned_data.get("below"))
    a, b = wanted.cleaned_data.get("a"), wanted.cleaned_data.get("b")
    compared = usable and None not in (a, b)
    operations = between(shown.type, shown.pk, a or 0, b or 0) if compared else ()
    first = operations[:ITEMS_SHOWN]
    known = labels(shown.row, [each.item for each in first]) if isinstance(shown.row, Object) else {}
    context = {
        **site,
        "title": _("Versions"),
        "subtitle": shown.name,
        "shown": shown,
        "unsaved": isinstance(shown.row, Object) and shown.row.unsaved_since is not None,
        "form": wanted,
        "revisions": listed[:VERSIONS_PER_PAGE],
        "next": listed[VERSIONS_PER_PAGE - 1].version if len(listed) > VERSIONS_PER_PAGE else None,
        "compared": compared,
        "items": of_diff(diff_of(first, known), "whole" in request.GET),
        "unshown": len(operations) - len(first),
        "whole_address": f"?a={a}&b={b}&whole",
    }
    return render(request, "admin/graphs/versions.html", context, status=200 if usable else 400)


def _listed(revisions: QuerySet[Revision], below: int | None) -> list[Revision]:
    """One more than a page, to know whether there is another."""
    return list((revisions.filter(version__lt=below) if below else revisions)[: VERSIONS_PER_PAGE + 1])
