"""What a model is sent: its tools, what is retrieved for a question, the whole prompt."""

import json
from io import StringIO

from django.core.management import call_command

from tests.wire.story import Story, in_thread

QUESTION = "what does fetch-api do?"
ABOUT = ("--graph", "nba", "--workspace", "demo")


async def tell(story: Story) -> None:
    for role in ("editor", "viewer"):
        found = json.loads(await _said("dump_tools", *ABOUT, "--json", "--role", role, "--wire", "openai"))
        story.record(what=f"the tools for {role}s", json=found)
    story.record(what="the context of a question", text=(await _said("dump_context", QUESTION, *ABOUT)).splitlines())
    story.record(what="the same", json=json.loads(await _said("dump_context", QUESTION, *ABOUT, "--json")))
    for role in ("editor", "viewer"):
        prompt = await _said("dump_prompt", QUESTION, *ABOUT, "--role", role)
        story.record(what=f"the prompt for {role}s", text=prompt.splitlines())


async def _said(*command: str) -> str:
    out = StringIO()
    await in_thread(lambda: call_command(*command, stdout=out))
    return out.getvalue()
