"""What can be asked for, as strict models: of the tools (`propose_` and the name), of people who edit, in batches.

`graphs.workflows.planning.plan` turns actions into operations. Names on the wire are camelCase; a null is the same as
nothing.
"""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, ValidationError, model_validator
from pydantic.json_schema import SkipJsonSchema

from graphs.site.json_values import shown
from graphs.workflows.action_parts import (
    MAX_HANDLES,
    Code,
    Coded,
    Coordinate,
    DataPatch,
    Description,
    DisplayName,
    EdgeKey,
    Handles,
    JSONObject,
    Key,
    Name,
    NewKey,
    Part,
    ShortText,
    Size,
    TypeKey,
)

#: Actions of one batch.
MAX_ACTIONS = 1_000
#: Mistakes of one action that are told.
MAX_MISTAKES = 5


class CreateNode(Part):
    type_key: TypeKey = Field(description="Built in, of the workspace, or in use in the graph.")
    sheet: Key = Field(description="Key of a sheet.")
    pos_x: Coordinate = Field(description="Left edge; nodes are about 190 wide.")
    pos_y: Coordinate = Field(description="Upper edge; nodes are about 64 high.")
    name: Name | None = None
    key: NewKey | None = Field(None, description="To refer to the new node in a batch; else made.")
    process: Code | None = None
    handles: Handles | None = Field(None, description="Left out: those of the type.")
    data: JSONObject | None = None


class NodeUpdates(Coded):
    """The fields that change; the others stay."""

    name: Name | None = None
    type: TypeKey | None = None
    data: JSONObject | None = Field(None, description="Merged into the data (RFC 7396): null removes a key.")
    data_patches: Annotated[list[DataPatch], Field(min_length=1, max_length=100)] | None = Field(
        None, description="Changes of long texts in the data, in this order."
    )
    #: As a person's form has it, where a null is a value. No model is told of it.
    whole_data: SkipJsonSchema[JSONObject | None] = None
    handles: Handles | None = Field(None, description="All handles of the node as they will be.")
    width: Size | None = None
    height: Size | None = None

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not self.model_dump(exclude_none=True):
            raise ValueError("give at least one field that changes")
        return self


class UpdateNode(Part):
    node_key: Key
    updates: NodeUpdates


class ReplaceData(Part):
    """The data as a whole, as a person's form has it: here a null is a value."""

    node_key: Key
    data: JSONObject


class MoveNode(Part):
    node_key: Key
    pos_x: Coordinate
    pos_y: Coordinate
    sheet: Key | None = Field(None, description="Another sheet; left out, the node stays on its own.")


class DeleteNode(Part):
    node_key: Key


class CreateEdge(Part):
    source_key: Key
    source_handle: ShortText = Field(description="An out handle of the source.")
    target_key: Key
    target_handle: ShortText = Field(description="An in handle of the target.")
    sheet: Key | None = Field(None, description="Left out: that of the source.")
    label: Name | None = None


class UpdateEdge(Part):
    edge_key: EdgeKey
    label: Name


class DeleteEdge(Part):
    edge_key: EdgeKey


class Connection(Part):
    """An edge of a new node: "in" comes from the other node, "out" leads to it."""

    direction: Literal["in", "out"]
    handle: ShortText = Field(description="The new node's handle.")
    other_key: Key
    other_handle: ShortText = Field(description="The other node's handle.")
    label: Name | None = None


class CreateNodeWithEdges(Part):
    type_key: TypeKey
    sheet: Key
    pos_x: Coordinate | None = Field(None, description="Left out with posY: beside the nodes it is connected to.")
    pos_y: Coordinate | None = None
    name: Name | None = None
    key: NewKey | None = Field(None, description="To refer to the new node in a batch; else made.")
    process: Code | None = None
    handles: Handles | None = Field(None, description="Left out: those of the type.")
    data: JSONObject | None = None
    edges: Annotated[list[Connection], Field(min_length=1, max_length=MAX_HANDLES)]

    @model_validator(mode="after")
    def _both_or_neither(self) -> Self:
        if (self.pos_x is None) != (self.pos_y is None):
            raise ValueError("give both posX and posY, or neither")
        return self


