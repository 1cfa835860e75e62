"""Conversations over REST: messages, sessions, the tool limit, an error, what every question is sent."""

from tests.wire.inside import DOWN
from tests.wire.story import ABOUT_NBA, API, NOWHERE, Story

QUESTION = {"message": "What happens when the API fails?", "context": ABOUT_NBA}


async def tell(story: Story) -> None:
    answered = await _messages(story)
    await _refused(story, answered["sessionId"])
    await _sessions(story, answered["sessionId"])
    await _searched(story)
    await _kept(story, answered["userMessageId"], answered["messageId"])
    await _rated(story, answered["userMessageId"], answered["messageId"])
    await _always_sent(story)
    await _tool_limit(story)
    await _error(story)
    await _deleted(story, answered["sessionId"])


async def _messages(story: Story) -> dict[str, str]:
    waited = QUESTION | {"wait": True}
    first = await story.call("a question that waits", "POST", "chat/messages", waited)
    again = {"message": "what is in this graph?", "sessionId": first["sessionId"]}
    await story.call("a question that does not", "POST", "chat/messages", again, idempotency_key="mine")
    await story.call("the same again", "POST", "chat/messages", again, idempotency_key="mine")
    await story.call("another one under its key", "POST", "chat/messages", QUESTION, idempotency_key="mine")
    await story.read_stream(
        "its answer", f"streams/sse?streams={first['streamId']}", lambda each: each.body.count(b'"done"') == 2
    )
    nowhere = {"message": "hello", "wait": True}
    await story.call("about no graph, as a viewer", "POST", "chat/messages", nowhere, who="bob")
    await story.call("a change a viewer asks for", "POST", "chat/messages",
                     {"message": "rename root to Begin", "context": ABOUT_NBA, "wait": True}, who="bob")  # fmt: skip
    return first


async def _refused(story: Story, session: str) -> None:
    path = "chat/messages"
    for what, body in {
        "no message": {},
        "an empty message": {"message": "  "},
        "an unknown field": {"message": "Hello", "colour": "red"},
        "an absent graph": {"message": "Hello", "context": {"type": "graph", "id": "nowhere"}},
        "a foreign graph": {"message": "Hello", "context": {"type": "graph", "id": "newsletter"}},
        "an unknown kind": {"message": "Hello", "context": {"type": "planet", "id": "mars"}},
        "an absent conversation": {"message": "Hello", "sessionId": NOWHERE},
        "an unknown model": {"message": "Hello", "context": ABOUT_NBA, "model": "openai:none"},
    }.items():
        await story.call(what, "POST", path, body)
    await story.call("a colleague's conversation", "POST", path, {"message": "Hello", "sessionId": session}, who="bob")
    story.settings.LIMIT_MESSAGES = "1/min"
    for what in ("the last question", "one too many"):
        await story.call(what, "POST", path, {"message": "Hello", "sessionId": NOWHERE}, who="demo")
    story.settings.LIMIT_MESSAGES = "120/min"


async def _sessions(story: Story, session: str) -> None:
    path = f"chat/sessions/{session}"
    await story.call("those of a viewer, a page", "GET", "chat/sessions?limit=1", who="bob")
    page = await story.call("those about a graph", "GET", "chat/sessions?context=graph:nba&limit=1", who="bob")
    assert page["next"] is None
    await story.call("those of somebody else", "GET", "chat/sessions", who="charlie")
    await story.call("no object", "GET", "chat/sessions?context=nba")
    await story.call("one", "GET", path)
    await story.call("its messages", "GET", f"{path}/messages")
    page = await story.call("the last message", "GET", f"{path}/messages?limit=1")
    await story.call("the one before", "GET", page["previous"].partition(API)[2])
    changes = {"title": "Errors", "onDisconnect": "continue", "requireValidation": True, "model": "demo"}
    await story.call("what can be changed", "PATCH", path, changes)
    await story.call("an unknown value", "PATCH", path, {"onDisconnect": "explode"})
    await story.call("archived", "PATCH", path, {"archived": True})
    await story.call("those that are archived", "GET", "chat/sessions?archived=true")
    await story.call("writing in it", "POST", "chat/messages", {"message": "Hello", "sessionId": session})
    await story.call("brought back", "PATCH", path, {"archived": False})
    await story.call("neither yes nor no", "GET", "chat/sessions?archived=maybe")
    await story.call("as a file", "GET", f"{path}/export?format=json&reasoning=false")
    await story.call("as no file", "GET", f"{path}/export?format=xml")
    await story.call("an unknown model", "PATCH", path, {"model": "openai:none"})
    await story.call("stopping at rest", "POST", f"{path}/stop", {})
    for name, body in {"resume": {"answer": "Yes"}, "retry": {}}.items():
        await story.call("there is nothing of the kind", "POST", f"{path}/{name}", body)
    await story.call("no correction of an error", "POST", f"{path}/retry", {"correction": "shorter"})
    await story.call("another model without one", "POST", f"{path}/retry", {"correction": "model"})
    await story.call("no answer", "POST", f"{path}/resume", {})
    for what, id_, who in (("a colleague's", session, "bob"), ("an absent one", NOWHERE, "alice")):
        for method, rest, body in (
            ("GET", "", None), ("PATCH", "", {"title": "X"}), ("DELETE", "", None), ("GET", "/messages", None),
            ("GET", "/export?format=json", None),
            ("POST", "/resume", {"answer": "Yes"}), ("POST", "/retry", {}), ("POST", "/stop", {}),
        ):  # fmt: skip
            await story.call(what, method, f"chat/sessions/{id_}{rest}", body, who=who)


