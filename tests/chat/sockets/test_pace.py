import pytest
from pytest_django import Settings

from chat.sockets.pace import CHARS_PER_FRAME, MOST_REFUSED, Pace


@pytest.fixture(autouse=True)
def ten_a_second(settings: Settings) -> None:
    settings.LIMIT_FRAMES = "10/s"


def test_it_allows_a_burst_and_then_an_even_flow() -> None:
    pace = Pace(0)
    assert [pace.allows(10, 0) for _ in range(12)] == [True] * 10 + [False] * 2
    assert [pace.allows(10, 0.1) for _ in range(2)] == [True, False]
    assert [pace.allows(10, 100) for _ in range(11)] == [True] * 10 + [False]


def test_it_counts_a_big_frame_as_several() -> None:
    pace = Pace(0)
    assert pace.allows(4 * CHARS_PER_FRAME, 0)
    assert [pace.allows(10, 0) for _ in range(6)] == [True] * 5 + [False]


def test_it_allows_the_biggest_frame_when_nothing_else_is_said() -> None:
    pace = Pace(0)
    assert pace.allows(1_000_000, 0)
    assert not pace.allows(0, 0)
    assert pace.allows(1_000_000, 1)


def test_it_takes_for_a_flood_what_is_refused_again_and_again() -> None:
    pace = Pace(0)
    for _ in range(10 + MOST_REFUSED - 1):
        pace.allows(10, 0)
    assert not pace.is_flood
    assert not pace.allows(10, 0)
    assert pace.is_flood


def test_it_takes_for_no_flood_what_is_mostly_allowed() -> None:
    pace = Pace(0)
    for number in range(1000):
        pace.allows(10, number / 15)
        assert not pace.is_flood


def test_it_takes_for_a_flood_what_is_mostly_refused() -> None:
    pace = Pace(0)
    for number in range(1000):
        pace.allows(10, number / 50)
    assert pace.is_flood
