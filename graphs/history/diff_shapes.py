"""What `graphs.history.diffs` makes, for shapes that hold diffs. Diffs are plain data, as they are stored."""

from typing import Any, Literal

from graphs.objects.kinds import Form
from graphs.objects.refs import ObjectName
from graphs.site.shapes import Shape


class DiffLine(Shape):
    op: Literal[" ", "-", "+"]
    old: int | None = None
    new: int | None = None
    text: str


class DiffField(Shape):
    """A changed field. If it is `cut`, texts and lines are the first ones; `added` and `removed` count all lines."""

    field: str
    label: str
    form: Form
    old: Any
    new: Any
    lines: list[DiffLine] | None = None
    added: int | None = None
    removed: int | None = None
    cut: bool | None = None


class DiffEntry(Shape):
    object: ObjectName
    kind_label: str
    label: str
    action: Literal["create", "update", "delete"]
    fields: list[DiffField]
