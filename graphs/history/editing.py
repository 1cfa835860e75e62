"""People change objects by hand. Called by the API; what a model proposes comes another way to `changes.apply`."""

import hashlib
import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from graphs.history import changes, live_edits
from graphs.history.outside import catch_up
from graphs.history.recording import Because
from graphs.models import ChangeSet, LiveEdit, Modification, Object, Origin
from graphs.objects.actions import Action, named_by
from graphs.objects.edit_conflicts import Overlapping, Seen, overlaps_of
from graphs.objects.headers import existing, may_edit, may_see, require_may_edit_all
from graphs.objects.holding import hold_workspace
from graphs.objects.kinds import Kind
from graphs.objects.planning import plan
from graphs.objects.preconditions import Conflicting
from graphs.objects.refs import Ref
from graphs.objects.refusals import ChangeRefused
from graphs.site.access import Forbidden, Member, NotFound, hold_role


@dataclass(frozen=True, slots=True)
class Request:
    """What a person asks for. `seen` are the versions of the items that they looked at.

    `key` makes it a request that is done once, however often it arrives; `digest` tells it from another one with the
    same key.
    """

    actions: Sequence[Action]
    seen: Sequence[tuple[Ref, int]] = ()
    reason: str = ""
    key: str | None = None
    digest: str = ""


class KeyUsed(Exception):
    """The key of the request belongs to another one."""


def edit(member: Member, of: Object, request: Request) -> uuid.UUID:
    """Does what is asked for, all or nothing, and gives the id of its change set.

    Raises `seen.Overlapping`, `KeyUsed`, `changes.ChangeRefused`, `Object.DoesNotExist` for an object that is gone, and
    `NotFound` or `Forbidden` for who may not change it by now.
    """
    with transaction.atomic():
        editor = hold_role(member)
        editor.require_editor()
        _catch_up(editor, [of], request)
        held = Object.objects.select_for_update(no_key=True).get(pk=of.pk)
        if not may_see(editor, held):
            raise NotFound
        if not may_edit(editor, held):
            raise Forbidden
        return _once(editor, held, request)


def create_object(member: Member, kind: Kind, request: Request) -> Ref:
    """Makes the object that is asked for, and gives its name. Raises what `edit` does.

    Whoever sends the same request twice at once waits for the workspace.
    """
    with transaction.atomic():
        editor = hold_role(member)
        editor.require_editor()
        hold_workspace(editor.workspace.pk)
        _catch_up(editor, [], request)
        made = _once(editor, Object(workspace=editor.workspace, type=kind.name), request)
        return _created_in(made)


def _catch_up(member: Member, objects: Sequence[Object], request: Request) -> None:
    """Brings the history of all objects that the actions name up to what is there, before anything is compared.

    Raises `ChangeRefused` for one that the member may not see, as for one that is absent.
    """
    found = {each.pk: each for each in objects}
    for ref in named_by(request.actions):
        named = existing(member.workspace.pk, ref)
        if named is None:
            continue
        if not may_see(member, named):
            raise ChangeRefused(_("There is no {object}.").format(object=f'"{ref}"'))
        found[named.pk] = named
    catch_up(found[pk] for pk in sorted(found))


def _once(member: Member, around: Object, request: Request) -> uuid.UUID:
    """Gives the change set of the request; it is made if the same request did not make it before."""
    cause = _cause(member.user, request)
    done = _done_before(member.user, around, cause, request)
    if done:
        return done
    seen = Seen.read(around, request.seen)
    planned = plan(around, request.actions)
    seen.refuse_overlaps(planned.operations)
    require_may_edit_all(member, planned.operations)
    asked_at = around if around.pk is not None else None
    because = Because(member.user, Origin.MANUAL, request.reason, *_causes(cause, request), around=asked_at)
    try:
        return changes.apply(around, planned.operations, because).change_set_id
    except Conflicting as conflicting:
        # What somebody changed through another object, since it was read here.
        raise Overlapping(overlaps_of(conflicting.conflicts, planned.operations)) from conflicting


def _created_in(change_set: uuid.UUID) -> Ref:
    created = Modification.objects.filter(change_set=change_set, action=Modification.Action.CREATE)
    return Ref(*created.values_list("kind", "key").order_by("sequence")[0])


def _cause(user: User, request: Request) -> str:
    if request.key is None:
        return ""
    return f"request:{hashlib.sha256(f'{user.pk}:{request.key}'.encode()).hexdigest()[:40]}"


def _causes(cause: str, request: Request) -> tuple[str, tuple[str, ...]]:
    return (f"{cause}:{request.digest}", (cause,)) if cause else ("", ())


def _done_before(user: User, around: Object, cause: str, request: Request) -> uuid.UUID | None:
    """The change set that the same request made before. Whoever sends it twice at once waits here for the object."""
    if not cause:
        return None
    done = ChangeSet.objects.filter(workspace=around.workspace_id, causes__contains=[cause]).first()
    if done and done.cause != f"{cause}:{request.digest}":
        raise KeyUsed
    if done or around.pk is None:
        return done.pk if done else None
    return _done_live(user, around, request)


def _done_live(user: User, of: Object, request: Request) -> uuid.UUID | None:
    """The change set of what the same request did live, whose answer did not arrive; it is saved for that."""
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
