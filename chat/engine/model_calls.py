"""The calls of its model that a run makes, one after the other: what each is asked with, and what all have cost."""

import logging
from functools import partial

from chat import error_texts, models_available
from chat.database import in_tool_thread
from chat.engine import calling, records, telling
from chat.engine.answer import Answer
from chat.engine.claims import ClaimedRun
from chat.engine.ending import Failure
from chat.engine.persisting import persistently
from chat.providers.base import ProviderConfig, Usage
from chat.providers.registry import ModelUnavailableError

log = logging.getLogger("countersign.engine")


class ModelCalls:
    """`last` is the call under way or the last one; `unstored` what calls cost that is not in the database yet."""

    def __init__(self, run: ClaimedRun, answer: Answer) -> None:
        self._run = run
        self._answer = answer
        self._config: ProviderConfig | None = None
        self._prompt: records.Prompt | None = None
        self._call: calling.Call | None = None
        self.unstored: list[records.CallCost] = []

    @property
    def last(self) -> calling.Call:
        assert self._call is not None
        return self._call

    @property
    def out_of_rounds(self) -> bool:
        """Whether the last call could only write, because the rounds of tools were used up."""
        return self._call is not None and not self._call.request.tools_allowed

    @property
    def prompt(self) -> records.Prompt:
        assert self._prompt is not None
        return self._prompt

    @property
    def means(self) -> records.Means:
        return records.Means(self._config, self._prompt)

    async def load_prompt(self) -> Failure | None:
        """Once for a run; a failure where the object it is about is gone."""
        assert self._run.member is not None
        if self._prompt is None:
            load = partial(in_tool_thread, records.load_prompt, self._run, self._run.member)
            try:
                self._prompt = await persistently(load)
            except records.ContextGone:
                return Failure("internal", error_texts.CONTEXT_GONE, retryable=False)
        return None

    async def ask(self, tools: bool) -> Failure | None:
        """Asks the model and shows what it says; the reply is that of `last`."""
        assert self._run.member is not None
        try:
            self._config = models_available.configured().resolve(self._run.model or None)
        except ModelUnavailableError:
            return Failure("internal", error_texts.MODEL_UNAVAILABLE, retryable=False)
        if failure := await self.load_prompt():
            return failure
        self._call = calling.prepare(self._config, self.prompt, self._answer, tools=tools)
        with telling.of_call(self._call):
            await calling.perform(self._call, self._answer, self._run.member.workspace.pk)
        await self.note()
        error = self._call.error
        if error is None:
            return None
        log.warning("run %s: %s: %s", self._run.id, error.code, error.detail)
        gave_up = error.code == "context_length"
        return Failure(error.code, error_texts.sentence_for(error), error.retryable, gave_up)

    async def note(self) -> None:
        """Notes what the last call cost, once. All attempts are kept; readers are told of those that cost something."""
        if self._call is None or self._call.noted:
            return
        self._call.noted = True
        costs = self._call.costs()
        self.unstored += costs
        telling.costs(costs)
        for cost in costs:
            if cost.usage != Usage():
                await self._answer.tell("usage", calling.usage_event(cost))
