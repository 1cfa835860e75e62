"""GET history, history/export, history/{id}, history/versions, POST history/{id}/rollback, POST history/rollback."""

from datetime import datetime
from functools import partial

from django.db import transaction
from django.http import HttpResponseBase
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from graphs.api import history_files
from graphs.api.history_files import FORMATS
from graphs.api.history_json import ChangeSetPage, ChangeSetShape, ComparedShape, VersionPage, VersionShape, hidden_in
from graphs.api.rollback_json import (
    MOST_ENTRIES,
    PreviewShape,
    RollbackBody,
    ScopeBody,
    ScopedRollbackBody,
    conflicts_of,
)
from graphs.api.sent_files import made_or_refused, sent_file, wanted_format
from graphs.history import queries, rollback
from graphs.history.bounded_diffs import MOST, MOST_OF_ONE, Room, bounded
from graphs.history.compare import between
from graphs.history.diffs import diff_in
from graphs.history.scopes import AsOf, Caused, ChangeSets, OneModification, Scope
from graphs.history.value_words import with_titles
from graphs.models import ChangeSet, Object, Origin
from graphs.objects.actions import ChangeRefused
from graphs.objects.headers import require_editable, require_seen
from graphs.objects.kinds import KINDS
from graphs.objects.refs import Ref
from graphs.site import preview_places
from graphs.site.access import Member, NotFound, hold_role, parsed_id
from graphs.site.api.bodies import read_body
from graphs.site.api.members import current_member
from graphs.site.api.openapi import problems
from graphs.site.api.paging import PAGE_PARAMETERS, asked_page
from graphs.site.api.parameters import no_object_name, number, object_name
from graphs.site.api.problems import Problem, invalid

_GREATEST = 2**31 - 1
_VERSION = {"type": "integer", "minimum": 1, "maximum": _GREATEST}
OBJECT = OpenApiParameter(
    "object", str, required=True, description="Kind and key of an object, for example graph:nba or nodeType:retry."
)
LONGEST_SEARCH = 100
#: Change sets that a refusal shows of those that took everything back already.
MOST_UNDOING = 20
#: Digits of the greatest version.
LONGEST_VERSION = len(str(_GREATEST))
SEARCH = OpenApiParameter("search", str, description="In the field, the key or the name of what was modified.")
MODIFICATION = OpenApiParameter("modification", int, description="The id of the only one that is wanted; it is whole.")
FILTERS = [
    OBJECT,
    OpenApiParameter("who", str, description="The name of the person who did it."),
    OpenApiParameter("origin", str, enum=list(Origin.values)),
    OpenApiParameter("session", str, description="The conversation that led to it."),
    OpenApiParameter("field", str, description="A field that it changed, for example process."),
    OpenApiParameter(
        "item", str, description="What it changed: node:fetch-api, or the key alone, of whatever kind it is."
    ),
    OpenApiParameter("from", {"type": "string", "format": "date-time"}),
    OpenApiParameter("to", {"type": "string", "format": "date-time"}),
    *PAGE_PARAMETERS,
]


class HistoryView(APIView):
    large_answer = True

    @extend_schema(operation_id="listHistory", parameters=FILTERS, responses={200: VersionPage})
    def get(self, request: Request) -> Response:
        """What was changed on an object, newest first: each version with the change set that made it."""
        member = current_member(request)
        subject = _subject(request, member)
        versions = queries.versions(subject, _filters(request, subject))
        page = asked_page(request, versions, queries.ORDERING)
        shown = VersionShape.of_revisions(member, page.rows)
        return Response(VersionPage.of(page, shown, unsaved_since=queries.unsaved_since(subject)).to_json())


class HistoryExportView(APIView):
    large_answer = True

    @extend_schema(
        operation_id="exportHistory",
        parameters=[OBJECT, OpenApiParameter("format", str, required=True, enum=list(FORMATS))],
        responses={(200, media): OpenApiTypes.ANY for media in FORMATS.values()},
    )
    def get(self, request: Request) -> HttpResponseBase:
        """All that was ever changed on an object as a file, the oldest first. A PDF cuts long values."""
        subject = _subject(request, current_member(request))
        format_ = wanted_format(request, FORMATS)
        file = made_or_refused(lambda: history_files.write(subject, format_))
        return sent_file(file, f"history-{subject.type}.{format_}", FORMATS[format_])


