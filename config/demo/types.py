"""The custom node types of the demo workspaces."""

from config.demo.spec import TypeSpec

API_CALL = TypeSpec(
    "api-call",
    "API Call",
    "Calls an HTTP API and passes its answer on; a failed call leaves through the second handle.",
    "integration",
    "globe",
    outputs=("success", "error"),
)
FILTER = TypeSpec("filter", "Filter", "Keeps the items for which its code returns true.", "data", "filter")
TRANSFORM = TypeSpec("transform", "Transform", "Turns its incoming data into other data.", "data", "shuffle")
LOG_NODE = TypeSpec("log-node", "Log Node", "Writes what it receives to the log.", "monitoring", "scroll", outputs=())
DEMO_TYPES = (API_CALL, FILTER, TRANSFORM, LOG_NODE)
