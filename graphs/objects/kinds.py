"""The kinds of items that can be changed: their fields by their names on the wire, and the columns behind them.

Operations, diffs, history and forms all read this registry; a new kind or field is described here once.
"""

from dataclasses import dataclass
from typing import Literal

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

#: How people read a value: plain text, code (a diff by lines), JSON, a number, or the key of something else.
Form = Literal["text", "code", "json", "number", "key"]


@dataclass(frozen=True, slots=True)
class Field:
    """`name` on the wire, `column` on the row; a "key" names a row behind the column."""

    name: str
    column: str
    label: str | Promise
    form: Form = "text"

    @property
    def attribute(self) -> str:
        """The column itself, where `column` is a relation."""
        return f"{self.column}_id" if self.form == "key" else self.column


@dataclass(frozen=True, slots=True)
class Kind:
    """What can be changed. `title` is the field that people know it by."""

    name: str
    label: str | Promise
    title: str
    fields: tuple[Field, ...]

    def field(self, name: str) -> Field:
        """Raises `KeyError`."""
        return self._by_name()[name]

    def _by_name(self) -> dict[str, Field]:
        return {field.name: field for field in self.fields}


NODE = Kind(
    "node",
    _("node"),
    "name",
    (
        Field("type", "type", _("type")),
        Field("sheet", "sheet", _("sheet"), "key"),
        Field("name", "name", _("name")),
        Field("process", "process", _("process"), "code"),
        Field("data", "data", _("data"), "json"),
        Field("handles", "handles", _("handles"), "json"),
        Field("posX", "pos_x", _("x"), "number"),
        Field("posY", "pos_y", _("y"), "number"),
        Field("width", "width", _("width"), "number"),
        Field("height", "height", _("height"), "number"),
    ),
)
EDGE = Kind(
    "edge",
    _("edge"),
    "label",
    (
        Field("source", "source", _("source"), "key"),
        Field("sourceHandle", "source_handle", _("source handle")),
        Field("target", "target", _("target"), "key"),
        Field("targetHandle", "target_handle", _("target handle")),
        Field("label", "label", _("label")),
        Field("sheet", "sheet", _("sheet"), "key"),
    ),
)
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
)
#: What revisions call a graph, which is an object but no item of one.
GRAPH = "graph"
KINDS: dict[str, Kind] = {kind.name: kind for kind in (NODE, EDGE, NODE_TYPE)}
