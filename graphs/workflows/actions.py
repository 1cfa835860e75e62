"""What can be asked for of a graph, as strict models. A null says nothing."""

from typing import Annotated, Any, Literal, Self

from django.utils.translation import gettext as _
from pydantic import AfterValidator, Field, model_validator
from pydantic.json_schema import SkipJsonSchema

from graphs.models.visible_text import is_blank
from graphs.models.workflows import MAX_DESCRIPTION, MAX_EDGE_KEY, MAX_NAME
from graphs.objects.actions import MAX_ACTIONS, Batch, register
from graphs.objects.refs import Ref
from graphs.objects.strict import MAX_SHORT, STORABLE, DataPatch, JSONObject, Key, Patches, ShortText, StrictModel, Text
from graphs.workflows.interchange.parsed_graph import MAX_COORDINATE
from graphs.workflows.interchange.sizes import MAX_HANDLES, MAX_SHEETS


def _visible(key: str) -> str:
    if not key.isprintable() or any(letter.isspace() or letter in "{}" for letter in key):
        raise ValueError(_("a key may hold no spaces, braces or invisible characters"))
    return key


def _said(name: str) -> str:
    if is_blank(name):
        raise ValueError(_("a name is more than spaces"))
    return name


def _empty_or_said(name: str) -> str:
    return _said(name) if name else name


NewKey = Annotated[Key, AfterValidator(_visible)]
EdgeKey = Annotated[str, Field(min_length=1, max_length=MAX_EDGE_KEY), STORABLE]
DisplayName = Annotated[str, Field(min_length=1, max_length=MAX_NAME), STORABLE, AfterValidator(_said)]
TypeKey = Annotated[str, Field(min_length=1, max_length=MAX_NAME), STORABLE]
Name = Annotated[str, Field(max_length=MAX_NAME), STORABLE]
NodeName = Annotated[Name, AfterValidator(_empty_or_said)]
Description = Annotated[str, Field(max_length=MAX_DESCRIPTION), STORABLE]
Code = Text
Coordinate = Annotated[
    float, Field(ge=-MAX_COORDINATE, le=MAX_COORDINATE, allow_inf_nan=False), AfterValidator(lambda value: value or 0.0)
]
Position = Annotated[int, Field(ge=0, lt=MAX_SHEETS)]
Size = Annotated[float, Field(gt=0, le=MAX_COORDINATE, allow_inf_nan=False)]


class Handle(StrictModel):
    id: Annotated[str, Field(min_length=1, max_length=MAX_SHORT), STORABLE]
    type: Literal["in", "out"]
    accept: ShortText = "any"
    label: Name | None = None


class Handles(StrictModel):
    """Connection points by side: right, left, top, bottom."""

    right: list[Handle] | None = Field(None, alias="R", max_length=MAX_HANDLES)
    left: list[Handle] | None = Field(None, alias="L", max_length=MAX_HANDLES)
    top: list[Handle] | None = Field(None, alias="T", max_length=MAX_HANDLES)
    bottom: list[Handle] | None = Field(None, alias="B", max_length=MAX_HANDLES)

    @model_validator(mode="after")
    def _ids_are_unique(self) -> Self:
        handles = [handle for side in (self.right, self.left, self.top, self.bottom) for handle in side or ()]
        if len({(handle.type, handle.id) for handle in handles}) < len(handles):
            raise ValueError(_("two handles of the same direction have the same id"))
        return self

    def to_json(self) -> dict[str, list[dict[str, Any]]]:
        """The handles as nodes and types hold them, without empty sides."""
        return {side: handles for side, handles in self.model_dump(exclude_none=True).items() if handles}


class Coded(StrictModel):
    """Something with code, which is replaced as a whole or patched."""

    process: Code | None = Field(None, description="All of it; to change it, processPatches.")
    process_patches: Patches | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if self.process is not None and self.process_patches is not None:
            raise ValueError(_("give either process or processPatches"))
        return self


