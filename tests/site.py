"""The product as real processes, for tests that go through its real doors: web processes and a vendor they talk to."""

import json
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings

from tests.vendors import VendorServer
from tests.web_process import WebProcess


class Site:
    """Web processes that share a database, and their vendor. `web` is the first one."""

    def __init__(self, vendor: VendorServer, overrides: dict[str, str]) -> None:
        self.vendor = vendor
        self._environment = {**_of_the_vendor(vendor), **overrides}
        self.processes: list[WebProcess] = []
        self._replaced: list[WebProcess] = []

    def start(self, count: int) -> None:
        """That many more web processes."""
        fresh = [WebProcess(self._environment) for _ in range(count)]
        self.processes += fresh
        for process in fresh:
            process.wait_until_ready()

    def replace(self, process: WebProcess) -> WebProcess:
        """Another one in the place of one that ended; what that one logged is kept."""
        process.close()
        self._replaced.append(process)
        self.processes.remove(process)
        self.start(1)
        return self.processes[-1]

    @property
    def web(self) -> WebProcess:
        return self.processes[0]

    def logs(self) -> str:
        """What all processes said, those that were replaced too."""
        return "\n".join(process.log() for process in (*self._replaced, *self.processes))

    @property
    def secrets(self) -> set[str]:
        """What no log, event or answer may hold."""
        return {value for name, value in self._environment.items() if name.endswith("_KEY")} | {settings.SECRET_KEY}

    def close(self) -> None:
        for process in self.processes:
            process.close()


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
