"""Valkey ends, is emptied, hangs or is full under load: nobody notices more than a second's delay."""

import os
import signal

import pytest
import redis
from django.conf import settings

from tests.chat.engine.driving import until
from tests.faults.crowd import Crowd
from tests.faults.outage import Outage

pytestmark = [pytest.mark.processes, pytest.mark.faults, pytest.mark.timeout(600)]

ROUNDS = 10 if os.environ.get("FULL") else 1


def assert_nobody_noticed(people: Crowd) -> None:
    """Sockets, responses and requests went on: nobody had to come again."""
    assert people.losses == {}


def everybody_listens(outage: Outage) -> bool:
    """Both processes hear wake-ups and the doorbell again."""
    with redis.Redis.from_url(outage.redis_url) as valkey:
        channels = [f"{settings.REDIS_PREFIX}:{name}" for name in ("streams", "runs")]
        return [count for _channel, count in valkey.pubsub_numsub(*channels)] == [2, 2]


def test_it_is_killed(outage: Outage) -> None:
    with outage.crowd() as people:
        for _ in range(ROUNDS):
            outage.valkey.end(signal.SIGKILL)
            until(lambda: outage.statuses("/readyz") == [503, 503])
            assert outage.statuses("/healthz") == [200, 200]
            people.all_get_on()
            people.all_get_on()
            outage.valkey.start()
            until(lambda: outage.statuses("/readyz") == [200, 200])
            until(lambda: everybody_listens(outage))
    assert_nobody_noticed(people)


def test_it_is_emptied(outage: Outage) -> None:
    with outage.crowd() as people, redis.Redis.from_url(outage.redis_url) as valkey:
        for _ in range(3 * ROUNDS):
            valkey.flushall()
            people.all_get_on()
    assert_nobody_noticed(people)


def test_it_pauses(outage: Outage) -> None:
    with outage.crowd() as people, redis.Redis.from_url(outage.redis_url) as valkey:
        for _ in range(ROUNDS):
            valkey.client_pause(5000)
            people.all_get_on()
            people.all_get_on()
            valkey.client_unpause()
    assert_nobody_noticed(people)


def test_it_is_full(outage: Outage) -> None:
    with outage.crowd() as people, redis.Redis.from_url(outage.redis_url) as valkey:
        valkey.config_set("maxmemory-policy", "noeviction")
        valkey.config_set("maxmemory", "1mb")
        try:
            with pytest.raises(redis.exceptions.OutOfMemoryError):
                valkey.set("one", "more")
            people.all_get_on()
            people.all_get_on()
        finally:
            valkey.config_set("maxmemory", "0")
    assert_nobody_noticed(people)
