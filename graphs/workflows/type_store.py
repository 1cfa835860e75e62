"""How node types are stored: as any model, but nobody deletes one that nodes have."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from pydantic import ValidationError

from graphs.models import BUILT_IN_TYPES, Node
from graphs.objects.actions import mistakes
from graphs.objects.holding import hold_workspace
from graphs.objects.model_store import ModelStore
from graphs.objects.operations import Delete, Operation, Record, Update
from graphs.objects.refs import Ref
from graphs.objects.refusals import ChangeRefused
from graphs.objects.stores import Part
from graphs.workflows.action_parts import Handles


class NodeTypeStore(ModelStore):
    """Node types belong to a workspace, whose graphs use them by their keys."""

    def checked(self, item: Ref, new: Record) -> Record:
        """Handles are those of a node; a built-in type has its key for itself."""
        if item.key in BUILT_IN_TYPES:
            raise ChangeRefused(_('The type "{key}" is built in and stays as it is.').format(key=item.key))
        if "handles" not in new:
            return new
        try:
            return new | {"handles": Handles.model_validate(new["handles"]).to_json()}
        except ValidationError as error:
            raise ChangeRefused(f"handles: {mistakes(error)}") from None

    def hold(self, workspace_id: int) -> None:
        hold_workspace(workspace_id)

    def users(self, part: Part, others: Sequence[Part]) -> Sequence[Ref]:
        """Nodes of the type, those aside that lose it in the other parts."""
        if not any(isinstance(operation, Delete) for operation in part.operations):
            return ()
        freed = {
            (other.object.pk, operation.item.key)
            for other in others
            for operation in other.operations
            if _loses_type(operation)
        }
        nodes = Node.objects.filter(graph__workspace=part.object.workspace_id, type=part.object.key).order_by("id")
        rows = nodes.values_list("graph", "key")
        return [Ref("node", key) for graph, key in rows if (graph, key) not in freed]


def _loses_type(operation: Operation) -> bool:
    if operation.item.type != "node":
        return False
    return isinstance(operation, Delete) or (isinstance(operation, Update) and "type" in operation.new)
