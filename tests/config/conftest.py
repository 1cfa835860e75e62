import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

UP = Path(__file__).with_name("up.py")


@pytest.fixture
def as_ordinary_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)


@pytest.fixture(scope="module")
def data_dir() -> Iterator[Path]:
    """Where PostgreSQL's user can enter when the tests run as root, unlike in pytest's own folders."""
    folder = Path(tempfile.mkdtemp(prefix="countersign-up-", dir="/tmp"))
    folder.chmod(0o711)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def up(data_dir: Path) -> Iterator[Callable[..., "Up"]]:
    """Starts `manage.py up` on the module's data folder; at the end nothing of it is left."""
    started: list[Up] = []

    def start(*arguments: str, folder: Path = data_dir, **env: str) -> Up:
        started.append(Up(folder, arguments, env))
        return started[-1]

    yield start
    for running in started:
        running.end()


class Up:
    """One `manage.py up` with the stand-in web server, and everything it printed."""

    def __init__(self, data_dir: Path, arguments: tuple[str, ...], env: dict[str, str]) -> None:
        ours = {name: os.environ[name] for name in os.environ if name not in ("DATABASE_URL", "REDIS_URL")}
        self.data_dir = data_dir
        self.process = subprocess.Popen(
            [sys.executable, str(UP), "--port", "0", "--workers", "0", *arguments],
            env={**ours, "DATA_DIR": str(data_dir), **env},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.lines: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout
        self.lines.extend(iter(self.process.stdout.readline, ""))

    @property
    def output(self) -> str:
        return "".join(self.lines)

    def wait_until(self, happened: Callable[[], object], seconds: float = 120) -> None:
        deadline = time.monotonic() + seconds
        while not happened():
            assert time.monotonic() < deadline, self.output
            time.sleep(0.05)

    def ready(self) -> str:
        """Waits for the line that says so, and returns it."""
        self.wait_until(lambda: "\nReady: " in self.output or self.process.poll() is not None)
        found = [line for line in list(self.lines) if line.startswith("Ready: ")]
        assert len(found) == 1, self.output
        return found[0].rstrip("\n")

    def port(self) -> int:
        return int(self.ready().split()[1].rpartition(":")[2])

    def ended(self) -> int:
        """Waits for the end: the exit code."""
        code = self.process.wait(timeout=120)
        self._reader.join(timeout=10)
        return code

    def children(self) -> dict[str, psutil.Process]:
        """The processes that it started, by the word in their command line that tells them apart."""
        found = psutil.Process(self.process.pid).children()
        names = ("bin/postgres", "valkey-server", "daphne", "worker-1", " beat ")
        lines = {process: " ".join(process.cmdline()) for process in found}
        return {name.strip(): process for process, line in lines.items() for name in names if name in line}

    def family(self) -> list[psutil.Process]:
        return [psutil.Process(self.process.pid), *psutil.Process(self.process.pid).children(recursive=True)]

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(timeout=60)


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]
