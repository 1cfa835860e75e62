"""The whole of `manage.py up` on a data folder of its own: servers, web processes, worker and beat."""

import re
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import psutil
from django.conf import settings
from django.db import connection

from config import local
from tests import prepared_site
from tests.cast import PASSWORD
from tests.config.running import Up
from tests.site import of_the_vendor
from tests.vendors import VendorServer
from tests.web_process import QUICK

#: What the supervisor's children are called, or have in their command lines.
WORDS = {"web": {"web-1", "web-2", "daphne"}, "worker": {"worker-1", "worker-1@%h"}}
_PREFIXED = re.compile(r"^(\S+) +\| ?(.*)$")


class WholeSite:
    """Two web processes and workers; people and graphs are those of the demo data, with the password of the cast.

    Answers may be compacted as soon as they are closed.
    """

    def __init__(self, data_dir: Path, environment: Mapping[str, str], workers: int) -> None:
        self.data_dir, self.workers = data_dir, workers
        self._environment = {**environment, **QUICK, "COMPACT_EVENTS_DAYS": "0", "DEMO_PASSWORD": PASSWORD}
        self._output: list[str] = []
        self._port = 0
        self._start()

    def _start(self) -> None:
        arguments = ("--web", "2", "--workers", str(self.workers), "--port", str(self._port))
        self.up = Up(self.data_dir, arguments, self._environment, ("manage.py", "up"))

    def wait_until_ready(self) -> None:
        self._port = self.up.port()

    def start_again(self) -> None:
        """After a kill, on the same folder and port; it is not ready yet. The test's own connection is gone as well."""
        self.up.process.wait(60)
        _disconnect()
        self._output.append(self.up.output)
        self._start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def chat_url(self) -> str:
        return f"ws://127.0.0.1:{self._port}/ws/chat/"

    def children(self, kind: str) -> list[psutil.Process]:
        """The web processes or the workers that are there now."""
        found = []
        for process in psutil.Process(self.up.process.pid).children():
            try:
                if WORDS[kind] & {process.name(), *process.cmdline()}:
                    found.append(process)
            except psutil.Error:
                continue
        return found

    def logs(self) -> str:
        """What each process said, one after the other. The line that tells the person at the terminal the password is
        no log."""
        said: dict[str, list[str]] = defaultdict(list)
        for line in "".join([*self._output, self.up.output]).splitlines():
            named = _PREFIXED.match(line)
            if not line.startswith("Ready: "):
                said[named[1] if named else ""].append(named[2] if named else line)
        return "\n".join("\n".join(lines) for lines in said.values())

    @property
    def secrets(self) -> set[str]:
        return {value for name, value in self._environment.items() if name.endswith("_KEY")} | {settings.SECRET_KEY}

    def close(self) -> None:
        """As suddenly as everything else here."""
        if self.up.process.poll() is None:
            family = self.up.family()
            self.up.process.kill()
            self.up.process.wait(60)
            psutil.wait_procs(family, timeout=60)


@contextmanager
def whole_site(vendor: VendorServer, *, from_nothing: bool = False, workers: int = 1) -> Iterator[WholeSite]:
    """Ready, with the demo data; and the test's own database connection leads to its database meanwhile.

    Its data are a copy of those that others begin with as well, unless it makes its own.
    """
    folder = Path(tempfile.mkdtemp(prefix="countersign-whole-", dir="/tmp"))
    folder.chmod(0o711)
    try:
        if not from_nothing:
            prepared_site.copy_to(folder)
        site = WholeSite(folder, of_the_vendor(vendor), workers)
        try:
            site.wait_until_ready()
            with connected_to(local.server_paths(folder).database_url):
                yield site
        finally:
            site.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def connected_to(database_url: str) -> Iterator[None]:
    """Makes Django's models in this test read another database."""
    parts, own = urlsplit(database_url), dict(connection.settings_dict)
    there = {"NAME": parts.path.strip("/"), "USER": parts.username, "HOST": parse_qs(parts.query)["host"][0]}
    _disconnect()
    connection.settings_dict.update(there, PASSWORD=parts.password or "", PORT="")
    try:
        yield
    finally:
        _disconnect()
        connection.settings_dict.update(own)


def _disconnect() -> None:
    connection.close()
    connection.close_pool()
