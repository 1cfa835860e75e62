"""People change objects by hand. Called by the API; what a model proposes comes another way to `changes.apply`."""

import hashlib
import uuid
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction

from graphs.history import changes, live_edits
from graphs.history.outside import catch_up, is_recorded
from graphs.history.recording import Because
from graphs.models import ChangeSet, LiveEdit, Modification, Object, Origin
from graphs.objects.actions import Action, named_by
from graphs.objects.edit_conflicts import EditConflicts, SeenVersions
from graphs.objects.headers import existing_with_rows, may_edit, may_see, require_may_edit_all
from graphs.objects.holding import held, hold_workspace
from graphs.objects.kinds import KINDS, Kind, whole_of
from graphs.objects.new_keys import refuse_numbers
from graphs.objects.operations import Create, Delete, Operation, Planned
from graphs.objects.planning import plan
from graphs.objects.preconditions import Conflicting
from graphs.objects.refs import Ref
from graphs.site.access import Forbidden, Member, NotFound, hold_role


@dataclass(frozen=True, slots=True)
class Request:
    """What a person asks for. `key` makes it done once; `digest` tells two requests with one key apart."""

    actions: Sequence[Action]
    seen: Sequence[tuple[Ref, int]] = ()
    reason: str = ""
    key: str | None = None
    digest: str = ""


#: What does more than actions say: gets the member with their role of now, and gives the operations.
Plan = Callable[[Member], Sequence[Operation]]


class GoneMeanwhile(EditConflicts):
    """What would have gone is not there any more."""


class KeyUsed(Exception):
    """The key of the request belongs to another one."""


def edit(member: Member, of: Object, request: Request) -> uuid.UUID:
    """Does what is asked for, all or nothing, and returns the id of its change set.

    Raises `EditConflicts`, `KeyUsed`, `ChangeRefused`, `Object.DoesNotExist`, `NotFound` and `Forbidden`.
    """
    try:
        return _edit(member, of, request)
    except (Object.DoesNotExist, GoneMeanwhile):
        # Something that it holds may have gone while this waited for it: what is left is planned anew, once.
        return _edit(member, of, request)


def _edit(member: Member, of: Object, request: Request) -> uuid.UUID:
    # Stays where the edit is refused: whoever refused it may name what was noticed.
    named = _catch_up(member, [of], request)
    with transaction.atomic():
        editor = hold_role(member)
        editor.require_editor()
        objects = {each.pk: each for each in held(Object.objects.filter(pk__in=named))}
        if of.pk not in objects:
            raise Object.DoesNotExist
        around = objects[of.pk]
        if not may_see(editor, around):
            raise NotFound
        if not may_edit(editor, around):
            raise Forbidden
        return _once(editor, around, request, known=objects.values())


def create_object(
    member: Member, kind: Kind, request: Request, beside: Sequence[Object] = (), plan_it: Plan | None = None
) -> Ref:
    """Makes an object and returns its ref; a request sent twice at once waits. Raises what `edit` does.

    Objects `beside` stay as they are meanwhile. Without `plan_it` what is done follows from the request's actions.
    """
    made = change_several(member, kind, request, beside, plan_it)
    created = Modification.objects.filter(change_set=made, action=Modification.Action.CREATE, kind=kind.name)
    return Ref(*created.values_list("kind", "key").order_by("sequence")[0])


def change_several(
    member: Member,
    kind: Kind,
    request: Request,
    beside: Sequence[Object] = (),
    plan_it: Plan | None = None,
    origin: Origin = Origin.MANUAL,
) -> uuid.UUID:
    """Changes objects of a kind, or makes some, as `create_object` makes one; returns the change set."""
    named = _catch_up(member, beside, request)
    with transaction.atomic():
        editor = hold_role(member)
        editor.require_editor()
        list(held(Object.objects.filter(pk__in=named)))  # a parent that somebody deletes takes nothing along
        hold_workspace(editor.workspace.pk)
        return _once(editor, Object(workspace=editor.workspace, type=kind.name), request, plan_it, origin)


