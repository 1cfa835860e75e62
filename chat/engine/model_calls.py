"""The calls of its model that a run makes, one after the other: what each is asked with, and what all have cost."""

import logging
from collections.abc import Sequence
from contextlib import suppress

from chat.concurrency.database import in_db, in_tool_thread
from chat.engine import (
    available_models,
    calling,
    enriching,
    error_texts,
    generation_prompts,
    gone_contexts,
    offered_models,
    prompt_loading,
    run_storage,
    summarising,
    telemetry,
)
from chat.engine.answer import LiveAnswer
from chat.engine.claims import ClaimedRun
from chat.engine.error_texts import Failure
from chat.prompts.cutting import room_for_prompt
from chat.prompts.window import surely_fits
from chat.providers.configured_models import ModelUnavailableError
from chat.providers.estimating import estimate_usage, tokens_of
from chat.providers.pieces import Reply
from chat.providers.provider import ProviderConfig
from chat.providers.provider_error import ProviderError
from chat.spending.calls import CallCost, cost_of, price_source_of
from chat.spending.crashed import OUTCOME, settle_run
from chat.spending.refusing import BudgetRefused

log = logging.getLogger("countersign.engine")

#: Of what a vendor refused as too long, how much is tried next.
SQUEEZED = 0.75
#: The shares that are tried where that was too much, too, and a person asks for a summary of more.
SQUEEZED_MORE = (SQUEEZED**2, SQUEEZED, 0.9)


