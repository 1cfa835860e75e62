"""Takes back what was changed: one modification, change sets, all that one cause led to, or an object since a version.

A rollback is a change like any other: all or nothing, recorded, and itself undone the same way. Where somebody edited
since, the clash is named (`graphs.history.rollback_conflicts`); who rolls back may leave that out.
"""

import hashlib
import json
import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from django.contrib.auth.models import User
from django.core.serializers.json import DjangoJSONEncoder
from django.db import transaction

from graphs.history import changes, fast_rollback, live_edits
from graphs.history.recording import Applied, Because
from graphs.history.scopes import AsOf, Caused, ChangeSets, Done, OneModification, Scope, place, read
from graphs.history.signals import tell
from graphs.history.undo import Clash, Left, Undone, undo
from graphs.models import Graph, Node, Origin, Revision
from graphs.objects.holding import hold_types, raise_versions
from graphs.objects.kinds import GRAPH, NODE, NODE_TYPE
from graphs.objects.operations import Delete, Item, Operation, Update, inverses, to_json
from graphs.objects.preconditions import Before
from graphs.site.access import NotFound


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What somebody chose to leave as it is; without a graph's key, in whichever graph it is."""

    item: Item
    field: str = ""
    graph: str | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """What a rollback does to one graph, and what stands in the way of it there."""

    graph: Graph
    before: Before
    undone: Undone


@dataclass(frozen=True, slots=True)
class Plan:
    """What a rollback would do now. `gone` are the graphs that it is about and that were deleted: label by key.

    `state` names what it was computed from: the scope, what was left out, and the versions of the graphs.
    """

    scope: Scope
    done: Done
    steps: tuple[Step, ...]
    gone: Mapping[str, str]
    state: str

    @property
    def clashes(self) -> tuple[tuple[Graph, Clash], ...]:
        return tuple((step.graph, clash) for step in self.steps for clash in step.undone.clashes)

    @property
    def operations(self) -> tuple[Operation, ...]:
        return tuple(operation for step in self.steps for operation in step.undone.operations)

    @property
    def digest(self) -> str:
        """So that it is done only as it was shown: of what would be done, and of what that was computed from."""
        shown = [[step.graph.pk, list(map(to_json, step.undone.operations))] for step in self.steps]
        text = json.dumps(shown, cls=DjangoJSONEncoder, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:_RESULT] + self.state


#: Characters of a digest that are of the result; those of the state follow.
_RESULT = 40


def _state(scope: Scope, left_out: Collection[LeftOut], graphs: Sequence[Graph]) -> str:
    named = [repr(scope), sorted(map(repr, left_out)), [(graph.pk, graph.version) for graph in graphs]]
    return hashlib.sha256(json.dumps(named).encode()).hexdigest()[_RESULT:]


