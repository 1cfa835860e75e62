"""From what is asked for to typed operations: reads what is needed, converts without side effects, checks everything.

`plan` is a dry run: nothing is written. Proposals store what it gives, `graphs.history.changes.apply` carries it out.
The same actions on the same graph give the same plan. `CONVERSIONS` says for each action what it wants to know and what
it does.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from graphs.models import Graph
from graphs.objects.actions import MAX_ACTIONS, NAMES, Action, steps_of
from graphs.objects.operations import net
from graphs.objects.planned import Planned, Target
from graphs.objects.refusals import ChangeRefused
from graphs.workflows import actions
from graphs.workflows.planning import arranging, edges, nodes, types
from graphs.workflows.planning.draft import Draft
from graphs.workflows.planning.state import ToRead, load

__all__ = ["ChangeRefused", "Planned", "Target", "plan"]

#: Items that one plan may change.
MAX_OPERATIONS = 5_000


@dataclass(frozen=True, slots=True)
class _Conversion:
    want: Callable[[ToRead, Any], None]
    convert: Callable[[Draft, Any], None]


CONVERSIONS: dict[type, _Conversion] = {
    actions.CreateNode: _Conversion(nodes.want_created, nodes.create),
    actions.CreateNodeWithEdges: _Conversion(nodes.want_created_with_edges, nodes.create_with_edges),
    actions.UpdateNode: _Conversion(nodes.want_updated, nodes.update),
    actions.ReplaceData: _Conversion(nodes.want_replaced, nodes.replace_data),
    actions.MoveNode: _Conversion(nodes.want_moved, nodes.move),
    actions.DeleteNode: _Conversion(nodes.want_deleted, nodes.delete),
    actions.CreateEdge: _Conversion(edges.want_connected, edges.connect),
    actions.UpdateEdge: _Conversion(edges.want_named, edges.update),
    actions.DeleteEdge: _Conversion(edges.want_named, edges.delete),
    actions.ConfigureNodeType: _Conversion(types.want_configured, types.configure),
    actions.DeleteNodeType: _Conversion(types.want_deleted, types.delete),
    actions.ReorganizeLayout: _Conversion(arranging.want, arranging.convert),
}


def plan(graph: Graph, asked: Sequence[Action], reserved: Callable[[], Collection[str]] = frozenset) -> Planned:
    """What these actions would do to the graph as it stands, one after the other, with one operation for each item.

    `reserved` gives keys that new nodes do not get, those that other plans would create; it is asked where there are
    new nodes. Raises `ChangeRefused`.
    """
    steps = steps_of(list(asked))
    if len(steps) > MAX_ACTIONS:
        message = _("{count} actions at once are too many; at most {most} are possible.")
        raise ChangeRefused(message.format(count=len(steps), most=MAX_ACTIONS))
    wanted = ToRead()
    for step in steps:
        CONVERSIONS[type(step)].want(wanted, step)
    draft = Draft(load(graph, wanted, reserved))
    _convert(draft, steps)
    operations = net(draft.operations)
    if not operations:
        raise ChangeRefused(_("Nothing would change: everything is like this already."))
    if len(operations) > MAX_OPERATIONS:
        message = _("{count} items would change; at most {most} can at once. Do it in parts.")
        raise ChangeRefused(message.format(count=len(operations), most=MAX_OPERATIONS))
    targets = (Target(item.type, item.key, version) for item, version in draft.depends_on().items())
    return Planned(operations, tuple(targets))


def _convert(draft: Draft, steps: Sequence[Action]) -> None:
    """Does every step; raises `ChangeRefused` with what is wrong with all of them."""
    problems: list[str] = []
    for number, step in enumerate(steps, start=1):
        try:
            CONVERSIONS[type(step)].convert(draft, step)
        except ChangeRefused as refused:
            if len(steps) == 1:
                raise
            where = _("Action {number} ({name})").format(number=number, name=NAMES[type(step)])
            problems += [f"{where}: {problem}" for problem in refused.problems]
    if problems:
        raise ChangeRefused(*problems)