class ChangeSetView(APIView):
    large_answer = True

    @extend_schema(
        operation_id="getChangeSet", parameters=[SEARCH, MODIFICATION, *PAGE_PARAMETERS], responses={200: ChangeSetPage}
    )
    def get(self, request: Request, change_set_id: str) -> Response:
        """One change set; of a long one its modifications in pages, and of each page the diff. Of what is too long
        beside others there is the beginning: `modification` names one that is wanted whole."""
        member = current_member(request)
        change_set = _change_set(member, change_set_id)
        search = request.GET.get("search", "").strip()
        if len(search) > LONGEST_SEARCH or not search.isprintable():
            raise invalid("search", _("This cannot be looked for."))
        rows = queries.modifications(change_set, search)
        most = MOST
        if "modification" in request.GET:
            most = MOST_OF_ONE
            rows = rows.filter(pk=number(request, "modification", 0, 2**63 - 1))
        page = asked_page(request, rows.exclude(object__in=hidden_in(member, [change_set.pk])), ("sequence",))
        answer = ChangeSetPage.of(member, change_set, page.rows, most, next=page.next, previous=page.previous)
        return Response(answer.to_json())


class VersionsView(APIView):
    large_answer = True

    @extend_schema(
        operation_id="compareVersions",
        parameters=[OBJECT, OpenApiParameter("a", _VERSION, required=True), OpenApiParameter("b", _VERSION)],
        responses={200: ComparedShape},
    )
    def get(self, request: Request) -> Response:
        """What is different in version `b` of an object (or in the present one) from its version `a`."""
        member = current_member(request)
        subject = _subject(request, member)
        a = _version(request, "a", subject)
        b = _version(request, "b", subject) if "b" in request.GET else subject.version
        operations = between(subject.type, subject.pk, a, b)
        diff = bounded(operations[:MOST_ENTRIES], Room(), partial(diff_in, subject))
        diff = with_titles(diff, member.workspace.pk, member)
        name = Ref(subject.type, subject.key).to_json()
        return Response(ComparedShape(object=name, a=a, b=b, diff=diff, total=len(operations)).to_json())


class ChangeSetRollbackView(APIView):
    limited_as = "rollbacks"

    @extend_schema(
        operation_id="rollBackChangeSet",
        request=RollbackBody,
        responses={200: PreviewShape, 201: ChangeSetShape, **problems(409)},
    )
    def post(self, request: Request, change_set_id: str) -> Response:
        """Take back one change set. With `preview` only say what would be done, and what stands in the way."""
        member = current_member(request)
        id_ = _change_set(member, change_set_id).pk
        member.require_editor()
        body = read_body(request, RollbackBody)
        return _rolled_back(member, ChangeSets((id_,)), body)


class RollbackView(APIView):
    limited_as = "rollbacks"

    @extend_schema(
        operation_id="rollBack",
        request=ScopedRollbackBody,
        responses={200: PreviewShape, 201: ChangeSetShape, **problems(409)},
    )
    def post(self, request: Request) -> Response:
        """Take back one modification, a turn, a conversation, or all that was done on an object since a moment."""
        member = current_member(request)
        member.require_editor()
        body = read_body(request, ScopedRollbackBody)
        return _rolled_back(member, _scope(member, body.scope), body)


def _rolled_back(member: Member, scope: Scope, body: RollbackBody) -> Response:
    left_out = [rollback.LeftOut(e.object.ref, e.field, e.graph) for e in body.leave_out]
    workspace = member.workspace.pk
    require_editable(member, rollback.touched(workspace, scope))
    try:
        if body.preview:
            rollback.catch_up_with(workspace, scope)
            with preview_places.place(member.user.pk):
                return Response(PreviewShape.of(rollback.preview(workspace, scope, left_out), member).to_json())
        with transaction.atomic():
            hold_role(member).require_editor()
            done = rollback.roll_back(workspace, member.user, scope, left_out, body.reason, body.digest)
    except rollback.RollbackRefused as refusal:
        raise _refusal(member, refusal) from refusal
    except ChangeRefused as refusal:
        raise Problem(409, "refused", str(refusal)) from refusal
    return Response(ChangeSetShape.applied(member, done.change_set_id).to_json(), status=201)


