"""Who one is, and the refusals that every address has."""

from tests.cast import PASSWORD
from tests.wire.story import Story


async def tell(story: Story) -> None:
    pair = await story.call(
        "a name and a password", "POST", "auth/token", {"username": "bob", "password": PASSWORD}, who=""
    )
    new = await story.call("a refresh token", "POST", "auth/token/refresh", {"refresh": pair["refresh"]}, who="")
    await story.call("signing out", "POST", "auth/token/revoke", {"refresh": new["refresh"]}, who="")
    await story.call("a token of what is signed out", "POST", "auth/token/refresh", {"refresh": new["refresh"]}, who="")
    for what, body in {
        "a wrong password": {"username": "bob", "password": "wrong"},
        "a field is missing": {"username": "bob"},
        "a field is unknown": {"username": "bob", "password": PASSWORD, "role": "admin"},
        "a field is of another type": {"username": 7, "password": PASSWORD},
        "no object": ["bob", PASSWORD],
    }.items():
        await story.call(what, "POST", "auth/token", body, who="")
    await story.call("a refresh token that is none", "POST", "auth/token/refresh", {"refresh": "none"}, who="")
    await _refused_everywhere(story)
    story.settings.LIMIT_LOGIN = "1/min"
    wrong = {"username": "nobody", "password": "wrong"}
    await story.call("the last attempt", "POST", "auth/token", wrong, who="")
    await story.call("one too many", "POST", "auth/token", wrong, who="")


async def _refused_everywhere(story: Story) -> None:
    await story.call("without a token", "GET", "graphs", who="")
    await story.call("a token that is none", "GET", "graphs", who="", authorization="Bearer none")
    await story.call("the same in French", "GET", "graphs", who="", accept_language="fr")
    await story.call("an unknown address", "GET", "nowhere")
    await story.call("an unknown method", "DELETE", "graphs/nba")
    await story.call("another content type", "POST", "chat/messages", b"Hello", content_type="text/plain")
    await story.call("nothing that can be accepted", "GET", "graphs", accept="text/csv")
    await story.call("no JSON", "POST", "chat/messages", b'{"message": ')
    await story.call("a key twice", "POST", "chat/messages", b'{"message": "a", "message": "b"}')
    await story.call("a foreign workspace", "GET", "graphs", x_workspace="other")
    await story.call("an absent workspace", "GET", "graphs?workspace=nowhere")
    await story.call("one's own workspace", "GET", "graphs?limit=1", who="charlie", x_workspace="other")
