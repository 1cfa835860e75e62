"""What a graph consists of, and the node types of a workspace: their fields by their names on the wire."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _

from graphs.models import Edge, Node, NodeType
from graphs.objects.kinds import Field, Kind
from graphs.workflows.type_store import NodeTypeStore


def _ends(record: Mapping[str, Any]) -> str:
    """ "a → b"; "" unless the record holds both ends."""
    return f"{record['source']} → {record['target']}" if {"source", "target"} <= record.keys() else ""


NODE = Kind(
    "node",
    _("node"),
    "name",
    (
        Field("type", "type", _("type")),
        Field("sheet", "sheet", _("sheet"), "key", "sheet"),
        Field("name", "name", _("name")),
        Field("process", "process", _("process"), "code"),
        Field("data", "data", _("data"), "json"),
        Field("handles", "handles", _("handles"), "json"),
        Field("posX", "pos_x", _("x"), "number", minor=True),
        Field("posY", "pos_y", _("y"), "number", minor=True),
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
        Field("sheet", "sheet", _("sheet"), "key", "sheet"),
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
