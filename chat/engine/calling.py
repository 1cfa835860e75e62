"""A call of a model: paid by budgets, streamed to who reads it, the cost of each attempt recorded."""

import math
import time
import uuid
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from chat.concurrency.database import in_db, in_tool_thread
from chat.engine import telemetry
from chat.engine.answer import LiveAnswer
from chat.engine.available_models import circuit_for, provider_for
from chat.engine.prompt_loading import Prompt
from chat.events.append import Fenced
from chat.generation.replies import NO_CALL
from chat.models import Purpose, calls_of
from chat.prompts.round_messages import round_entries
from chat.prompts.window import NO_MORE_TOOLS
from chat.providers import pieces
from chat.providers.circuit import CircuitOpen
from chat.providers.estimating import estimate_usage
from chat.providers.model_request import ModelRequest, PromptMessage
from chat.providers.provider import ProviderConfig
from chat.providers.provider_error import ProviderError
from chat.providers.turns import begun_and_ended_by_a_person
from chat.sent_requests.keeping import KeptRequest
from chat.spending.calls import CallCost, bound_of, cost_of, counted, price_source_of
from chat.spending.refusing import BudgetRefused
from chat.spending.reserving import cover, reserve
from chat.spending.settling import record_costs_now, release
from graphs.site.accounts import Account

#: Gets what the attempts cost, once that is recorded.
OnCosts = Callable[[Sequence[CallCost]], None]


@dataclass(slots=True)
class LiveCall:
    """A call under way or over: `error` is why it broke off. `started`: when its present attempt begins or began.

    `costs_added` once its costs are on their way into the database. `reservation` is what budgets set aside for it.
    """

    config: ProviderConfig
    request: ModelRequest
    started: float = math.inf
    reservation: uuid.UUID | None = None
    purpose: Purpose = Purpose.CHAT
    error: ProviderError | None = None
    outcome: str = "stopped"
    costs_added: bool = False
    sent: KeptRequest | None = None
    _text: list[str] = field(default_factory=list)
    _reasoning: list[str] = field(default_factory=list)
    _other: pieces.Reply = field(default_factory=pieces.Reply)
    _first_piece: float | None = None
    _failed_attempts: list[CallCost] = field(default_factory=list)

    def take(self, piece: pieces.Piece) -> None:
        """Takes a piece. Text is gathered, not joined: a long answer has thousands of pieces."""
        if self._first_piece is None and isinstance(
            piece, pieces.TextDelta | pieces.ReasoningDelta | pieces.ToolCallStart
        ):
            self._first_piece = time.monotonic()
        match piece:
            case pieces.TextDelta(text):
                self._text.append(text)
            case pieces.ReasoningDelta(text):
                self._reasoning.append(text)
            case pieces.Retrying(_, delay_s, error):
                self._failed_attempts.append(self._cost(error.code, error))
                self._other, self._first_piece = pieces.Reply(), None
                self.started = time.monotonic() + delay_s
            case _:
                self._other = pieces.fold(self._other, piece)

    @property
    def reply(self) -> pieces.Reply:
        """What came so far."""
        text, reasoning = "".join(self._text), "".join(self._reasoning)
        return replace(self._other, text=text, reasoning=reasoning, model=self.config.id)

    def costs(self) -> list[CallCost]:
        """One cost for each attempt, failed ones included. An attempt that was stopped while it waited never began."""
        if isinstance(self.error, CircuitOpen) or time.monotonic() < self.started:
            return self._failed_attempts
        return [*self._failed_attempts, self._cost(self.outcome, self.error)]

    async def cover_failure(self) -> None:
        """Reserves for another attempt if the vendor may charge for the last. Raises `BudgetRefused`, `Fenced`."""
        failed = self._failed_attempts[-1]
        if self.reservation is None or failed.usage == pieces.Usage():
            return
        try:
            await in_db.until_done(cover, self.reservation, failed)
        except (BudgetRefused, Fenced):
            self.started = math.inf  # the next attempt is never made
            raise

    def _cost(self, outcome: str, error: ProviderError | None) -> CallCost:
        usage, first = self._usage(error), self._first_piece
        return CallCost(
            provider=self.config.name,
            model=self.config.model,
            usage=usage,
            cost=cost_of(self.config, usage),
            price_source=price_source_of(self.config),
            latency_ms=int((time.monotonic() - self.started) * 1000),
            first_token_ms=None if first is None else int((first - self.started) * 1000),
            retries=len(self._failed_attempts),
            outcome=outcome,
            purpose=self.purpose,
            reservation=self.reservation,
            sent=self.sent,
        )

    def _usage(self, error: ProviderError | None) -> pieces.Usage:
        """Tokens as the vendor counted them, or an estimate if it did not say."""
        reply = self.reply
        if reply.usage is not None and reply.end is not None:
            return reply.usage
        if error is not None and not error.billed:
            return pieces.Usage()
        return estimate_usage(self.request, reply)


