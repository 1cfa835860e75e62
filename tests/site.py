"""The product as real processes, for tests that go through its real doors: web processes and a vendor they talk to."""

import json
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
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.db import connection

from tests.vendors import VendorServer

ROOT = Path(__file__).resolve().parent.parent
READY_WITHIN_S = 30


class WebProcess:
    """One `python -m chat.server` on a port of its own, working on the database of the test."""

    def __init__(self, environment: dict[str, str]) -> None:
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self.ws_url = self.url.replace("http", "ws", 1)
        self._log = tempfile.NamedTemporaryFile("w+", prefix="web-", suffix=".log")  # noqa: SIM115
        self.process = subprocess.Popen(
            [sys.executable, "-m", "chat.server", "--fd", str(self._listening.fileno()), "daphne"],
            cwd=ROOT,
            env=environment,
            pass_fds=[self._listening.fileno()],
            stdout=self._log,
            stderr=self._log,
            stdin=subprocess.DEVNULL,
        )
        self._listening.close()

    def wait_until_ready(self) -> None:
        deadline = time.monotonic() + READY_WITHIN_S
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                with urllib.request.urlopen(f"{self.url}/readyz", timeout=2) as answer:
                    if answer.status == 200:
                        return
            except OSError:
                time.sleep(0.05)
        raise AssertionError(f"the web process did not become ready:\n{self.log()}")

    def log(self) -> str:
        return Path(self._log.name).read_text()

    def kill(self) -> None:
        """kill -9."""
        self.process.kill()
        self.process.wait(10)

    def terminate(self) -> int:
        """SIGTERM; the exit code once it has drained."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(40)

    def freeze(self) -> None:
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.kill()
        self._log.close()


class Site:
    """Web processes that share a database, and their vendor. `web` is the first one."""

    def __init__(self, vendor: VendorServer, overrides: dict[str, str]) -> None:
        self.vendor = vendor
        self._environment = {**os.environ, **_of_the_test(), **_of_the_vendor(vendor), **overrides}
        self.processes: list[WebProcess] = []

    def start(self, count: int) -> None:
        """That many more web processes."""
        fresh = [WebProcess(self._environment) for _ in range(count)]
        self.processes += fresh
        for process in fresh:
            process.wait_until_ready()

    @property
    def web(self) -> WebProcess:
        return self.processes[0]

    def logs(self) -> str:
        return "\n".join(process.log() for process in self.processes)

    def close(self) -> None:
        for process in self.processes:
            process.close()


def _of_the_test() -> dict[str, str]:
    found = connection.get_connection_params()
    places = {name: str(found[name]) for name in ("host", "port") if found.get(name)}
    return {
        "DATABASE_URL": f"postgresql://{found['user']}@/{found['dbname']}?{urlencode(places)}",
        "REDIS_URL": settings.REDIS_URL,
        "REDIS_PREFIX": settings.REDIS_PREFIX,
        "SECRET_KEY": settings.SECRET_KEY,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "HEARTBEAT_S": "0.5",
        "PROCESS_SILENT_S": "3",
        "DRAIN_S": "5",
        "LIMIT_LOGIN": "1000/min",
    }


def _of_the_vendor(vendor: VendorServer) -> dict[str, str]:
    return {
        "LLM_PROVIDER": "custom",
        "CUSTOM_API_KEY": "canary-key-of-the-vendor",
        "CUSTOM_BASE_URL": vendor.openai_url,
        "CUSTOM_MODEL": "scripted",
        "ANTHROPIC_API_KEY": "canary-key-of-the-vendor",
        "ANTHROPIC_BASE_URL": vendor.anthropic_url,
        "STREAM_IDLE_TIMEOUT_S": "3",
    }


@contextmanager
def site(processes: int = 1, **overrides: str) -> Iterator[Site]:
    """The product, ready. Keyword arguments are variables of its environment."""
    with VendorServer() as vendor:
        started = Site(vendor, overrides)
        try:
            started.start(processes)
            yield started
        finally:
            started.close()


class Api:
    """A program that signed in with a token."""

    def __init__(self, url: str, username: str, password: str) -> None:
        self.url = url
        self.token = ""
        self.token = self.post("/api/v1/auth/token", {"username": username, "password": password})["access"]

    def get(self, path: str) -> Any:
        return self._call(path, None, "GET")

    def post(self, path: str, body: Any) -> Any:
        return self._call(path, json.dumps(body).encode(), "POST")

    def _call(self, path: str, body: bytes | None, method: str) -> Any:
        headers = {"Content-Type": "application/json"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        request = urllib.request.Request(f"{self.url}{path}", body, headers, method=method)
        with urllib.request.urlopen(request, timeout=130) as answer:
            text = answer.read()
        return json.loads(text) if text else None
