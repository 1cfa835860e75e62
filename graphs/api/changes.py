"""POST graphs/{key}/changes changes a graph by hand. GET node-types lists types of nodes, POST .../trust trusts one."""

import hashlib
import json
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any, Literal, NotRequired

from django.conf import settings
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from pydantic import Field, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from graphs.api.graph_json import CustomNodeType, NodeTypePage
from graphs.api.graphs import KEY, SEEN, lift
from graphs.api.history_json import ChangeSetShape
from graphs.history import code_diff, editing
from graphs.history.bounded_diffs import Room, beginning, beginnings
from graphs.history.code_diff import DiffLine
from graphs.history.value_words import Told, ValueWords, words_of
from graphs.models import Object
from graphs.objects import actions
from graphs.objects.actions import MAX_ACTIONS, ChangeRefused
from graphs.objects.edit_conflicts import EditConflict, EditConflicts
from graphs.objects.kinds import KINDS, Form
from graphs.objects.ref_body import RefBody
from graphs.objects.refs import ObjectName, Ref
from graphs.site.access import Member, NotFound, or_not_found
from graphs.site.api import limits
from graphs.site.api.bodies import Body, errors_by_field, read_body
from graphs.site.api.members import current_member
from graphs.site.api.openapi import problems
from graphs.site.api.paging import PAGE_PARAMETERS, asked_page
from graphs.site.api.parameters import IDEMPOTENCY_KEY, idempotency_key
from graphs.site.api.problems import Problem, invalid_fields
from graphs.workflows.actions import ACTIONS
from graphs.workflows.listing import graph_for
from graphs.workflows.node_types import custom_types

MOST_SEEN = 5_000
TYPE_KEY = OpenApiParameter("node_type", str, OpenApiParameter.PATH, description="The key of a node type.")


class ActionBody(Body):
    """An action of `graphs.workflows.actions` by its name."""

    action: Annotated[str, Field(max_length=50)]
    arguments: dict[str, Any]


class SeenItemBody(RefBody):
    """An object, or a part of one, as the person saw it."""

    version: Annotated[int, Field(ge=0, lt=2**31)]


class SeenBody(SeenItemBody):
    type: Literal["graph", "sheet", "node", "edge", "nodeType"]


class ChangesBody(Body):
    """A change by hand. `expected` are the items as the person saw them; a later change of a field is a conflict."""

    actions: Annotated[list[ActionBody], Field(min_length=1, max_length=MAX_ACTIONS)]
    expected: Annotated[list[SeenBody], Field(max_length=MOST_SEEN)] = []
    reason: Annotated[str, Field(max_length=1_000)] = ""


class ChangesView(APIView):
    throttle_classes = ()  # it counts by itself

    @extend_schema(
        operation_id="changeGraph",
        parameters=[KEY, IDEMPOTENCY_KEY],
        request=ChangesBody,
        responses={201: ChangeSetShape, **problems(409, 422, 429)},
    )
    def post(self, request: Request, key: str) -> Response:
        """Change a graph by hand: all of the actions, or none. The answer is the change set that the history keeps."""
        member = current_member(request)
        graph = graph_for(member, key)
        require_may_change(member)
        body = read_body(request, ChangesBody)
        seen = [(expected.ref, expected.version) for expected in body.expected]
        return changed(request, member, graph, parsed(body.actions), seen, body.reason)


class NodeTypesView(APIView):
    large_answer = True

    @extend_schema(operation_id="listNodeTypes", parameters=PAGE_PARAMETERS, responses={200: NodeTypePage})
    def get(self, request: Request) -> Response:
        """The node types that the workspace defined, beside those that every workspace has."""
        page = asked_page(request, custom_types(current_member(request).workspace.pk), ("key", "id"))
        shown = [CustomNodeType.of(row) for row in page.rows]
        return Response(NodeTypePage.of(page, shown).to_json())


class NodeTypeTrustView(APIView):
    @extend_schema(
        operation_id="trustNodeType",
        parameters=[TYPE_KEY, SEEN],
        request=None,
        responses={200: CustomNodeType, **problems(409)},
    )
    def post(self, request: Request, node_type: str) -> Response:
        """Say that an imported node type was looked through, also where the graph that it came with is gone."""
        member = current_member(request)
        of = or_not_found(custom_types(member.workspace.pk).filter(key=node_type).first())
        lift(request, member, of)
        of.refresh_from_db()
        return Response(CustomNodeType.of(of).to_json())


def require_may_change(member: Member) -> None:
    """Raises `Forbidden`, or `Problem` 429 for a member who changes too much."""
    member.require_editor()
    limits.require("changes", str(member.user.pk), settings.LIMIT_CHANGES)


def changed(
    request: Request,
    member: Member,
    of: Object,
    asked: Sequence[actions.Action],
    seen: Sequence[tuple[Ref, int]],
    reason: str,
) -> Response:
    """Changes an object by hand and answers with the change set of the history."""
    wanted = editing.Request(asked, seen, reason, idempotency_key(request), digest_of(of.pk, request.data))
    with as_problems(member):
        done = editing.edit(member, of, wanted)
    return Response(ChangeSetShape.applied(member, done).to_json(), status=201)


