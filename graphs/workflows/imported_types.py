"""The node types of a file: those that the workspace lacks are made, the others stay as they are."""

from collections.abc import Iterable
from typing import Any

from django.utils.translation import gettext as _

from graphs.models import BUILT_IN_TYPES, NodeType, Workspace
from graphs.objects.actions import ChangeRefused
from graphs.objects.holding import hold_workspace
from graphs.objects.kinds import Field, store_of
from graphs.workflows import trust
from graphs.workflows.interchange.parsed_graph import ParsedGraph, ParsedNodeType
from graphs.workflows.interchange.refusals import FileWarning, refuse
from graphs.workflows.kinds import NODE_TYPE


def create_node_types(
    workspace: Workspace, parsed: tuple[ParsedNodeType, ...], mark: trust.Mark
) -> tuple[list[NodeType], list[FileWarning]]:
    """Creates the types that the workspace lacks. Those it has stay as they are; a warning where the file's differs."""
    if parsed:
        hold_workspace(workspace.pk)
    own = NodeType.objects.filter(workspace=workspace, key__in=[item.key for item in parsed])
    present = {row.key: row for row in own}
    new = {item.key: item for item in parsed if item.key not in present and item.key not in BUILT_IN_TYPES}
    if new:
        _require_room(workspace, len(new))
    created = [
        NodeType.objects.create(workspace=workspace, key=key, **columns_of(item, NODE_TYPE.fields), **mark)
        for key, item in new.items()
    ]
    message = _('The workspace has a node type "{key}" of its own, which stays as it is.')
    warnings = [
        FileWarning(f"nodeTypes[{index}]", message.format(key=item.key), "type_differs")
        for index, item in enumerate(parsed)
        if item.key not in new
        and (
            item.key not in present
            or columns_of(present[item.key], NODE_TYPE.fields) != columns_of(item, NODE_TYPE.fields)
        )
    ]
    return created, warnings


def _require_room(workspace: Workspace, more: int) -> None:
    """Raises `ImportRefused` where the workspace cannot have so many more types."""
    try:
        store_of(NODE_TYPE.name).require_room(workspace.pk, more)
    except ChangeRefused as refused:
        raise refuse("nodeTypes", str(refused)) from refused


def columns_of(of: ParsedGraph | ParsedNodeType | NodeType, fields: Iterable[Field]) -> dict[str, Any]:
    """The values of fields by their columns."""
    return {field.column: getattr(of, field.column) for field in fields}
