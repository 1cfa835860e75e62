"""Processes of the product, forked by one that has imported already what takes long (`tests/fork_server.py`)."""

import atexit
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parent.parent
_ONE_AT_A_TIME = threading.Lock()


class Forked:
    """`python -m module arguments`, with what tests need of a `subprocess.Popen`. Output of both kinds goes to `log`;
    the environment is exactly this one."""

    def __init__(
        self,
        module: str,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        log: IO,
        pass_fds: Sequence[int] = (),
    ) -> None:
        self.args = [sys.executable, "-m", module, *arguments]
        self.returncode: int | None = None
        self._answer, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        request = {
            "module": module,
            "arguments": list(arguments),
            "environment": dict(environment),
            "folder": str(ROOT),
            "numbers": [0, 1, 2, *pass_fds],
        }
        with theirs, open(os.devnull) as nothing:
            files = [theirs.fileno(), nothing.fileno(), log.fileno(), log.fileno(), *pass_fds]
            _server().ask(json.dumps(request).encode(), files)
        told, handles, *_rest = socket.recv_fds(self._answer, 64, 1)
        assert told, "the process that forks has ended"
        self.pid, self._handle = int(told), handles[0]

    def poll(self) -> int | None:
        """The exit code, if it has ended; minus the number of the signal that ended it."""
        return self._ended(0)

    def wait(self, timeout: float | None = None) -> int:
        code = self._ended(None if timeout is None else timeout * 1000)
        if code is None:
            raise subprocess.TimeoutExpired(self.args, timeout or 0)
        return code

    def _ended(self, within_ms: float | None) -> int | None:
        if self.returncode is None:
            end = select.poll()
            end.register(self._handle, select.POLLIN)
            if not end.poll(within_ms):
                return None
            with _ONE_AT_A_TIME:
                if self.returncode is None:
                    self.returncode = int(self._answer.recv(64))
                    self._answer.close()
        return self.returncode

    def send_signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._handle, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def __del__(self) -> None:
        with suppress(AttributeError, OSError):
            os.close(self._handle)


def run(module: str, arguments: Sequence[str], environment: Mapping[str, str]) -> tuple[int, str]:
    """Runs it to its end: the exit code, and what it printed."""
    with tempfile.TemporaryFile("w+") as log:
        code = Forked(module, arguments, environment, log).wait()
        log.seek(0)
        return code, log.read()


class _Server:
    """The process that forks; it ends with this one, and with it those that it forked."""

    def __init__(self) -> None:
        self._asking, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.fork_server", str(theirs.fileno())],
                cwd=ROOT,
                # Those that are forked have a path of their own.
                env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )
        atexit.register(self.end)

    def ask(self, request: bytes, files: Sequence[int]) -> None:
        socket.send_fds(self._asking, [request], files)

    def end(self) -> None:
        self._asking.close()
        self._process.wait()


_STARTED: list[_Server] = []


def _server() -> _Server:
    with _ONE_AT_A_TIME:
        if not _STARTED:
            _STARTED.append(_Server())
        return _STARTED[0]
