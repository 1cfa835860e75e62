"""The page that imports objects of a kind from a file: first what would become of each row, then doing it."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django import forms
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from graphs.history import editing
from graphs.history.first_difference import clipped_both
from graphs.history.value_words import Told, titles_of_parents, words_of
from graphs.objects.actions import ChangeRefused
from graphs.objects.edit_conflicts import EditConflicts
from graphs.objects.headers import address_of, parent_of, rows_named, title_of
from graphs.objects.kinds import KINDS, Field, Kind, is_object
from graphs.objects.refs import Ref
from graphs.page_parts.looks import choices_of
from graphs.record_lists import LISTS
from graphs.site.access import Member, NotFound
from graphs.site.api import limits
from graphs.site.api.problems import Problem, busy
from graphs.site.database_away import AWAY, waited_too_long
from graphs.site.imports_under_way import ImportStopped
from graphs.site.json_values import UNSTORABLE, shown
from graphs.site.pages import come_again, member_page, render_page, seconds_of
from graphs.site.uploads import was_too_big
from graphs.tables import import_plan, importing, row_errors
from graphs.tables.cells import text_of
from graphs.tables.columns import heads_of
from graphs.tables.import_plan import ImportPlan, RowPlan
from graphs.tables.row_errors import RowError
from graphs.tables.table import MAX_ROWS, Table, TableRefused

#: Rows and errors that the page shows; its counts are of all.
MOST_SHOWN = 200
#: Characters of a value in the table of the preview.
BEGINNING = 120


class RowsForm(forms.Form):
    """A file; with the step "import" it is imported, as the preview that `expected` stands for has shown it."""

    file = forms.FileField(label=gettext_lazy("File"), allow_empty_file=True)
    step = forms.ChoiceField(choices=[("preview", "preview"), ("import", "import")], required=False)
    expected = forms.CharField(required=False, max_length=50_000)
    #: Makes of a button that is pressed twice one import.
    once = forms.CharField(required=False, max_length=40)


@dataclass(frozen=True, slots=True)
class ShownChange:
    label: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class ShownParent:
    ref: Ref
    title: str
    url: str


@dataclass(frozen=True, slots=True)
class ShownRow:
    number: int
    action: str
    title: str
    changes: Sequence[ShownChange]


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def import_objects(request: HttpRequest, member: Member, kind: str) -> HttpResponse:
    if not is_object(kind):
        raise NotFound
    member.require_editor()
    of = KINDS[kind]
    parent = _parent(request, member, of)
    context: dict[str, Any] = {
        "kind": of,
        "columns": [(head, "" if head == "id" else of.field(head).label) for head in heads_of(of)],
        "most_bytes": settings.MAX_IMPORT_BYTES,
        "most_rows": MAX_ROWS,
        "form": RowsForm(),
        "parent": parent,
        "list": LISTS.get(kind),
    }
    status = 200
    if request.method == "POST":
        context["form"] = RowsForm(request.POST, request.FILES)
        try:
            status, outcome = _outcome(request, member, of, context["form"], parent.ref.key if parent else "")
        except ImportStopped as stopped:
            status, outcome = stopped.status, {"refused": stopped.detail}
        context |= outcome
    answer = render_page(request, member, "objects/import.html", context, status=status)
    return come_again(answer, context.get("again"))


def _parent(request: HttpRequest, member: Member, kind: Kind) -> ShownParent | None:
    """What the address names to hold the new objects; None if it names nothing. Foreign and absent are not found."""
    named, holder = request.GET.get("parent", ""), parent_of(kind)
    if not named:
        return None
    type_, _colon, key = named.partition(":")
    if holder is None or type_ != holder.name or UNSTORABLE.search(key):
        raise NotFound
    row = rows_named(member, holder, [key]).get(key)
    if row is None:
        raise NotFound
    ref = Ref(type_, key)
    return ShownParent(ref, title_of(holder, row), address_of(member, ref))


def _outcome(
    request: HttpRequest, member: Member, kind: Kind, form: RowsForm, parent: str
) -> tuple[int, dict[str, Any]]:
    """The status of the page and what it tells: `preview`, `done`, or what is wrong."""
    if wait := limits.take("imports", str(member.user.pk), settings.LIMIT_IMPORTS):
        return _later(limits.throttled(wait, "imports"))
    if was_too_big(request):
        return 413, {"refused": _("The file is too big to be imported here.")}
    if not form.is_valid():
        return 400, {}
    given = form.cleaned_data
    try:
        table = replace(importing.read(kind, given["file"].read()), parent=parent)
        if given["step"] != "import":
            return 200, _preview(member, kind, import_plan.plan(member, kind, table), table)
        wanted = editing.Request((), key=given["once"] or None, digest=import_plan.digest_of(table, ImportPlan()))
        done = importing.import_rows(member, kind, table, wanted, given["expected"])
    except TableRefused as refused:
        return 400, _errors([row_errors.of_file(refused)])
    except importing.RowsRefused as refused:
        return 400, _errors(refused.planned.errors)
    except (importing.OtherFile, editing.KeyUsed):
        return 409, {"refused": _("This is not the file that the preview has shown. Look at it again.")}
    except EditConflicts as met:
        return 409, {"conflicts": _conflicts(member, kind, met)}
    except ChangeRefused as refusal:
        return 400, {"refused": str(refusal)}
    except AWAY as error:
        if not waited_too_long(error):
            raise
        return _later(busy())
    return 201, {"done": done, "nothing": done is None}


def _later(problem: Problem) -> tuple[int, dict[str, Any]]:
    """What the page tells who has to come again: why, and in how many seconds."""
    return problem.status, {"refused": problem.detail, "again": seconds_of(problem)}


def _preview(member: Member, kind: Kind, planned: ImportPlan, table: Table) -> dict[str, Any]:
    if planned.errors:
        return _errors(planned.errors)
    changing = [row for row in planned.rows if row.operation is not None]
    shown = changing[:MOST_SHOWN]
    titles = titles_of_parents(kind, (record for row in shown for record in (row.was, row.new)), member)
    return {
        "preview": planned,
        "rows": [_shown_row(kind, row, titles) for row in shown],
        "more": max(0, len(changing) - MOST_SHOWN),
        "changing": len(changing),
        "creates": planned.count("create"),
        "updates": planned.count("update"),
        "unchanged": planned.count("unchanged"),
        "expected": import_plan.digest_of(table, planned),
        "once": uuid.uuid4().hex,
    }


def _errors(errors: Sequence[RowError]) -> dict[str, Any]:
    return {"errors": errors[:MOST_SHOWN], "error_count": len(errors), "more": max(0, len(errors) - MOST_SHOWN)}


def _shown_row(kind: Kind, row: RowPlan, titles: Mapping[str, str]) -> ShownRow:
    """A row with what it changes; `titles` are of holders, by key."""
    changes: list[ShownChange] = []
    for name, value in row.new.items():
        if name in kind.by_name:
            old, new = _beginnings(kind, name, row.was.get(name), value)
            if new or row.action == "update":
                told = (_called(titles.get(key) if name == "parent" else None, key) for key in (old, new))
                changes.append(ShownChange(str(kind.field(name).label), *told))
    return ShownRow(row.number, row.action, row.title, changes)


def _called(title: str | None, text: str) -> str:
    return f"{title} ({text})" if title else text


def _beginnings(kind: Kind, name: str, old: Any, new: Any) -> tuple[str, str]:
    """Both as texts, of long ones what shows how they differ; of the object itself nothing."""
    if not name:
        return "", ""
    before, after = (_as_page(kind, kind.field(name), value) for value in (old, new))
    return clipped_both(before, after, BEGINNING)


def _as_page(kind: Kind, field: Field, value: Any) -> str:
    """A value as pages show it: a choice by its label, a list of texts line by line; else as a file has it."""
    if isinstance(value, str) and (label := dict(choices_of(kind, field)).get(value)):
        return capfirst(label)
    if field.texts and isinstance(value, list) and all(isinstance(each, str) for each in value):
        return "\n".join(value)
    return text_of(kind, field, value)


def _conflicts(member: Member, kind: Kind, met: EditConflicts) -> list[dict[str, Any]]:
    told = met.conflicts[:MOST_SHOWN]
    rows = rows_named(member, kind, {each.item.key for each in told})
    values = [Told(each.item, each.field, (each.found, each.wanted)) for each in told]
    words = words_of(values, member.workspace.pk, member)
    return [
        {
            "object": title_of(kind, rows[each.item.key]) if each.item.key in rows else shown(each.item.key),
            "label": kind.field(each.field).label if each.field else "",
            "found": _called(titles.get(found), found),
            "wanted": _called(titles.get(wanted), wanted),
            "by": each.by,
        }
        for each, beside in zip(told, words, strict=True)
        for titles in (beside.get("titles") or {},)
        for found, wanted in (_beginnings(kind, each.field, each.found, each.wanted),)
    ]
