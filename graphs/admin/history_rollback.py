"""The page that takes changes back: what comes of it, what stands in the way, and why it is done."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from graphs.admin import history_scopes
from graphs.admin.display import pretty
from graphs.admin.history_diff import ShownItem, of_diff
from graphs.history import rollback
from graphs.history.bounded_diffs import Room, bounded
from graphs.history.code_diff import visible
from graphs.history.diffs import diff_in
from graphs.history.first_difference import clipped_both
from graphs.history.rollback import LeftOut, Plan, RollbackRefused
from graphs.history.rollback_conflicts import NamedClash, named
from graphs.history.scopes import Scope
from graphs.models import ChangeSet
from graphs.objects.actions import ChangeRefused
from graphs.objects.kinds import KINDS, is_object
from graphs.objects.refs import Ref
from graphs.site import error_pages, preview_places
from graphs.site.access import NotFound
from graphs.site.api.problems import problem_of

#: Items of the result that the page shows, and characters of a value in the way.
ITEMS_SHOWN = 100
VALUE_CHARS = 300
MAX_REASON = 2_000


class Signed(forms.Form):
    """Why it is done; the history shows it."""

    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=MAX_REASON,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=gettext_lazy("Why this is taken back. Everybody in the workspace can read it in the history."),
    )


@dataclass(frozen=True, slots=True)
class ShownClash:
    """`value` is what the form sends to leave it out; `found` is what is there now, `later` who made it so."""

    value: str
    label: str
    sentence: str
    expected: str = ""
    found: str = ""
    left_out: bool = False
    later: NamedClash | None = None


def page(request: HttpRequest, change_set: ChangeSet, site: Mapping[str, Any]) -> HttpResponse:
    """Shows the result, or does it: only what a preview showed, with a reason, without clashes."""
    scope = history_scopes.asked(request.GET, change_set)
    left = _left_out(request.POST.getlist("leave_out"))
    form = Signed(request.POST) if request.POST.get("step") == "apply" else Signed()
    problem: str | Promise = ""
    try:
        if form.is_bound and form.is_valid():
            return _applied(request, change_set, scope, left, form.cleaned_data["reason"])
    except NotFound:
        raise Http404 from None
    except RollbackRefused as error:
        problem = _REFUSALS[type(error)]
    except ChangeRefused as error:
        problem = str(error)
    context = {
        **site,
        "title": _("Roll back"),
        "subtitle": str(change_set),
        "opts": ChangeSet._meta,
        "change_set": change_set,
        "choices": history_scopes.chosen(request, change_set),
        "form": form,
        "problem": problem,
    }
    return _previewed(request, change_set, scope, left, context)


def _previewed(
    request: HttpRequest, change_set: ChangeSet, scope: Scope, left: tuple[LeftOut, ...], context: dict[str, Any]
) -> HttpResponse:
    """The page with what a rollback would do; for as long as it is made it has a place among previews."""
    assert request.user.pk is not None
    problem = context["problem"]
    rollback.catch_up_with(change_set.workspace, scope)
    try:
        with preview_places.place(request.user.pk):
            context |= _shown(rollback.preview(change_set.workspace, scope, left), left)
            return render(request, "admin/graphs/changeset/rollback.html", context, status=409 if problem else 200)
    except NotFound:
        raise Http404 from None
    except preview_places.TooManyPreviews as busy:
        return error_pages.throttled(request, problem_of(busy))
    except preview_places.PreviewEnded as ended:
        return error_pages.failed(request, problem_of(ended))
    except ChangeRefused as error:  # there is nothing to show
        messages.error(request, problem or str(error))
        return redirect("admin:graphs_changeset_change", change_set.pk)


_REFUSALS: Mapping[type[RollbackRefused], str | Promise] = {
    rollback.Outdated: gettext_lazy("What would change is not what you were shown. Look at it again before you sign."),
    rollback.Clashing: gettext_lazy("Later changes stand in the way. Mark what is to stay as it is now."),
    rollback.NothingToUndo: gettext_lazy("There is nothing left to take back."),
}


def _applied(
    request: HttpRequest, change_set: ChangeSet, scope: Scope, left: Iterable[LeftOut], reason: str
) -> HttpResponse:
    assert isinstance(request.user, User)
    digest = request.POST.get("digest", "")
    done = rollback.roll_back(change_set.workspace, request.user, scope, tuple(left), reason, digest)
    messages.success(request, _("It was taken back. This is the change set that did it; it can itself be undone."))
    return HttpResponseRedirect(reverse("admin:graphs_changeset_change", args=[done.change_set_id]))


def _left_out(chosen: Iterable[str]) -> tuple[LeftOut, ...]:
    """What the marked boxes stand for; what is no field of anything leaves nothing out."""
    found = []
    for value in chosen:
        try:
            of, kind, key, field = json.loads(value)
            known = not field or field in KINDS[kind].by_name
        except (ValueError, TypeError, KeyError):
            continue
        if known and isinstance(key, str):
            found.append(LeftOut(Ref(kind, key), field, str(of)))
    return tuple(found)


def _value(of: str | None, item: Ref, field: str) -> str:
    return json.dumps([of, *item, field])


def _shown(plan: Plan, left: tuple[LeftOut, ...]) -> dict[str, Any]:
    items: list[ShownItem] = []
    room = Room()
    for step in plan.steps:
        operations = step.undone.operations[: ITEMS_SHOWN - len(items)]
        items += of_diff(bounded(operations, room, partial(diff_in, step.object, names=step.names)))
    clashes = [_clash(clash) for clash in named(plan)]
    unnamed = plan.conflict_count - len(clashes)
    offered = {clash.value for clash in clashes}
    stay = [_stays(each) for each in left if _value(each.of, each.item, each.field) not in offered]
    return {
        "preview": plan,
        "items": items,
        "unshown": len(plan.operations) - len(items),
        "clashes": [*clashes, *stay],
        "unnamed": unnamed,
        "choose": bool(plan.operations or left),
        "possible": bool(plan.operations) and not clashes,
    }


def _clash(named_clash: NamedClash) -> ShownClash:
    item, field = named_clash.clash.item, named_clash.clash.field
    label = f"{_kind(item)} {visible(named_clash.label)}".strip()
    expected, found = _short(named_clash.clash.expected, named_clash.clash.found)
    return ShownClash(
        value="" if _is_gone(named_clash) else _value(named_clash.of, item, field),
        label=f"{label}: {named_clash.field_label}" if named_clash.field_label else label,
        sentence=named_clash.sentence,
        expected=expected,
        found=found,
        later=named_clash,
    )


def _is_gone(named_clash: NamedClash) -> bool:
    """Whether it is a whole object that is gone: that cannot be left out."""
    clash = named_clash.clash
    return clash.code == "gone" and not clash.field and is_object(clash.item.type)


def _stays(left: LeftOut) -> ShownClash:
    label = f"{_kind(left.item)} {visible(left.item.key)}"
    if left.field:
        label = f"{label}: {KINDS[left.item.type].field(left.field).label}"
    return ShownClash(_value(left.of, left.item, left.field), label, _("It stays as it is now."), left_out=True)


def _kind(item: Ref) -> str:
    return str(KINDS[item.type].label) if item.type in KINDS else ""


def _short(*sides: Any) -> tuple[str, str]:
    """Both sides, of long ones what shows how they differ."""
    old, new = ("" if side is None else visible(side if isinstance(side, str) else pretty(side)) for side in sides)
    return clipped_both(old, new, VALUE_CHARS)
