"""A forked process is the one that `python -m` would have begun, and nothing of it is left to the next one."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from typing import Any

import pytest

from tests import fork_server, forked

pytestmark = pytest.mark.processes
PROBE = "tests.fork_probe"


def found(environment: dict[str, str], *arguments: str) -> dict[str, Any]:
    code, said = forked.run(PROBE, arguments, environment)
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
