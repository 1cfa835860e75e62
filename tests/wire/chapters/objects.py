"""Kinds and objects: lists, one, its stream, changes by hand, files and copies."""

from typing import Any

from tests.wire.story import API, Story

FETCH = "objects/nodeType/api-call"
SAW = [{"type": "nodeType", "id": "api-call", "version": 1}]


def action(name: str, /, **arguments: Any) -> dict[str, Any]:
    return {"action": name, "arguments": arguments}


async def tell(story: Story) -> None:
    await story.call("what may be talked about", "GET", "kinds")
    await story.call("and what a viewer may do", "GET", "kinds", who="bob")
    await _lists(story)
    await _one(story)
    await _changes(story)
    await _new(story)
    await _files(story)
    await _copies(story)


async def _lists(story: Story) -> None:
    await story.call("no type", "GET", "objects")
    await story.call("an unknown type", "GET", "objects?type=planet")
    first = await story.call("a page", "GET", "objects?type=nodeType&limit=2", who="bob")
    await story.call("the next page", "GET", first["next"].partition(API)[2], who="bob")
    await story.call("turned", "GET", "objects?type=graph&orderBy=-name")
    await story.call("a search", "GET", "objects?type=graph&search=players")
    await story.call("words and a value", "GET", "objects?type=graph&words=players season&where=name:NBA statistics")
    await story.call("what has no such value", "GET", "objects?type=graph&where=metadata:x")
    await story.call("a field that orders nothing", "GET", "objects?type=graph&orderBy=metadata")
    await story.call("a parent that holds none", "GET", "objects?type=graph&parent=nodeType:api-call")


async def _one(story: Story) -> None:
    await story.call("a graph", "GET", "objects/graph/nba", who="bob")
    await story.call("its stream", "GET", "objects/graph/nba/stream", who="bob")
    await story.call("a node type", "GET", FETCH)
    await story.call("a foreign graph", "GET", "objects/graph/newsletter")
    await story.call("an absent one", "GET", "objects/graph/nowhere")
    await story.call("an absent stream", "GET", "objects/graph/nowhere/stream")


async def _changes(story: Story) -> None:
    patch = {"path": "description", "search": "API", "replace": "service"}
    icon = action("update_object", updates={"icon": "cloud"})
    await story.call("its icon", "POST", f"{FETCH}/changes", {"actions": [icon], "reason": "clearer"})
    other = {"actions": [action("update_object", object="nodeType:api-call", updates={"icon": "star"})]}
    await story.call("by who had not seen it", "POST", f"{FETCH}/changes", other | {"expected": SAW})
    await story.call("a text that is not there", "POST", f"{FETCH}/changes", {
        "actions": [action("update_object", patches=[patch | {"search": "nowhere at all"}])]
    })  # fmt: skip
    both = [
        action("update_object", updates={"name": "Scores"}),
        action("update_node", nodeKey="fetch-api", updates={"name": "Fetch"}),
    ]
    await story.call("a graph and a node of it", "POST", "objects/graph/nba/changes", {"actions": both})
    await story.call("a type that nodes have", "POST", f"{FETCH}/changes", {"actions": [action("delete_object")]})
    await story.call("another object", "POST", f"{FETCH}/changes", {
        "actions": [action("delete_object", object="graph:nba")]
    })  # fmt: skip
    await story.call("an action of graphs", "POST", f"{FETCH}/changes", {"actions": [both[1]]})
    await story.call("a viewer", "POST", f"{FETCH}/changes", other, who="bob")
    await story.call("an absent object", "POST", "objects/graph/nowhere/changes", other)


async def _new(story: Story) -> None:
    fields = {"displayName": "Throttle", "category": "flow", "handles": {"R": [{"id": "R-0", "type": "out"}]}}
    body = {"fields": fields, "reason": "Asked for."}
    made = await story.call("a new type", "POST", "objects/nodeType", body, idempotency_key="once")
    await story.call("sent again", "POST", "objects/nodeType", body, idempotency_key="once")
    await story.call(
        "it goes", "POST", f"objects/nodeType/{made['id']}/changes", {"actions": [action("delete_object")]}
    )
    await story.call("a field that is none", "POST", "objects/nodeType", {"fields": {"colour": "red"}})
    await story.call("what its model refuses", "POST", "objects/nodeType", {"fields": {"displayName": ""}})
    await story.call("a graph has no parent", "POST", "objects/graph", {"fields": {"name": "N"}, "parent": "graph:nba"})
    await story.call("an unknown kind", "POST", "objects/planet", {"fields": {}})
    await story.call("made by a viewer", "POST", "objects/nodeType", body, who="bob")


async def _files(story: Story) -> None:
    to = "objects/nodeType/import"
    rows = "id,displayName,Category\napi-call,API call,web\n,Wait,flow\n"
    seen = await story.send_file("what a file would do", rows, to=to, preview="true")
    await story.send_file("a file with errors", f"{rows},,flow\n,{'x' * 300},\n", to=to)
    await story.send_file("a column that is none", "colour\nred\n", to=to)
    await story.send_file("no file", None, to=to)
    await story.send_file("sent by a viewer", rows, who="bob", to=to)
    await story.send_file("of an unknown kind", rows, to="objects/planet/import")
    await story.send_file("another file than the one seen", f"{rows},More,flow\n", to=to, expected=seen["expected"])
    await story.send_file("the file", rows, to=to, expected=seen["expected"], reason="From the fair")
    await story.send_file("changed since it was seen", rows, to=to, expected=seen["expected"])
    marked = await story.call("what came with it", "GET", FETCH)
    await story.call("a mark that nobody saw", "POST", f"{FETCH}/trust")
    since = marked["untrustedSince"].replace("+00:00", "Z")
    await story.call("it was looked through", "POST", f"{FETCH}/trust?untrustedSince={since}&all=true")
    await story.call("all of them as JSON", "GET", "objects/nodeType/export?format=json&search=HTTP")
    await story.call("a format that is none", "GET", "objects/nodeType/export?format=pdf")
    await story.call("all of an unknown kind", "GET", "objects/planet/export?format=csv")
    await story.call("the mark of what is absent", "POST", "objects/nodeType/nowhere/trust")


async def _copies(story: Story) -> None:
    await story.call("a copy", "POST", f"{FETCH}/copy", {"reason": "To try."}, idempotency_key="copied")
    await story.call(
        "a copy that is asked for again", "POST", f"{FETCH}/copy", {"reason": "To try."}, idempotency_key="copied"
    )
    await story.call("a copy by a viewer", "POST", f"{FETCH}/copy", {}, who="bob")
    await story.call("of what is absent", "POST", "objects/nodeType/nowhere/copy", {"children": True})
