"""The product as real processes, for tests that go through its real doors: web processes and a vendor they talk to."""

import json
import os
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from typing import Any

import pytest
from django.conf import settings
from playwright.sync_api import Browser
from pytest_django import DjangoDbBlocker

from tests import emptying, forked
from tests.browser import port
from tests.vendors import VendorServer
from tests.web_process import WebProcess, of_the_test


class Site:
    """Web processes that share a database, and their vendor. `web` is the first one."""

    def __init__(
        self, vendor: VendorServer, overrides: dict[str, str], module: str = "chat.web.server", port: int = 0
    ) -> None:
        self.vendor = vendor
        self._port = port
        self._module = module
        self._environment = {**of_the_vendor(vendor), **overrides}
        self.processes: list[WebProcess] = []
        self._replaced: list[WebProcess] = []

    def start(self, count: int) -> None:
        """That many more web processes, ready."""
        for process in [self.begin() for _ in range(count)]:
            process.wait_until_ready()

    def begin(self) -> WebProcess:
        """One more, which is not ready yet. The first one listens on the port of the site, if it has one."""
        self.processes.append(WebProcess(self._environment, self._module, 0 if self.processes else self._port))
        return self.processes[-1]

    def replace(self, process: WebProcess) -> WebProcess:
        """Begins another one in the place of one that ended; what that one logged is kept."""
        process.close()
        self._replaced.append(process)
        self.processes.remove(process)
        return self.begin()

    def run(self, module: str, *arguments: str) -> int:
        """Another program of the product, to its end: its exit code."""
        environment = {**os.environ, **of_the_test(), **self._environment}
        return forked.run(module, arguments, environment)[0]

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


def of_the_vendor(vendor: VendorServer) -> dict[str, str]:
    """What makes the product talk to it."""
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
def site(processes: int = 1, module: str = "chat.web.server", port: int = 0, **overrides: str) -> Iterator[Site]:
    """The product, ready. `module` is what its processes run, `port` where the first one listens; other keywords are
    variables of their environment."""
    with VendorServer() as vendor:
        started = Site(vendor, overrides, module, port)
        try:
            started.start(processes)
            yield started
        finally:
            started.close()


@pytest.fixture(scope="module")
def lasting_site(browser: Browser, django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Site]:
    """One process for all tests of a module, which begin with empty tables: to start one takes as long as most."""
    with django_db_blocker.unblock(), emptying.around("chat_process"), site(port=port()) as started:
        yield started


class Api:
    """A program that signed in with a token."""

    def __init__(self, url: str, username: str, password: str) -> None:
        self.url = url
        self.token = ""
        self.token = self.post("/api/v1/auth/token", {"username": username, "password": password})["access"]

    def at(self, url: str) -> "Api":
        """The same person at another process."""
        there = copy(self)
        there.url = url
        return there

    def get(self, path: str) -> Any:
        return self.call("GET", path)

    def post(self, path: str, body: Any, key: str = "") -> Any:
        """With `key` as its Idempotency-Key."""
        return self.call("POST", path, body, key)

    def call(self, method: str, path: str, body: Any = None, key: str = "", timeout: float = 130) -> Any:
        headers = {"Content-Type": "application/json"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        if key:
            headers["Idempotency-Key"] = key
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}{path}", data, headers, method=method)
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            text = answer.read()
        return json.loads(text) if text else None
