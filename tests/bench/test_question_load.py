import asyncio

import pytest

from bench.question_load import Load, Pressed, _ask_at


class Reader:
    """Gets so many of the tokens that were asked for, 2 ms after they were sent."""

    def __init__(self, lost: int) -> None:
        self._lost = lost
        self._asked = 0
        self.left = 0

    def forget(self) -> None:
        self._asked = 0

    async def ask(self, tokens: int, rate: int) -> None:
        self._asked = tokens

    def leave(self) -> None:
        self.left += 1

    def tokens(self) -> list[tuple[int, int]]:
        return [(0, 2_000_000)] * (self._asked - self._lost)

    def first_token_ms(self) -> float:
        return 7.0


async def asked(lost: int) -> Pressed:
    free: asyncio.Queue = asyncio.Queue()
    free.put_nowait(Reader(lost))
    pressed = Pressed()
    await _ask_at(0, free, Load("one", questions=1, tokens=3), pressed)
    assert free.get_nowait().left == 1
    return pressed


def test_first_tokens_and_delays_of_all_are_noted() -> None:
    async def scenario() -> None:
        pressed = await asked(lost=0)
        assert (pressed.first_ms, pressed.own_delays_ms) == ([7.0], [2.0, 2.0, 2.0])

    asyncio.run(scenario())


def test_a_lost_token_fails_the_benchmark() -> None:
    async def scenario() -> None:
        with pytest.raises(RuntimeError, match="2 of 3 tokens"):
            await asked(lost=1)

    asyncio.run(scenario())
