"""What tests of the chat socket ask."""

from typing import Any

from tests.chat.inprocess import Model, Socket

ABOUT_NBA = {"type": "graph", "id": "nba"}


async def ask(socket: Socket, text: str = "Hello", own_id: str = "first", **values: Any) -> dict[str, Any]:
    """`ai:accepted` for a message."""
    place = {} if "sessionId" in values else {"context": ABOUT_NBA}
    socket.send("ai:chat", _id=own_id, message=text, **place, **values)
    return await socket.frame("ai:accepted", _id=own_id)


async def answered(socket: Socket, model: Model, text: str = "Good day") -> dict[str, Any]:
    """`ai:accepted` for a message whose answer is complete."""
    accepted = await ask(socket)
    model.say(text)
    model.end()
    await socket.frame("ai:complete")
    return accepted
