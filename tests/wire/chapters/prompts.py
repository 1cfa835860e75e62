"""Prompts: versions of the site and of a workspace, which is active, what differs, and trying one on an object."""

from typing import Any

from tests.wire.story import NOWHERE, Story

TEXT = {"en": "Name {{folder}}.", "fr": "Nomme {{folder}}."}


async def tell(story: Story) -> None:
    await story.call("those of the site", "GET", "prompts", who="bob")
    await story.call("one of them", "GET", "prompts/folder_name", who="bob")
    await story.call("its first version", "GET", "prompts/folder_name/versions/1", who="bob")
    await _written(story)
    await _active(story)
    await _tried(story)
    made = {"key": "short_names", "name": "Short names", "type": "folder_name"}
    await story.call("one of the workspace", "POST", "prompts", made)
    await story.call("the same again", "POST", "prompts", made)
    await story.call("made by a viewer", "POST", "prompts", {**made, "key": "other"}, who="bob")
    await story.call("archived", "PATCH", "prompts/short_names", {"archived": True})
    await story.call("archived by a viewer", "PATCH", "prompts/short_names", {"archived": True}, who="bob")
    await story.call("those that are archived", "GET", "prompts?archived=true", who="bob")
    await story.call("written while archived", "POST", "prompts/short_names/versions", {"text": TEXT, "reason": "Why"})
    await story.call("one of the site is archived", "PATCH", "prompts/folder_name", {"archived": True})
    await story.call("one that is not there", "GET", "prompts/nothing")
    await story.call("one that is not there is archived", "PATCH", "prompts/nothing", {"archived": True})


async def _written(story: Story) -> None:
    versions = "prompts/folder_name/versions"
    await story.call("a draft", "POST", versions, {"text": TEXT, "reason": "Shorter"})
    wrong: tuple[tuple[str, dict[str, Any]], ...] = (
        ("an unknown variable", {"text": {"en": "{{folder}} {{secret}}"}}),
        ("a missing variable", {"text": {"en": "{{folder}}"}, "variables": ["folder", "company"]}),
        ("no reason", {"text": TEXT, "reason": " "}),
        ("a model that is not offered", {"text": TEXT, "model": "openai:gpt-9"}),
    )
    for name, body in wrong:
        await story.call(name, "POST", versions, {"reason": "Why", **body})
    await story.call("written by a viewer", "POST", versions, {"text": TEXT, "reason": "Why"}, who="bob")
    await story.call("what differs", "GET", "prompts/folder_name/compare?a=1&b=2")
    await story.call(
        "a version of a prompt that is not there", "POST", "prompts/nothing/versions", {"text": TEXT, "reason": "Why"}
    )
    await story.call("compared with one that is not there", "GET", "prompts/folder_name/compare?a=1&b=9")
    await story.call("one that is not there", "GET", f"{versions}/9")
    await story.call("compared with nothing", "GET", "prompts/folder_name/compare?a=1")


async def _active(story: Story) -> None:
    activate = "prompts/folder_name/versions/{}/activate"
    await story.call("the draft is activated", "POST", activate.format(2), {"reason": "Better"})
    await story.call("a viewer activates", "POST", activate.format(1), {}, who="bob")
    await story.call("that of the site again", "POST", activate.format(1), {})
    await story.call("a version that is not there", "POST", activate.format(9), {})


async def _tried(story: Story) -> None:
    folder = await story.call("a folder", "POST", "objects/folder", {"fields": {"name": "Warehouse"}})
    context = {"type": "folder", "id": folder["id"]}
    attempt = "prompts/folder_name/versions/1/try"
    story.model.says("Where goods lie.")
    story.model.end()
    tried = await story.call("tried", "POST", attempt, {"context": context, "wait": True})
    await story.call("its conversation", "GET", f"chat/sessions/{tried['sessionId']}/messages")
    await story.call("what came of it", "GET", "prompts/folder_name/versions/1")
    await story.call("on another kind", "POST", attempt, {"context": {"type": "graph", "id": "nba"}})
    await story.call("on nothing", "POST", attempt, {"context": {"type": "folder", "id": NOWHERE}})
    await story.call("by a viewer", "POST", attempt, {"context": context}, who="bob")
