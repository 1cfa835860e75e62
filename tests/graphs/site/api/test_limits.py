import logging
from concurrent.futures import ThreadPoolExecutor

import pytest
from pytest_django import Settings

from graphs.site import valkey
from graphs.site.api.limits import Rate, require, take
from graphs.site.api.problems import Problem


@pytest.mark.parametrize(("text", "rate"), [("10/min", Rate(10, 60)), ("50/s", Rate(50, 1)), ("2/hour", Rate(2, 3600))])
def test_it_reads_rates(text: str, rate: Rate) -> None:
    assert Rate.parse(text) == rate


def test_it_lets_exactly_so_many_through() -> None:
    assert [take("test", "alice", "3/hour") for _time in range(3)] == [0, 0, 0]
    assert 3599 < take("test", "alice", "3/hour") <= 3600
    assert take("test", "bob", "3/hour") == 0
    assert take("other", "alice", "3/hour") == 0


def test_it_counts_right_when_many_come_at_once() -> None:
    with ThreadPoolExecutor(8) as pool:
        waits = list(pool.map(lambda _time: take("test", "alice", "10/hour"), range(40)))
    assert waits.count(0) == 10


def test_places_become_free_again(settings: Settings) -> None:
    assert take("test", "alice", "1/s") == 0
    client = valkey.client()
    [key] = [key for key in client.keys(f"{settings.REDIS_PREFIX}:limit:*") if not key.endswith(b":n")]
    assert 0 < client.pttl(key) <= 1000
    [(member, score)] = client.zrange(key, 0, 0, withscores=True)
    client.zadd(key, {member: score - 1_000_001})
    assert take("test", "alice", "1/s") == 0


def test_it_says_how_long_to_wait() -> None:
    require("test", "alice", "1/hour")
    with pytest.raises(Problem) as refusal:
        require("test", "alice", "1/hour")
    assert (refusal.value.status, refusal.value.code) == (429, "throttled")
    assert refusal.value.headers["Retry-After"] == "3600"


def test_each_process_limits_by_itself_when_valkey_is_gone(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    settings.REDIS_URL = "unix:///nowhere/valkey.sock"
    with caplog.at_level(logging.WARNING):
        waits = [take("test", "alice", "2/hour") for _time in range(3)]
    assert waits[:2] == [0, 0]
    assert 3599 < waits[2] <= 3600
    assert take("test", "bob", "2/hour") == 0
    assert "each process limits test by itself" in caplog.text
