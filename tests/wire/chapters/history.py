"""The history of a graph: lists, one change set, versions, and rolling back with all that stands in its way."""

from typing import Any

from tests.wire.chapters.changes import EVERY_ACTION, action, rename
from tests.wire.story import ABOUT_NBA, API, NOWHERE, Story

HISTORY = "history?object=graph:nba"


async def tell(story: Story) -> None:
    first = await _change(story, rename("Load"), reason="Clearer.")
    second = await _change(story, action("move_node", nodeKey="return", posX=900, posY=0), reason="")
    third = await _change(story, *EVERY_ACTION[:4], EVERY_ACTION[6], reason="")
    await _lists(story, third["id"])
    await _previews(story, third["id"])
    await _refused(story, first["id"], second["id"])
    await _scopes(story, second)


async def _change(story: Story, *actions: dict[str, Any], reason: str) -> Any:
    return await story.call("a change", "POST", "graphs/nba/changes", {"actions": actions, "reason": reason})


async def _lists(story: Story, change_set: str) -> None:
    page = await story.call("a page", "GET", f"{HISTORY}&limit=2", who="bob")
    await story.call("the next page", "GET", page["next"].partition(API)[2], who="bob")
    await story.call("what one person did to a field", "GET", f"{HISTORY}&who=alice&origin=manual&field=name")
    await story.call("what was done to an item", "GET", f"{HISTORY}&item=return&from=2020-01-01T00:00:00Z")
    await story.call("to one of a kind", "GET", f"{HISTORY}&item=node:return&from=2020-01-01T00:00:00Z")
    await story.call("to an item of nothing", "GET", "history?item=node:return")
    await story.call("the history of a type", "GET", "history?object=nodeType:retry")
    await story.call("as a file", "GET", "history/export?object=graph:nba&format=json")
    await story.call("as no file", "GET", "history/export?object=nodeType:retry&format=xml")
    for what, query in {
        "no object": "history",
        "an unknown kind": "history?object=planet:mars",
        "an absent graph": "history?object=graph:nowhere",
        "a foreign graph": "history?object=graph:newsletter",
        "an unknown origin": f"{HISTORY}&origin=magic",
        "no moment": f"{HISTORY}&from=yesterday",
    }.items():
        await story.call(what, "GET", query)
    await story.call("one change set", "GET", f"history/{change_set}?limit=3", who="bob")
    await story.call("a search in it", "GET", f"history/{change_set}?search=filter")
    await story.call("a foreign change set", "GET", f"history/{change_set}", who="charlie")
    await story.call("an absent change set", "GET", f"history/{NOWHERE}")
    await story.call("two versions", "GET", "history/versions?object=graph:nba&a=1&b=3", who="bob")
    await story.call("a version and now", "GET", "history/versions?object=graph:nba&a=3")
    await story.call("an absent version", "GET", "history/versions?object=graph:nba&a=99")


async def _previews(story: Story, change_set: str) -> None:
    path = f"history/{change_set}/rollback"
    shown = await story.call("a preview", "POST", path, {"preview": True})
    await story.call("a viewer", "POST", path, {"preview": True}, who="bob")
    await story.call("a stranger", "POST", path, {"preview": True}, who="charlie")
    await story.call("an absent one", "POST", f"history/{NOWHERE}/rollback", {})
    await story.call("an unknown field", "POST", path, {"colour": "red"})
    done = await story.call("what was shown", "POST", path, {"digest": shown["digest"], "reason": "Too much."})
    await story.call("nothing is left", "POST", path, {})
    await story.call("the undone one", "GET", f"history/{change_set}")
    await story.call("its undoing is undone", "POST", f"history/{done['id']}/rollback", {})
    node = {"object": {"type": "node", "id": "again"}}
    await story.call("something left out", "POST", path, {"leaveOut": [node], "preview": True})
    await story.call("another digest", "POST", path, {"digest": "0" * 64})


async def _refused(story: Story, renaming: str, moving: str) -> None:
    await story.call("somebody edits the same", "POST", "graphs/nba/changes", {"actions": [rename("Get")]}, who="demo")
    path = f"history/{renaming}/rollback"
    await story.call("a preview with a conflict", "POST", path, {"preview": True})
    await story.call("a conflict", "POST", path, {})
    left_out = {"object": {"type": "node", "id": "fetch-api"}, "field": "name"}
    await story.call("the conflict left out", "POST", path, {"leaveOut": [left_out]})
    both = {"scope": {"changeSets": [renaming, moving]}, "leaveOut": [left_out], "preview": True}
    await story.call("several change sets", "POST", "history/rollback", both)


async def _scopes(story: Story, moved: dict[str, Any]) -> None:
    path = "history/rollback"
    as_it_was = {"object": ABOUT_NBA, "version": 1}
    for what, scope in {
        "one modification": {"modification": moved["modifications"][0]["id"]},
        "a version": as_it_was,
        "a moment": {"object": ABOUT_NBA, "asOf": moved["createdAt"]},
    }.items():
        await story.call(what, "POST", path, {"scope": scope, "preview": True})
    for what, scope in {
        "an absent turn": {"turn": NOWHERE},
        "an absent conversation": {"session": NOWHERE},
        "an absent object": {"object": {"type": "graph", "id": "nowhere"}, "version": 1},
        "two scopes": {"turn": NOWHERE, "session": NOWHERE},
        "no scope": {},
    }.items():
        await story.call(what, "POST", path, {"scope": scope})
    await story.call("a viewer", "POST", path, {"scope": as_it_was}, who="bob")
    await story.call("the graph as it was", "POST", path, {"scope": as_it_was, "reason": "Back."})
    await story.call("the history now", "GET", f"{HISTORY}&origin=rollback")
    await story.call("the log of the graph", "GET", f"streams/events/{await story.stream_of_nba()}")
