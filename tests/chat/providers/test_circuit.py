import asyncio

import pytest

from chat.providers.circuit import FAILURES, PAUSE_S, Circuit, CircuitOpen
from chat.providers.provider_error import ProviderError

BROKEN = ProviderError("server_error", "sorry")


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def made(circuit: Circuit, *, failing: BaseException | None = None) -> None:
    with circuit.call():
        if failing is not None:
            raise failing


def failed(circuit: Circuit, times: int = 1) -> None:
    for _ in range(times):
        with pytest.raises(ProviderError, match="sorry"):
            made(circuit, failing=BROKEN)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def circuit(clock: Clock) -> Circuit:
    return Circuit(clock)


def test_it_opens_after_so_many_failures_in_a_row_and_says_for_how_long(circuit, clock):
    failed(circuit, FAILURES)
    clock.now += 10
    with pytest.raises(CircuitOpen) as refused:
        made(circuit)
    assert (refused.value.code, refused.value.retryable, refused.value.billed) == ("server_error", True, False)
    assert refused.value.retry_after == PAUSE_S - 10


def test_it_stays_closed_where_a_call_succeeds_in_between(circuit):
    failed(circuit, FAILURES - 1)
    made(circuit)
    failed(circuit, FAILURES - 1)
    made(circuit)


def test_it_does_not_count_what_the_vendor_refused_for_good_reason(circuit):
    failed(circuit, FAILURES - 1)
    with pytest.raises(ProviderError, match="no key"):
        made(circuit, failing=ProviderError("auth_error", "no key"))
    failed(circuit)
    made(circuit)


def test_one_call_tries_after_the_pause_while_the_others_wait(circuit, clock):
    failed(circuit, FAILURES)
    clock.now += PAUSE_S
    with circuit.call(), pytest.raises(CircuitOpen):
        made(circuit)
    made(circuit)


def test_it_opens_again_when_the_trial_fails(circuit, clock):
    failed(circuit, FAILURES)
    clock.now += PAUSE_S
    failed(circuit)
    with pytest.raises(CircuitOpen):
        made(circuit)


def test_a_stopped_trial_leaves_its_turn_to_the_next(circuit, clock):
    failed(circuit, FAILURES)
    clock.now += PAUSE_S
    with pytest.raises(asyncio.CancelledError):
        made(circuit, failing=asyncio.CancelledError())
    made(circuit)


def test_a_stopped_call_from_before_does_not_end_the_pause(circuit):
    def stopped() -> None:
        with circuit.call():
            failed(circuit, FAILURES)
            raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        stopped()
    with pytest.raises(CircuitOpen):
        made(circuit)
