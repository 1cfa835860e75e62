import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
from pytest_django import Settings

from chat.access import connections
from chat.access.connections import Slot
from graphs.site import valkey
from graphs.site.api import limits
from tests.silent_server import silent_server

AT_ONCE = 16


@pytest.mark.parametrize("attempt", range(5))
def test_it_counts_the_first_sockets_of_a_process_all_at_once(attempt: int, settings: Settings) -> None:
    settings.REDIS_PREFIX = f"limit-{uuid.uuid4().hex}"
    valkey._client.cache_clear()
    together = threading.Barrier(AT_ONCE)

    def take(number: int) -> bool:
        together.wait(10)
        return connections.take(Slot(1, str(number)))

    with ThreadPoolExecutor(AT_ONCE) as threads:
        assert all(threads.map(take, range(AT_ONCE)))


def test_hosts_whose_clocks_differ_count_the_same(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.REDIS_PREFIX = f"limit-{uuid.uuid4().hex}"
    settings.LIMIT_SOCKETS = 1
    now = time.time()
    assert connections.take(Slot(1, "first"))
    monkeypatch.setattr(time, "time", lambda: now + 3600)
    assert not connections.take(Slot(1, "second"))
    connections.renew([Slot(1, "first")])
    monkeypatch.setattr(time, "time", lambda: now)
    assert not connections.take(Slot(1, "third"))
    connections.release(Slot(1, "first"))
    assert connections.take(Slot(1, "fourth"))


def test_a_socket_that_nobody_renews_is_forgotten(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.REDIS_PREFIX = f"limit-{uuid.uuid4().hex}"
    settings.LIMIT_SOCKETS = 1
    assert connections.take(Slot(1, "first"))
    assert not connections.take(Slot(1, "second"))
    with valkey.asked() as client:
        client.zincrby(Slot(1, "first").key, -connections.FORGET_AFTER_S, "first")
    assert connections.take(Slot(1, "third"))


def test_all_wait_together_for_a_valkey_that_is_silent(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(valkey, "AWAY_S", 3600)
    monkeypatch.setattr(valkey, "_away", {})
    with silent_server() as silent:
        settings.REDIS_URL = silent.url
        assert connections.take(Slot(1, "first"))
        reached = silent.reached()
        assert reached
        for number in range(20):
            assert connections.take(Slot(1, str(number)))
            connections.renew([Slot(1, str(number))])
            connections.release(Slot(1, str(number)))
            assert limits.take("test", str(number), "1/hour") == 0
        assert silent.reached() == reached
        monkeypatch.setattr(valkey, "_away", {})
        connections.renew([Slot(1, "first")])
        assert silent.reached() > reached


@pytest.mark.parametrize("known", [True, False])
def test_while_valkey_is_away_each_process_counts_its_own(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, known: bool
) -> None:
    settings.REDIS_PREFIX = f"limit-{uuid.uuid4().hex}"
    settings.LIMIT_SOCKETS = 2
    monkeypatch.setattr(valkey, "AWAY_S", 3600)
    monkeypatch.setattr(valkey, "_away", {})
    assert not known or connections.take(Slot(1, "first"))  # while Valkey is there
    with silent_server() as silent:
        settings.REDIS_URL = silent.url
        assert known or connections.take(Slot(1, "first"))
        assert connections.take(Slot(1, "second"))
        assert not connections.take(Slot(1, "third"))
        assert connections.take(Slot(1, "of another sort", "graph-sockets"))
        assert connections.take(Slot(2, "somebody else's"))
        connections.release(Slot(1, "third"))
        assert not connections.take(Slot(1, "third"))
        connections.release(Slot(1, "first"))
        assert connections.take(Slot(1, "third"))
        for slot in (Slot(1, "second"), Slot(1, "third"), Slot(1, "of another sort", "graph-sockets")):
            connections.release(slot)
        assert not any(key.endswith(":1") for key in connections._here if key.startswith(settings.REDIS_PREFIX))
