"""What runs or waits: told, stopped, tried again."""

from tests.wire.inside import DOWN
from tests.wire.story import ABOUT_NBA, NOWHERE, Story

QUESTION = {"message": "What happens when the API fails?", "context": ABOUT_NBA}


async def tell(story: Story) -> None:
    await story.call("nothing", "GET", "queue")
    story.model.says("Half an ")
    asked = await story.call("a question", "POST", "chat/messages", QUESTION)
    behind = {"message": "And then?", "sessionId": asked["sessionId"]}
    waiting = await story.call("one behind it", "POST", "chat/messages", behind)
    entry, second = f"queue/answer:{asked['runId']}", f"queue/answer:{waiting['runId']}"
    await story.call("what runs and waits", "GET", "queue")
    await story.call("a page of it", "GET", "queue?limit=1")
    await story.call("for a colleague", "GET", "queue", who="bob")
    await story.call("for a stranger", "GET", "queue", who="charlie")
    await story.call("no cursor", "GET", "queue?cursor=nonsense")
    await story.call("a colleague may not", "POST", f"{entry}/cancel", {}, who="bob")
    await story.call("a stranger finds none", "POST", f"{entry}/cancel", {}, who="charlie")
    await story.call("what waits", "POST", f"{second}/cancel", {})
    await story.call("what is written", "POST", f"{entry}/cancel", {"colour": "red"})
    await story.call("what is written", "POST", f"{entry}/cancel", {})
    await story.rested(asked["streamId"], 2)
    await story.call("it has ended", "POST", f"{entry}/cancel", {})
    await story.call("it did not fail", "POST", f"{entry}/retry", {})
    await _failed(story)
    for command in ("cancel", "retry"):
        await story.call("an absent one", "POST", f"queue/answer:{NOWHERE}/{command}", {})
        await story.call("no kind", "POST", f"queue/planet:1/{command}", {})


async def _failed(story: Story) -> None:
    story.model.says("Half an ", DOWN)
    failed = await story.call("one that breaks off", "POST", "chat/messages", QUESTION | {"wait": True})
    await story.call("it can be tried again", "GET", "queue")
    story.model.says("A whole one.")
    story.model.end()
    await story.call("once more", "POST", f"queue/answer:{failed['runId']}/retry", {})
    await story.rested(failed["streamId"], 1)
    await story.call("nothing is left", "GET", "queue")
