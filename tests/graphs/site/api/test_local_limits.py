import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from graphs.site.api import local_limits
from graphs.site.api.local_limits import LocalLimits


def test_it_lets_exactly_so_many_through_in_a_period(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    limits = LocalLimits()
    assert [limits.take("a", 2, 60) for _time in range(2)] == [0, 0]
    now = 130.0
    assert (limits.take("a", 2, 60), limits.take("b", 2, 60)) == (30, 0)
    now = 160.0
    assert [limits.take("a", 2, 60) for _time in range(3)] == [0, 0, 60]


def test_it_counts_right_when_many_come_at_once() -> None:
    limits = LocalLimits()
    with ThreadPoolExecutor(8) as pool:
        waits = list(pool.map(lambda _time: limits.take("a", 10, 3600), range(40)))
    assert waits.count(0) == 10


def test_it_forgets_those_who_came_longest_ago(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_limits, "MOST_NAMES", 2)
    limits = LocalLimits()
    for name in ("a", "b", "a", "c"):
        limits.take(name, 2, 3600)
    assert list(limits._uses) == ["a", "c"]
