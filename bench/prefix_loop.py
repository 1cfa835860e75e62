"""Conversations of many turns with rounds of tools on each wire, and how much of each request begins as the one before.

python -m bench.prefix_loop TURNS

Runs in a process with the product's environment; the vendor is the mock of the tests, which keeps what it is asked.
Prints {wire: [share, ...]} as JSON.
"""

import asyncio
import json
import os
import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile
from typing import Any

import django

from graphs.objects.refs import Ref

#: Of each wire a provider of `CHAT_PROVIDERS`, and the variables that lead it to the mock.
WIRES = {
    "Chat Completions": ("openai", "OPENAI"),
    "Responses": ("openai-reasoning", "OPENAI"),
    "Anthropic": ("anthropic", "ANTHROPIC"),
    "DeepSeek": ("deepseek", "DEEPSEEK"),
}
CALLS = (
    ("search_nodes", {"query": "api"}),
    ("read_node_detail", {"nodeKey": "fetch-api"}),
    ("explore_neighborhood", {"nodeKey": "root", "maxDepth": 2}),
)
QUESTION = "Question {number}: what happens after node {key}, and why?"
KEYS = ("root", "fetch-api", "filter-active", "display-html", "error-handler", "sort-stats")


def shares(bodies: Sequence[dict[str, Any]]) -> Iterator[float]:
    """How much of each request is also the beginning of the next one."""
    for before, after in pairwise(map(written, bodies)):
        common = sum(1 for _ in takewhile(lambda both: both[0] == both[1], zip(before, after, strict=False)))
        yield common / len(before)


def written(body: dict[str, Any]) -> str:
    """A request as its vendor reads it: tools, system prompt, messages; without where caches shall end."""
    messages = body.get("messages") or body["input"]
    text = json.dumps([body.get("tools", []), body.get("system", []), *messages], default=str)
    return text.replace(', "cache_control": {"type": "ephemeral"}', "").removesuffix("]")


async def hold(model: str, turns: int, vendor: Any) -> list[dict[str, Any]]:
    """The bodies of all requests of one conversation."""
    from chat.engine.runtime import Runtime

    vendor.reset()
    runtime = Runtime(lambda: None)
    await runtime.start()
    try:
        session = ""
        for number in range(turns):
            session = await _turn(model, number, session, vendor)
    finally:
        await runtime.close()
    return [request.body for request in vendor.requests]


async def _turn(model: str, number: int, session: str, vendor: Any) -> str:
    """A question, a round of two calls, a round of one, an answer; meanwhile somebody edits the graph."""
    from chat.actions import conversations
    from chat.concurrency.database import in_db
    from chat.models import Run, RunStatus
    from chat.queries.conversations import hold
    from graphs.models import Node
    from graphs.site.access import member_of
    from tests.vendors import Script, ScriptedCall

    def ask() -> Any:
        from django.contrib.auth.models import User
        from django.db import transaction

        Node.objects.filter(graph__workspace__slug="demo", graph__key="nba", key="root").update(name=f"Start {number}")
        user = User.objects.get(username="demo")
        text = QUESTION.format(number=number, key=KEYS[number % len(KEYS)])
        if not session:
            return conversations.post_message(member_of(user, "demo"), text, context=Ref("graph", "nba"), model=model)
        with transaction.atomic():
            return conversations.post_into(hold(user, session), text, model=model)

    calls = [ScriptedCall(name, arguments) for name, arguments in CALLS]
    vendor.script(Script(text="I look.", tool_calls=tuple(calls[:2])), Script(tool_calls=(calls[2],)))
    vendor.script(Script(text=f"Answer {number}: it goes on to the next node. " * 4))
    accepted = await in_db(ask)
    live = Run.objects.filter(pk=accepted.run_id, status__in=[RunStatus.QUEUED, RunStatus.RUNNING])
    while await in_db(live.exists):
        await asyncio.sleep(0.05)
    return str(accepted.session_id)


def main(arguments: list[str]) -> None:
    from tests.vendors import VendorServer

    with VendorServer() as vendor:
        for _, variable in WIRES.values():
            url = vendor.anthropic_url if variable == "ANTHROPIC" else vendor.openai_url
            os.environ |= {f"{variable}_API_KEY": "none", f"{variable}_BASE_URL": url}
        django.setup()
        turns = int(arguments[0])
        held = {wire: asyncio.run(hold(model, turns, vendor)) for wire, (model, _) in WIRES.items()}
    print(json.dumps({wire: list(shares(bodies)) for wire, bodies in held.items()}))


if __name__ == "__main__":
    main(sys.argv[1:])
