"""GET kinds, GET objects, GET objects/{type}/{id}, POST objects/{type}, POST objects/{type}/{id}/changes."""

from collections.abc import Sequence
from typing import Annotated, Any

from django.core.exceptions import ValidationError as DjangoValidationError
from django.db import models
from django.db.models import QuerySet
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from pydantic import Field, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from graphs.api import changes
from graphs.api.history_json import ChangeSetShape
from graphs.api.object_json import KindPage, KindShape, ListedObject, ObjectPage, ObjectShape
from graphs.api.searches import asked_text, asked_words
from graphs.history import editing
from graphs.history.outside import catch_up
from graphs.models import Object
from graphs.objects.actions import CreateObject
from graphs.objects.headers import listed, object_for, path_to, searched_by
from graphs.objects.kinds import KINDS, Kind, is_object, of_objects
from graphs.objects.model_rows import row_of
from graphs.objects.refs import Ref
from graphs.objects.word_search import having_words
from graphs.site import search_time
from graphs.site.access import Member, NotFound, or_not_found
from graphs.site.api.bodies import Body, errors_by_field, read_body
from graphs.site.api.members import current_member
from graphs.site.api.openapi import problems
from graphs.site.api.paging import PAGE_PARAMETERS, asked_page
from graphs.site.api.parameters import IDEMPOTENCY_KEY, idempotency_key, object_name
from graphs.site.api.problems import invalid, invalid_fields
from graphs.workflows.actions import ACTIONS as OF_GRAPHS
from graphs.workflows.store import GRAPH

KIND = OpenApiParameter("kind", str, OpenApiParameter.PATH, description="A kind of objects, for example nodeType.")
TYPE = OpenApiParameter("object_type", str, OpenApiParameter.PATH, description="The kind of the object.")
ID = OpenApiParameter("object_id", str, OpenApiParameter.PATH, description="The key of the object among its kind.")
FILTERS = [
    OpenApiParameter("search", str, description="A text that one of the fields holds."),
    OpenApiParameter("words", str, description="Words, each of which one of the texts holds."),
    OpenApiParameter("where", str, description="A field of one value, and that value, for example status:ready."),
    OpenApiParameter(
        "parent", str, description="Only what this object holds, in others of its own too, for example company:7."
    ),
    OpenApiParameter(
        "orderBy", str, description="A field of one value, or updatedAt; with a minus in front descending."
    ),
]
LIST_PARAMETERS = [
    OpenApiParameter("type", str, required=True, description="A kind of objects."),
    *FILTERS,
    OpenApiParameter("children", bool, default=False, description="Whether what each object holds is counted."),
    *PAGE_PARAMETERS,
]
#: What can be done at an object's own address; others of its kind have their own.
_OF_OBJECTS = ("update_object", "delete_object", "move_object")
#: Columns whose values a page can be cut by.
_ORDERED = (
    models.CharField, models.TextField, models.IntegerField, models.FloatField, models.DecimalField, models.DateField,
    models.BooleanField, models.TimeField, models.UUIDField,
)  # fmt: skip


class ObjectChangesBody(changes.ChangesBody):
    """`expected` are the object and its parts as the person saw them; who changed the same since is a conflict."""

    expected: Annotated[list[changes.SeenItemBody], Field(max_length=changes.MOST_SEEN)] = []  # type: ignore[assignment]


class NewObjectBody(Body):
    fields: dict[str, Any]
    parent: Annotated[str, Field(max_length=140)] | None = None
    reason: Annotated[str, Field(max_length=1_000)] = ""


class KindsView(APIView):
    @extend_schema(operation_id="listKinds", responses={200: KindPage})
    def get(self, request: Request) -> Response:
        """What can be talked about: all kinds of objects, their fields, and what the person may do. It is one page."""
        member = current_member(request)
        kinds = [KindShape.of(member, kind) for kind in of_objects()]
        return Response(KindPage(results=kinds, next=None, previous=None).to_json())


