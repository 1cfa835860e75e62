import asyncio
from collections.abc import AsyncGenerator, Sequence

import pytest

from chat.providers.model_request import ModelRequest
from chat.providers.pieces import Piece, Retrying, TextDelta, TurnEnd, Usage, UsageReport
from chat.providers.provider import ProviderConfig
from chat.providers.provider_error import ProviderError
from chat.providers.retrying import RetryingProvider
from tests.chat.providers.reading import request_of

LIMITED = ProviderError("rate_limit", "slow down", retry_after=7)
BROKEN = ProviderError("server_error", "sorry")
WHOLE = (TextDelta("Hello"), TurnEnd("stop"))


class ScriptedProvider:
    """Gives one attempt after the other: pieces, the last of which may be an error."""

    config = ProviderConfig("x", "openai", "http://x", "m", 10, None)

    def __init__(self, *attempts: Sequence[Piece | ProviderError]) -> None:
        self.attempts = list(attempts)
        self.requests: list[ModelRequest] = []

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece]:
        self.requests.append(request)
        for piece in self.attempts.pop(0):
            if isinstance(piece, ProviderError):
                raise piece
            yield piece

    async def close(self) -> None:
        pass


def run(*attempts: Sequence[Piece | ProviderError]) -> tuple[list[Piece], list[float], ProviderError | None]:
    slept: list[float] = []
    pieces: list[Piece] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    async def read() -> None:
        provider = RetryingProvider(ScriptedProvider(*attempts), sleep=sleep, jitter=lambda: 0.5)
        async for piece in provider.stream(request_of()):
            pieces.append(piece)

    try:
        asyncio.run(read())
    except ProviderError as error:
        return pieces, slept, error
    return pieces, slept, None


def test_it_changes_nothing_about_an_answer_that_comes():
    assert run(WHOLE) == (list(WHOLE), [], None)


def test_it_waits_as_long_as_the_vendor_says_and_announces_it():
    assert run([LIMITED], WHOLE) == ([Retrying(2, 7, LIMITED), *WHOLE], [7], None)


def test_it_waits_longer_each_time_with_jitter():
    _, slept, error = run([BROKEN], [BROKEN], [BROKEN])
    assert (slept, error) == ([0.625, 1.25], BROKEN)


def test_it_fails_at_once_when_the_vendor_wants_too_long_a_wait():
    hour = ProviderError("rate_limit", "slow down", retry_after=3600)
    assert run([hour], WHOLE) == ([], [], hour)


@pytest.mark.parametrize("code", ["auth_error", "content_filter", "context_length", "internal"])
def test_it_never_retries_what_will_not_get_better(code):
    failure = ProviderError(code, "no")
    assert run([failure], WHOLE) == ([], [], failure)


def test_it_never_retries_once_something_was_shown():
    assert run([TextDelta("Hel"), BROKEN], WHOLE) == ([TextDelta("Hel")], [], BROKEN)


def test_it_retries_after_mere_usage():
    report = UsageReport(Usage(9, 0, 0, estimated=True))
    pieces, _, error = run([report, BROKEN], WHOLE)
    assert error is None
    assert pieces[-1] == TurnEnd("stop")


def test_it_begins_no_further_attempt_after_the_time_for_all_of_them() -> None:
    times = iter([0.0, ScriptedProvider.config.total_timeout_s])
    scripted = ScriptedProvider([ProviderError("timeout", "only pings")], WHOLE)

    async def read() -> None:
        async for _ in RetryingProvider(scripted, clock=lambda: next(times)).stream(request_of()):
            pass

    with pytest.raises(ProviderError):
        asyncio.run(read())
    assert scripted.attempts == [WHOLE]


def test_all_attempts_together_have_the_time_of_one() -> None:
    times = iter([5.0, 10.0, 15.0])
    scripted = ScriptedProvider([BROKEN], [BROKEN], WHOLE)

    async def sleep(_seconds: float) -> None:
        pass

    async def read() -> None:
        async for _ in RetryingProvider(scripted, sleep=sleep, clock=lambda: next(times)).stream(request_of()):
            pass

    asyncio.run(read())
    assert [request.deadline for request in scripted.requests] == [5 + scripted.config.total_timeout_s] * 3
