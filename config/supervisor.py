"""Keeps processes running until told to stop, and stops them in order. All of it happens in `pause`, on one thread."""

import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from config.children import Child, Program, last_words
from config.problem import Problem
from config.terminal import Terminal

TICK_S = 0.05
MOST_DEATHS = 5
DEATHS_WITHIN_S = 60
#: How long a process may wait for a predecessor that is still going away.
PREDECESSOR_S = 30
#: How often is tried what something that passes keeps from running, and how often that is said.
PASSES_S = 5
SAID_EVERY_S = 60


class Stopped(Exception):
    """Somebody asked us to stop."""


@dataclass
class Keeper:
    """One program that should run, its present process and its recent deaths (monotonic seconds)."""

    program: Program
    child: Child | None = None
    #: Whether it may be started by now.
    once: Callable[[], bool] = lambda: True
    deaths: list[float] = field(default_factory=list)
    waiting_since: float | None = None
    start_at: float = 0
    said_at: float = float("-inf")

    def note_death(self, now: float) -> None:
        """Plans the next start; the pause doubles with every death."""
        self.deaths = [*(t for t in self.deaths if now - t < DEATHS_WITHIN_S), now]
        self.start_at = now + 0.25 * 2 ** (len(self.deaths) - 1)

    def note_wait(self, now: float) -> bool:
        """Plans another attempt soon; False when it has waited long enough."""
        self.waiting_since = self.waiting_since or now
        self.start_at = now + 0.5
        return now - self.waiting_since < PREDECESSOR_S


class Supervisor:
    """Runs programs as a context manager: at its end nothing that it started is left, the latest ended first."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal
        self._keepers: list[Keeper] = []
        self._single: Child | None = None
        self._passing: list[tuple[Child, Callable[[], None]]] = []
        self._requests = 0
        #: Set once everything has run: what passes ends nothing any more.
        self.has_begun = False

    def __enter__(self) -> "Supervisor":
        return self

    def __exit__(self, *_: object) -> None:
        if self._requests:
            self.terminal.say("Stopping. Once more to stop without waiting for work in progress.")
        runs = [child for child, _ in self._passing] + ([self._single] if self._single else [])
        for child in runs:
            child.kill()
        self._wait_for_end(runs, 10)
        for group in self._groups():
            self._stop(group)

    def heed_signals(self) -> None:
        """SIGINT, SIGTERM and SIGHUP end the next pause; a second one hastens the stop."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda _number, _frame: self.stop_on_request())

    def keep(self, *programs: Program, once: Callable[[], bool] = lambda: True) -> list[Keeper]:
        """Starts programs, once they may, and keeps them running. They stop together, before those of earlier calls."""
        keepers = [Keeper(program, once=once) for program in programs]
        self._keepers += keepers
        for keeper in keepers:
            self._look_after(keeper)
        return keepers

    def run(self, program: Program) -> tuple[int, str]:
        """Runs a program to its end: exit code and last lines."""
        self._single = child = Child(program, self.terminal)
        while (code := child.poll()) is None:
            self.pause()
        self._single = None
        return code, child.tail

    def begin(self, program: Program, then: Callable[[], None]) -> None:
        """Starts a program that ends by itself; calls `then` when it has."""
        self._passing.append((Child(program, self.terminal), then))

    def wait_for(self, ready: Callable[[], bool], seconds: float, otherwise: str) -> None:
        deadline = time.monotonic() + seconds
        while not ready():
            if time.monotonic() > deadline:
                raise Problem(otherwise)
            self.pause()

    def pause(self, seconds: float = TICK_S) -> None:
        """Lets time pass and looks after the processes. Raises Stopped after a signal, Problem for a hopeless one."""
        time.sleep(seconds)
        if self._requests:
            raise Stopped
        for passing in [each for each in self._passing if each[0].poll() is not None]:
            self._passing.remove(passing)
            passing[1]()
        for keeper in self._keepers:
            self._look_after(keeper)

    def stop_on_request(self) -> None:
        """Makes the next pause end as after a signal."""
        self._requests += 1

    def _look_after(self, keeper: Keeper) -> None:
        now = time.monotonic()
        if keeper.child is None:
            if now >= keeper.start_at and keeper.once():
                keeper.child = Child(keeper.program, self.terminal)
            return
        code = keeper.child.poll()
        if code is None:
            return
        tail, keeper.child = keeper.child.tail, None
        if keeper.program.waits(tail) and keeper.note_wait(now):
            return
        if self.has_begun and keeper.program.passes(tail):
            self._try_again(keeper, tail, now)
            return
        keeper.note_death(now)
        self._judge(keeper, code, tail)

    def _try_again(self, keeper: Keeper, tail: str, now: float) -> None:
        keeper.start_at = now + PASSES_S
        if now - keeper.said_at >= SAID_EVERY_S:
            keeper.said_at = now
            last = last_words(tail)
            self.terminal.say(f"{keeper.program.name} is tried every {PASSES_S} seconds until it can run: {last}")

    def _judge(self, keeper: Keeper, code: int, tail: str) -> None:
        name = keeper.program.name
        if sentence := keeper.program.explain(tail):
            raise Problem(sentence)
        if len(keeper.deaths) >= MOST_DEATHS:
            last = last_words(tail) or "it said nothing"
            raise Problem(
                f"{name} ended {MOST_DEATHS} times within {DEATHS_WITHIN_S} seconds, so everything is stopped. "
                f"Its lines above say why; the last one: {last}"
            )
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        self.terminal.say(f"{name} ended ({how}); it is started again.")

    def _groups(self) -> list[list[Keeper]]:
        """Keepers in the order of stopping: the youngest first, those with the same name stem together."""
        groups: list[list[Keeper]] = []
        for keeper in reversed(self._keepers):
            if groups and _stem(groups[-1][0]) == _stem(keeper):
                groups[-1].append(keeper)
            else:
                groups.append([keeper])
        return groups

    def _stop(self, group: Sequence[Keeper]) -> None:
        """Asks with each signal in turn; a further request while we wait moves on to the next one. At last kills."""
        children = [keeper.child for keeper in group if keeper.child is not None]
        program = group[0].program
        for number, patience in program.stop:
            for child in children:
                child.send(number)
            hurried = program.hurries and self._requests > 1
            self._wait_for_end(children, 0 if hurried else patience)
        for child in children:
            child.kill()
        self._wait_for_end(children, 10)

    def _wait_for_end(self, children: Sequence[Child], patience: float) -> None:
        deadline, requests = time.monotonic() + patience, self._requests
        while any(child.poll() is None for child in children) and time.monotonic() < deadline:
            if self._requests > max(requests, 1):
                return
            time.sleep(TICK_S)


def _stem(keeper: Keeper) -> str:
    return keeper.program.name.partition("-")[0]