def _refusal(member: Member, refusal: rollback.RollbackRefused) -> Problem:
    match refusal:
        case rollback.Clashing():
            sentence = _("Something was edited since; see “conflicts”. It can be left out.")
            return Problem(409, "conflict", sentence, extra=conflicts_of(refusal.plan, member))
        case rollback.Outdated():
            sentence = _("By now this would do something else than what was shown. Look at it again.")
            preview = PreviewShape.of(refusal.plan, member).to_json()
            return Problem(409, "stale", sentence, extra={"preview": preview})
        case _:
            made = list(dict.fromkeys(queries.undone_by(refusal.plan.done.change_sets).values()))
            by = [ChangeSetShape.applied(member, id_).to_json() for id_ in made[:MOST_UNDOING]]
            sentence = _("There is nothing left to take back.")
            return Problem(409, "undone", sentence, extra={"undoneBy": by, "undoneByCount": len(made)})


def _scope(member: Member, body: ScopeBody) -> Scope:
    chosen = body.model_dump(exclude_none=True, exclude={"object"})
    if len(chosen) != 1 or (body.object is not None) != bool({"as_of", "version"} & chosen.keys()):
        raise invalid("scope", _("Say exactly one thing to roll back; “asOf” and “version” need an “object”."))
    if body.modification is not None:
        return OneModification(body.modification)
    if body.turn is not None:
        return Caused(f"message:{body.turn}")
    if body.session is not None:
        return Caused(f"session:{body.session}")
    if body.change_sets is not None:
        return ChangeSets(tuple(dict.fromkeys(map(parsed_id, body.change_sets))))
    assert body.object is not None
    subject = _seen(member, body.object.ref)
    version = body.version
    if body.as_of is not None:
        version = queries.version_at(subject, _moment(body.as_of, "scope.asOf"))
    assert version is not None
    return AsOf(subject.type, subject.pk, version)


def _subject(request: Request, member: Member) -> Object:
    kind, key = object_name(request, "object")
    if not kind and "item" in request.GET:
        raise invalid("object", _("Say with “object” what the item is part of, for example graph:nba."))
    if not kind:
        raise no_object_name("object")
    return _seen(member, Ref(kind, key))


def _seen(member: Member, ref: Ref) -> Object:
    require_seen(member, [ref])
    return queries.subject(member.workspace.pk, ref)


def _change_set(member: Member, id_: str) -> ChangeSet:
    """A change set of which the member may see something. Raises `NotFound`."""
    found = queries.change_set(member.workspace.pk, parsed_id(id_))
    hidden = hidden_in(member, [found.pk])
    if hidden and not found.revisions.exclude(object__in=hidden).exists():
        raise NotFound
    return found


def _filters(request: Request, subject: Object) -> queries.Filters:
    given = request.GET
    origin = given.get("origin")
    if origin is not None and origin not in Origin.values:
        raise invalid("origin", _("There is no such origin."))
    texts = {name: given.get(name) for name in ("who", "field", "item", "session")}
    for name, text in texts.items():
        if not (text or "").isprintable():
            raise invalid(name, _("This cannot be looked for."))
    since, until = (_moment(given[name], name) if name in given else None for name in ("from", "to"))
    cause = None if texts["session"] is None else f"session:{texts['session']}"
    kind, item = _item(texts["item"], subject)
    return queries.Filters(texts["who"], origin, cause, texts["field"], kind, item, since, until)


def _item(text: str | None, subject: Object) -> tuple[str | None, str | None]:
    """Kind and key of a part of the object, or of itself; no kind for a key alone."""
    kind, colon, key = (text or "").partition(":")
    of = KINDS[subject.type]
    return (kind, key) if colon and kind in {of.name, *(part.name for part in of.parts)} else (None, text)


def _moment(text: str, parameter: str) -> datetime:
    try:
        found = parse_datetime(text.replace(" ", "+") if "T" in text else text)
    except ValueError:
        found = None
    if found is None:
        raise invalid(parameter, _("This is no moment such as 2026-01-31T12:00:00Z."))
    return timezone.make_aware(found) if timezone.is_naive(found) else found


def _version(request: Request, name: str, subject: Object) -> int:
    text = request.GET.get(name, "")
    short = text.isascii() and text.isdigit() and len(text) <= LONGEST_VERSION
    if not (short and 1 <= int(text) <= subject.version):
        raise invalid(name, _("“%(name)s” is a version of the object, a number.") % {"name": name})
    return int(text)