class ObjectsView(APIView):
    large_answer = True

    @extend_schema(operation_id="listObjects", parameters=LIST_PARAMETERS, responses={200: ObjectPage})
    def get(self, request: Request) -> Response:
        """The objects of one kind, by their titles if nothing else is asked for."""
        member, name = current_member(request), request.GET.get("type", "")
        if not is_object(name):
            names = ", ".join(kind.name for kind in of_objects())
            raise invalid("type", _("“type” is one of the kinds of objects: %(names)s.") % {"names": names})
        kind = KINDS[name]
        with search_time.bounded(is_search(request)):
            page = asked_page(request, *filtered(request, member, kind))
        counted = request.GET.get("children") == "true"
        return Response(ObjectPage.of(page, ListedObject.of_rows(member, kind, page.rows, counted=counted)).to_json())


class NewObjectView(APIView):
    throttle_classes = ()  # it counts by itself

    @extend_schema(
        operation_id="createObject",
        parameters=[KIND, IDEMPOTENCY_KEY],
        request=NewObjectBody,
        responses={201: ObjectShape, **problems(409, 422, 429)},
    )
    def post(self, request: Request, kind: str) -> Response:
        """Make an object by hand. The answer is the object."""
        member = current_member(request)
        if not is_object(kind):
            raise NotFound
        changes.require_may_change(member)
        body = read_body(request, NewObjectBody)
        digest = changes.digest_of(0, [kind, request.data])
        wanted = editing.Request([_creation(kind, body)], (), body.reason, idempotency_key(request), digest)
        with changes.as_problems(member):
            made = editing.create_object(member, KINDS[kind], wanted)
        return Response(answer(member, made), status=201)


class ObjectView(APIView):
    large_answer = True

    @extend_schema(operation_id="getObject", parameters=[TYPE, ID], responses={200: ObjectShape})
    def get(self, request: Request, object_type: str, object_id: str) -> Response:
        """One object with its fields, and how many others it holds."""
        return Response(answer(current_member(request), Ref(object_type, object_id)))


class ObjectChangesView(APIView):
    throttle_classes = ()  # it counts by itself

    @extend_schema(
        operation_id="changeObject",
        parameters=[TYPE, ID, IDEMPOTENCY_KEY],
        request=ObjectChangesBody,
        responses={201: ChangeSetShape, **problems(409, 422, 429)},
    )
    def post(self, request: Request, object_type: str, object_id: str) -> Response:
        """Change an object by hand: all of the actions, or none. The answer is the change set of the history."""
        member, ref = current_member(request), Ref(object_type, object_id)
        of = object_for(member, ref)
        changes.require_may_change(member)
        body = read_body(request, ObjectChangesBody)
        known = (*_OF_OBJECTS, *OF_GRAPHS) if of.type == GRAPH.name else _OF_OBJECTS
        asked = changes.parsed(_at_address(ref, body.actions), known)
        return changes.changed(request, member, of, asked, _seen(ref, body.expected), body.reason)


def filtered(request: Request, member: Member, kind: Kind) -> tuple[QuerySet[Any], tuple[str, ...]]:
    """The rows of a kind that `FILTERS` ask for, and their ordering, as pages need it. Raises `Problem` 400."""
    rows = listed(member, kind, parent=_asked_parent(request, member, kind))
    if search := asked_text(request, "search"):
        rows = rows.filter(searched_by(kind, search))
    if words := asked_words(request, "words"):
        rows = rows.filter(having_words(kind, words))
    return rows.filter(_asked_value(request, kind)), _ordering(request, kind)


def is_search(request: Request) -> bool:
    """Whether the `FILTERS` look through texts."""
    return any(asked_text(request, name) for name in ("search", "words"))


def _asked_value(request: Request, kind: Kind) -> models.Q:
    """The condition that a field has the value that is asked for. Raises `Problem` 400."""
    name, colon, value = request.GET.get("where", "").replace("\x00", "").partition(":")
    if not (name or colon):
        return models.Q()
    columns = _plain_columns(kind)
    if name not in columns or not colon:
        names = ", ".join(f"{each}:…" for each in columns)
        raise invalid("where", _("“where” is one of: %(names)s.") % {"names": names})
    try:
        return models.Q(**{columns[name].name: _output(columns[name]).to_python(value)})
    except DjangoValidationError as error:
        raise invalid("where", " ".join(error.messages)) from error


