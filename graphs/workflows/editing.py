"""People change graphs by hand. Called by the API; what a model proposes comes another way to `writing.apply`."""

import hashlib
import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction

from graphs.history import changes, live_edits
from graphs.history.recording import Because
from graphs.models import ChangeSet, Graph, LiveEdit, Origin
from graphs.objects.actions import Action
from graphs.objects.edit_conflicts import Overlapping, Seen, overlaps_of
from graphs.objects.headers import require_may_edit_all
from graphs.objects.planning import plan
from graphs.objects.preconditions import Conflicting
from graphs.objects.refs import Ref
from graphs.site.access import Member, hold_role


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


def edit(member: Member, graph: Graph, request: Request) -> uuid.UUID:
    """Does what is asked for, all or nothing, and gives the id of its change set.

    Raises `seen.Overlapping`, `KeyUsed`, `changes.ChangeRefused`, `Graph.DoesNotExist` for a graph that is gone, and
    `NotFound` or `Forbidden` for who may not change it by now.
    """
    with transaction.atomic():
        hold_role(member).require_editor()
        graph = Graph.objects.select_for_update(no_key=True).get(pk=graph.pk)
        cause = _cause(member.user, request)
        done = _done_before(member.user, graph, cause, request)
        if done:
            return done
        seen = Seen.read(graph, request.seen)
        planned = plan(graph, request.actions)
        seen.refuse_overlaps(planned.operations)
        require_may_edit_all(member, planned.operations)
        because = Because(member.user, Origin.MANUAL, request.reason, *_causes(cause, request), around=graph)
        try:
            return changes.apply(graph, planned.operations, because).change_set_id
        except Conflicting as conflicting:
            # A type that somebody changed through another graph, since it was read here.
            raise Overlapping(overlaps_of(conflicting.conflicts, planned.operations)) from conflicting


def _cause(user: User, request: Request) -> str:
    if request.key is None:
        return ""
    return f"request:{hashlib.sha256(f'{user.pk}:{request.key}'.encode()).hexdigest()[:40]}"


def _causes(cause: str, request: Request) -> tuple[str, tuple[str, ...]]:
    return (f"{cause}:{request.digest}", (cause,)) if cause else ("", ())


def _done_before(user: User, graph: Graph, cause: str, request: Request) -> uuid.UUID | None:
    """The change set that the same request made before. Whoever sends it twice at once waits here for the graph."""
    if not cause:
        return None
    done = ChangeSet.objects.filter(workspace=graph.workspace_id, causes__contains=[cause]).first()
    if done and done.cause != f"{cause}:{request.digest}":
        raise KeyUsed
    return done.pk if done else _done_live(user, graph, request)


def _done_live(user: User, graph: Graph, request: Request) -> uuid.UUID | None:
    """The change set of what the same request did live, whose answer did not arrive; it is saved for that."""
    live = LiveEdit.objects.filter(object=graph, person=user.pk, key=request.key)
    done = live.first()
    if done is None:
        return None
    live_edits.save_edits(graph.pk)
    done.refresh_from_db(fields=["change_set"])
    if done.digest != request.digest or done.change_set is None:
        # Another request, or the same whose effect was taken back since: the history has nothing to answer with.
        raise KeyUsed
    return done.change_set
