"""A forked process is the one that `python -m` would have begun, and nothing of it is left to the next one."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from typing import Any

import pytest
from pytest_django import Settings

from tests import fork_server, forked, loaded_server
from tests.web_process import of_the_test

pytestmark = pytest.mark.processes
PROBE = "tests.fork_probe"


def found(environment: dict[str, str], *arguments: str, loaded: str = "") -> dict[str, Any]:
    code, said = forked.run(PROBE, arguments, environment, loaded)
    assert code == int(arguments[0] if arguments else 0), said
    return dict(json.loads(said))


def test_it_finds_what_a_process_of_its_own_would_find() -> None:
    environment = {**os.environ, "PYTHONPATH": "/nowhere", "TZ": "Asia/Tokyo", "ONLY_HERE": "1"}
    fresh = subprocess.run(
        [sys.executable, "-m", PROBE, "3"],
        cwd=forked.ROOT, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
    )  # fmt: skip
    assert fresh.returncode == 3, fresh.stderr
    assert found(environment, "3") == json.loads(fresh.stdout)


def test_nothing_of_it_is_left_to_the_next_one() -> None:
    assert found({"PATH": "", "ONLY_HERE": "1"})["environment"] == {"PATH": "", "ONLY_HERE": "1"}
    assert found({"PATH": ""})["environment"] == {"PATH": ""}


def test_one_that_finds_the_product_loaded_finds_nothing_else_of_another_one() -> None:
    for limit, own in (("7/min", "one"), ("7/min", "another"), ("8/min", "another")):
        varied = {"LIMIT_MESSAGES": limit, "CUSTOM_BASE_URL": own, "REDIS_PREFIX": own}
        environment = {**os.environ, **of_the_test(), **varied}
        alone = found(environment, "0", "settings")
        beside = found(environment, "0", "settings", loaded="django.setup")
        assert "chat.models" not in alone.pop("ours")
        assert {"chat.models", "config.asgi"} <= set(beside.pop("ours"))
        assert beside == alone
        assert {"LIMIT_MESSAGES": limit, "REDIS_PREFIX": own}.items() <= beside["read again"].items()


def test_a_killed_one_has_the_number_of_its_signal() -> None:
    with tempfile.TemporaryFile() as log:
        asked = forked.Forked("http.server", ["0"], dict(os.environ), log)
        assert asked.poll() is None
        with pytest.raises(subprocess.TimeoutExpired):
            asked.wait(0.01)
        asked.kill()
        assert asked.wait(60) == -signal.SIGKILL
        asked.send_signal(signal.SIGTERM)


def test_what_all_would_share_is_found() -> None:
    """Here are modules of ours, settings and threads."""
    assert {"chat.models", "settings"} <= set(fork_server.impurities())


@pytest.mark.django_db
def test_a_connection_that_all_would_share_is_found() -> None:
    assert "the database default" in loaded_server.impurities()


def test_a_setting_that_was_looked_up_too_early_is_found(settings: Settings) -> None:
    assert settings.DRAIN_S
    assert "the setting DRAIN_S" in loaded_server.impurities()
