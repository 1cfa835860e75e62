"""Asks the database for many at once: questions that come while one is under way share the next one."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

from graphs.site.database_away import AWAY

Question = TypeVar("Question")
Answer = TypeVar("Answer")


async def ask_together(
    ask: Callable[[Sequence[Question]], Awaitable[Sequence[Answer]]], questions: Sequence[Question]
) -> list[Answer | Exception]:
    """The answer to each question or what it alone raised: halves are asked again until the bad one stands alone."""
    try:
        return list(await ask(questions))
    except AWAY:
        raise
    except Exception as error:  # Any: who asked is given it.
        if len(questions) == 1:
            return [error]
    half = len(questions) // 2
    return await ask_together(ask, questions[:half]) + await ask_together(ask, questions[half:])


class Batched(Generic[Question, Answer]):
    """Answers single questions by asking many at once. `ask` takes up to `most` and returns answers in their order."""

    def __init__(self, ask: Callable[[Sequence[Question]], Awaitable[Sequence[Answer]]], most: int = 200) -> None:
        self._ask = ask
        self._most = most
        self._waiting: list[tuple[Question, asyncio.Future[Answer]]] = []
        self._asking: asyncio.Task[None] | None = None

    async def answer(self, question: Question) -> Answer:
        """The answer to one question; raises what its own asking raised, or that of all while the database is away."""
        mine: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting.append((question, mine))
        if self._asking is None or self._asking.done():
            self._asking = asyncio.create_task(self._ask_all())
        return await mine

    async def _ask_all(self) -> None:
        while self._waiting:
            first, self._waiting = self._waiting[: self._most], self._waiting[self._most :]
            if wanted := [(question, mine) for question, mine in first if not mine.done()]:
                await self._answer_each(wanted)

    async def _answer_each(self, wanted: Sequence[tuple[Question, asyncio.Future[Answer]]]) -> None:
        answers: Sequence[Answer | Exception]
        try:
            answers = await ask_together(self._ask, [question for question, _mine in wanted])
        except AWAY as error:
            answers = [error] * len(wanted)
        for (_question, mine), answer in zip(wanted, answers, strict=True):
            if mine.done():
                continue
            if isinstance(answer, Exception):
                mine.set_exception(answer)
            else:
                mine.set_result(answer)
