"""The chat socket: every frame, every event that can be reached, and the refusals."""

from typing import Any

from chat.providers.pieces import ToolCallDelta, ToolCallStart, TurnEnd
from tests.chat.inprocess import opened
from tests.wire.chapters.changes import rename
from tests.wire.inside import DOWN, TRIED_AGAIN
from tests.wire.story import ABOUT_NBA, NOWHERE, Line, Story


async def tell(story: Story) -> None:
    await _unknown(story)
    async with story.socket("alice") as line:
        answered = await _reading(line)
        await _proposing(line)
        await _objects(story, line)
        await _updated(story, line, answered)
        await _limited(story, line)
        await _refused(line, answered["sessionId"])
        await _broken(story, line)
        await _stopped(story, line)
        await _replayed(story, answered)
        await _written(story, line)


async def _ask(line: Line, own_id: str, message: str, **values: Any) -> dict[str, Any]:
    place = {} if "sessionId" in values else {"context": ABOUT_NBA}
    return await line.say("ai:chat", _id=own_id, message=message, **place, **values)


async def _unknown(story: Story) -> None:
    async with opened() as socket:
        socket.send("ai:authenticate", token="none")
        code = await socket.closed()
        story.record(what="a token that is none", hears=socket.received, closed=code)


async def _reading(line: Line) -> dict[str, Any]:
    accepted = await _ask(line, "read", "What happens when the API fails?")
    await line.hear("read tools and an answer", accepted["stream"], "ai:complete")
    return accepted


async def _proposing(line: Line) -> None:
    accepted = await _ask(line, "propose", "rename fetch-api to Load the games")
    stream, session = accepted["stream"], accepted["sessionId"]
    heard = await line.hear("a proposal", stream, "ai:complete")
    proposal = next(each["proposalId"] for each in heard if each["type"] == "ai:proposal")
    decision = {"sessionId": session, "proposalId": proposal, "approved": True}
    await line.say("ai:resume", _id="decide", **decision)
    await line.hear("the decision and what the model says", stream, "ai:complete")
    await line.say("ai:resume", _id="decide-again", **decision)
    await _ask(line, "delete", "delete disconnected-note", sessionId=session)
    heard = await line.hear("another proposal", stream, "ai:complete")
    rejection = {"approved": False, "feedback": "Keep it.", "sessionId": session}
    proposal = next(each["proposalId"] for each in heard if each["type"] == "ai:proposal")
    await line.say("ai:resume", _id="reject", proposalId=proposal, **rejection)
    await line.hear("what the model says to that", stream, "ai:complete")


async def _objects(story: Story, line: Line) -> None:
    """What others change is told in the streams of the graph and of the workspace."""
    graph = await story.stream_of_nba()
    workspace = (await story.call("how many wait", "GET", "proposals/waiting"))["streamId"]
    await line.say("ai:subscribe", _id="graph", stream=graph)
    await line.hear("what was approved", graph, "ai:object_changed")
    await line.say("ai:subscribe", _id="workspace", stream=workspace)
    done = await story.call(
        "a change", "POST", "graphs/nba/changes", {"actions": [rename("Begin", "root")]}, who="demo"
    )
    await line.hear("it is told", graph, "ai:object_changed", changeSetId=done["id"])
    undone = await story.call("taken back", "POST", f"history/{done['id']}/rollback", {}, who="demo")
    await line.hear("that, too", graph, "ai:object_changed", changeSetId=undone["id"])
    await line.hear("to the whole workspace", workspace, "ai:object_changed", changeSetId=undone["id"])
    for name, stream in (("graph", graph), ("workspace", workspace)):
        await line.say("ai:unsubscribe", _id=f"leave-{name}", stream=stream)


async def _updated(story: Story, line: Line, answered: dict[str, Any]) -> None:
    session, stream = answered["sessionId"], answered["stream"]
    await story.call("a new title", "PATCH", f"chat/sessions/{session}", {"title": "Errors"})
    await line.hear("it is told", stream, "ai:session_updated")
    pinned = {"inPrompt": "pinned"}
    await story.call("a pinned message", "PATCH", f"chat/messages/{answered['userMessageId']}", pinned)
    await line.hear("it is told", stream, "ai:session_updated")