def prepare(config: ProviderConfig, prompt: Prompt, answer: LiveAnswer, *, tools: bool) -> LiveCall:
    """The request: what the run began with, its own rounds since, and the tools unless they are used up."""
    summarised, sent = answer.rounds[: prompt.rounds_left_out], answer.rounds[prompt.rounds_left_out :]
    rounds = [entry for round_ in sent for entry in round_entries(round_)]
    messages = [*prompt.messages, *rounds]
    if rounds:
        messages[-1] = replace(messages[-1], cache_breakpoint=True)
    if not tools:
        messages.append(PromptMessage("user", NO_MORE_TOOLS))
    if prompt.form and sent and not sent[-1].calls:  # The result of a call says what was wrong with that.
        messages.append(PromptMessage("user", f"[{NO_CALL.format(form=prompt.form)}]"))
    request = ModelRequest(
        messages=begun_and_ended_by_a_person(messages),
        tools=prompt.offered(len(answer.rounds), rounds),
        model=config.model,
        max_tokens=config.max_tokens,
        tools_allowed=tools,
        earlier_calls=frozenset(call.id for call in calls_of(summarised)),
    )
    sent_as = KeptRequest(config, request, len(answer.rounds), before=prompt.last_request)
    return LiveCall(config, request, sent=sent_as)


async def perform(call: LiveCall, show: Callable[[pieces.Piece], Awaitable[None]], workspace_id: int) -> None:
    """Streams the reply to `show`. Closing the generator closes the connection to the vendor."""
    provider = provider_for(call.config)
    call.started = time.monotonic()
    try:
        with circuit_for(call.config.name, workspace_id).call():
            async with aclosing(provider.stream(call.request)) as answer:
                async for piece in answer:
                    call.take(piece)
                    await show(piece)
                    if isinstance(piece, pieces.Retrying):
                        await call.cover_failure()
        call.outcome = "complete"
    except ProviderError as error:
        call.error = error
        call.outcome = error.code


async def set_aside(call: LiveCall, account: Account) -> None:
    """Reserves the most that the call can take, counting tokens if bytes do not fit. Raises `BudgetRefused`."""
    reservation = call.reservation = uuid.uuid4()  # so that a call that is stopped meanwhile can be given back
    asked = call.config, call.request, call.purpose
    try:
        try:
            reserved = await in_db.until_done(lambda: reserve(account, bound_of(*asked), reservation))
        except BudgetRefused:
            closer = await in_tool_thread(bound_of, *asked, counted)
            reserved = await in_db.until_done(reserve, account, closer, reservation)
    except BudgetRefused:
        call.reservation = None
        raise
    if not reserved:
        call.reservation = None


async def costs_of(call: LiveCall) -> list[CallCost]:
    """What is to be recorded of a call that is over; what was set aside for one that never began is given back."""
    costs = call.costs()
    if not costs and call.reservation is not None:
        await in_db.until_done(release, call.reservation)
    return costs


async def ask_aside(
    account: Account, config: ProviderConfig, request: ModelRequest, purpose: Purpose, on_costs: OnCosts
) -> pieces.Reply:
    """The reply to a request beside an answer, paid and recorded like one. Raises `ProviderError`, `BudgetRefused`."""
    call = LiveCall(config, request, purpose=purpose, sent=KeptRequest(config, request, round=0))
    try:
        await set_aside(call, account)
        with telemetry.of_call(call):
            await perform(call, _show_nobody, account.workspace_id)
    except BudgetRefused:
        telemetry.unpaid(call)
        raise
    finally:
        if costs := await costs_of(call):
            telemetry.costs(costs)
            await in_db.until_done(record_costs_now, account, costs)
            on_costs(costs)
    if call.error is not None:
        raise call.error
    return call.reply


async def _show_nobody(_piece: pieces.Piece) -> None:
    """Shows a piece to nobody."""
