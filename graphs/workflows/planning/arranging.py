"""Reorganizing the layout: nodes in layers along their edges, sheet by sheet; what was not asked to move stays."""

from collections.abc import Collection

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import gettext as _

from graphs.objects.actions import ChangeRefused
from graphs.workflows.actions import ReorganizeLayout
from graphs.workflows.kinds import NODE
from graphs.workflows.planning import layout
from graphs.workflows.planning.boxes import Box, bounds, free_y
from graphs.workflows.planning.graph_plan import GraphPlan
from graphs.workflows.planning.state import ToRead

#: Nodes that one change arranges: several steps of a batch may each arrange all of a sheet.
MAX_ARRANGED = 5_000


def want(wanted: ToRead, action: ReorganizeLayout) -> None:
    for key in action.node_keys or ():
        wanted.node(key)
        wanted.drawn_around.add(key)
    if action.sheet is not None:
        wanted.drawn.add(action.sheet)
    elif action.node_keys is None:
        wanted.all_drawn = True
    wanted.linked = True


def convert(plan: GraphPlan, action: ReorganizeLayout) -> None:
    for sheet, keys in _asked(plan, action).items():
        boxes = plan.boxes(sheet)
        if len(keys) > layout.MAX_NODES:
            message = _('The sheet "{sheet}" has {count} nodes; at most {most} can be arranged at once. Give nodeKeys.')
            raise ChangeRefused(message.format(sheet=sheet, count=intcomma(len(keys)), most=intcomma(layout.MAX_NODES)))
        plan.arranged += len(keys)
        if plan.arranged > MAX_ARRANGED:
            message = _("One change can arrange at most {most} nodes, each as often as it is asked for.")
            raise ChangeRefused(message.format(most=intcomma(MAX_ARRANGED)))
        links = list(plan.links_between(keys))
        if len(links) > layout.MAX_LINKS:
            message = _('The sheet "{sheet}" has {count} edges; at most {most} can be arranged at once. Give nodeKeys.')
            raise ChangeRefused(
                message.format(sheet=sheet, count=intcomma(len(links)), most=intcomma(layout.MAX_LINKS))
            )
        moved = {key: boxes[key] for key in keys}
        arranged = layout.arranged(moved, links, action.strategy)
        where, block = bounds(moved.values()), bounds(arranged.values())
        around = plan.boxes_around(sheet, block.at(where.x, where.y))
        others = [box for key, box in around.items() if key not in keys]
        for key, box in _put(arranged, where, others).items():
            plan.change(NODE, key, {"posX": box.x, "posY": box.y})


def _asked(plan: GraphPlan, action: ReorganizeLayout) -> dict[str, Collection[str]]:
    """The nodes to move by sheet."""
    sheets = plan.state.sheets if action.sheet is None else [plan.sheet(action.sheet)]
    if action.node_keys is None:
        return {sheet: boxes.keys() for sheet in sheets if (boxes := plan.boxes(sheet))}
    asked: dict[str, Collection[str]] = {}
    for key in action.node_keys:
        sheet = plan.node(key)["sheet"]
        if sheet not in sheets:
            message = _('"{key}" is on the sheet "{sheet}", not on "{other}".')
            raise ChangeRefused(message.format(key=key, sheet=sheet, other=action.sheet))
        asked[sheet] = {*asked.get(sheet, ()), key}
    return asked


def _put(arranged: dict[str, Box], where: Box, others: Collection[Box]) -> dict[str, Box]:
    """The nodes as they were arranged, from their former upper left corner on, as a whole beside all others."""
    block = bounds(arranged.values())
    top = round(free_y(block.at(where.x, where.y), others))
    return {key: box.at(box.x - block.x + where.x, box.y - block.y + top) for key, box in arranged.items()}
