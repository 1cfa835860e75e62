"""The mark of what was imported: until an editor has looked through it, a person is asked before every change."""

from datetime import datetime
from typing import TypedDict

from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext_noop

from graphs.models import Graph, NodeType, Object, Workspace
from graphs.objects.holding import held
from graphs.site.access import Member, hold_role, or_not_found

#: What the log of the admin says of it, in the language of who reads that.
LOOKED_THROUGH = gettext_noop("Looked through what was imported.")


class Mark(TypedDict, total=False):
    """The columns of an object that say that it is untrusted; none of one that is trusted."""

    untrusted_since: object
    untrusted_by: str


def mark(actor: User | None) -> Mark:
    """What an import by this person writes on the graph and on each node type that it brings."""
    return Mark(untrusted_since=timezone.now(), untrusted_by=actor.get_username() if actor else "")


def with_its_types(graph: "QuerySet[Object]", workspace: Workspace) -> "QuerySet[Object]":
    """A graph, and the node types that were imported with it and wait for somebody to look as it does; all are held."""
    return held(Object.objects.filter(Q(pk__in=graph.values("pk")) | _came_with(graph, workspace.pk)))


def _came_with(graph: "QuerySet[Object]", workspace_id: int) -> Q:
    return Q(type=NodeType.TYPE, workspace=workspace_id, untrusted_since__in=graph.values("untrusted_since"))


class ReplacedSince(Exception):
    """What would be trusted is not what was looked through; the mark stays."""


class NothingSeen(Exception):
    """Nobody said what was looked through; the mark stays."""


def lift(member: Member, of: Object, since: str | None) -> None:
    """Takes the mark that somebody saw, `since`, from a graph with the node types that came with it, or from one type.

    The log of the admin says who did. Does nothing to what has no mark. Raises `ReplacedSince` if the mark is another
    one, `NothingSeen` without one, `Forbidden`, or `NotFound` if it is gone.
    """
    with transaction.atomic():
        hold_role(member).require_editor()
        alone = Object.objects.filter(pk=of.pk)
        lifted = with_its_types(alone, member.workspace) if of.type == Graph.TYPE else held(alone)
        marked = {each.pk: each for each in lifted}
        there = or_not_found(marked.get(of.pk))
        if there.untrusted_since is None:
            return
        if since is None:
            raise NothingSeen
        if not _is_moment(since, there.untrusted_since):
            raise ReplacedSince
        Object.objects.filter(pk__in=marked).update(untrusted_since=None, untrusted_by="")
        LogEntry.objects.create(
            user=member.user,
            content_type=ContentType.objects.get_for_model(of),
            object_id=str(there.pk),
            object_repr=str(of)[:200],
            action_flag=CHANGE,
            change_message=LOOKED_THROUGH,
        )


def _is_moment(text: str, moment: datetime) -> bool:
    try:
        return datetime.fromisoformat(text) == moment
    except ValueError:
        return False
