import threading
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
from pytest_django import Settings

from chat.sockets import connections
from graphs import valkey

AT_ONCE = 16


@pytest.mark.parametrize("attempt", range(5))
def test_it_counts_the_first_sockets_of_a_process_all_at_once(attempt: int, settings: Settings) -> None:
    settings.REDIS_PREFIX = f"limit-{uuid.uuid4().hex}"
    valkey._client.cache_clear()
    together = threading.Barrier(AT_ONCE)

    def take(number: int) -> bool:
        together.wait(10)
        return connections._take(1, str(number))

    with ThreadPoolExecutor(AT_ONCE) as threads:
        assert all(threads.map(take, range(AT_ONCE)))
