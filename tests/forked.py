"""Processes of the product, forked by one that has imported already what takes long (`tests/fork_server.py`).

Web processes are forked by one that has loaded the product, too, for the same environment (`tests/loaded_server.py`).
"""

import atexit
import json
import os
import select
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from subprocess import DEVNULL, Popen, TimeoutExpired
from typing import IO

from tests.loaded_server import READ_AGAIN

ROOT = Path(__file__).resolve().parent.parent
LOADED = "tests.loaded_server"
#: What the product looks up when it asks a vendor, and not when it is loaded.
_OF_THE_VENDOR = {"ANTHROPIC_BASE_URL", "CUSTOM_BASE_URL"}
#: What it never looks up: tests tell it to what they put around the product (`tests/faults`).
_OF_TESTS = {"CRASH_ORDERS", "PYTEST_CURRENT_TEST", "STATEMENT_NOTES", "STUCK", "STUCK_AT"}
LATE = {*_OF_THE_VENDOR, *_OF_TESTS, *READ_AGAIN}
_ONE_AT_A_TIME = threading.RLock()


class Forked:
    """`python -m module arguments`, with what tests need of a `subprocess.Popen`. Output of both kinds goes to `log`;
    the environment is exactly this one.

    Where the module may find the product loaded, `loaded` names what sets Django up.
    """

    def __init__(
        self,
        module: str,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        log: IO,
        pass_fds: Sequence[int] = (),
        loaded: str = "",
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
            "forks": module == LOADED,
        }
        with theirs, open(os.devnull) as nothing:
            files = [theirs.fileno(), nothing.fileno(), log.fileno(), log.fileno(), *pass_fds]
            _forking(loaded, environment).ask(json.dumps(request).encode(), files)
        told, handles, *_rest = socket.recv_fds(self._answer, 64, 1)
        assert told, "the process that forks has ended"
        self.pid, self._handle = int(told), handles[0]

    def poll(self) -> int | None:
        """The exit code, if it has ended; minus the number of the signal that ended it."""
        return self._ended(0)

    def wait(self, timeout: float | None = None) -> int:
        code = self._ended(None if timeout is None else timeout * 1000)
        if code is None:
            raise TimeoutExpired(self.args, timeout or 0)
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


def run(module: str, arguments: Sequence[str], environment: Mapping[str, str], loaded: str = "") -> tuple[int, str]:
    """Runs it to its end: the exit code, and what it printed."""
    with tempfile.TemporaryFile("w+") as log:
        code = Forked(module, arguments, environment, log, loaded=loaded).wait()
        log.seek(0)
        return code, log.read()


class _Server:
    """A process that forks; it ends with this one, and with it those that it forked."""

    def __init__(self, begin: Callable[[int], Popen | Forked]) -> None:
        """`begin` is given the number of the socket on which the process is asked."""
        self._asking, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = begin(theirs.fileno())
        atexit.register(self.end)

    def ask(self, request: bytes, files: Sequence[int]) -> None:
        socket.send_fds(self._asking, [request], files)

    def end(self) -> None:
        self._asking.close()
        self._process.wait()


def _forking(loaded: str, environment: Mapping[str, str]) -> _Server:
    """The process that forks those who may find the product loaded for this environment, or with nothing of it."""
    with _ONE_AT_A_TIME:
        if not loaded:
            return _server()
        return _loaded(loaded, frozenset(each for each in environment.items() if each[0] not in LATE))


@cache
def _server() -> _Server:
    # Those that are forked have a path of their own.
    own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return _Server(
        lambda asking: Popen(
            [sys.executable, "-m", "tests.fork_server", str(asking)],
            cwd=ROOT, env=own, pass_fds=[asking], stdin=DEVNULL, stdout=DEVNULL,
        )
    )  # fmt: skip


@cache
def _loaded(begin: str, early: frozenset[tuple[str, str]]) -> _Server:
    with os.fdopen(os.dup(2), "w") as said:
        return _Server(lambda asking: Forked(LOADED, [str(asking), begin], dict(early), said, [asking]))
