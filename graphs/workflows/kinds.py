"""What a graph consists of, and the node types of a workspace: their fields by their names on the wire."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from pydantic import ValidationError

from graphs.models import BUILT_IN_TYPES, Edge, Node, NodeType, Sheet
from graphs.objects.actions import ChangeRefused, mistakes_for_people
from graphs.objects.holding import hold_workspace
from graphs.objects.kinds import Field, Kind
from graphs.objects.model_store import ModelStore
from graphs.objects.operations import Delete, Record, result
from graphs.objects.refs import Ref
from graphs.objects.stores import ObjectChange
from graphs.workflows.actions import Handles
from graphs.workflows.bounds import require_key, require_texts
from graphs.workflows.node_types import MAX_OF_WORKSPACE


def _ends(record: Mapping[str, Any]) -> str:
    """ "a → b"; "" unless the record holds both ends."""
    return f"{record['source']} → {record['target']}" if {"source", "target"} <= record.keys() else ""


SHEET = Kind(
    "sheet",
    _("sheet"),
    "name",
    (
        Field("name", "name", _("name")),
        Field("position", "position", _("position"), "number", minor=True, position=True),
    ),
    Sheet,
    owner="graph_id",
)
NODE = Kind(
    "node",
    _("node"),
    "name",
    (
        Field("type", "type", _("type"), constrains=True),
        Field("sheet", "sheet", _("sheet"), "key", "sheet", position=True),
        Field("name", "name", _("name")),
        Field("process", "process", _("process"), "code"),
        Field("data", "data", _("data"), "json"),
        Field("handles", "handles", _("handles"), "json", constrains=True),
        Field("posX", "pos_x", _("x"), "number", minor=True, position=True),
        Field("posY", "pos_y", _("y"), "number", minor=True, position=True),
        Field("width", "width", _("width"), "number", minor=True),
        Field("height", "height", _("height"), "number", minor=True),
    ),
    Node,
    owner="graph_id",
)
EDGE = Kind(
    "edge",
    _("edge"),
    "label",
    (
        Field("source", "source", _("source"), "key", "node"),
        Field("sourceHandle", "source_handle", _("source handle")),
        Field("target", "target", _("target"), "key", "node"),
        Field("targetHandle", "target_handle", _("target handle")),
        Field("label", "label", _("label")),
        Field("sheet", "sheet", _("sheet"), "key", "sheet", position=True),
    ),
    Edge,
    owner="graph_id",
    called=_ends,
)
#: The fields of the graph itself.
OWN_FIELDS = (
    Field("name", "name", _("name")),
    Field("description", "description", _("description")),
    Field("metadata", "metadata", _("metadata"), "json"),
)


class NodeTypeStore(ModelStore):
    """Node types are stored as any model is, but nobody deletes one that nodes of their workspace have."""

    def checked(self, item: Ref, new: Record) -> Record:
        """Handles are those of a node, texts no longer than in files; a built-in type has its key for itself."""
        if item.key in BUILT_IN_TYPES:
            raise ChangeRefused(gettext('The type "{key}" is built in and stays as it is.').format(key=item.key))
        require_key(item.key)
        require_texts("displayName", new)
        if "handles" not in new:
            return new
        try:
            return new | {"handles": Handles.model_validate(new["handles"]).to_json()}
        except ValidationError as error:
            raise ChangeRefused(f"handles: {mistakes_for_people(error)}") from None

    hold = staticmethod(hold_workspace)

    def require_room(self, workspace_id: int, more: int) -> None:
        if NodeType.objects.filter(workspace=workspace_id).count() + more > MAX_OF_WORKSPACE:
            raise ChangeRefused(
                gettext("A workspace has at most {most} node types.").format(most=intcomma(MAX_OF_WORKSPACE))
            )

    def users(self, deleted: Sequence[ObjectChange], others: Sequence[ObjectChange]) -> Iterable[tuple[Ref, Ref]]:
        """Nodes of each type, once all the other changes are done."""
        types = {
            (other.object.pk, operation.item): result(operation).get("type")
            for other in others
            for operation in other.operations
            if operation.item.type == "node" and (isinstance(operation, Delete) or "type" in result(operation))
        }
        found: list[tuple[Ref, Ref]] = []
        for of in (change.object for change in deleted):
            nodes = Node.objects.filter(graph__workspace=of.workspace_id, type=of.key).order_by("id")
            rows = [(graph, Ref("node", key)) for graph, key in nodes.values_list("graph", "key")]
            nodes_left = [row[1] for row in rows if row not in types]
            nodes_left += [ref for (_graph, ref), type_key in types.items() if type_key == of.key]
            found += ((Ref(of.type, of.key), node) for node in nodes_left)
        return [*found, *super().users(deleted, others)]


#: A type of node that a workspace defined.
NODE_TYPE = Kind(
    "nodeType",
    _("node type"),
    "displayName",
    (
        Field("displayName", "display_name", _("display name")),
        Field("description", "description", _("description")),
        Field("category", "category", _("category")),
        Field("icon", "icon", _("icon")),
        Field("handles", "handles", _("handles"), "json"),
        Field("process", "process", _("process"), "code"),
    ),
    NodeType,
    NodeTypeStore(),
)
