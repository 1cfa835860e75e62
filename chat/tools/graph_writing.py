"""The tools with which a model proposes changes: each is an action of `graphs.workflows.actions`, with a reason.

None of them changes anything: the engine hands what was asked for to `chat.proposals`. Registered in `registry`.
"""

from typing import Annotated, Any

from pydantic import Field, create_model

from chat.proposals import WriteCall
from chat.tools.base import ANYTHING, Arguments, Tool
from graphs.objects.actions import NAMES, Batch, parse
from graphs.objects.strict import StrictModel
from graphs.workflows.actions import (
    ConfigureNodeType,
    CreateEdge,
    CreateNode,
    CreateNodeWithEdges,
    DeleteEdge,
    DeleteNode,
    MoveNode,
    ReorganizeLayout,
    UpdateNode,
)

#: Characters of a reason, and of a text to show afterwards.
MAX_REASON = 2_000


class Proposing(Arguments):
    """What every proposal says besides the change."""

    reason: Annotated[str, Field(min_length=1, max_length=MAX_REASON)] = Field(
        description="Why, for the person, in their language."
    )
    request_validation: bool | None = Field(None, description="true: ask the person in any case.")
    post_text: Annotated[str, Field(max_length=MAX_REASON)] | None = Field(
        None, description="Told once it was applied."
    )
    keep_control: bool = Field(True, description="false: do not call me again then.")


class WriteTool(Tool[Proposing]):
    """Proposes one kind of action."""

    kind = "write"

    def __init__(self, action: type[StrictModel], description: str, context_type: str = "graph") -> None:
        self.context_type = context_type
        self.action = NAMES[action]
        self.name = f"propose_{self.action}"
        self.description = description
        bases: Any = (Proposing, action)
        self.arguments = create_model(f"{action.__name__}Arguments", __base__=bases)

    def write(self, call_id: str, arguments: Proposing) -> WriteCall:
        """What a call proposes, of arguments that were parsed."""
        own = arguments.model_dump(mode="json", exclude_unset=True, exclude=set(Proposing.model_fields))
        return WriteCall(
            id=call_id,
            tool=self.name,
            action=parse(self.action, own),
            arguments=own,
            reason=arguments.reason,
            request_validation=bool(arguments.request_validation),
        )


WRITE_TOOLS = (
    WriteTool(CreateNode, "Proposes a new node. To connect it at once, use propose_create_node_with_edges."),
    WriteTool(
        UpdateNode,
        "Proposes changes of one node's name, type, code (process), data, handles or size. Only what is given changes."
        " Change existing code with processPatches: each search text must occur exactly once in it.",
    ),
    WriteTool(MoveNode, "Proposes another place for a node, on its sheet or on another one."),
    WriteTool(DeleteNode, "Proposes to delete a node together with its edges."),
    WriteTool(CreateEdge, "Proposes an edge from an out handle of one node to an in handle of another."),
    WriteTool(DeleteEdge, "Proposes to delete an edge; list_node_edges gives the keys of edges."),
    WriteTool(CreateNodeWithEdges, "Proposes a new node together with edges from and to existing nodes."),
    WriteTool(
        Batch,
        "Proposes several changes that belong together, decided as one and applied all or none, in this order: later"
        " ones see earlier ones. Proposals of one answer do not see each other, so what builds on another change must"
        " be in one batch. Give a new node a key to refer to it in later actions of the batch.",
        ANYTHING,
    ),
    WriteTool(ConfigureNodeType, "Proposes a new node type of the workspace, or changes of one it has."),
    WriteTool(
        ReorganizeLayout,
        "Proposes tidy places, in layers along the edges, for all nodes of a sheet or for the given nodes only.",
    ),
)
