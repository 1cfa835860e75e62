"""A web process that loads while its database is prepared: it serves when the pipe it was given is closed."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import psutil
import pytest

from tests.web_process import PATIENCE_S, ROOT, of_the_test

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.processes]


def test_it_serves_when_the_pipe_is_closed_and_says_what_cannot_work(tmp_path: Path) -> None:
    waited_on, closed_when_prepared = os.pipe()
    log = tmp_path / "log"
    with socket.create_server(("127.0.0.1", 0)) as listening, log.open("wb") as stderr:
        fds = (listening.fileno(), waited_on)
        arguments = ["--fd", str(fds[0]), "--after", str(fds[1]), "daphne"]
        process = psutil.Popen(
            [sys.executable, "-m", "chat.web.server", *arguments],
            cwd=ROOT,
            env={**os.environ, **of_the_test(), "LLM_PROVIDER": "nobody"},
            pass_fds=fds,
            stdin=subprocess.DEVNULL,
            stderr=stderr,
        )
        try:
            wait_until_it_waits(process)
            url = f"http://127.0.0.1:{listening.getsockname()[1]}/healthz"
            with pytest.raises(TimeoutError):
                urllib.request.urlopen(url, timeout=2)
            os.close(closed_when_prepared)
            with urllib.request.urlopen(url, timeout=PATIENCE_S) as answer:
                assert answer.status == 200
        finally:
            process.kill()
            process.wait(PATIENCE_S)
            os.close(waited_on)
    assert "WARNING countersign.server: LLM_PROVIDER is 'nobody'," in log.read_text()


def wait_until_it_waits(process: psutil.Process) -> None:
    """It has loaded what a web process is made of, and does nothing any more."""
    deadline = time.monotonic() + PATIENCE_S
    while process.memory_info().rss < 130 * 2**20 or worked_within_a_second(process):
        assert time.monotonic() < deadline
        time.sleep(0.1)


def worked_within_a_second(process: psutil.Process) -> bool:
    before = process.cpu_times()
    time.sleep(1)
    return process.cpu_times() != before or process.status() != psutil.STATUS_SLEEPING
