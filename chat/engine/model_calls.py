"""The calls of its model that a run makes, one after the other: what each is asked with, and what all have cost."""

import logging
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

from chat.concurrency.database import in_db, in_tool_thread
from chat.engine import (
    available_models,
    calling,
    error_texts,
    paying,
    prompt_loading,
    run_storage,
    summarising,
    telemetry,
)
from chat.engine.answer import Answer
from chat.engine.claims import ClaimedRun
from chat.engine.failure import Failure
from chat.engine.until_stored import persistently
from chat.providers.base import ProviderConfig, ProviderError, Reply
from chat.providers.estimating import estimate_usage
from chat.providers.registry import ModelUnavailableError
from chat.spending.calls import CallCost, cost_of
from chat.spending.crashed import OUTCOME, settle_run
from chat.spending.refusing import BudgetRefused
from graphs.site.access import Member

log = logging.getLogger("countersign.engine")


class ModelCalls:
    """`last` is the call under way or the last one; `unstored` what calls cost that is not in the database yet."""

    def __init__(self, run: ClaimedRun, answer: Answer) -> None:
        self._run = run
        self._answer = answer
        self._config: ProviderConfig | None = None
        self._prompt: prompt_loading.Prompt | None = None
        self._call: calling.Call | None = None
        self._squeezed = False
        #: Whether budgets have to be looked at before the next call.
        self._budgeted = True
        self.unstored: list[CallCost] = []

    @property
    def last(self) -> calling.Call:
        assert self._call is not None
        return self._call

    @property
    def out_of_rounds(self) -> bool:
        """Whether the last call could only write, because the rounds of tools were used up."""
        return self._call is not None and not self._call.request.tools_allowed

    @property
    def prompt(self) -> prompt_loading.Prompt:
        assert self._prompt is not None
        return self._prompt

    @property
    def means(self) -> run_storage.Means:
        return run_storage.Means(self._config, self._prompt)

    async def load_prompt(self) -> Failure | None:
        """Once for a run; a failure where the object it is about is gone."""
        assert self._run.member is not None
        if self._prompt is None:
            try:
                await persistently(partial(in_tool_thread, self._load_prompt, self._run.member))
            except prompt_loading.ContextGone:
                return Failure("internal", error_texts.CONTEXT_GONE, retryable=False)
        return None

    def _load_prompt(self, member: Member) -> None:
        """Together with whether there are budgets, which spares the first call of most a visit to the database."""
        self._prompt = prompt_loading.load_prompt(self._run, member)
        self._budgeted = self._prompt.budgeted

    async def ask(self, tools: bool) -> Failure | None:
        """Asks the model and shows what it says; the reply is that of `last`."""
        assert self._run.member is not None
        registry = available_models.configured()
        try:
            self._config = registry.resolve(self._run.model or None)
        except ModelUnavailableError:
            available = [choice.id for choice in registry.choices()]
            sentence = error_texts.model_unavailable(self._run.model or registry.default(), available)
            return Failure("internal", sentence, retryable=False)
        room = summarising.room(self._config)
        if failure := await self.load_prompt() or await self._make_room(self._config, tools, room):
            return failure
        try:
            error = await self._ask(self._config, tools)
            if error is not None and error.code == "context_length" and await self._squeeze(self._config, tools):
                error = await self._ask(self._config, tools)
        except BudgetRefused as refusal:
            telemetry.unpaid(self.last)
            await self.note()
            return Failure("rate_limit", str(refusal), refusal.retryable)
        if error is None:
            return None
        log.warning("run %s: %s: %s", self._run.id, error.code, error.detail)
        gave_up = error.code == "context_length"
        return Failure(error.code, error_texts.sentence_for(error), error.retryable, gave_up)

    async def _ask(self, config: ProviderConfig, tools: bool) -> ProviderError | None:
        """Raises `BudgetRefused`."""
        self._call = calling.prepare(config, self.prompt, self._answer, tools=tools)
        if self._budgeted:
            await paying.set_aside(self._call, self._run.account)
        self._budgeted = True
        with telemetry.of_call(self._call):
            cover = partial(paying.set_aside_again, self._call)
            await calling.perform(self._call, self._answer.show, self._run.account.workspace_id, cover)
        await self.note()
        return self._call.error

    async def _squeeze(self, config: ProviderConfig, tools: bool) -> bool:
        """Once for a run whose vendor found its request too long, though it was not as counted here."""
        if self._squeezed:
            return False
        self._squeezed = True
        return await self._make_room(config, tools, await summarising.less_than(self.last.request)) is None

    async def _make_room(self, config: ProviderConfig, tools: bool, room: int) -> Failure | None:
        """The prompt is another one where the earlier part had to be summarised; a failure where nothing helps."""
        request = calling.prepare(config, self.prompt, self._answer, tools=tools).request
        rounds = self._answer.rounds
        crowded = summarising.Crowded(self._run, config, self.prompt, rounds, request, room)
        try:
            if not await summarising.make_room(crowded, self._answer):
                return None
        except summarising.TooLong:
            return Failure("context_length", error_texts.TOO_LONG_FOR_MODEL, retryable=False, gave_up=True)
        self._prompt = None
        return await self.load_prompt()

    async def note(self) -> None:
        """Notes what the last call cost, once. All attempts are kept; readers are told of those that cost something."""
        if self._call is None or self._call.noted:
            return
        self._call.noted = True
        await self._note(await paying.costs_of(self._call))

    async def note_crashed(self) -> None:
        """What the process before took for a call that it died in: settled where it was reserved, else estimated.

        Without budgets nothing says whether it was asking before the first word came: it is taken to have been.
        """
        if await persistently(partial(in_db, settle_run, self._run.id)) or self._run.member is None:
            return
        with suppress(ModelUnavailableError):
            config = available_models.configured().resolve(self._run.model or None)
            if await self.load_prompt() is None and self._was_asking():
                request = calling.prepare(config, self.prompt, self._answer, tools=True).request
                usage = estimate_usage(request, Reply(text=self._answer.unstored_text()))
                await self._note([CallCost(config.name, config.model, usage, cost_of(config, usage), 0, OUTCOME)])

    def _was_asking(self) -> bool:
        return self._answer.shows_more_than_rounds() or (self._run.died and not self._budgeted)

    async def _note(self, costs: Sequence[CallCost]) -> None:
        self.unstored += costs
        telemetry.costs(costs)
        await self._answer.tell_costs(costs)