class RollbackRefused(Exception):
    """Nothing was changed. `plan` is what would have been done."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(type(self).__name__)
        self.plan = plan


class Clashing(RollbackRefused):
    """Later edits stand in the way, or a graph is gone."""


class Outdated(RollbackRefused):
    """By now it would do something else than what was shown."""


class NothingToUndo(RollbackRefused):
    """All of it was taken back already, or left out, or there was nothing."""


def preview(workspace_id: int, scope: Scope, left_out: Collection[LeftOut] = ()) -> Plan:
    """What a rollback would do now; changes nothing, but what people did live is saved first.

    Raises `NotFound` for what is not of this workspace.
    """
    done = place(workspace_id, scope) if isinstance(scope, AsOf) else read(workspace_id, scope)
    graphs = _graphs(workspace_id, done)
    live_edits.save_all(graphs)
    if isinstance(scope, AsOf):
        done = read(workspace_id, scope)
    return _plan(scope, done, graphs, left_out)


def roll_back(
    workspace_id: int,
    actor: User,
    scope: Scope,
    left_out: Collection[LeftOut] = (),
    reason: str = "",
    digest: str | None = None,
) -> Applied:
    """Does it, as one change set.

    Raises `NotFound`, `Clashing`, `NothingToUndo`, and `Outdated` where the result differs from what `digest` is of.
    """
    with transaction.atomic():
        raised: dict[int, int] = {}
        if isinstance(scope, ChangeSets) and len(scope.ids) == 1 and not left_out:
            raised, applied = _in_one_statement(workspace_id, actor, scope, reason, digest)
            if applied is not None:
                return tell(applied)
        # What was done since a version is known when nobody does more.
        done = place(workspace_id, scope) if isinstance(scope, AsOf) else read(workspace_id, scope)
        graphs = _graphs(workspace_id, done, held=True)
        live_edits.save_all(graphs)
        if done.hosts:
            hold_types(workspace_id)
        if isinstance(scope, AsOf):
            done = read(workspace_id, scope)
        plan = _plan(scope, done, graphs, left_out)
        _refuse(plan, digest)
        return changes.finish(_changes(plan, raised), _because(plan, actor, reason))


def _changes(plan: Plan, raised: Mapping[int, int]) -> list[changes.Change]:
    """Of the graphs of which something changes; those of `raised` have got their new version already."""
    steps = [step for step in plan.steps if step.undone.operations]
    versions = {**raised, **raise_versions([step.graph.pk for step in steps if step.graph.pk not in raised])}
    return [changes.Change(step.graph, versions[step.graph.pk], step.undone.operations, step.before) for step in steps]


def _in_one_statement(
    workspace_id: int, actor: User, scope: ChangeSets, reason: str, digest: str | None
) -> tuple[dict[int, int], Applied | None]:
    """What was done, or None; and the new version of the graph where it is held.

    What was shown of the graph as it still is, is what would be done now.
    """
    (change_set_id,) = scope.ids
    done = fast_rollback.whole(workspace_id, change_set_id)
    if done is None or (digest is not None and digest[_RESULT:] != _state(scope, (), [done.graph])):
        return {}, None
    causes = (f"change-set:{change_set_id}",)
    try:
        version, applied = fast_rollback.take_back(
            done,
            Because(actor, Origin.ROLLBACK, reason, causes[0], causes, undoes=(change_set_id,)),
            only_in=None if digest is None else done.graph.version,
        )
    except Graph.DoesNotExist:
        return {}, None
    return {done.graph.pk: version}, applied


def _graphs(workspace_id: int, done: Done, *, held: bool = False) -> list[Graph]:
    """The graphs that are still there; where only types were changed, one through which that can be undone.

    `held`, nobody else changes them until the commit.
    """
    rows = Graph.objects.filter(workspace=workspace_id).order_by("pk")
    if held:
        rows = rows.select_for_update(no_key=True)
    found = list(rows.filter(pk__in=done.graphs.keys() | set(done.hosts)))
    if done.hosts and not found:
        found = list(rows[:1])
        if not found:
            raise NotFound
    return found if done.graphs else found[:1]


def _plan(scope: Scope, done: Done, graphs: Sequence[Graph], left_out: Collection[LeftOut]) -> Plan:
    steps = []
    # Types are changed through a graph that is changed anyway, if there is one.
    host = next((graph for graph in graphs if graph.pk in done.graphs), graphs[0] if graphs else None)
    for graph in graphs:
        operations = done.graphs.get(graph.pk, ()) + (done.types if graph is host else ())
        before = Before.read(graph, inverses(operations))
        left = [Left(each.item, each.field) for each in left_out if each.graph in (None, graph.key)]
        steps.append(Step(graph, before, undo(operations, before, left)))
    gone = _gone(done, graphs)
    for each in left_out:
        if each.item.kind == GRAPH:
            gone.pop(each.item.key, None)
    plan = Plan(scope, done, tuple(steps), gone, _state(scope, left_out, graphs))
    return _with_types_in_use(plan) if done.types else plan


def _gone(done: Done, graphs: Sequence[Graph]) -> dict[str, str]:
    missing = done.graphs.keys() - {graph.pk for graph in graphs}
    if not missing:
        return {}
    rows = Revision.objects.filter(type=GRAPH, object__in=missing, change_set__in=done.change_sets)
    return dict(rows.order_by("version").values_list("key", "label"))


def _with_types_in_use(plan: Plan) -> Plan:
    """A type that nodes have stays: those of this rollback aside, which may lose it."""
    lost = {o.item.key for o in plan.operations if isinstance(o, Delete) and o.item.kind == NODE_TYPE.name}
    if not lost:
        return plan
    first, *others = plan.steps
    freed = {
        (step.graph.pk, operation.item.key)
        for step in plan.steps
        for operation in step.undone.operations
        if operation.item.kind == NODE.name and _loses_type(operation)
    }
    nodes = Node.objects.filter(graph__workspace=first.graph.workspace_id, type__in=lost).order_by("id")
    used = tuple(
        Clash("used", Item(NODE_TYPE.name, type_key), "", by=Item(NODE.name, key))
        for graph, key, type_key in nodes.values_list("graph", "key", "type")
        if (graph, key) not in freed
    )
    undone = replace(first.undone, clashes=(*first.undone.clashes, *used))
    return replace(plan, steps=(replace(first, undone=undone), *others))


def _loses_type(operation: Operation) -> bool:
    return isinstance(operation, Delete) or (isinstance(operation, Update) and "type" in operation.new)


def _refuse(plan: Plan, digest: str | None) -> None:
    if digest is not None and digest[:_RESULT] != plan.digest[:_RESULT]:
        raise Outdated(plan)
    if plan.clashes or plan.gone:
        raise Clashing(plan)
    if not plan.operations:
        raise NothingToUndo(plan)


def _because(plan: Plan, actor: User, reason: str) -> Because:
    """`undoes` only what is taken back as a whole."""
    there = {step.graph.pk for step in plan.steps}
    whole = plan.done.graphs.keys() <= there and not any(step.undone.left for step in plan.steps)
    undoes: tuple[uuid.UUID, ...] = ()
    match plan.scope:
        case ChangeSets(ids):
            causes = tuple(f"change-set:{id_}" for id_ in ids)
            undoes = plan.done.change_sets if whole else ()
        case OneModification(id_):
            causes = (f"modification:{id_}",)
        case Caused(cause):
            # Not among the causes: what is taken back is no further change of that conversation.
            return Because(actor, Origin.ROLLBACK, reason, cause, undoes=plan.done.change_sets if whole else ())
        case AsOf(version=version):
            causes = (f"as-of:{version}",)
    return Because(actor, Origin.ROLLBACK, reason, causes[0], causes, undoes=undoes)