async def _searched(story: Story) -> None:
    await story.call("a search", "GET", "search?q=fails&object=graph:nba")
    await story.call("one of a colleague, who finds their own", "GET", "search?q=fails&in=conversations", who="bob")
    for query in ("q=", "q=a&in=all", "q=a&object=graph:nowhere", "q=a&cursor=x"):
        await story.call("a search for nothing", "GET", f"search?{query}")


async def _kept(story: Story, question: str, answer: str) -> None:
    await story.call("pinned", "PATCH", f"chat/messages/{question}", {"inPrompt": "pinned"})
    await story.call("left out", "PATCH", f"chat/messages/{answer}", {"inPrompt": "left_out"})
    await story.call("as usual", "PATCH", f"chat/messages/{answer}", {"inPrompt": "auto"})
    await story.call("an unknown value", "PATCH", f"chat/messages/{answer}", {"inPrompt": "never"})
    await story.call("a colleague's", "PATCH", f"chat/messages/{answer}", {"inPrompt": "auto"}, who="bob")
    await story.call("an absent one", "PATCH", f"chat/messages/{NOWHERE}", {"inPrompt": "auto"})


async def _rated(story: Story, question: str, answer: str) -> None:
    path = f"chat/messages/{answer}/feedback"
    await story.call("thumbs down", "PUT", path, {"vote": -1, "comment": "Wrong node"})
    await story.call("thumbs up instead", "PUT", path, {"vote": 1})
    await story.call("a question", "PUT", f"chat/messages/{question}/feedback", {"vote": 1})
    await story.call("no such vote", "PUT", path, {"vote": 2})
    await story.call("a colleague's", "PUT", path, {"vote": 1}, who="bob")
    await story.call("an absent one", "PUT", f"chat/messages/{NOWHERE}/feedback", {"vote": 1})
    await story.call("taken back", "PUT", path, {"vote": 0})


async def _always_sent(story: Story) -> None:
    path = "graphs/nba/always-send"
    await story.call("a graph", "PUT", path, {"alwaysSend": True})
    await story.call("a node", "PUT", path, {"nodeKey": "fetch-api", "alwaysSend": True})
    page = await story.call("the list", "GET", "always-send?limit=1", who="bob")
    await story.call("its next page", "GET", page["next"].partition(API)[2], who="bob")
    await story.call("no more", "PUT", path, {"nodeKey": "fetch-api", "alwaysSend": False})
    await story.call("an absent node", "PUT", path, {"nodeKey": "nowhere", "alwaysSend": True})
    await story.call("an absent graph", "PUT", "graphs/nowhere/always-send", {"alwaysSend": True})
    await story.call("a viewer", "PUT", path, {"alwaysSend": True}, who="bob")
    await story.call("no value", "PUT", path, {})
    path = "objects/nodeType/api-call/always-send"
    await story.call("an object of another kind", "PUT", path, {"alwaysSend": True})
    await story.call("an edge", "PUT", "objects/graph/nba/always-send", {"part": "edge:nowhere", "alwaysSend": True})
    await story.call("objects and parts", "GET", "always-send")
    await story.call("a part of what has none", "PUT", path, {"part": "node:fetch-api", "alwaysSend": True})
    await story.call("no part", "PUT", path, {"part": "fetch-api", "alwaysSend": True})
    await story.call("no more of it", "PUT", path, {"alwaysSend": False})
    await story.call("an absent object", "PUT", "objects/nodeType/nowhere/always-send", {"alwaysSend": True})
    await story.call("links", "POST", "chat/links", {"objects": ["graph:nba", "graph:nowhere", "nodeType:api-call"]})


async def _tool_limit(story: Story) -> None:
    story.settings.TOOL_ROUNDS = 1
    limited = await story.call("too many rounds", "POST", "chat/messages", QUESTION | {"wait": True})
    path = f"chat/sessions/{limited['sessionId']}"
    await story.call("it waits", "GET", path)
    await story.call("an answer to no question", "POST", f"{path}/resume", {"answer": "Yes"})
    await story.call("it goes on", "POST", f"{path}/resume", {"continue": True, "wait": True})
    await story.call("the whole log", "GET", f"{path}/stream-events")
    story.settings.TOOL_ROUNDS = 5


async def _error(story: Story) -> None:
    story.model.says("Half an ", DOWN)
    failed = await story.call("an answer that breaks off", "POST", "chat/messages", QUESTION | {"wait": True})
    path = f"chat/sessions/{failed['sessionId']}"
    await story.call("the conversation", "GET", path)
    story.model.says("A whole one.")
    story.model.end()
    await story.call("once more", "POST", f"{path}/retry", {"wait": True})
    await story.call("the whole log", "GET", f"{path}/stream-events")
    await story.call("its messages", "GET", f"{path}/messages")


async def _deleted(story: Story, session: str) -> None:
    path = f"chat/sessions/{session}"
    await story.call("deleted", "DELETE", path)
    await story.call("deleted again", "DELETE", path)
    await story.call("gone", "GET", path)