class ModelCalls:
    """`last` is the call under way or the last one; `unstored` what calls cost that is not in the database yet."""

    def __init__(self, run: ClaimedRun, answer: LiveAnswer) -> None:
        self._run = run
        self._answer = answer
        self._config: ProviderConfig | None = None
        self._prompt: prompt_loading.Prompt | None = None
        self._call: calling.LiveCall | None = None
        self._squeezed = False
        #: Whether budgets have to be looked at before the next call.
        self._budgeted = True
        self.unstored: list[CallCost] = []

    @property
    def last(self) -> calling.LiveCall:
        assert self._call is not None
        return self._call

    @property
    def tried(self) -> Sequence[str]:
        """The corrections that were tried for the run's question, its own with them."""
        return [str(each) for each in self._run.trigger.get("tried", ())]

    @property
    def out_of_rounds(self) -> bool:
        """Whether the last call could only write, because the rounds of tools were used up."""
        return self._call is not None and not self._call.request.tools_allowed

    @property
    def prompt(self) -> prompt_loading.Prompt:
        assert self._prompt is not None
        return self._prompt

    @property
    def provenance(self) -> run_storage.Provenance:
        return run_storage.Provenance(self._config, self._prompt)

    @property
    def lengths(self) -> dict[str, int]:
        """Characters of the question and of the context that was looked up for it, once they were read."""
        return self._prompt.lengths if self._prompt is not None else {}

    async def enrich(self, *, anew: bool = False) -> Failure | None:
        """Stores what is asked with and loads the prompt, once; `anew` only loads. A failure if the context is gone."""
        if self._prompt is not None and not anew:
            return None
        member = self._run.member
        assert member is not None
        load = prompt_loading.load_prompt if anew else enriching.enrich
        if self._run.generation is not None:
            load = generation_prompts.load_prompt
        try:
            self._prompt = await in_tool_thread.until_done(load, self._run, member)
        except prompt_loading.ContextGone:
            return await in_db(gone_contexts.failure_of, self._run)
        except generation_prompts.Hindered as hindered:
            return hindered.failure
        self._budgeted = self._prompt.budgeted
        return None

    async def ask(self, tools: bool) -> Failure | None:
        """Asks the model and shows what it says; the reply is that of `last`."""
        try:
            self._config = self._offered()
        except ModelUnavailableError as unavailable:
            return Failure("model_unavailable", str(unavailable), retryable=False, corrections=("model",))
        # A run that was taken over between two rounds comes here without the effect `Enrich`. What a generation is
        # for may be gone by its second call.
        if failure := await self.enrich(anew=self._run.generation is not None and self._call is not None):
            return failure
        room = room_for_prompt(self._config.context_window, self._config.max_tokens)
        call = await self._fitting_call(self._config, tools, room)
        if isinstance(call, Failure):
            return call
        if self._run.trigger.get("correction") == "summarise" and not self._squeezed:
            self._squeezed = True
            call = await self._squeezed_call(self._config, call, tools, *SQUEEZED_MORE)
        try:
            error = await self._ask(call)
            if error is not None and error.code == "context_length" and not self._squeezed:
                # Once for a run whose vendor found its request too long, though it was not as counted here.
                self._squeezed = True
                shorter = await self._squeezed_call(self._config, call, tools, SQUEEZED)
                if shorter is not call:
                    call = shorter
                    error = await self._ask(call)
        except BudgetRefused as refusal:
            telemetry.unpaid(self.last)
            await self.add_costs()
            return Failure("rate_limit", str(refusal), refusal.retryable)
        if error is None:
            return None
        log.warning("run %s: %s: %s", self._run.id, error.code, error.detail)
        gave_up = error.code == "context_length"
        could_be_shorter = gave_up and await self._could_be_shorter(self._config, call)
        corrections = error_texts.corrections_for(error, could_be_shorter=could_be_shorter)
        return Failure(error.code, error_texts.sentence_for(error), error.retryable, gave_up, corrections)

    def _offered(self) -> ProviderConfig:
        """The run's model. Raises `ModelUnavailableError`, also for one that was withdrawn since it was chosen."""
        configured, member, chosen = available_models.configured(), self._run.member, self._run.model
        assert member is not None
        if not offered_models.refuses(member, chosen):
            with suppress(ModelUnavailableError):
                return configured.resolve_offered(chosen or None)
        available = [choice.id for choice in offered_models.offered_to(member)]
        raise ModelUnavailableError(error_texts.model_unavailable(chosen or configured.default(), available))

    async def _fitting_call(self, config: ProviderConfig, tools: bool, room: int) -> calling.LiveCall | Failure:
        """The next call. If its request is too long the earlier part is summarised; a failure if nothing helps."""
        call = calling.prepare(config, self.prompt, self._answer, tools=tools)
        if surely_fits(call.request, room):
            return call
        rounds = self._answer.rounds
        measured = summarising.OversizedRequest(self._run, config, self.prompt, rounds, call.request, room)
        try:
            if not await summarising.make_room(measured, self._answer):
                return call
        except summarising.TooLong:
            text = error_texts.TOO_LONG_FOR_MODEL
            return Failure("context_length", text, retryable=False, gave_up=True, corrections=("model",))
        failure = await self.enrich(anew=True)
        return failure or calling.prepare(config, self.prompt, self._answer, tools=tools)

    async def _could_be_shorter(self, config: ProviderConfig, call: calling.LiveCall) -> bool:
        """Whether a summary of more would make its request shorter by as much as is worth it."""
        tokens = await in_tool_thread(tokens_of, call.request)
        room = int(tokens * SQUEEZED_MORE[-1])
        measured = summarising.OversizedRequest(self._run, config, self.prompt, self._answer.rounds, call.request, room)
        return await in_tool_thread(summarising.cut_for, measured) is not None

    async def _squeezed_call(
        self, config: ProviderConfig, call: calling.LiveCall, tools: bool, *shares: float
    ) -> calling.LiveCall:
        """The call with the first of these shares of its tokens that a summary can make of it; else as it is."""
        tokens = await in_tool_thread(tokens_of, call.request)
        for share in shares:
            shorter = await self._fitting_call(config, tools, int(tokens * share))
            if not isinstance(shorter, Failure):
                return shorter
        return call

    async def _ask(self, call: calling.LiveCall) -> ProviderError | None:
        """Makes the call, under its budgets. Raises `BudgetRefused`."""
        self._call = call
        if self._budgeted:
            await calling.set_aside(call, self._run.account)
        self._budgeted = True
        with telemetry.of_call(call):
            await calling.perform(call, self._answer.show, self._run.account.workspace_id)
        await self.add_costs()
        return call.error

    async def add_costs(self) -> None:
        """Adds what the last call cost, once. Every attempt is recorded; readers see those that cost something."""
        if self._call is None or self._call.costs_added:
            return
        self._call.costs_added = True
        await self._add(await calling.costs_of(self._call))

    async def add_crashed_costs(self) -> None:
        """Adds what the previous process took for a call that it died in: settled if it was reserved, else estimated.

        Without budgets nothing says whether it was asking before the first word came; we assume that it was.
        """
        if await in_db.until_done(settle_run, self._run.id) or self._run.member is None:
            return
        with suppress(ModelUnavailableError):
            config = available_models.configured().resolve(self._run.model or None)
            if await self.enrich() is not None:
                return
            if self._answer.shows_more_than_rounds() or (self._run.died and not self._budgeted):
                request = calling.prepare(config, self.prompt, self._answer, tools=True).request
                usage = estimate_usage(request, Reply(text=self._answer.unstored_text()))
                cost, source = cost_of(config, usage), price_source_of(config)
                await self._add([CallCost(config.name, config.model, usage, cost, 0, OUTCOME, price_source=source)])

    async def _add(self, costs: Sequence[CallCost]) -> None:
        self.unstored += costs
        telemetry.costs(costs)
        self._answer.add_costs(costs)
