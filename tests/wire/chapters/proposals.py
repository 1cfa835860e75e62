"""Proposals over REST: what waits, previews, decisions and why they had no effect."""

from typing import Any

from tests.wire.chapters.changes import rename
from tests.wire.story import ABOUT_NBA, API, NOWHERE, Story


async def tell(story: Story) -> None:
    renaming = await asked(story, "rename fetch-api to Load the games")
    await _shown(story, renaming)
    await _approved(story, renaming)
    await _rejected(story)
    await _edited(story)
    await _stale(story)
    await _several(story)
    await _taken_back(story, renaming)


async def asked(story: Story, message: str) -> Any:
    """The answer that proposes it."""
    body = {"message": message, "context": ABOUT_NBA, "wait": True}
    return await story.call(f"asked: {message}", "POST", "chat/messages", body)


async def _shown(story: Story, answer: dict[str, Any]) -> None:
    (proposal,) = answer["proposals"]
    session = answer["sessionId"]
    await story.call("what waits", "GET", "proposals?status=pending", who="bob")
    await story.call("how many", "GET", "proposals/waiting", who="bob")
    await story.call("of a conversation and a graph", "GET", f"proposals?sessionId={session}&object=graph:nba")
    await story.call("of another workspace", "GET", "proposals", who="charlie")
    await story.call("an unknown status", "GET", "proposals?status=eaten")
    await story.call("an unknown kind", "GET", "proposals?object=planet:mars")
    await story.call("one", "GET", f"proposals/{proposal['id']}", who="bob")
    await story.call("its conversation", "GET", f"chat/sessions/{session}")
    await story.call("the messages of it", "GET", f"chat/sessions/{session}/messages")
    for what, id_, who in (("foreign", proposal["id"], "charlie"), ("absent", NOWHERE, "alice")):
        await story.call(what, "GET", f"proposals/{id_}", who=who)
        for name, body in {"preview": {}, "decide": {"approved": True}, "propose-again": {}}.items():
            await story.call(what, "POST", f"proposals/{id_}/{name}", body, who=who)


async def _approved(story: Story, answer: dict[str, Any]) -> None:
    path = f"proposals/{answer['proposals'][0]['id']}"
    await story.call("a preview", "POST", f"{path}/preview", {}, who="bob")
    await story.call("a viewer", "POST", f"{path}/decide", {"approved": True}, who="bob")
    await story.call("no decision", "POST", f"{path}/decide", {})
    await story.call("another digest", "POST", f"{path}/decide", {"approved": True, "digest": "0" * 64})
    body = {"message": "hello", "sessionId": answer["sessionId"]}
    await story.call("asking on while it waits", "POST", f"chat/messages/{answer['messageId']}/deepen", {})
    await story.call("approved", "POST", f"{path}/decide", {"approved": True, "wait": True})
    await story.call("decided already", "POST", f"{path}/decide", {"approved": False})
    await story.call("a preview of what was decided", "POST", f"{path}/preview", {})
    await story.call("asking again for what was applied", "POST", f"{path}/propose-again", {})
    await story.call("the proposal", "GET", path)
    await story.call("the whole log", "GET", f"chat/sessions/{answer['sessionId']}/stream-events")
    await story.call("asking on", "POST", "chat/messages", body | {"wait": True})


async def _rejected(story: Story) -> None:
    answer = await asked(story, "add a filter after root")
    path = f"proposals/{answer['proposals'][0]['id']}"
    decision = {"approved": False, "feedback": "Not now.", "wait": True}
    await story.call("rejected", "POST", f"{path}/decide", decision, who="demo")
    await story.rested(answer["streamId"], 2)
    await story.call("the whole log", "GET", f"chat/sessions/{answer['sessionId']}/stream-events")


async def _edited(story: Story) -> None:
    answer = await asked(story, "set minimumGames of filter-active to 5")
    path = f"proposals/{answer['proposals'][0]['id']}"
    edited = {"editedArguments": {"nodeKey": "filter-active", "updates": {"data": {"minimumGames": 7}}}}
    await story.call("without what was shown", "POST", f"{path}/decide", edited | {"approved": True})
    wrong = {"editedArguments": {"nodeKey": "nowhere", "updates": {"name": "X"}}}
    await story.call("other arguments that cannot be", "POST", f"{path}/preview", wrong)
    await story.call("other arguments that are none", "POST", f"{path}/preview", {"editedArguments": {"colour": 1}})
    shown = await story.call("other arguments", "POST", f"{path}/preview", edited)
    decision = edited | {"approved": True, "digest": shown["digest"], "feedback": "Seven.", "wait": True}
    await story.call("approved with them", "POST", f"{path}/decide", decision)


async def _stale(story: Story) -> None:
    answer = await asked(story, "rename root to Begin")
    path = f"proposals/{answer['proposals'][0]['id']}"
    await story.call("meanwhile", "POST", "graphs/nba/changes", {"actions": [rename("Here", "root")]}, who="demo")
    await story.call("a preview of what is stale", "POST", f"{path}/preview", {})
    await story.call("stale", "POST", f"{path}/decide", {"approved": True, "wait": True})
    await story.call("the proposal", "GET", path)
    await story.call("somebody else asks again", "POST", f"{path}/propose-again", {}, who="demo")
    await story.call("asked again", "POST", f"{path}/propose-again", {"wait": True})
    await story.call("asked twice", "POST", f"{path}/propose-again", {})


async def _several(story: Story) -> None:
    answer = await asked(story, "delete disconnected-note and error-handler")
    ids = [proposal["id"] for proposal in answer["proposals"]]
    path = "proposals/decide"
    await story.call("a viewer", "POST", path, {"approved": True, "ids": ids}, who="bob")
    await story.call("neither nor", "POST", path, {"approved": True})
    await story.call("one of them, and one that is absent", "POST", path, {"approved": True, "ids": [ids[0], NOWHERE]})
    await story.call("one of them", "POST", path, {"approved": True, "ids": ids[:1]})
    await story.call("both, one of them again", "POST", path, {"approved": False, "ids": ids, "feedback": "Keep it."})
    await story.call("all of a conversation", "POST", path, {"approved": True, "sessionId": answer["sessionId"]})
    await story.rested(answer["streamId"], 2)
    page = await story.call("a page", "GET", "proposals?limit=2")
    await story.call("the next page", "GET", page["next"].partition(API)[2])


async def _taken_back(story: Story, answer: dict[str, Any]) -> None:
    path = "history/rollback"
    turn, session = {"turn": answer["messageId"]}, {"session": answer["sessionId"]}
    await story.call("a turn, looked at", "POST", path, {"scope": turn, "preview": True})
    await story.call("a turn", "POST", path, {"scope": turn})
    await story.call("its conversation, too", "POST", path, {"scope": session})
    await story.call("the proposal", "GET", f"proposals/{answer['proposals'][0]['id']}")
    await story.call("the history", "GET", f"history?object=graph:nba&session={answer['sessionId']}")
    await story.call("the workspace's log", "GET", f"streams/events/{(await _waiting(story))['streamId']}")


async def _waiting(story: Story) -> Any:
    return await story.call("how many", "GET", "proposals/waiting")
