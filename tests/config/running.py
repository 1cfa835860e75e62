"""`manage.py up` as a process of a test."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import psutil
import psycopg

from config import local

ROOT = Path(__file__).resolve().parents[2]
STAND_IN = (str(Path(__file__).with_name("up.py")),)


class Up:
    """One `manage.py up`, with the stand-in web server unless another `program` is named, and everything it printed."""

    def __init__(
        self, data_dir: Path, arguments: Sequence[str], env: Mapping[str, str], program: Sequence[str] = STAND_IN
    ) -> None:
        ours = {
            name: os.environ[name]
            for name in os.environ
            if name not in ("DATABASE_URL", "DATABASE_OWNER_URL", "REDIS_URL")
        }
        self.data_dir = data_dir
        self.process = subprocess.Popen(
            [sys.executable, *program, "--port", "0", "--workers", "0", *arguments],
            cwd=ROOT,
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
        """The processes that it started, by their name or the word in their command line that tells them apart."""
        found = psutil.Process(self.process.pid).children()
        names = ("bin/postgres", "valkey-server", "web-1", "web-2", "worker-1")
        lines = {process: _name_and_command(process) for process in found}
        return {name: process for process, line in lines.items() for name in names if name in line}

    def let_superuser_in(self) -> str:
        """Lets it in until the next start, as who has the files can, and returns its address."""
        where = local.server_paths(self.data_dir)
        (where.postgres_data / "pg_hba.conf").write_text("local all all trust\n")
        self.children()["bin/postgres"].send_signal(signal.SIGHUP)
        self.wait_until(lambda: _is_let_in(where.superuser_url))
        return where.superuser_url

    def family(self) -> list[psutil.Process]:
        return [psutil.Process(self.process.pid), *psutil.Process(self.process.pid).children(recursive=True)]

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(timeout=60)


def _name_and_command(process: psutil.Process) -> str:
    with suppress(psutil.ZombieProcess, psutil.NoSuchProcess):  # It ends meanwhile, as who has forked the others does.
        return " ".join([process.name(), *process.cmdline()])
    return ""


def _is_let_in(url: str) -> bool:
    try:
        psycopg.connect(url).close()
    except psycopg.OperationalError:
        return False
    return True
