"""Real web processes on the test's database, for what only Daphne and the kernel show. For tests marked `processes`."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote, urlencode

from django.conf import settings
from django.db import connection

#: How long a process may take to serve, and to end.
PATIENCE_S = 60


class WebProcess:
    """`python -m chat.server` on a port of its own."""

    def __init__(self, **environment: str) -> None:
        listening = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = listening.getsockname()[1]
        self._log = tempfile.NamedTemporaryFile("a")  # noqa: SIM115 - it is open as long as the process
        self._process = subprocess.Popen(
            [sys.executable, "-m", "chat.server", "--fd", str(listening.fileno()), "daphne"],
            env={**os.environ, **_environment(), **environment},
            pass_fds=[listening.fileno()],
            stdout=self._log,
            stderr=subprocess.STDOUT,
        )
        listening.close()

    @property
    def http(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def chat(self) -> str:
        return f"ws://127.0.0.1:{self.port}/ws/chat/"

    def log(self) -> str:
        return Path(self._log.name).read_text()

    def resident_kib(self) -> int:
        """Memory that the process has in use."""
        with open(f"/proc/{self._process.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))

    def await_service(self) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while True:
            assert self._process.poll() is None, self.log()
            try:
                urllib.request.urlopen(f"{self.http}/healthz", timeout=5).close()
            except (urllib.error.URLError, TimeoutError):
                assert time.monotonic() < deadline, self.log()
                time.sleep(0.05)
            else:
                return

    def end(self) -> None:
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            raise
        finally:
            self._log.close()


@contextmanager
def web_processes(count: int = 1, **environment: str) -> Iterator[list[WebProcess]]:
    """That many processes, side by side, on the database that this test uses."""
    processes = [WebProcess(**environment) for _ in range(count)]
    try:
        for each in processes:
            each.await_service()
        yield processes
    finally:
        for each in processes:
            each.end()


def _environment() -> dict[str, str]:
    """What leads a process to this test's database and Valkey keys."""
    given = connection.settings_dict
    user, password = quote(given["USER"] or "", safe=""), quote(given["PASSWORD"] or "", safe="")
    host, port = given["HOST"] or given["OPTIONS"].get("host", ""), given["PORT"]
    query = urlencode({name: value for name, value in (("host", host), ("port", port)) if value})
    return {
        "DATABASE_URL": f"postgresql://{user}{':' if password else ''}{password}@/{quote(given['NAME'])}?{query}",
        "REDIS_URL": settings.REDIS_URL,
        "REDIS_PREFIX": settings.REDIS_PREFIX,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "ALLOWED_HOSTS": "127.0.0.1",
        "DRAIN_S": "1",
    }
