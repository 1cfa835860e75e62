"""The log by pages and by server-sent events."""

from tests.wire.chapters.changes import rename
from tests.wire.story import ABOUT_NBA, NOWHERE, Story


async def tell(story: Story) -> None:
    body = {"message": "what does fetch-api do?", "context": ABOUT_NBA, "wait": True}
    answer = await story.call("a question", "POST", "chat/messages", body)
    await story.call("a change", "POST", "graphs/nba/changes", {"actions": [rename("Load")]})
    conversation, graph = answer["streamId"], await story.stream_of_nba()
    await _pages(story, answer["sessionId"], answer["messageId"], conversation, graph)
    both = f"streams/sse?streams={conversation},{graph}"
    await story.read_stream(
        "of a conversation", f"streams/sse?streams={conversation}", lambda each: b'"done"' in each.body
    )
    await story.read_stream("of a graph", f"streams/sse?streams={graph}", lambda each: b"object_changed" in each.body)
    for what, path in {
        "no stream": "streams/sse",
        "an absent one": f"{both},session_{NOWHERE}",
        "a cursor that is none": f"{both}&cursor=none",
        "a cursor beyond the end": f"{both}&cursor=1-99",
    }.items():
        await story.call(what, "GET", path)
    await story.call("a stranger", "GET", both, who="charlie")
    await story.call("nobody", "GET", both, who="")
    await story.call("another method", "POST", both, {})


async def _pages(story: Story, session: str, message: str, conversation: str, graph: str) -> None:
    paths = {
        "a conversation": f"chat/sessions/{session}/stream-events",
        "an answer": f"chat/messages/{message}/stream-events",
        "a stream": f"streams/events/{conversation}",
    }
    for what, path in paths.items():
        await story.call(what, "GET", f"{path}?limit=3")
        await story.call(f"{what}, read on", "GET", f"{path}?after=3&limit=2")
        await story.call(f"{what}, beyond its end", "GET", f"{path}?after=1000")
        await story.call(f"{what}, of a colleague", "GET", path, who="bob")
    await story.call("a graph", "GET", f"streams/events/{graph}", who="bob")
    await story.call("a foreign graph", "GET", f"streams/events/{graph}", who="charlie")
    await story.call("no number", "GET", f"streams/events/{graph}?after=x")
    for path in (f"chat/sessions/{NOWHERE}/stream-events", f"chat/messages/{NOWHERE}/stream-events"):
        await story.call("an absent one", "GET", path)
    await story.call("an absent stream", "GET", f"streams/events/session_{NOWHERE}")
