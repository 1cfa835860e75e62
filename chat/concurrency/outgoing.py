"""Calls that wait for others on the internet: a few at a time of this process, of a workspace and of a person.

Who has no place yet waits without a thread; the next one goes to the workspace that has fewest. A place is held until
its thread has ended, also by a call that was given up on. Several loops of a process share them.
"""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import ParamSpec, TypeVar

from chat.concurrency.database import Threads
from chat.concurrency.turns import Claim, Left

P = ParamSpec("P")
T = TypeVar("T")

MOST = 8
MOST_OF_WORKSPACE = 4
MOST_OF_PERSON = 2
WAIT_S = 10.0


class NoPlace(Exception):
    """No place came free in time; nothing was done."""


@dataclass(frozen=True, slots=True)
class Asker:
    """For whom something is asked: the numbers of a workspace and of a person."""

    workspace: int
    person: int


@dataclass(eq=False, slots=True)
class _Waiting:
    asker: Asker
    turn: "Future[None]" = field(default_factory=Future)


class Places:
    """Places of one kind of call, with a thread for each."""

    def __init__(self, name: str) -> None:
        self._in_thread = Threads(name, MOST)
        self._lock = threading.Lock()
        self._taken: list[Asker] = []
        self._waiting: list[_Waiting] = []

    async def call(self, asker: Asker, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What the function gives, in a thread. Raises `NoPlace`."""
        await self._take(asker)
        claim = Claim()

        def called() -> T:
            if not claim.take():
                raise Left
            try:
                return function(*args, **kwargs)
            finally:
                self._give_back(asker)

        try:
            return await self._in_thread(called)
        finally:
            if claim.take():
                self._give_back(asker)

    async def _take(self, asker: Asker) -> None:
        waiting = _Waiting(asker)
        with self._lock:
            self._waiting.append(waiting)
            self._serve()
        try:
            await asyncio.wait([asyncio.wrap_future(waiting.turn)], timeout=WAIT_S)
        except asyncio.CancelledError:
            if self._was_served(waiting):
                self._give_back(asker)
            raise
        if not self._was_served(waiting):
            raise NoPlace

    def _was_served(self, waiting: _Waiting) -> bool:
        """Whether who waited has a place; if not, they wait no longer."""
        with self._lock:
            if waiting in self._waiting:
                self._waiting.remove(waiting)
                return False
            return True

    def _give_back(self, asker: Asker) -> None:
        with self._lock:
            self._taken.remove(asker)
            self._serve()

    def _serve(self) -> None:
        """Gives what is free to those who wait and have room."""
        while free := [each for each in self._waiting if self._has_room(each.asker)]:
            first = min(free, key=lambda each: self._of_workspace(each.asker))
            self._waiting.remove(first)
            self._taken.append(first.asker)
            first.turn.set_result(None)

    def _has_room(self, asker: Asker) -> bool:
        if len(self._taken) >= MOST or self._of_workspace(asker) >= MOST_OF_WORKSPACE:
            return False
        return sum(each.person == asker.person for each in self._taken) < MOST_OF_PERSON

    def _of_workspace(self, asker: Asker) -> int:
        return sum(each.workspace == asker.workspace for each in self._taken)
