"""POST objects/{type}/import reads objects of a kind from a file, GET objects/{type}/export writes them as one."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Self, cast

from django import forms
from django.http import HttpResponseBase
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.parsers import JSONParser, MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from graphs.api import changes
from graphs.api.objects import FILTERS, TYPE, ObjectView, filtered, is_search
from graphs.api.sent_files import sent_file, wanted_format
from graphs.history import editing
from graphs.history.bounded_diffs import MOST_TOLD, Room
from graphs.history.first_difference import clipped_both
from graphs.history.value_words import titles_of_parents
from graphs.objects.actions import ChangeRefused
from graphs.objects.kinds import KINDS, Kind, is_object
from graphs.objects.refs import ObjectName
from graphs.site import search_time
from graphs.site.access import Member, NotFound
from graphs.site.api.members import current_member
from graphs.site.api.openapi import problems
from graphs.site.api.parameters import IDEMPOTENCY_KEY, idempotency_key
from graphs.site.api.problems import Problem, invalid, invalid_fields, too_big
from graphs.site.shapes import AsItIs, Shape
from graphs.site.uploads import was_too_big
from graphs.tables import exporting, import_plan, importing, row_errors
from graphs.tables.import_plan import Action, ImportPlan, RowPlan
from graphs.tables.row_errors import RowError
from graphs.tables.table import Table, TableRefused

#: Formats of exports, with their media types.
FORMATS = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "json": "application/json",
}
#: Errors and rows that one answer tells; its counts are of all.
MOST_ERRORS = 100
MOST_ROWS = 1_000
#: Characters of a value in a preview.
BEGINNING = 200
UPLOAD = {
    "multipart/form-data": {
        "type": "object",
        "required": ["file"],
        "additionalProperties": False,
        "properties": {
            "file": {"type": "string", "contentMediaType": "text/csv"},
            "preview": {"type": "string", "enum": ["true", "false"], "default": "false"},
            "expected": {"type": "string", "description": "Taken from a preview: what changed since is a conflict."},
            "reason": {"type": "string", "maxLength": 1000},
        },
    }
}


class ImportForm(forms.Form):
    """A file, and whether it is only looked at."""

    file = forms.FileField(allow_empty_file=True)
    preview = forms.ChoiceField(choices=[("true", "true"), ("false", "false")], required=False)
    expected = forms.CharField(required=False, max_length=50_000)
    reason = forms.CharField(required=False, max_length=1_000)


class RowErrorShape(Shape):
    row: int | None
    column: str
    code: str
    message: str
    head: str

    @classmethod
    def of(cls, error: RowError) -> Self:
        return cls.from_attributes(error)


class FieldChange(Shape):
    """`oldTitle` and `newTitle` say what holders are called."""

    field: str
    label: str
    old: str | None
    new: str | None
    old_title: str | None = None
    new_title: str | None = None

    @classmethod
    def of(cls, kind: Kind, name: str, old: Any, new: Any, titles: Mapping[str, str]) -> Self:
        """Both sides as texts, of long ones what shows how they differ; `titles` are of holders, by key."""
        before, after = clipped_both(_text(old), _text(new), BEGINNING)
        sides = {"old_title": old, "new_title": new} if name == "parent" else {}
        told = {side: titles[key] for side, key in sides.items() if key in titles}
        return cls(field=name, label=str(kind.field(name).label), old=before, new=after, **told)


class PreviewedRow(Shape):
    row: int
    action: Action
    object: ObjectName | None
    title: str
    changes: AsItIs[list[FieldChange]]

    @classmethod
    def of(cls, kind: Kind, planned: RowPlan, titles: Mapping[str, str]) -> Self:
        changed = [
            FieldChange.of(kind, name, planned.was.get(name), value, titles)
            for name, value in planned.new.items()
            if name in kind.by_name and (planned.action == "update" or value not in (None, "", [], {}))
        ]
        there = None if planned.action == "create" else planned.ref.to_json()
        return cls(row=planned.number, action=planned.action, object=there, title=planned.title, changes=changed)


class ImportPreview(Shape):
    """Of many rows and errors the first ones; the counts are of all."""

    rows: AsItIs[list[PreviewedRow]]
    errors: AsItIs[list[RowErrorShape]]
    error_count: int
    creates: int
    updates: int
    unchanged: int
    expected: str

    @classmethod
    def of(cls, member: Member, kind: Kind, table: Table, planned: ImportPlan) -> Self:
        shown = planned.rows[:MOST_ROWS]
        titles = titles_of_parents(kind, (record for row in shown for record in (row.was, row.new)), member)
        return cls(
            rows=[PreviewedRow.of(kind, row, titles) for row in shown],
            errors=[RowErrorShape.of(error) for error in planned.errors[:MOST_ERRORS]],
            error_count=len(planned.errors),
            creates=planned.count("create"),
            updates=planned.count("update"),
            unchanged=planned.count("unchanged"),
            expected="" if planned.errors else import_plan.digest_of(table, planned),
        )


class ImportedObjects(Shape):
    change_set: str
    creates: int
    updates: int


class ImportView(ObjectView):
    """Imports objects. One may have the key "import", too, and is read as any other."""

    parser_classes = (MultiPartParser, JSONParser)
    limited_as = "imports"

    @extend_schema(exclude=True)
    def get(self, request: Request, object_type: str, object_id: str) -> Response:
        return super().get(request, object_type, object_id)

    @extend_schema(
        operation_id="importObjects",
        parameters=[TYPE, IDEMPOTENCY_KEY],
        request=UPLOAD,
        responses={200: ImportPreview, 201: ImportedObjects, **problems(409, 422)},
    )
    def post(self, request: Request, object_type: str, object_id: str) -> Response:
        """Import a file with a row for each object, CSV or XLSX: all of it, or nothing.

        With `preview`, and where all is like this already, the answer is what it would do, and nothing is changed.
        """
        member, kind = current_member(request), kind_named(object_type)
        member.require_editor()
        form = _form(request)
        table = _table(kind, form.cleaned_data["file"].read())
        done = None if form.cleaned_data["preview"] == "true" else _import(request, member, kind, table, form)
        if done is None:
            return Response(ImportPreview.of(member, kind, table, import_plan.plan(member, kind, table)).to_json())
        shown = ImportedObjects(change_set=str(done.change_set), creates=done.creates, updates=done.updates)
        return Response(shown.to_json(), status=201)


def kind_named(name: str) -> Kind:
    """The kind of objects; raises `NotFound` for none."""
    if not is_object(name):
        raise NotFound
    return KINDS[name]


def _form(request: Request) -> ImportForm:
    given: Any = request.data
    if was_too_big(request._request):
        raise too_big()
    form = ImportForm(given, request.FILES)
    unknown = set(given) - set(ImportForm.base_fields)
    if unknown or not form.is_valid():
        errors = {field: list(map(str, sentences)) for field, sentences in form.errors.items()}
        errors |= {field[:100]: [_("There is no such field.")] for field in unknown}
        raise invalid_fields(errors)
    return form


def _table(kind: Kind, data: bytes) -> Table:
    try:
        return importing.read(kind, data)
    except TableRefused as refused:
        raise rows_refused([row_errors.of_file(refused)]) from refused


def _import(request: Request, member: Member, kind: Kind, table: Table, form: ImportForm) -> importing.Imported | None:
    """What was done; None if all was like this already."""
    given = form.cleaned_data
    digest = changes.digest_of(0, [kind.name, table.heads, [row.cells for row in table.rows]])
    wanted = editing.Request((), (), given["reason"], idempotency_key(request), digest)
    try:
        with changes.as_problems(member, Room(MOST_TOLD)):
            return importing.import_rows(member, kind, table, wanted, given["expected"])
    except importing.RowsRefused as refused:
        raise rows_refused(refused.planned.errors) from refused
    except importing.OtherFile as other:
        raise Problem(409, "stale", _("This is not the file that the preview has shown. Look at it again.")) from other


def rows_refused(errors: Sequence[RowError]) -> Problem:
    """The refusal of a file, by row and column."""
    told = errors[:MOST_ERRORS]
    by_place: dict[str, list[str]] = {}
    for error in told:
        place = ".".join(str(part) for part in (error.row, error.column) if part) or "file"
        by_place.setdefault(place, []).append(error.message)
    extra = {"rowErrors": [RowErrorShape.of(error).to_json() for error in told], "errorCount": len(errors)}
    detail = _("The file was not imported; see “errors” for what is wrong with it.")
    return Problem(400, "import_refused", detail, errors=by_place, extra=extra)


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)


class ExportView(ObjectView):
    """Exports objects. One may have the key "export", too: without a format it is read as any other."""

    @extend_schema(
        operation_id="exportObjects",
        parameters=[TYPE, OpenApiParameter("format", str, required=True, enum=list(FORMATS)), *FILTERS],
        responses={(200, media): OpenApiTypes.ANY for media in FORMATS.values()},
    )
    def get(self, request: Request, object_type: str, object_id: str) -> HttpResponseBase:  # type: ignore[override]
        """All objects of a kind that the filters leave, as a file that can be imported again, or as JSON."""
        if "format" not in request.GET:
            return super().get(request, object_type, object_id)
        member, kind = current_member(request), kind_named(object_type)
        format_ = wanted_format(request, FORMATS)
        try:
            with search_time.bounded(is_search(request)):
                file = exporting.export(member, kind, *filtered(request, member, kind), cast(exporting.Format, format_))
        except ChangeRefused as refusal:
            raise invalid("format", str(refusal)) from refusal
        return sent_file(file, f"{kind.name}.{format_}", FORMATS[format_])
