"""The socket of a graph: edits, what others hear of them, who is there, and the refusals."""

from tests.chat.inprocess import Socket, opened
from tests.wire.chapters.changes import action, rename
from tests.wire.story import Line, Story

PATH = "/ws/graphs/nba/"
SEEN = {"type": "node", "id": "fetch-api", "version": 1}


async def tell(story: Story) -> None:
    async with story.socket("alice", PATH) as mine:
        await mine.expect("opened by an editor", "graph:opened")
        async with story.socket("bob", PATH) as other:
            await other.expect("opened by a viewer", "graph:opened")
            await _presence(mine, other)
            await _edits(mine, other)
            await _refused(mine, other)
            await _others(story, mine, other)
        await story.call("the history", "GET", "history?object=graph:nba")
    for what, path in (("a foreign graph", "/ws/graphs/newsletter/"), ("an absent one", "/ws/graphs/nowhere/")):
        async with opened(path=path) as socket:
            socket.send("graph:authenticate", token=await story.token("alice"))
            story.record(what=what, closed=await socket.closed(), hears=socket.received)


async def _presence(mine: Line, other: Line) -> None:
    def both(socket: Socket) -> bool:
        return any(each["type"] == "graph:presence" and len(each["people"]) == 2 for each in socket.received)

    await mine.socket.until(both)
    await other.hears_of("who is there", "graph:presence", lambda each: len(each["people"]) == 2)
    mine.socket.send("graph:presence", selection=["root"], cursor={"sheet": "main", "x": 1.5, "y": -2})
    await other.hears_of(
        "what she looks at", "graph:presence", lambda each: any(p["selection"] for p in each["people"])
    )


async def _edits(mine: Line, other: Line) -> None:
    await mine.say("graph:edit", _id="rename", actions=[rename("Load")], expected=[SEEN])
    await other.expect("it is told", "graph:edited")
    await mine.say("graph:edit", _id="rename", actions=[rename("Load")], expected=[SEEN])
    created = action("create_node", typeKey="note", sheet="main", posX=10, posY=20, key="todo", data={"text": "Later"})
    edge = action("delete_edge", edgeKey="root:R-0--fetch-api:L-0")
    made = await mine.say("graph:edit", _id="several", actions=[created, edge])
    await other.expect("it is told", "graph:edited", version=made["version"])
    undone = await mine.say("graph:undo", _id="undo", version=made["version"])
    await other.expect("it is told", "graph:edited", version=undone["version"])
    await mine.say("graph:save", _id="save")
    await other.expect("it is told", "graph:saved")


async def _refused(mine: Line, other: Line) -> None:
    refused = {
        "used": {"actions": [rename("X")]},
        "conflict": {"actions": [action("delete_node", nodeKey="fetch-api")], "expected": [SEEN]},
        "refused": {"actions": [rename("X", "nowhere")]},
        "validation": {"actions": [action("move_node", nodeKey="root", posX="left")]},
    }
    for own_id, values in refused.items():
        await mine.say("graph:edit", _id="rename" if own_id == "used" else own_id, **values)
    await mine.say("graph:undo", _id="not-mine", version=2**30)
    await mine.say("graph:explode", _id="unknown")
    await mine.say("graph:presence", _id="nothing", selection=7)
    await other.say("graph:edit", _id="viewer", actions=[rename("X")])
    await other.say("graph:save", _id="viewer-saves")


async def _others(story: Story, mine: Line, other: Line) -> None:
    """Who edits over REST is heard of; what nobody saved yet is what everybody reads."""
    await mine.say("graph:edit", _id="unsaved", actions=[rename("Unsaved")])
    await story.call("unsaved", "GET", "history?object=graph:nba", who="bob")
    await story.call("what is there", "GET", "graphs/nba/export")
    done = {"actions": [rename("Here", "root")]}
    await story.call("a change over REST", "POST", "graphs/nba/changes", done, who="demo")
    await other.expect("it is told", "graph:changed")