def answer(member: Member, ref: Ref) -> dict[str, Any]:
    """The object as it is sent, and as its history has it: what others saved past this program is noticed first."""
    catch_up([object_for(member, ref)])
    of = object_for(member, ref)
    return ObjectShape.of(member, KINDS[ref.type], of, or_not_found(row_of(of))).to_json()


def _asked_parent(request: Request, member: Member, kind: Kind) -> Object | None:
    """The parent that is asked for, if there is one."""
    type_, key = object_name(request, "parent")
    if not type_:
        return None
    if not path_to(kind, type_):
        wanted = {"kind": kind.name, "type": type_}
        raise invalid("parent", _("Objects of the kind “%(kind)s” are held by none of the kind “%(type)s”.") % wanted)
    return object_for(member, Ref(type_, key))


def _ordering(request: Request, kind: Kind) -> tuple[str, ...]:
    """Names of columns, the last of them unique, as pages need them: what is equal is by title."""
    columns = _plain_columns(kind) | _column_of_changes(kind)
    name = request.GET.get("orderBy", "")
    asked, last = name.removeprefix("-"), "id" if issubclass(kind.model, Object) else kind.model._meta.pk.name
    if name and asked not in columns:
        raise invalid("orderBy", _("“orderBy” is one of: %(names)s.") % {"names": ", ".join(columns)})
    minus = "-" if name.startswith("-") else ""
    wanted = [columns[each].name for each in (asked, kind.title) if each in columns]
    return tuple(f"{minus}{column}" for column in dict.fromkeys((*wanted, last)))


def _plain_columns(kind: Kind) -> dict[str, Any]:
    """Columns of the fields with one value that is never null."""
    plain = [
        field
        for field in kind.fields
        if field.form in ("text", "number", "boolean") and (field.ordering or not field.inside)
    ]
    columns = {field.name: kind.model._meta.get_field(field.ordering or field.column) for field in plain}
    return {name: each for name, each in columns.items() if isinstance(_output(each), _ORDERED) and not each.null}


def _column_of_changes(kind: Kind) -> dict[str, Any]:
    """The column that says when a row was changed, if its model has one."""
    columns = (each for each in kind.model._meta.concrete_fields if each.name == "updated_at" and not each.null)
    found = next((each for each in columns if isinstance(each, models.DateField)), None)
    return {"updatedAt": found} if found else {}


def _output(column: Any) -> Any:
    """What a column holds, also one that the database computes."""
    return column.output_field if column.generated else column


def _creation(kind: str, body: NewObjectBody) -> CreateObject:
    try:
        return CreateObject.model_validate({"kind": kind, "parent": body.parent, "fields": body.fields})
    except ValidationError as error:
        raise invalid_fields(errors_by_field(error)) from error


def _at_address(ref: Ref, asked: Sequence[changes.ActionBody]) -> list[changes.ActionBody]:
    """The actions with the object of the address. Raises `Problem` 400 for one that names another."""
    errors: dict[str, list[str]] = {}
    found: list[changes.ActionBody] = []
    for index, one in enumerate(asked):
        if one.action not in _OF_OBJECTS:
            found.append(one)
            continue
        if one.arguments.get("object", str(ref)) != str(ref):
            errors[f"actions.{index}.arguments.object"] = [_("This is %(object)s.") % {"object": ref}]
        found.append(changes.ActionBody(action=one.action, arguments=one.arguments | {"object": str(ref)}))
    if errors:
        raise invalid_fields(errors)
    return found


def _seen(ref: Ref, expected: Sequence[changes.SeenItemBody]) -> list[tuple[Ref, int]]:
    """What the person saw; beside the object itself, only what every member may see is compared."""
    seen = [(one.ref, one.version) for one in expected]
    for index, (item, _version) in enumerate(seen):
        kind = KINDS.get(item.type)
        if item != ref and (kind is None or kind.may_see is not None):
            sentence = _("Expected are %(object)s and its parts.") % {"object": ref}
            raise invalid(f"expected.{index}", sentence)
    return seen
