"""The tables of what people talk about. Every query starts from a workspace."""

from graphs.models.history import ChangeSet, Modification, Origin, Revision
from graphs.models.live import LiveEdit
from graphs.models.objects import Object
from graphs.models.records import Company, Folder, Status, UseCase
from graphs.models.sign_ins import SignIn
from graphs.models.workflows import BUILT_IN_TYPES, Edge, Graph, Node, NodeType, Sheet
from graphs.models.workspaces import Membership, Role, Workspace

__all__ = [
    "BUILT_IN_TYPES",
    "ChangeSet",
    "Company",
    "Edge",
    "Folder",
    "Graph",
    "LiveEdit",
    "Membership",
    "Modification",
    "Node",
    "NodeType",
    "Object",
    "Origin",
    "Revision",
    "Role",
    "Sheet",
    "SignIn",
    "Status",
    "UseCase",
    "Workspace",
]
