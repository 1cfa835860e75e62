"""The connection points of nodes: which ones an edge may use, and which edges would lose theirs."""

from collections.abc import Iterator
from typing import Any, Literal

from django.utils.translation import gettext as _

from graphs.objects.actions import ChangeRefused
from graphs.objects.operations import Record
from graphs.site.json_values import shown
from graphs.workflows.node_types import Handles

Direction = Literal["in", "out"]


def connectable(key: str, node: Record, wanted: str, direction: Direction) -> str:
    """The id of the handle that is meant. A node without any handle takes what is given; a note takes no edges."""
    if node["type"] == "note":
        raise ChangeRefused(_('"{key}" is a note; notes have no edges.').format(key=key))
    points = list(_points(node["handles"]))
    if not points:
        return wanted
    own = {point["id"]: point for _side, point in points if point["type"] == direction}
    by_side = {f"{side}-{point['id']}": point["id"] for side, point in points if point["type"] == direction}
    if wanted in own:
        return wanted
    if wanted in by_side:
        return by_side[wanted]
    if not wanted and len(own) == 1:
        return next(iter(own))
    raise ChangeRefused(_no_handle(key, wanted, direction, list(own.values())))


def lost(old: Handles, new: Handles, direction: Direction) -> set[str]:
    """The ids of this direction that only the old handles have."""
    return _ids(old, direction) - _ids(new, direction)


def _ids(handles: Handles, direction: Direction) -> set[str]:
    return {point["id"] for _side, point in _points(handles) if point["type"] == direction}


def _points(handles: Handles) -> Iterator[tuple[str, dict[str, Any]]]:
    return ((side, point) for side, points in handles.items() for point in points)


def _no_handle(key: str, wanted: str, direction: Direction, own: list[dict[str, Any]]) -> str:
    if not own:
        message = (
            _('"{key}" has no out handle, so no edge can leave it.')
            if direction == "out"
            else _('"{key}" has no in handle, so no edge can lead to it.')
        )
        return message.format(key=key)
    known = ", ".join(f"{point['id']} ({point['label']})" if point.get("label") else point["id"] for point in own)
    message = (
        _('"{key}" has no out handle "{handle}". It has: {known}.')
        if direction == "out"
        else _('"{key}" has no in handle "{handle}". It has: {known}.')
    )
    return message.format(key=key, handle=shown(wanted), known=known)