def digest_of(object_id: int, body: Any) -> str:
    """A digest that tells requests with the same key apart. A live edit that is repeated here has the same digest."""
    return hashlib.sha256(json.dumps([object_id, body], sort_keys=True).encode()).hexdigest()[:40]


@contextmanager
def as_problems(reader: Member, room: Room | None = None) -> Iterator[None]:
    """Makes a problem document of what a change raises. Conflicts that find no `room` are told by beginnings."""
    try:
        yield
    except Object.DoesNotExist as gone:
        raise NotFound from gone
    except ChangeRefused as refusal:
        raise refused(refusal) from refusal
    except EditConflicts as met:
        raise conflict(met, reader, room) from met
    except editing.KeyUsed as used:
        sentence = _("This Idempotency-Key was used for another request. Use a new one.")
        raise Problem(422, "idempotency_key", sentence) from used


def parsed(asked: Sequence[ActionBody], known: Collection[str] = ACTIONS.keys()) -> list[actions.Action]:
    """The actions that were asked for, of those `known`. Raises `Problem` 400 that names each wrong field."""
    found: list[actions.Action] = []
    errors: dict[str, list[str]] = {}
    for index, one in enumerate(asked):
        try:
            if one.action not in known:
                raise actions.UnknownAction(one.action)
            found.append(actions.parse(one.action, one.arguments))
        except ValidationError as error:
            errors |= {f"actions.{index}.arguments.{field}": said for field, said in errors_by_field(error).items()}
        except actions.UnknownAction:
            errors[f"actions.{index}.action"] = [_("Known actions are: %(names)s.") % {"names": ", ".join(known)}]
    if errors:
        raise invalid_fields(errors)
    return found


def refused(refusal: ChangeRefused) -> Problem:
    return Problem(400, "refused", str(refusal), errors={"actions": list(refusal.problems)})


class BothSides(ValueWords):
    """An edit conflict as a problem tells it: a field, or without one an item, and `lines` of code.

    Of one that is `cut` the values are beginnings, from where they differ.
    """

    object: ObjectName
    field: str
    label: str
    form: Form | Literal[""]
    expected: Any
    found: Any
    wanted: Any
    version: int | None
    by: str
    at: datetime | None
    lines: NotRequired[list[DiffLine]]
    cut: NotRequired[bool]


def conflict(met: EditConflicts, reader: Member, room: Room | None = None) -> Problem:
    """The refusal of changes whose author did not see these later ones, and how many there are where more are.

    Without `room` the first is whole: who edits may go on from what is there now. The others share what an answer has.
    """
    detail = _("Somebody changed the same meanwhile; nothing was saved. See “conflicts” for both sides.")
    words = words_of(
        [Told(each.item, each.field, (each.expected, each.found, each.wanted)) for each in met.conflicts],
        reader.workspace.pk,
        reader,
    )
    told: dict[str, Any] = {
        "conflicts": [
            _both_sides(*begun, beside) for begun, beside in zip(_all_begun(met.conflicts, room), words, strict=True)
        ]
    }
    more = {"conflictCount": met.count} if met.count > len(met.conflicts) else {}
    return Problem(409, "conflict", detail, extra=told | more)


def _all_begun(conflicts: Sequence[EditConflict], room: Room | None) -> list[tuple[EditConflict, bool]]:
    whole = 1 if room is None else 0
    others = room or Room()
    return [*((each, False) for each in conflicts[:whole]), *(_begun(each, others) for each in conflicts[whole:])]


def _begun(conflict: EditConflict, room: Room) -> tuple[EditConflict, bool]:
    """The conflict, with beginnings if it finds no room, and whether that is so."""
    if room.takes(conflict.expected, conflict.found, conflict.wanted):
        return conflict, False
    found, wanted = beginnings(conflict.found, conflict.wanted)
    return replace(conflict, expected=beginning(conflict.expected), found=found, wanted=wanted), True


def _both_sides(conflict: EditConflict, cut: bool, words: ValueWords) -> BothSides:
    kind = KINDS[conflict.item.type]
    field = kind.field(conflict.field) if conflict.field else None
    sides: BothSides = {
        "object": conflict.item.to_json(),
        "field": conflict.field,
        "label": str(field.label if field else kind.label),
        "form": field.form if field else "",
        "expected": conflict.expected,
        "found": conflict.found,
        "wanted": conflict.wanted,
        "version": conflict.version,
        "by": conflict.by,
        "at": conflict.at,
    }
    if words.get("titles"):
        sides["titles"] = words["titles"]
    if words.get("names"):
        sides["names"] = words["names"]
    if cut:
        sides["cut"] = True
    elif field and field.form == "code":
        sides["lines"] = _lines(conflict)
    return sides


def _lines(conflict: EditConflict) -> list[DiffLine]:
    """The lines from theirs to what is wanted; for a deletion, from what the person saw to theirs."""
    before, after = (
        (conflict.expected, conflict.found) if conflict.wanted is None else (conflict.found, conflict.wanted)
    )
    return [line.to_json() for line in code_diff.lines(before or "", after or "")]
