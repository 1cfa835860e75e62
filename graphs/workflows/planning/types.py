"""Node types of the workspace: created, changed, deleted."""

from django.utils.translation import gettext as _

from graphs.objects.actions import ChangeRefused, some
from graphs.objects.operations import Record
from graphs.objects.patches import patched
from graphs.objects.refs import Ref
from graphs.site.json_values import shown
from graphs.workflows.actions import ConfigureNodeType, DeleteNodeType
from graphs.workflows.interchange.keys import slug
from graphs.workflows.kinds import NODE_TYPE
from graphs.workflows.node_types import BUILT_IN
from graphs.workflows.planning.graph_plan import GraphPlan
from graphs.workflows.planning.nodes import MAX_MADE_KEY
from graphs.workflows.planning.state import ToRead

#: Graphs that are named where they use a type.
NAMED_GRAPHS = 5


def want_configured(wanted: ToRead, action: ConfigureNodeType) -> None:
    if action.type_key is not None:
        wanted.types.add(action.type_key)
    else:
        wanted.types_made_of.add(_wanted_key(action))


def configure(plan: GraphPlan, action: ConfigureNodeType) -> None:
    given = {
        "displayName": action.display_name,
        "description": action.description,
        "category": action.category,
        "icon": action.icon,
        "process": action.process,
        "handles": None if action.handles is None else action.handles.to_json(),
    }
    new = {name: value for name, value in given.items() if value is not None}
    if action.mode == "create":
        _create(plan, action, new)
    else:
        _update(plan, action, new)


def want_deleted(wanted: ToRead, action: DeleteNodeType) -> None:
    wanted.types.add(action.type_key)
    wanted.deleted_types.add(action.type_key)


def delete(plan: GraphPlan, action: DeleteNodeType) -> None:
    _own(plan, action.type_key)
    if used := plan.uses(action.type_key):
        message = _('Nodes still are of the type "{key}" in: {graphs}. Give them another type first.')
        raise ChangeRefused(message.format(key=action.type_key, graphs=some(used, NAMED_GRAPHS)))
    plan.objects.remove(Ref(NODE_TYPE.name, action.type_key))


def _create(plan: GraphPlan, action: ConfigureNodeType, new: Record) -> None:
    given = action.type_key
    if given is not None and (given in BUILT_IN or plan.node_type(given)):
        message = _('There is a node type "{key}" already. Choose another key, or update that one.')
        raise ChangeRefused(message.format(key=given))
    record = {"description": "", "category": "", "icon": "", "handles": {}, "process": ""} | new
    plan.objects.add(NODE_TYPE, given or plan.free_types.take(_wanted_key(action)), record, free=True)


def _update(plan: GraphPlan, action: ConfigureNodeType, new: Record) -> None:
    """Changes a type. Nodes keep the handles they have: they got a copy when they were created."""
    key = action.type_key or ""
    record = _own(plan, key)
    if action.process_patches is not None:
        new["process"] = patched(record["process"], action.process_patches, key)
    plan.objects.change(Ref(NODE_TYPE.name, key), new)


def _own(plan: GraphPlan, key: str) -> Record:
    """A type that this workspace defined."""
    if key in BUILT_IN:
        raise ChangeRefused(_('The type "{key}" is built in and stays as it is.').format(key=key))
    record = plan.node_type(key)
    if record is None:
        raise ChangeRefused(_('The workspace has no node type "{key}" of its own.').format(key=shown(key)))
    return record


def _wanted_key(action: ConfigureNodeType) -> str:
    return slug(action.display_name or "", fallback="type")[:MAX_MADE_KEY]