class CreateNode(StrictModel):
    type_key: TypeKey
    sheet: Key
    pos_x: Coordinate = Field(description="Left edge; a node is some 190 wide.")
    pos_y: Coordinate = Field(description="Upper edge; it is some 64 high.")
    name: NodeName | None = None
    key: NewKey | None = Field(None, description="To name it in a batch; else made.")
    process: Code | None = None
    handles: Handles | None = Field(None, description="Else the type's.")
    data: JSONObject | None = None


class NodeUpdates(Coded):
    """The fields that change; the others stay."""

    name: NodeName | None = None
    type: TypeKey | None = None
    data: JSONObject | None = Field(None, description="Merged (RFC 7396): null removes a key.")
    data_patches: Annotated[list[DataPatch], Field(min_length=1, max_length=100)] | None = Field(
        None, description="Of long texts in data."
    )
    #: As a person's form has it, where a null is a value. No model is told of it.
    whole_data: SkipJsonSchema[JSONObject | None] = None
    handles: Handles | None = Field(None, description="All as they will be.")
    width: Size | None = None
    height: Size | None = None

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not self.model_dump(exclude_none=True):
            raise ValueError(_("give at least one field that changes"))
        return self


class UpdateNode(StrictModel):
    node_key: Key
    updates: NodeUpdates

    def changed(self) -> tuple[Ref, ...]:
        return (Ref("node", self.node_key),)


class ReplaceData(StrictModel):
    """The data as a whole, as a person's form has it: here a null is a value."""

    node_key: Key
    data: JSONObject

    def changed(self) -> tuple[Ref, ...]:
        return (Ref("node", self.node_key),)


class MoveNode(StrictModel):
    node_key: Key
    pos_x: Coordinate
    pos_y: Coordinate
    sheet: Key | None = None

    def changed(self) -> tuple[Ref, ...]:
        return (Ref("node", self.node_key),)


class DeleteNode(StrictModel):
    node_key: Key

    def changed(self) -> tuple[Ref, ...]:
        return (Ref("node", self.node_key),)


class CreateEdge(StrictModel):
    source_key: Key
    source_handle: ShortText
    target_key: Key
    target_handle: ShortText
    sheet: Key | None = Field(None, description="Else the source's.")
    label: Name | None = None


class UpdateEdge(StrictModel):
    edge_key: EdgeKey
    label: Name

    def changed(self) -> tuple[Ref, ...]:
        return (Ref("edge", self.edge_key),)


class DeleteEdge(StrictModel):
    edge_key: EdgeKey

    def changed(self) -> tuple[Ref, ...]:
        return (Ref("edge", self.edge_key),)


class Connection(StrictModel):
    """An edge of a new node: "in" comes from the other node, "out" leads to it."""

    direction: Literal["in", "out"] = Field(description="in: from the other node; out: to it.")
    handle: ShortText
    other_key: Key
    other_handle: ShortText
    label: Name | None = None


class CreateNodeWithEdges(StrictModel):
    type_key: TypeKey
    sheet: Key
    pos_x: Coordinate | None = Field(None, description="Without both: beside its neighbours.")
    pos_y: Coordinate | None = None
    name: NodeName | None = None
    key: NewKey | None = Field(None, description="To name it in a batch; else made.")
    process: Code | None = None
    handles: Handles | None = Field(None, description="Else the type's.")
    data: JSONObject | None = None
    edges: Annotated[list[Connection], Field(min_length=1, max_length=MAX_HANDLES)]

    @model_validator(mode="after")
    def _both_or_neither(self) -> Self:
        if (self.pos_x is None) != (self.pos_y is None):
            raise ValueError(_("give both posX and posY, or neither"))
        return self