class ConfigureNodeType(Coded):
    mode: Literal["create", "update"]
    type_key: NewKey | None = Field(None, description="The type to update, or the key of a new one; else made.")
    display_name: DisplayName | None = None
    description: Description | None = None
    category: ShortText | None = None
    icon: ShortText | None = None
    handles: Handles | None = Field(None, description="Those that new nodes of the type get.")

    @model_validator(mode="after")
    def _enough(self) -> Self:
        if self.mode == "create" and self.display_name is None:
            raise ValueError("a new type needs a displayName")
        if self.mode == "create" and self.process_patches is not None:
            raise ValueError("a new type has no code yet: give process")
        if self.mode == "update" and self.type_key is None:
            raise ValueError("an update needs the typeKey")
        return self


class DeleteNodeType(Part):
    type_key: Key


class ReorganizeLayout(Part):
    node_keys: Annotated[list[Key], Field(min_length=1, max_length=MAX_ACTIONS)] | None = Field(
        None, description="Only these move; left out, all nodes of the sheet."
    )
    sheet: Key | None = Field(None, description="Left out: every sheet, each for itself.")
    strategy: Literal["leftToRight", "topToBottom"] = "leftToRight"


class BatchStep(Part):
    """One action of a batch."""

    tool: Annotated[str, Field(max_length=60, description="Another propose_ tool.")]
    arguments: dict[str, Any] = Field(description="As that tool takes them; its reason may be left out.")

    @model_validator(mode="after")
    def _fits(self) -> Self:
        self.action()
        return self

    def action(self) -> "Action":
        name = self.tool.removeprefix("propose_")
        if name not in PROPOSABLE or name == "batch":
            raise ValueError(f"a batch knows {', '.join(known for known in PROPOSABLE if known != 'batch')}")
        try:
            return parse(name, {key: value for key, value in self.arguments.items() if key != "reason"})
        except ValidationError as error:
            raise ValueError(mistakes(error)) from None


class Batch(Part):
    actions: Annotated[list[BatchStep], Field(min_length=1, max_length=MAX_ACTIONS)]

    def steps(self) -> "tuple[Action, ...]":
        return tuple(step.action() for step in self.actions)


Action = (
    CreateNode
    | UpdateNode
    | ReplaceData
    | MoveNode
    | DeleteNode
    | CreateEdge
    | UpdateEdge
    | DeleteEdge
    | CreateNodeWithEdges
    | ConfigureNodeType
    | DeleteNodeType
    | ReorganizeLayout
    | Batch
)
#: What a model may propose; each is the tool `propose_` and its name.
PROPOSABLE: dict[str, type[Part]] = {
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
}
#: Everything a person may do by hand.
ACTIONS: dict[str, type[Part]] = {
    **PROPOSABLE,
    "replace_data": ReplaceData,
    "update_edge": UpdateEdge,
    "delete_node_type": DeleteNodeType,
}
NAMES = {kind: name for name, kind in ACTIONS.items()}


class UnknownAction(ValueError):
    """There is no action of this name."""


def parse(name: str, arguments: dict[str, Any]) -> Action:
    """Raises `UnknownAction`, or pydantic's `ValidationError` for arguments that do not fit."""
    if name not in ACTIONS:
        raise UnknownAction(name)
    action: Any = ACTIONS[name].model_validate(arguments)
    return action


def mistakes(error: ValidationError) -> str:
    """What is wrong with arguments, for who sent them: "'updates.width': Input should be greater than 0."."""
    details = error.errors(include_url=False, include_input=False, include_context=False)
    told = [f"{quoted('.'.join(map(str, detail['loc'])))}: {detail['msg']}." for detail in details[:MAX_MISTAKES]]
    more = len(details) - len(told)
    return " ".join(told) + (f" And {more} more." if more else "")


def quoted(text: str) -> str:
    """A text from outside, to quote back."""
    return f"'{shown(text)}'"
