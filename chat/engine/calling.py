"""One call of a model for a run: streamed into the answer, the cost of each attempt noted whatever happens."""

import time
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from chat.engine.answer import Answer
from chat.engine.records import CallCost, Prompt
from chat.models_available import circuit_for, provider_for
from chat.prompts.history import NO_MORE_TOOLS, round_entries
from chat.providers.base import (
    ModelRequest,
    Piece,
    PromptMessage,
    ProviderConfig,
    ProviderError,
    ReasoningDelta,
    Reply,
    Retrying,
    TextDelta,
    Usage,
    fold,
)
from chat.providers.circuit import CircuitOpen
from chat.providers.estimating import estimate_usage
from chat.sent_requests.keeping import Sent


@dataclass(slots=True)
class Call:
    """A call under way or over: `error` is why it broke off. `started`: when its present attempt begins or began.

    `noted` once its costs are on their way into the database.
    """

    config: ProviderConfig
    request: ModelRequest
    started: float
    error: ProviderError | None = None
    outcome: str = "stopped"
    noted: bool = False
    sent: Sent | None = None
    _text: list[str] = field(default_factory=list)
    _reasoning: list[str] = field(default_factory=list)
    _other: Reply = field(default_factory=Reply)
    _failed_attempts: list[CallCost] = field(default_factory=list)

    def take(self, piece: Piece) -> None:
        """Text is gathered, not joined: a long answer has thousands of pieces."""
        match piece:
            case TextDelta(text):
                self._text.append(text)
            case ReasoningDelta(text):
                self._reasoning.append(text)
            case Retrying(_, delay_s, error):
                self._failed_attempts.append(self._cost(error.code, error))
                self._other = Reply()
                self.started = time.monotonic() + delay_s
            case _:
                self._other = fold(self._other, piece)

    @property
    def reply(self) -> Reply:
        """What came so far."""
        return replace(self._other, text="".join(self._text), reasoning="".join(self._reasoning))

    def costs(self) -> list[CallCost]:
        """Of every attempt, the failed ones too. One that was stopped while it waited for its time never began."""
        if isinstance(self.error, CircuitOpen) or time.monotonic() < self.started:
            return self._failed_attempts
        return [*self._failed_attempts, self._cost(self.outcome, self.error)]

    def _cost(self, outcome: str, error: ProviderError | None) -> CallCost:
        latency_ms = int((time.monotonic() - self.started) * 1000)
        return CallCost(self.config, self._usage(error), latency_ms, outcome, self.sent)

    def _usage(self, error: ProviderError | None) -> Usage:
        """Tokens as the vendor counted them, estimated where it did not say."""
        reply = self.reply
        if reply.usage is not None and reply.end is not None:
            return reply.usage
        if error is not None and not error.billed:
            return Usage()
        return estimate_usage(self.request, reply)


def prepare(config: ProviderConfig, prompt: Prompt, answer: Answer, *, tools: bool) -> Call:
    """The request: what the run began with, its own rounds since, and the tools unless they are used up."""
    rounds = [entry for round_ in answer.rounds for entry in round_entries(round_)]
    messages = [*prompt.messages, *rounds]
    if rounds:
        messages[-1] = replace(messages[-1], cache_breakpoint=True)
    if not tools:
        messages.append(PromptMessage("user", NO_MORE_TOOLS))
    request = ModelRequest(
        messages=tuple(messages),
        tools=prompt.tools,
        model=config.model,
        max_tokens=config.max_tokens,
        tools_allowed=tools,
    )
    return Call(config, request, time.monotonic(), sent=Sent(config, request, len(answer.rounds)))


async def perform(call: Call, answer: Answer, workspace_id: int) -> None:
    """Streams the reply into the answer. Closing the generator closes the connection to the vendor."""
    provider = provider_for(call.config)
    try:
        with circuit_for(call.config.name, workspace_id).call():
            async with aclosing(provider.stream(call.request)) as pieces:
                async for piece in pieces:
                    call.take(piece)
                    await answer.show(piece)
        call.outcome = "complete"
    except ProviderError as error:
        call.error = error
        call.outcome = error.code


def usage_event(cost: CallCost) -> dict[str, object]:
    usage: Usage = cost.usage
    return {
        "promptTokens": usage.prompt_tokens,
        "completionTokens": usage.completion_tokens,
        "cachedTokens": usage.cached_tokens,
        "cost": cost.cost,
        "model": cost.config.model,
        "modelId": cost.config.id,
        **({"estimated": True} if usage.estimated else {}),
    }
