"""The pages of business records."""

import uuid

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from graphs.objects.headers import children_of, holder_of, listed, object_for, url_of
from graphs.objects.kinds import KINDS
from graphs.objects.model_rows import record_of, row_of
from graphs.objects.refs import Ref
from graphs.records.kinds import COMPANY, FOLDER, USE_CASE
from graphs.site.access import Member, or_not_found
from graphs.site.pages import member_page, render_page

#: Objects of one kind that a page lists of those that its record holds.
CHILDREN_LISTED = 200


@require_safe
@member_page
def company(request: HttpRequest, member: Member, company: uuid.UUID) -> HttpResponse:
    return _record(request, member, Ref(COMPANY.name, str(company)))


@require_safe
@member_page
def folder(request: HttpRequest, member: Member, folder: uuid.UUID) -> HttpResponse:
    return _record(request, member, Ref(FOLDER.name, str(folder)))


@require_safe
@member_page
def use_case(request: HttpRequest, member: Member, usecase: uuid.UUID) -> HttpResponse:
    return _record(request, member, Ref(USE_CASE.name, str(usecase)))


def _record(request: HttpRequest, member: Member, ref: Ref) -> HttpResponse:
    """A record with its fields, what holds it and what it holds. Foreign and absent alike are not found."""
    of, known = object_for(member, ref), KINDS[ref.type]
    row = or_not_found(row_of(of))
    values = record_of(known, row)
    parent = holder_of(member, known, values)
    context = {
        "title": known.name_of(values),
        "kind": known,
        "record": row,
        "fields": [(field, values[field.name]) for field in known.fields if field.name != "parent"],
        "parent": getattr(row, known.parent) if parent else None,
        "parent_url": url_of(KINDS[parent.type], getattr(row, known.parent)) if parent else "",
        "children": [
            (url_of(child, each), each)
            for child in children_of(known)
            for each in listed(member, child, parent=of)[:CHILDREN_LISTED]
        ],
    }
    return render_page(request, member, "graphs/record.html", context)
