"""A process of ours: how it is started, tied to our life, and read. The supervisor holds them."""

import os
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from config.account import Account
from config.forking import Forked, ForkServer
from config.terminal import Terminal

WRAPPER = Path(__file__).with_name("exec_wrapper.py")
LONGEST_LINE = 16_384
#: How lines begin that PostgreSQL adds to a complaint.
ADDED = ("HINT:", "DETAIL:", "CONTEXT:", "LINE ", " ", "\t")


@dataclass(frozen=True)
class Program:
    """What to run. `explain` turns last lines of output into a sentence for a cause that a restart does not cure."""

    name: str
    argv: Sequence[str]
    env: Mapping[str, str] | None = None
    account: Account | None = None
    pass_fds: tuple[int, ...] = ()
    #: Sent by the kernel, or by the guardian, when we die.
    death_signal: signal.Signals = signal.SIGKILL
    #: How it is asked to stop, with the seconds it then has; SIGKILL follows.
    stop: Sequence[tuple[signal.Signals, float]] = ((signal.SIGTERM, 10),)
    #: Whether a second request to stop cuts these seconds short.
    hurries: bool = True
    explain: Callable[[str], str | None] = lambda tail: None
    #: Whether it died because a predecessor is still going away.
    waits: Callable[[str], bool] = lambda tail: False
    #: Whether it died of something that passes: once everything has begun, it is tried for as long as that takes.
    passes: Callable[[str], bool] = lambda tail: False
    #: Lines that are not shown, with those that are indented under them.
    hides: Callable[[str], bool] = lambda line: False
    #: Where it is forked as long as somebody forks, and the module with its arguments that then runs.
    forked_by: ForkServer | None = None
    module: Sequence[str] = ()


@dataclass
class Child:
    """One start of a program. Create it in the main thread only: the kernel's signal comes when the thread ends."""

    program: Program
    terminal: Terminal
    _tail: deque[str] = field(default_factory=lambda: deque(maxlen=30))

    def __post_init__(self) -> None:
        self._held = -1
        self._process: subprocess.Popen[bytes] | Forked = self._forked() or self._executed()
        assert self._process.stdout is not None
        self._reader = threading.Thread(target=self._read, args=(self._process.stdout,), daemon=True)
        self._reader.start()

    def _forked(self) -> Forked | None:
        wanted = self.program
        if wanted.forked_by is None:
            return None
        return wanted.forked_by.fork(wanted.name, wanted.module, wanted.env or {}, wanted.pass_fds)

    def _executed(self) -> subprocess.Popen[bytes]:
        pipe, self._held = (-1, -1) if sys.platform == "linux" else os.pipe()
        account = self.program.account
        who = (account.uid, account.gid) if account else (-1, -1)
        wrapper = [
            sys.executable,
            "-I",
            "-S",
            str(WRAPPER),
            *map(str, (os.getpid(), int(self.program.death_signal), pipe, *who)),
        ]
        process = subprocess.Popen(  # noqa: S603
            [*wrapper, *self.program.argv],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=self.program.env,
            pass_fds=(*self.program.pass_fds, *([pipe] if pipe >= 0 else [])),
            start_new_session=True,
            cwd="/" if account else None,
        )
        if pipe >= 0:
            os.close(pipe)
        return process

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def tail(self) -> str:
        """The last lines it wrote."""
        return "\n".join(self._tail)

    def poll(self) -> int | None:
        """Its exit code, negative for a signal; None while it runs."""
        code = self._process.poll()
        if code is not None and self.pid:
            self._reader.join(timeout=1)
            if self._held >= 0:
                os.close(self._held)
                self._held = -1
        return code

    def send(self, number: signal.Signals) -> None:
        """Sends a signal, unless it has ended."""
        self._process.send_signal(number)

    def kill(self) -> None:
        """Kills it with everything that it started in its session."""
        if isinstance(self._process, Forked):
            self._process.kill()
        elif self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)

    def _read(self, output: IO[bytes]) -> None:
        hidden = False
        with output:
            while line := output.readline(LONGEST_LINE):
                text = line.decode(errors="replace").rstrip()
                hidden = self.program.hides(text) or (hidden and text.startswith("\t"))
                if not hidden:
                    self._tail.append(text)
                    self.terminal.line(self.program.name, text)


def last_words(tail: str) -> str:
    """The last complaint among the last lines of a program, "" where it said nothing."""
    return next((line for line in reversed(tail.splitlines()) if line.strip() and not line.startswith(ADDED)), "")
