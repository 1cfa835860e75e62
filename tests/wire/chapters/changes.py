"""Changes by hand over REST: every action, and what is refused."""

from typing import Any

from tests.wire.story import Story

PATH = "graphs/nba/changes"
POINTS = {
    "L": [{"id": "L-0", "type": "in", "accept": "any"}],
    "R": [{"id": "R-0", "type": "out", "accept": "any", "label": "done"}],
}
FETCH = {"type": "node", "id": "fetch-api", "version": 1}


def action(name: str, /, **arguments: Any) -> dict[str, Any]:
    return {"action": name, "arguments": arguments}


def rename(name: str, key: str = "fetch-api") -> dict[str, Any]:
    return action("update_node", nodeKey=key, updates={"name": name})


#: One change set of all that can be done to nodes, edges and types.
EVERY_ACTION = [
    action("configure_node_type", mode="create", typeKey="retry", displayName="Retry", category="flow", handles=POINTS),
    action("create_node", typeKey="retry", sheet="main", posX=100, posY=300, name="Try again", key="again"),
    action("create_edge", sourceKey="again", sourceHandle="R-0", targetKey="display-html", targetHandle="L-0"),
    action("update_edge", edgeKey="root:R-0--fetch-api:L-0", label="begins"),
    action("delete_edge", edgeKey="fetch-api:R-1--error-handler:L-0"),
    action(
        "create_node_with_edges", typeKey="filter", sheet="main", name="Check", key="check",
        edges=[{"direction": "in", "handle": "L-0", "otherKey": "fetch-api", "otherHandle": "R-1", "label": "error"},
               {"direction": "out", "handle": "R-0", "otherKey": "error-handler", "otherHandle": "L-0"}],
    ),
    action("update_node", nodeKey="filter-active", updates={
        "name": "Filter", "data": {"minimumGames": 5}, "width": 200, "height": 80,
        "processPatches": [{"search": ">= 10", "replace": ">= 5"}],
    }),
    action("replace_data", nodeKey="sort-stats", data={"by": None, "order": "ascending"}),
    action("move_node", nodeKey="return", posX=900.5, posY=-40, sheet="data-processing"),
    action("delete_node", nodeKey="disconnected-note"),
    action("configure_node_type", mode="update", typeKey="api-call", description="Asks an API."),
]  # fmt: skip


async def tell(story: Story) -> None:
    await _every_action(story)
    await _refused(story)
    await _met(story)
    await story.call("the log of the graph", "GET", f"streams/events/{await story.stream_of_nba()}")


async def _every_action(story: Story) -> None:
    body = {"actions": EVERY_ACTION, "reason": "Everything at once."}
    await story.call("every action", "POST", PATH, body)
    await story.call("what was made of the graph", "GET", "graphs/nba")
    await story.call("the layout", "POST", PATH, {"actions": [action("reorganize_layout", sheet="main")]})
    await story.call("its node goes", "POST", PATH, {"actions": [action("delete_node", nodeKey="again")]})
    await story.call("a type goes", "POST", PATH, {"actions": [action("delete_node_type", typeKey="retry")]})


async def _refused(story: Story) -> None:
    await story.call("a viewer", "POST", PATH, {"actions": [rename("Load")]}, who="bob")
    await story.call("a foreign graph", "POST", "graphs/newsletter/changes", {"actions": [rename("Load")]})
    await story.call("an absent graph", "POST", "graphs/nowhere/changes", {"actions": [rename("Load")]})
    for what, body in {
        "nothing to do": {"actions": []},
        "an unknown action": {"actions": [action("explode", nodeKey="root")]},
        "wrong arguments": {"actions": [action("move_node", nodeKey="root", posX="left", colour="red")]},
        "an unknown field": {"actions": [rename("Load")], "colour": "red"},
        "an absent node": {"actions": [rename("Load", "nowhere"), action("delete_edge", edgeKey="nowhere")]},
        "a type in use": {"actions": [action("delete_node_type", typeKey="api-call")]},
    }.items():
        await story.call(what, "POST", PATH, body)
    story.settings.LIMIT_CHANGES = "1/min"
    for what in ("the last change", "one too many"):
        await story.call(what, "POST", "graphs/order-to-cash/changes", {"actions": []}, who="demo")
    story.settings.LIMIT_CHANGES = "300/min"


async def _met(story: Story) -> None:
    """Somebody who saw less than there is, and a request that is sent again."""
    seen = {"actions": [rename("Load")], "expected": [FETCH]}
    await story.call("as it was seen", "POST", PATH, seen, idempotency_key="mine")
    await story.call("the same again", "POST", PATH, seen, idempotency_key="mine")
    await story.call("another one under its key", "POST", PATH, {"actions": [rename("X")]}, idempotency_key="mine")
    code = action("update_node", nodeKey="fetch-api", updates={"process": "return [];", "name": "Get"})
    await story.call("what somebody changed since", "POST", PATH, {"actions": [code], "expected": [FETCH]}, who="demo")
    gone = {"type": "node", "id": "disconnected-note", "version": 1}
    body = {"actions": [rename("Note", "disconnected-note")], "expected": [gone]}
    await story.call("what somebody deleted since", "POST", PATH, body, who="demo")
