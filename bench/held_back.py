"""Holds processes back, so that a machine with few cores shows what they would do with a core to spare."""

import signal
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

import psutil

from bench.cpu import cpu_s

_LOOKS_EVERY_S = 0.002
#: A process that had nothing to do may make up for so long a time, and no more.
_SAVED_S = 0.02


@contextmanager
def held_back(processes: Sequence[psutil.Process], share: float) -> Iterator[None]:
    """Lets each process use this share of a core: one that used more is stopped until it is due again."""
    over = threading.Event()
    threads = [threading.Thread(target=_hold, args=(process, share, over)) for process in processes]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join()


def _hold(process: psutil.Process, share: float, over: threading.Event) -> None:
    credit, at, used = 0.0, time.monotonic(), cpu_s(process.pid)
    running = True
    with suppress(psutil.NoSuchProcess):
        try:
            while not over.wait(_LOOKS_EVERY_S):
                (before, at), (spent, used) = (at, time.monotonic()), (used, cpu_s(process.pid))
                credit = min(_SAVED_S, credit + share * (at - before)) - (used - spent)
                if running != (credit >= 0):
                    running = credit >= 0
                    process.send_signal(signal.SIGCONT if running else signal.SIGSTOP)
        finally:
            process.send_signal(signal.SIGCONT)
