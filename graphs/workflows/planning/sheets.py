"""Sheets: made, named, put in order, deleted with all that stands on them."""

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import gettext as _

from graphs.objects.actions import ChangeRefused
from graphs.workflows.actions import CreateSheet, DeleteSheet, UpdateSheet
from graphs.workflows.interchange.keys import slug
from graphs.workflows.interchange.sizes import MAX_SHEETS
from graphs.workflows.kinds import EDGE, NODE, SHEET
from graphs.workflows.planning import nodes
from graphs.workflows.planning.graph_plan import GraphPlan
from graphs.workflows.planning.nodes import MAX_MADE_KEY
from graphs.workflows.planning.state import ToRead


def want_created(wanted: ToRead, action: CreateSheet) -> None:
    """Needs nothing: all sheets are read."""


def create(plan: GraphPlan, action: CreateSheet) -> None:
    if len(plan.sheets) >= MAX_SHEETS:
        raise ChangeRefused(_("A graph has at most {most} sheets.").format(most=intcomma(MAX_SHEETS)))
    if action.key is not None and action.key in plan.sheets:
        message = _('There is a sheet with the key "{key}" already. Choose another key, or leave it out.')
        raise ChangeRefused(message.format(key=action.key))
    key = action.key or plan.free_sheets.take(slug(action.name, fallback="sheet")[:MAX_MADE_KEY])
    plan.add(SHEET, key, {"name": action.name, "position": plan.next_position()})
    if action.position is not None:
        plan.put_sheet(key, action.position)


def want_updated(wanted: ToRead, action: UpdateSheet) -> None:
    """Needs nothing: all sheets are read."""


def update(plan: GraphPlan, action: UpdateSheet) -> None:
    key = plan.sheet(action.sheet_key)
    if action.name is not None:
        plan.change(SHEET, key, {"name": action.name})
    if action.position is not None:
        plan.put_sheet(key, action.position)


def want_deleted(wanted: ToRead, action: DeleteSheet) -> None:
    wanted.deleted_sheets.add(action.sheet_key)


def delete(plan: GraphPlan, action: DeleteSheet) -> None:
    """Deletes a sheet and its nodes with their edges, each by an operation of its own.

    An edge that only stands there, between nodes of other sheets, goes to the sheet of its source.
    """
    key = plan.sheet(action.sheet_key)
    if len(plan.sheets) == 1:
        message = _('"{key}" is the only sheet of the graph, and stays. Make another one first.')
        raise ChangeRefused(message.format(key=key))
    before = len(plan.objects.operations)
    for node_key in plan.on_sheet(NODE, key):
        nodes.remove(plan, node_key)
    for edge_key in plan.on_sheet(EDGE, key):
        plan.change(EDGE, edge_key, {"sheet": plan.node(plan.edge(edge_key)["source"])["sheet"]})
    plan.objects.going_along += len(plan.objects.operations) - before
    plan.remove(SHEET, key)
