"""The demo as a provider: word by word, with reasoning and usage as models have them.

It knows nothing but the `ModelRequest`: the same request always gives the same answer.
"""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Iterator

from chat.providers.base import (
    ModelRequest,
    Piece,
    ProviderConfig,
    ReasoningDelta,
    TextDelta,
    ToolCallDelta,
    ToolCallStart,
    TurnEnd,
    Usage,
    UsageReport,
)
from chat.providers.call_ids import CallIds
from chat.providers.demo.answering import Step, next_step
from chat.providers.demo.intents import CHANGES, subject
from chat.providers.demo.seen import seen
from chat.providers.estimating import estimated_tokens, prompt_estimate, size

DELAY_S = 0.015
_WORD = re.compile(r"\S+\s*|\s+")


class DemoProvider:
    def __init__(self, config: ProviderConfig, delay_s: float = DELAY_S) -> None:
        """`delay_s` is the pause between two words."""
        self.config = config
        self._delay_s = delay_s

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece]:
        shown = seen(request)
        step = next_step(shown)
        written = 0
        for piece in _pieces(step, CallIds.of(request), first=not shown.results):
            written += size(getattr(piece, "text", "") or getattr(piece, "fragment", ""))
            yield piece
            await asyncio.sleep(self._delay_s)
        yield UsageReport(Usage(prompt_estimate(request), estimated_tokens(written), estimated=True))
        yield TurnEnd("tool_calls" if step.calls else "stop")

    async def close(self) -> None:
        """There is nothing to give back."""


def _pieces(step: Step, ids: CallIds, *, first: bool) -> Iterator[Piece]:
    say = step.say
    if first and step.intent.name not in {"help", "unknown", "too_long", *CHANGES}:
        about = subject(next(iter(step.intent.words.values()), ""))
        thought = say("thinking", topic=f"“{about}”" if about else say("topic"))
        yield from map(ReasoningDelta, _WORD.findall(thought))
    if step.text:
        yield from map(TextDelta, _WORD.findall(f"{say('notice')}\n\n{step.text}"))
    for call in step.calls:
        call_id = ids.claim(None)
        yield ToolCallStart(call_id, call.tool)
        yield ToolCallDelta(call_id, json.dumps(call.arguments, ensure_ascii=False))
