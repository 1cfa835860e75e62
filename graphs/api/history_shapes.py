"""The JSON of the history, for the OpenAPI document; bodies of rollbacks. A test compares it with what is answered."""

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from graphs.api.shapes import Shape
from graphs.models import Origin
from graphs.site.api.bodies import Body


class ObjectName(Shape):
    type: str
    id: str


class RevisedObject(ObjectName):
    label: str
    version: int


class Link(Shape):
    cause: str
    text: str
    url: str | None
    details: dict[str, Any]


class DiffLine(Shape):
    op: Literal[" ", "-", "+"]
    old: int | None = None
    new: int | None = None
    text: str


class DiffField(Shape):
    """Of a field that is `cut`, texts and lines are only the first; `added` and `removed` count all lines."""

    field: str
    label: str
    form: Literal["text", "code", "json", "number", "key"]
    old: Any
    new: Any
    lines: list[DiffLine] | None = None
    added: int | None = None
    removed: int | None = None
    cut: bool | None = None


class DiffEntry(Shape):
    object: ObjectName
    label: str
    action: Literal["create", "update", "delete"]
    fields: list[DiffField]


class ModificationShape(Shape):
    id: int
    object: ObjectName
    action: Literal["create", "update", "delete"]
    field: str
    old: Any
    new: Any


class ListedModification(ModificationShape):
    label: str
    cut: bool


class _ChangeSetHead(Shape):
    id: str
    actor: str | None
    origin: Origin
    cause: str
    causes: list[str]
    links: list[Link]
    reason: str
    prompt_version: str | None
    model: str | None
    created_at: datetime
    undoes: str | None
    undone_by: str | None
    objects: list[RevisedObject]
    modification_count: int


class ChangeSetShape(_ChangeSetHead):
    modifications: list[ModificationShape]
    diff: list[DiffEntry]


class ChangeSetPage(ChangeSetShape):
    next: str | None
    previous: str | None


class VersionShape(_ChangeSetHead):
    version: int
    summary: dict[str, dict[str, int]]
    modifications: list[ListedModification]


class VersionPage(Shape):
    """`unsavedSince`: when the first live edit was made that is not listed yet; null where all are."""

    unsaved_since: datetime | None
    results: list[VersionShape]
    next: str | None
    previous: str | None


class ComparedShape(Shape):
    object: ObjectName
    a: int
    b: int
    diff: list[DiffEntry]
    total: int


class GraphDiffEntry(DiffEntry):
    graph: str


class ConflictShape(Shape):
    graph: str
    object: ObjectName
    field: str
    label: str
    field_label: str
    code: str
    detail: str
    expected: Any
    found: Any
    changed_by: str | None
    changed_at: datetime | None
    change_set_id: str | None


class LeftOutShape(Shape):
    graph: str
    object: ObjectName
    field: str


class PreviewShape(Shape):
    diff: list[GraphDiffEntry]
    total: int
    conflicts: list[ConflictShape]
    left_out: list[LeftOutShape]
    digest: str


class NamedObject(Body):
    type: str = Field(max_length=30)
    id: str = Field(max_length=250)


class LeaveOut(Body):
    """A field that stays as it is; without one, the whole item. `graph` is needed where several have such an item."""

    object: NamedObject
    field: str = Field("", max_length=100)
    graph: str | None = Field(None, max_length=100)


class RollbackBody(Body):
    preview: bool = False
    leave_out: list[LeaveOut] = Field([], max_length=10_000)
    reason: str = Field("", max_length=2_000)
    digest: str | None = Field(None, max_length=64)


class ScopeBody(Body):
    """Exactly one of them; `asOf` (a moment) and `version` go with `object`."""

    modification: int | None = Field(None, ge=1, le=2**63 - 1)
    turn: str | None = Field(None, max_length=100)
    session: str | None = Field(None, max_length=100)
    change_sets: list[str] | None = Field(None, min_length=1, max_length=100)
    object: NamedObject | None = None
    as_of: str | None = Field(None, max_length=40)
    version: int | None = Field(None, ge=1, le=2**31 - 1)


class ScopedRollbackBody(RollbackBody):
    scope: ScopeBody