async def _limited(story: Story, line: Line) -> None:
    story.settings.TOOL_ROUNDS = 1
    accepted = await _ask(line, "limit", "What happens when the API fails?")
    await line.hear("the limit of rounds", accepted["stream"], "ai:complete")
    await line.say("ai:resume", _id="go-on", sessionId=accepted["sessionId"], **{"continue": False})
    await line.hear("an answer without tools", accepted["stream"], "ai:complete")
    story.settings.TOOL_ROUNDS = 5


async def _refused(line: Line, session: str) -> None:
    for number, (type_, values) in enumerate(
        [
            ("ai:chat", {}),
            ("ai:chat", {"message": "Hello", "colour": "red"}),
            ("ai:chat", {"message": "Hello", "context": {"type": "graph", "id": "newsletter"}}),
            ("ai:chat", {"message": "Hello", "context": ABOUT_NBA, "model": "openai:none"}),
            ("ai:explode", {}),
            ("ai:subscribe", {}),
            ("ai:subscribe", {"sessionId": session, "after": 10_000}),
            ("ai:subscribe", {"sessionId": NOWHERE}),
            ("ai:unsubscribe", {"stream": f"session_{NOWHERE}"}),
            ("ai:resume", {"sessionId": session, "answer": "Yes"}),
            ("ai:resume", {"sessionId": session}),
            ("ai:retry", {"sessionId": session}),
            ("ai:retry", {"sessionId": NOWHERE}),
            ("ai:deepen", {"messageId": NOWHERE}),
            ("ai:interrupt", {"sessionId": NOWHERE}),
            ("ai:resume", {"sessionId": session, "approved": True}),
        ]
    ):
        await line.say(type_, _id=number, **values)


async def _broken(story: Story, line: Line) -> None:
    story.model.says(TRIED_AGAIN, "Half an ", DOWN)
    accepted = await _ask(line, "breaks", "Hello?")
    await line.hear("an answer that breaks off", accepted["stream"], "ai:error")
    story.model.says("A whole one.")
    story.model.end()
    await line.say("ai:retry", _id="once-more", sessionId=accepted["sessionId"])
    await line.hear("once more", accepted["stream"], "ai:complete")
    await line.say("ai:deepen", _id="deeper", messageId=accepted["messageId"])


async def _stopped(story: Story, line: Line) -> None:
    story.model.says("Half an answer")
    accepted = await _ask(line, "stops", "Hello?")
    await line.hear("half an answer", accepted["stream"], "ai:token")
    await line.say("ai:interrupt", _id="stop", sessionId=accepted["sessionId"])
    await line.hear("the end of it", accepted["stream"], "ai:complete")
    await line.say("ai:unsubscribe", _id="leave", sessionId=accepted["sessionId"])


async def _written(story: Story, line: Line) -> None:
    """A call whose arguments take a while, in a reply that ends, and in one that does not."""
    named, written = ToolCallStart("long", "search_nodes"), f'{{"query": "{"api " * 75}'
    story.model.says(named, ToolCallDelta("long", written + '"}'), TurnEnd("tool_calls"), "Nothing.")
    story.model.end()
    accepted = await _ask(line, "writes", "Where?")
    await line.hear("a call while it is written", accepted["stream"], "ai:complete")
    story.model.says(named, ToolCallDelta("long", written), DOWN)
    accepted = await _ask(line, "writes-half", "Where?")
    await line.hear("a call that is cut off", accepted["stream"], "ai:error")


async def _replayed(story: Story, answered: dict[str, Any]) -> None:
    async with story.socket("alice") as late:
        await late.say("ai:subscribe", _id=1, sessionId=answered["sessionId"], after=3)
        await late.hear("a late reader", answered["stream"], "ai:session_updated")
        await story.call("deleted meanwhile", "DELETE", f"chat/sessions/{answered['sessionId']}")
        await late.expect("the stream ends", "ai:unsubscribed", stream=answered["stream"])
