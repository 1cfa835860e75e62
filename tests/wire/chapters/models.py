"""Models to choose from, and going deeper with a stronger one."""

import pytest

from tests.wire.story import ABOUT_NBA, NOWHERE, Story


async def tell(story: Story) -> None:
    await story.call("the demo alone", "GET", "chat/models")
    story.settings.LLM_PROVIDER = "openai-mini"
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("OPENAI_API_KEY", "key-of-a-test")
        await story.call("those of a vendor", "GET", "chat/models", who="bob")
        await _deeper(story)
    await story.call("models that went away", "GET", "chat/sessions")


async def _deeper(story: Story) -> None:
    body = {"message": "What does fetch-api do?", "context": ABOUT_NBA, "wait": True}
    story.model.says("In short: it fetches.")
    story.model.end()
    first = await story.call("an answer", "POST", "chat/messages", body)
    path = f"chat/messages/{first['messageId']}/deepen"
    story.model.says("In depth: it fetches players.")
    story.model.end()
    deeper = await story.call("a deeper one", "POST", path, {"wait": True})
    await story.call("asked again", "POST", path, {})
    await story.call("a question is no answer", "POST", f"chat/messages/{first['userMessageId']}/deepen", {})
    await story.call("an unknown field", "POST", path, {"colour": "red"})
    await story.call("a colleague's", "POST", path, {}, who="bob")
    await story.call("an absent one", "POST", f"chat/messages/{NOWHERE}/deepen", {})
    await story.call("both answers", "GET", f"chat/sessions/{first['sessionId']}/messages")
    await story.call("the log of the deeper one", "GET", f"chat/messages/{deeper['messageId']}/stream-events")
    chosen = {"model": "openai:gpt-4o"}
    await story.call("from now on", "PATCH", f"chat/sessions/{first['sessionId']}", chosen)
