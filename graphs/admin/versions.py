"""The versions of an object with a history: when each came about, and what differs between any two."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from graphs.admin.audit import auditable
from graphs.admin.history_diff import of_diff
from graphs.history.bounded_diffs import Room, bounded
from graphs.history.compare import between
from graphs.history.diffs import diff_of
from graphs.history.outside import is_unnoticed
from graphs.models import Object, Revision
from graphs.objects.headers import named
from graphs.objects.kinds import KINDS
from graphs.objects.stores import labels

VERSIONS_PER_PAGE = 50
#: Items of the difference that a page shows.
ITEMS_SHOWN = 100


class CompareForm(forms.Form):
    """The two versions to compare, and the newest one to list."""

    a = forms.IntegerField(label=gettext_lazy("version"), required=False, min_value=1)
    b = forms.IntegerField(label=gettext_lazy("with version"), required=False, min_value=1)
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


class VersionedAdmin(admin.ModelAdmin):
    """The admin of a model whose rows are objects: the page of a row leads to its versions."""

    change_form_template = "admin/graphs/versioned.html"

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        context["header"] = self._header(request, context["original"])
        return super().render_change_form(request, context, *args, **kwargs)

    def _header(self, request: HttpRequest, row: Model | None) -> int | None:
        """The primary key of the row's header, if it has a history that the person may see."""
        if isinstance(row, Object):
            return row.pk
        ref = named(row)
        seen = Object.objects.filter(workspace__in=auditable(request).values("pk"))
        return seen.filter(type=ref.type, key=ref.key).values_list("pk", flat=True).first() if ref else None


def versions_page(request: HttpRequest, there: Object | None, object_id: int, site: Mapping[str, Any]) -> HttpResponse:
    """The versions of an object, newest first, with the diff of `?a=` and `?b=`; `there` is None if it was deleted."""
    revisions = Revision.objects.filter(object=object_id).select_related("change_set").order_by("-version")
    if there is None:
        revisions = revisions.filter(change_set__workspace__in=auditable(request).values("pk"))
    last = revisions.first()
    if there is None and last is None:
        raise Http404
    form = CompareForm(last.version if last else 0, request.GET)
    usable = form.is_valid()
    below = form.cleaned_data.get("below")
    # One more than a page, to know whether there is another.
    listed = list((revisions.filter(version__lt=below) if below else revisions)[: VERSIONS_PER_PAGE + 1])
    a, b = form.cleaned_data.get("a"), form.cleaned_data.get("b")
    known_kind = last is not None and last.type in KINDS
    compared = usable and known_kind and None not in (a, b)
    operations = between(last.type, object_id, a or 0, b or 0) if compared and last else ()
    first = operations[:ITEMS_SHOWN]
    whole = "whole" in request.GET
    known = labels(there, [each.item for each in first]) if there and known_kind else {}
    context = {
        **site,
        "title": _("Versions"),
        "subtitle": (last.label or last.key) if last else str(there),
        "there": there,
        "unsaved": there is not None and there.unsaved_since is not None,
        "unnoticed": there is not None and is_unnoticed(there),
        "form": form,
        "revisions": listed[:VERSIONS_PER_PAGE],
        "next": listed[VERSIONS_PER_PAGE - 1].version if len(listed) > VERSIONS_PER_PAGE else None,
        "compared": compared,
        "items": of_diff(
            diff_of(first, known) if whole else bounded(first, Room(), partial(diff_of, names=known)), whole
        ),
        "unshown": len(operations) - len(first),
        "whole_address": f"?a={a}&b={b}&whole",
    }
    return render(request, "admin/graphs/versions.html", context, status=200 if usable else 400)