class ConfigureNodeType(Coded):
    mode: Literal["create", "update"]
    type_key: NewKey | None = Field(None, description="Which to update; optional of a new one.")
    display_name: DisplayName | None = None
    description: Description | None = None
    category: ShortText | None = None
    icon: ShortText | None = None
    handles: Handles | None = Field(None, description="For new nodes.")

    @model_validator(mode="after")
    def _enough(self) -> Self:
        if self.mode == "create" and self.display_name is None:
            raise ValueError(_("a new type needs a displayName"))
        if self.mode == "create" and self.process_patches is not None:
            raise ValueError(_("a new type has no code yet: give process"))
        if self.mode == "update" and self.type_key is None:
            raise ValueError(_("an update needs the typeKey"))
        return self

    def named(self) -> tuple[Ref, ...]:
        return (Ref("nodeType", self.type_key),) if self.type_key else ()

    def changed(self) -> tuple[Ref, ...]:
        return self.named() if self.mode == "update" else ()


class DeleteNodeType(StrictModel):
    type_key: Key

    def named(self) -> tuple[Ref, ...]:
        return (Ref("nodeType", self.type_key),)

    def changed(self) -> tuple[Ref, ...]:
        return self.named()


class CreateSheet(StrictModel):
    name: DisplayName
    key: NewKey | None = Field(None, description="To name it in a batch; else made.")
    position: Position | None = Field(None, description="From 0; else the last.")


class UpdateSheet(StrictModel):
    sheet_key: Key
    name: DisplayName | None = None
    position: Position | None = Field(None, description="Its place among all sheets, from 0.")

    @model_validator(mode="after")
    def _something(self) -> Self:
        if self.name is None and self.position is None:
            raise ValueError(_("give a name or a position"))
        return self

    def changed(self) -> tuple[Ref, ...]:
        return (Ref("sheet", self.sheet_key),)


class DeleteSheet(StrictModel):
    sheet_key: Key

    def changed(self) -> tuple[Ref, ...]:
        return (Ref("sheet", self.sheet_key),)


class UpdateGraph(StrictModel):
    """The graph itself; what is not given stays."""

    name: DisplayName | None = None
    description: Description | None = None

    @model_validator(mode="after")
    def _something(self) -> Self:
        if self.name is None and self.description is None:
            raise ValueError(_("give a name or a description"))
        return self


class DeleteGraph(StrictModel):
    """The graph with all that is in it."""


class ReorganizeLayout(StrictModel):
    node_keys: Annotated[list[Key], Field(min_length=1, max_length=MAX_ACTIONS)] | None = Field(
        None, description="Else all of the sheet."
    )
    sheet: Key | None = Field(None, description="Else each for itself.")
    strategy: Literal["leftToRight", "topToBottom"] = "leftToRight"

    def changed(self) -> tuple[Ref, ...]:
        return tuple(Ref("node", key) for key in sorted(self.node_keys or ())) or (Ref("sheet", self.sheet or "*"),)


#: What a model may propose of a graph; each is the tool `propose_` and its name.
PROPOSABLE: dict[str, type[StrictModel]] = {
    "create_node": CreateNode,
    "update_node": UpdateNode,
    "move_node": MoveNode,
    "delete_node": DeleteNode,
    "create_edge": CreateEdge,
    "delete_edge": DeleteEdge,
    "create_node_with_edges": CreateNodeWithEdges,
    "batch": Batch,
    "configure_node_type": ConfigureNodeType,
    "reorganize_layout": ReorganizeLayout,
    "create_sheet": CreateSheet,
    "update_sheet": UpdateSheet,
    "delete_sheet": DeleteSheet,
}
_BY_HAND: dict[str, type[StrictModel]] = {
    "replace_data": ReplaceData,
    "update_edge": UpdateEdge,
    "delete_node_type": DeleteNodeType,
    "update_graph": UpdateGraph,
    "delete_graph": DeleteGraph,
}
#: Everything a person may do to a graph by hand.
ACTIONS = {**PROPOSABLE, **_BY_HAND}
register(PROPOSABLE)
register(_BY_HAND, proposable=False)
