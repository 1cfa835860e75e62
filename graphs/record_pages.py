"""The pages of business records."""

import uuid

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from graphs.history import queries
from graphs.models import Object, Origin
from graphs.objects.headers import header_of, rows_named
from graphs.objects.kinds import KINDS
from graphs.objects.refs import Ref
from graphs.page_parts import page_of
from graphs.record_lists import LISTS
from graphs.records.kinds import COMPANY, FOLDER, USE_CASE
from graphs.site.access import Member, NotFound
from graphs.site.pages import member_page, render_page

_FIELDS, _HISTORY = "fields", "history"


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
    row = rows_named(member, KINDS[ref.type], [ref.key]).get(ref.key)
    if row is None:
        return _deleted_record(request, member, ref)
    of = header_of(KINDS[ref.type], member.workspace.pk, row)
    page = page_of(member, of, row)
    tabs = [_FIELDS, *(held.kind.name for held in page.held), *(view.name for view in page.views), _HISTORY]
    tab = request.GET.get("tab", "")
    view = next((view for view in page.views if view.name == tab), None)
    context = {
        "page": page,
        "record": page.row,
        "view": view,
        "view_fields": page.fields_of(view) if view else [],
        # Conversations on the tab of a view are about that.
        "subject": Object(workspace=member.workspace, type=view.name, key=of.key) if view else page.row,
        "held": [(held, LISTS[held.kind.name]) for held in page.held],
        "tab": tab if tab in tabs else _FIELDS,
        "list": LISTS[page.kind.name],
        "room": f"/ws/objects/{ref.type}/{ref.key}/?workspace={member.workspace.slug}",
    }
    return render_page(request, member, "graphs/records/page.html", context)


def _deleted_record(request: HttpRequest, member: Member, ref: Ref) -> HttpResponse:
    """Says of a record that somebody deleted here who it was, with an undo for editors. Else raises `NotFound`."""
    last = queries.deletion(member.workspace.pk, ref)
    if last.change_set.origin == Origin.OUTSIDE:
        raise NotFound
    context = {
        "kind": KINDS[ref.type],
        "ref": ref,
        "title": last.label or ref.key,
        "deletion": last.change_set,
        "list": LISTS[ref.type],
    }
    return render_page(request, member, "graphs/records/deleted.html", context, status=404)
