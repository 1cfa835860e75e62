"""The tools with which a model proposes changes of a graph: each is an action of `graphs.workflows.actions`."""

from chat.tools.object_writing import BATCH
from chat.tools.proposing import WriteTool
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

TOOLS = (
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
    BATCH,
    WriteTool(ConfigureNodeType, "Proposes a new node type of the workspace, or changes of one it has."),
    WriteTool(
        ReorganizeLayout,
        "Proposes tidy places, in layers along the edges, for all nodes of a sheet or for the given nodes only.",
    ),
)
