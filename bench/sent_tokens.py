"""What a model is sent about the demo's graph, in tokens: tools by role, levels 1 and 2, a rename through approval.

python -m bench.sent_tokens

Runs in a process with the product's environment; the demo is the model. Prints {what: tokens} as JSON.
"""

import asyncio
import json
import math
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from io import StringIO
from typing import Any

import django

from bench import systems
from bench.servers import Servers
from bench.systems import ROOT
from bench.table import Row

GRAPH, RECORD = ("--graph", "nba"), ("--object", "nodeType:api-call")
QUESTION = "What happens after fetch-api?"
RENAME = "Rename fetch-api to Fetch games"
#: What is measured, and the most that it may be.
EDITOR, VIEWER, RECORD_EDITOR = "tools of an editor", "tools of a viewer", "tools of an editor about a record"
LEVELS, FIRST, RENAMED = "levels 1 and 2", "a first question, in all", "a rename through approval, all requests"
TARGETS = {EDITOR: 2_500, VIEWER: 900, LEVELS: 1_200, RENAMED: 11_000}


def measure(servers: Servers) -> list[Row]:
    variables = {**systems.environment(servers, "http://nobody.invalid"), "REDIS_PREFIX": "bench-tokens"}
    systems.prepare(variables)
    command = [sys.executable, "-m", "bench.sent_tokens"]
    answer = subprocess.run(command, cwd=ROOT, env=variables, check=True, stdout=subprocess.PIPE).stdout
    return list(rows(json.loads(answer.splitlines()[-1])))


def rows(found: Mapping[str, int]) -> Iterator[Row]:
    for what, tokens in found.items():
        yield Row(f"tokens of {what}", math.nan, tokens, tokens, TARGETS.get(what), "", "")


def dumped(*command: str) -> Any:
    """What the product's own command shows."""
    from django.core.management import call_command

    out = StringIO()
    call_command(*command, "--workspace", "demo", "--json", stdout=out)
    return json.loads(out.getvalue())


def tools(*about: str) -> int:
    """Tokens of the tools, on the wire that takes the most."""
    return max(dumped("dump_tools", *about)["tokens"].values())


def levels() -> int:
    found = dumped("dump_prompt", QUESTION, *GRAPH)["levels"]
    return sum(level["tokens"] for level in found if level["name"].startswith(("system prompt", "always sent")))


async def rename() -> list[int]:
    """Recorded prompt tokens of each call, from the question to the word after the approval."""
    from chat.concurrency.database import in_db
    from chat.engine.runtime import Runtime
    from chat.models import Run, RunStatus

    async def done(step: Callable[[], Any]) -> None:
        await in_db(step)
        while await in_db(Run.objects.filter(status__in=[RunStatus.QUEUED, RunStatus.RUNNING]).exists):
            await asyncio.sleep(0.05)

    runtime = Runtime(lambda: None)
    await runtime.start()
    try:
        await done(_ask)
        await done(_approve)
    finally:
        await runtime.close()
    return await in_db(_recorded)


def _member() -> Any:
    from django.contrib.auth.models import User

    from graphs.site.access import member_of

    return member_of(User.objects.get(username="demo"), "demo")


def _ask() -> None:
    from chat.actions import conversations
    from graphs.objects.refs import Ref

    conversations.post_message(_member(), RENAME, context=Ref("graph", "nba"), model="demo")


def _approve() -> None:
    from chat.actions.deciding import Decision, decide
    from chat.models import Proposal

    decide(_member(), str(Proposal.objects.get(status="pending").pk), Decision(approved=True))


def _recorded() -> list[int]:
    from chat.models import ModelCall

    return list(ModelCall.objects.order_by("pk").values_list("prompt_tokens", flat=True))


def main() -> None:
    django.setup()
    found = {
        EDITOR: tools(*GRAPH),
        VIEWER: tools(*GRAPH, "--role", "viewer"),
        RECORD_EDITOR: tools(*RECORD),
        LEVELS: levels(),
        FIRST: dumped("dump_prompt", QUESTION, *GRAPH)["tokens"],
        RENAMED: sum(asyncio.run(rename())),
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
