"""What one person writes at a time at this process: a few of each kind; the rest waits without thread or connection.

A change waits for whoever holds its object, with a thread and a connection: a person who sends many would have all.
"""

import asyncio
import threading
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Literal, TypeVar

T = TypeVar("T")

Kind = Literal["edits", "imports", "writes"]
#: What is said by sockets, requests that are imports, and other ones. Sockets share eight threads, requests twenty
#: connections.
MOST: dict[Kind, int] = {"edits": 3, "imports": 2, "writes": 4}
WAIT_S = 10.0
Who = tuple[int, Kind]


class Left(Exception):
    """Whoever asked has left before a thread began; nothing was done."""


@dataclass(eq=False, slots=True)
class Claim:
    """Who ends something that a thread does: that thread, or whoever leaves before it began. Never both."""

    _taken: threading.Lock = field(default_factory=threading.Lock)

    def take(self) -> bool:
        """True for the first of the two."""
        return self._taken.acquire(blocking=False)


@dataclass(eq=False, slots=True)
class Turn:
    """One of them, from its turn until the thread that does it has ended."""

    who: Who
    claim: Claim = field(default_factory=Claim)
    is_over: bool = False


@dataclass(slots=True)
class Turns:
    """Whose turn it is: who came first has the next one that ends, of their own."""

    _taken: Counter[Who] = field(default_factory=Counter)
    _waiting: dict[Who, list[asyncio.Future[None]]] = field(default_factory=dict)

    async def take(self, who: Who) -> Turn | None:
        """A turn; None if none came in time."""
        if self._taken[who] < MOST[who[1]]:
            self._taken[who] += 1
            return Turn(who)
        mine: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(who, []).append(mine)
        try:
            await asyncio.wait([mine], timeout=WAIT_S)
        except asyncio.CancelledError:
            if mine.done():
                self.give_back(who)
            raise
        finally:
            self._leave(who, mine)
        return Turn(who) if mine.done() else None

    def end(self, turn: Turn) -> None:
        """Gives the turn back, once."""
        if not turn.is_over:
            turn.is_over = True
            self.give_back(turn.who)

    def give_back(self, who: Who) -> None:
        """Gives the turn to whoever waits for longest."""
        if waiting := self._waiting.get(who):
            waiting[0].set_result(None)
            self._leave(who, waiting[0])
            return
        self._taken[who] -= 1
        if not self._taken[who]:
            del self._taken[who]

    def _leave(self, who: Who, mine: asyncio.Future[None]) -> None:
        waiting = self._waiting.get(who, [])
        if mine in waiting:
            waiting.remove(mine)
        if not waiting:
            self._waiting.pop(who, None)


of_process = Turns()


async def in_turn(turn: Turn, in_thread: Callable[[Callable[[], T]], Awaitable[T]], act: Callable[[], T]) -> T:
    """What `act` gives in a thread. The turn ends with it, or with who leaves before the thread has begun."""
    loop = asyncio.get_running_loop()

    def acted() -> T:
        if not turn.claim.take():
            raise Left
        try:
            return act()
        finally:
            loop.call_soon_threadsafe(of_process.end, turn)

    try:
        return await in_thread(acted)
    finally:
        if turn.claim.take():
            of_process.end(turn)
