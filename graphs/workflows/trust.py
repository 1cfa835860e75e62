"""The mark of what was imported: until an editor has looked through it, a person is asked before every change."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, TypedDict

from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.db import connection, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.dispatch import receiver
from django.utils import timezone
from django.utils.translation import gettext_noop

from graphs.history.recording import Applied, changed
from graphs.models import Graph, NodeType, Object, Workspace
from graphs.objects.holding import held
from graphs.objects.kinds import KINDS
from graphs.site.access import Member, hold_role, or_not_found
from graphs.workflows.node_types import custom_types

#: What the log of the admin says of it, in the language of who reads that.
LOOKED_THROUGH = gettext_noop("Looked through what was imported.")
_LOGGED_AT_ONCE = 1_000


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


def _of_one_file(alone: "QuerySet[Object]", kind: str) -> Q:
    mark = {f"{name}__in": alone.values(name) for name in ("workspace", "untrusted_since", "untrusted_by")}
    return Q(pk__in=alone.values("pk")) | Q(type=kind, **mark)


#: The graphs to which a change gave back what a file had brought, each with who had imported it: nobody has looked at
#: that in its place. What the log of the admin has no more counts as not looked at.
_BROUGHT_BACK = """
SELECT DISTINCT ON (r.object) r.object, c.actor_label
FROM graphs_modification AS r
JOIN graphs_modification AS m ON m.type = r.type AND m.object = r.object AND m.kind = r.kind AND m.key = r.key
    AND m.field = r.field AND m.version < r.version AND m.action = r.action
    AND (m.action = 'create' OR m.new IS NOT DISTINCT FROM r.new)
JOIN graphs_changeset AS c ON c.id = m.change_set_id AND c.origin = 'import'
WHERE r.change_set_id = %(change_set)s AND r.type = %(graph)s AND r.action <> 'delete' AND NOT EXISTS (
    SELECT FROM django_admin_log AS looked
    WHERE looked.object_id = r.object::text AND looked.change_message = %(looked_through)s
        AND looked.action_time >= c.created_at AND (
            SELECT x.action = r.action AND (x.action = 'create' OR x.new IS NOT DISTINCT FROM r.new)
            FROM graphs_modification AS x JOIN graphs_changeset AS y ON y.id = x.change_set_id
            WHERE x.type = r.type AND x.object = r.object AND x.kind = r.kind AND x.key = r.key AND x.field = r.field
                AND x.version < r.version AND y.created_at <= looked.action_time
            ORDER BY x.version DESC LIMIT 1
        )
)
ORDER BY r.object, m.version DESC
"""


def waiting_alone(workspace: Workspace) -> "QuerySet[NodeType]":
    """The node types with a mark that no graph has: that with which they came is gone, or was looked through."""
    graphs = Graph.objects.filter(workspace=workspace, untrusted_since=OuterRef("untrusted_since"))
    types = custom_types(workspace.pk).exclude(untrusted_since=None).exclude(Exists(graphs))
    return types.only("key", "display_name").order_by("display_name", "pk")


class ReplacedSince(Exception):
    """What would be trusted is not what was looked through; the mark stays."""


class NothingSeen(Exception):
    """Nobody said what was looked through; the mark stays."""


def lift(member: Member, of: Object, since: str | None, *, with_its_file: bool = False) -> None:
    """Takes the mark that somebody saw, `since`, from a graph with the node types that came with it, or from an object.

    Or from all objects of its kind that came `with_its_file`. Of each the log of the admin says who did. Does nothing
    to what has no mark. Raises `ReplacedSince` if the mark is another one, `NothingSeen` without one, `Forbidden`, or
    `NotFound` if it is gone.
    """
    with transaction.atomic():
        hold_role(member).require_editor()
        alone = Object.objects.filter(pk=of.pk)
        with_it = held(Object.objects.filter(_of_one_file(alone, of.type))) if with_its_file else held(alone)
        lifted = with_its_types(alone, member.workspace) if of.type == Graph.TYPE else with_it
        marked = {each.pk: each for each in lifted}
        there = or_not_found(marked.get(of.pk))
        if there.untrusted_since is None:
            return
        if since is None:
            raise NothingSeen
        if not _is_moment(since, there.untrusted_since):
            raise ReplacedSince
        Object.objects.filter(pk__in=marked).update(untrusted_since=None, untrusted_by="")
        _tell_the_log(member.user, [of if each.pk == of.pk else each for each in marked.values()])


def _tell_the_log(user: User, objects: Sequence[Object]) -> None:
    """Has the log of the admin say of each object that somebody looked through it, where its page looks for that."""
    by_table: dict[type[Object], list[Object]] = {}
    for each in objects:
        model = KINDS[each.type].model
        by_table.setdefault(model if issubclass(model, Object) else Object, []).append(each)
    for table, some in by_table.items():
        others = [each.pk for each in some if type(each) is not table]
        named = table._default_manager.in_bulk(others) if others else {}
        LogEntry.objects.bulk_create(
            [
                LogEntry(
                    user=user,
                    content_type=ContentType.objects.get_for_model(table),
                    object_id=str(each.pk),
                    object_repr=str(named.get(each.pk, each))[:200],
                    action_flag=CHANGE,
                    change_message=LOOKED_THROUGH,
                )
                for each in some
            ],
            batch_size=_LOGGED_AT_ONCE,
        )


def _is_moment(text: str, moment: datetime) -> bool:
    try:
        return datetime.fromisoformat(text) == moment
    except ValueError:
        return False


@receiver(changed)
def mark_again(change: Applied, **_kwargs: Any) -> None:
    """Marks a graph that gets back what a file had brought, once somebody had taken that away."""
    if not change.because.redoes or all(each.type != Graph.TYPE for each in change.objects):
        return
    asked: dict[str, Any] = {"change_set": change.change_set_id, "graph": Graph.TYPE, "looked_through": LOOKED_THROUGH}
    with connection.cursor() as cursor:
        cursor.execute(_BROUGHT_BACK, asked)
        found = cursor.fetchall()
    for pk, imported_by in found:
        graph = Object.objects.filter(pk=pk)
        # Who holds one of its types may wait for the graph: it then is looked through by itself.
        types = held(Object.objects.filter(_came_with(graph, change.workspace_id)), skip_locked=True).values_list(
            "pk", flat=True
        )
        Object.objects.filter(pk__in=[pk, *types]).update(untrusted_since=timezone.now(), untrusted_by=imported_by)