def _catch_up(member: Member, objects: Sequence[Object], request: Request) -> Collection[int]:
    """Brings the histories of the objects, and of those that the actions name, up to date; gives their primary keys."""
    found = {each.pk: each for each in objects}
    as_recorded: set[int] = set()
    for named, row in existing_with_rows(member.workspace.pk, named_by(request.actions)):
        may_see_it = KINDS[named.type].may_see
        if may_see_it is None or may_see_it(member, row):
            found[named.pk] = named
            if is_recorded(named, row):
                as_recorded.add(named.pk)
    catch_up([each for each in found.values() if each.pk not in as_recorded])
    return found.keys()


def _once(
    member: Member,
    around: Object,
    request: Request,
    plan_it: Plan | None = None,
    origin: Origin = Origin.MANUAL,
    known: Iterable[Object] = (),
) -> uuid.UUID:
    """Returns the change set of the request, which is made unless this request made it before.

    The `known` objects are held.
    """
    cause = ""
    if request.key is not None:
        cause = f"request:{hashlib.sha256(f'{member.user.pk}:{request.key}'.encode()).hexdigest()[:40]}"
    done = _done_before(member.user, around, cause, request)
    if done:
        return done
    headers = {Ref(each.type, each.key): each for each in known}
    now = Planned(tuple(plan_it(member)), ()) if plan_it else planned(member, around, request, headers)
    operations = now.operations
    if around.pk is None:
        new = (each.item for each in operations if isinstance(each, Create) and each.item.type == around.type)
        if (made := next(new, None)) is not None:
            around = Object(workspace=member.workspace, type=made.type, key=made.key)  # whose parts come with it
    because = Because(
        member.user,
        origin,
        request.reason,
        cause=f"{cause}:{request.digest}" if cause else "",
        causes=(cause,) if cause else (),
        around=None if around.pk is None else around,
    )
    try:
        return changes.apply(around, operations, because, {**now.headers, **headers}, now.rows).change_set_id
    except Conflicting as conflicting:
        # What somebody changed through another object, since it was read here.
        going = {each.item for each in operations if isinstance(each, Delete)}
        is_gone = all(each.item in going and not each.field and each.found is None for each in conflicting.conflicts)
        raise (GoneMeanwhile if is_gone else EditConflicts).of(conflicting, operations) from conflicting


def planned(member: Member, around: Object, request: Request, known: Mapping[Ref, Object] | None = None) -> Planned:
    """What the request does to what is there now, of which headers may be `known`.

    Raises `EditConflicts` where that is not what the person saw.
    """
    seen = SeenVersions.read(around, [(whole_of(ref), version) for ref, version in request.seen])
    refuse_numbers(request.actions)
    found = plan(around, request.actions, member=member, known=known)
    seen.refuse_conflicts(found.operations)
    require_may_edit_all(member, found.operations)
    return found


def _done_before(user: User, around: Object, cause: str, request: Request) -> uuid.UUID | None:
    """The change set that this request made before. Sent twice at once, the second one waits for the object."""
    if not cause:
        return None
    done = ChangeSet.objects.filter(workspace=around.workspace_id, causes__contains=[cause]).first()
    if done and done.cause != f"{cause}:{request.digest}":
        raise KeyUsed
    if done or around.pk is None:
        return done.pk if done else None
    return _done_live(user, around, request)


def _done_live(user: User, of: Object, request: Request) -> uuid.UUID | None:
    """The change set of what this request did live if its answer did not arrive; the live edits are saved for that."""
    live = LiveEdit.objects.filter(object=of, person=user.pk, key=request.key)
    done = live.first()
    if done is None:
        return None
    live_edits.save_edits(of.pk)
    done.refresh_from_db(fields=["change_set"])
    if done.digest != request.digest or done.change_set is None:
        # Another request, or the same whose effect was taken back since: the history has nothing to answer with.
        raise KeyUsed
    return done.change_set
