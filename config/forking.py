"""The first process of each program is forked by one that has loaded what they share (`config/fork_server.py`).

The supervisor asks, and is the parent of what was forked. What cannot be forked is executed.
"""

import ctypes
import json
import os
import signal
import socket
from collections.abc import Mapping, Sequence
from contextlib import suppress

_PR_SET_CHILD_SUBREAPER = 36
_LONGEST_NUMBER = 32


class ForkServer:
    """Where forks are asked for."""

    def __init__(self, env: Mapping[str, str]) -> None:
        """`env` is the environment of the server; what it forks has all of it, too."""
        self.env = env
        self._asking, self.asked = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        _adopt_orphans(True)

    def fork(self, name: str, module: Sequence[str], env: Mapping[str, str], keeps: Sequence[int]) -> "Forked | None":
        """Asks for a process that runs `module` with its arguments, and keeps these of the server's open files.

        None where nobody is asked any more.
        """
        more = {key: value for key, value in env.items() if self.env.get(key) != value}
        asked = json.dumps({"name": name, "module": list(module), "env": more, "keeps": list(keeps)}).encode()
        output, written = os.pipe()
        hears, tells = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            with tells:
                socket.send_fds(self._asking, [asked], [written, tells.fileno()])
        except OSError:
            hears.close()
            os.close(output)
            return None
        finally:
            os.close(written)
        return Forked(output, hears)

    def close(self) -> None:
        """Asks for no more: the server ends when it has forked what was asked for."""
        self._asking.close()

    def has_ended(self) -> None:
        self.close()
        _adopt_orphans(False)


class Forked:
    """A process that is forked, or will be; used as a `subprocess.Popen` is. `pid` is 0 until it is there."""

    def __init__(self, output: int, hears: socket.socket) -> None:
        self.stdout = os.fdopen(output, "rb")
        self.pid = 0
        self._hears = hears
        self._hears.setblocking(False)
        self._code: int | None = None

    def poll(self) -> int | None:
        """Its exit code, negative for a signal; 1 if the server died before. None while it runs."""
        if self._code is None and not self.pid:
            self._hear()
        if self._code is None and self.pid:
            ended, status = os.waitpid(self.pid, os.WNOHANG)
            self._code = os.waitstatus_to_exitcode(status) if ended else None
        return self._code

    def send_signal(self, number: int) -> None:
        """Sends a signal, unless it has ended. Who is not there yet never will be."""
        if self.poll() is None and self.pid:
            os.kill(self.pid, number)
        elif self._code is None:
            self._hears.shutdown(socket.SHUT_RD)
            self.poll()
            self.kill()

    def kill(self) -> None:
        """Kills it with everything that it started in its session."""
        if self.poll() is None and self.pid:
            os.killpg(self.pid, signal.SIGKILL)
        elif self._code is None:
            self.send_signal(signal.SIGKILL)

    def _hear(self) -> None:
        with suppress(BlockingIOError):
            if said := self._hears.recv(_LONGEST_NUMBER):
                self.pid = int(said)
            else:
                self._code = 1
            self._hears.close()


def _adopt_orphans(yes: bool) -> None:
    """Whether children of our children become ours when those end: it is how what is forked comes to us."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, int(yes), 0, 0, 0)
