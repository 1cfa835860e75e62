"""Conversations that are shared: with members, who read or write along, and by links."""

from datetime import UTC, datetime, timedelta

from tests.wire.story import ABOUT_NBA, NOWHERE, Story


async def tell(story: Story) -> None:
    question = {"message": "What is in this graph?", "context": ABOUT_NBA, "wait": True}
    told = await story.call("a question", "POST", "chat/messages", question)
    path = f"chat/sessions/{told['sessionId']}"
    await _members(story, path, told["sessionId"])
    await _links(story, f"{path}/shares")
    await _ended(story, path)


async def _members(story: Story, path: str, session: str) -> None:
    shares = f"{path}/shares"
    await story.call("with nobody", "GET", shares)
    await story.call("not yet", "GET", path, who="bob")
    await story.call("to read", "POST", shares, {"user": "bob", "access": "read"})
    await story.call("read by a member", "GET", path, who="bob")
    await story.call("those of others", "GET", "chat/sessions?shared=true", who="bob")
    along = {"message": "And how many nodes has it?", "sessionId": session, "wait": True}
    await story.call("only to read", "POST", "chat/messages", along, who="bob")
    await story.call("not the owner", "GET", shares, who="bob")
    await story.call("to write along", "POST", shares, {"user": "bob", "access": "write"})
    await story.call("written along", "POST", "chat/messages", along, who="bob")
    await story.call("who wrote", "GET", f"{path}/messages?limit=2")
    await story.call("not the owner's", "PATCH", path, {"title": "Mine"}, who="bob")
    for what, body in {
        "nobody": {},
        "no member": {"user": "charlie"},
        "oneself": {"user": "alice"},
        "no such access": {"user": "bob", "access": "admin"},
    }.items():
        await story.call(what, "POST", shares, body)


async def _links(story: Story, shares: str) -> None:
    until = (datetime.now(UTC) + timedelta(days=7)).isoformat(timespec="milliseconds")
    await story.call("a link", "POST", shares, {"link": True, "expiresAt": until, "reasoning": True})
    await story.call("no moment", "POST", shares, {"link": True, "expiresAt": "next week"})
    await story.call("for too long", "POST", shares, {"link": True, "expiresAt": "9999-01-01T00:00:00Z"})
    given = await story.call("what is given", "GET", shares)
    await story.call("the link taken back", "DELETE", f"{shares}?share={given['links'][0]['id']}")
    await story.call("again", "DELETE", f"{shares}?share={given['links'][0]['id']}")


async def _ended(story: Story, path: str) -> None:
    await story.call("all taken back", "DELETE", f"{path}/shares")
    await story.call("no longer read", "GET", path, who="bob")
    absent = f"chat/sessions/{NOWHERE}/shares"
    for method, body in (("GET", None), ("POST", {"user": "bob"}), ("DELETE", None)):
        await story.call("of an absent one", method, absent, body)
