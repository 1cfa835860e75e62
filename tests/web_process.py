"""A real web process on the test's database, for what only processes, Daphne and the kernel show."""

import os
import signal
import socket
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote, urlencode

from django.conf import settings
from django.db import connection

from config import local
from tests.forked import ROOT as ROOT
from tests.forked import Forked

SERVER = "chat.web.server"
#: Of processes none of which is to be taken for dead, however late the machine lets it show that it lives.
PATIENT = {"PROCESS_SILENT_S": "60"}
#: What sets Django up in those that are forked by one that has loaded the product.
LOADED_BY = {
    **dict.fromkeys((SERVER, "tests.faults.counting", "tests.faults.stuck"), "django.setup"),
    **dict.fromkeys(("tests.faults.crashing", "tests.faults.selling"), "tests.shop.installed.begin"),
}
ALLOWED_HERE = "DJANGO_ALLOW_ASYNC_UNSAFE"
#: How long a process may take to serve, and to end.
PATIENCE_S = 60
#: Makes processes notice each other's death soon, and lets tests sign in as often as they like.
QUICK = {
    "HEARTBEAT_S": "0.5",
    "PROCESS_SILENT_S": "3",
    "DRAIN_S": "5",
    "LIMIT_LOGIN": "1000/min",
    **dict.fromkeys(("LIMIT_WRITES", "LIMIT_IMPORTS", "LIMIT_ROLLBACKS"), "100000/min"),
}


class WebProcess:
    """`python -m chat.web.server` on a free port, or on `port`; `environment` adds to what leads it to the test's
    servers.

    Another `module` does something of its own and then the same.
    """

    def __init__(self, environment: Mapping[str, str], module: str = SERVER, port: int = 0) -> None:
        listening = socket.create_server(("127.0.0.1", port), backlog=1024)
        self.port = listening.getsockname()[1]
        self._said: str | None = None
        self._log = tempfile.NamedTemporaryFile("a", prefix="web-", suffix=".log")  # noqa: SIM115
        self.process = Forked(
            module,
            ["--fd", str(listening.fileno()), "daphne"],
            {**_ours(), **of_the_test(), **environment},
            self._log,
            pass_fds=[listening.fileno()],
            loaded=LOADED_BY.get(module, ""),
        )
        listening.close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def chat_url(self) -> str:
        return f"ws://127.0.0.1:{self.port}/ws/chat/"

    def wait_until_ready(self) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                with urllib.request.urlopen(f"{self.url}/readyz", timeout=5):
                    return
            except OSError:
                time.sleep(0.05)
        raise AssertionError(f"the web process did not become ready:\n{self.log()}")

    def log(self) -> str:
        return Path(self._log.name).read_text() if self._said is None else self._said

    def resident_kib(self) -> int:
        """Memory that the process has in use."""
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))

    def kill(self) -> None:
        """kill -9."""
        self.process.kill()
        self.process.wait(PATIENCE_S)

    def ask_to_end(self) -> None:
        """SIGTERM."""
        self.process.send_signal(signal.SIGTERM)

    def terminate(self, within_s: float = PATIENCE_S) -> int:
        """SIGTERM; the exit code once it has drained."""
        self.ask_to_end()
        return self.process.wait(within_s)

    def freeze(self) -> None:
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    def close(self) -> None:
        """Ends it whatever state it is in."""
        if self.process.poll() is None:
            self.thaw()
            self.kill()
        if self._said is None:
            self._said = self.log()
            self._log.close()


@contextmanager
def web_processes(count: int = 1, **environment: str) -> Iterator[list[WebProcess]]:
    """That many processes, side by side, on the database that this test uses."""
    processes = [WebProcess(environment) for _ in range(count)]
    try:
        for each in processes:
            each.wait_until_ready()
        yield processes
    finally:
        for each in processes:
            each.close()


def _ours() -> dict[str, str]:
    """The environment of this process, without what `tests/browser.py` allows this process alone."""
    return {name: value for name, value in os.environ.items() if name != ALLOWED_HERE}


def of_the_test() -> dict[str, str]:
    """What leads a process to this test's database and Valkey keys, and makes it notice things quickly."""
    return {
        **_roles(),
        "REDIS_URL": settings.REDIS_URL,
        "REDIS_PREFIX": settings.REDIS_PREFIX,
        "SECRET_KEY": settings.SECRET_KEY,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "ALLOWED_HOSTS": "127.0.0.1",
        **QUICK,
    }


def _roles() -> dict[str, str]:
    """What runs does so as on a site, where the server is ours; its tables are the test's."""
    if not os.environ.get("TEST_OWN_POSTGRES"):
        return {"DATABASE_URL": database_url()}
    return {"DATABASE_URL": database_url(user=local.DATABASE), "DATABASE_OWNER_URL": database_url()}


def database_url(password: str = "", user: str = "") -> str:
    """Of this test's database, with a password of the test's where its server asks for none."""
    given = connection.get_connection_params()
    user = quote(user or given.get("user") or "", safe="")
    password = quote(given.get("password") or password, safe="")
    query = urlencode({name: str(given[name]) for name in ("host", "port") if given.get(name)})
    return f"postgresql://{user}{':' if password else ''}{password}@/{quote(given['dbname'])}?{query}"
