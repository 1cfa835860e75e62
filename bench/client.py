"""The readers: opens sockets, asks, and notes when each token came. A process of its own, started by `systems.py`.

python -m bench.client '{"url": ..., "product": true, "token": ..., "streams": 50, ...}'

It writes three lines: "running" once every stream has its first token, "over" after the steady time, and the result.
"""

import asyncio
import gc
import json
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from bench.protocols import PROTOCOLS, STAMP, Failed
from bench.vendor import question

_OPENING_AT_ONCE = 10
#: Between two questions whose first tokens are measured.
_PROBE_PAUSE_S = 0.15


@dataclass(frozen=True)
class Plan:
    """What to ask: `streams` answers of `tokens` tokens, begun within `spread_s`, and `probes` answers of one token.

    Probes come one after the other, `steady_s` after every stream has begun. Where there is an object to ask
    `about` ("graph:nba"), each question begins a conversation; else each socket has one. `system` is its name.
    """

    url: str
    system: str
    token: str = ""
    streams: int = 1
    tokens: int = 300
    rate: int = 50
    spread_s: float = 1.0
    steady_s: float = 4.0
    probes: int = 0
    about: str = ""


@dataclass
class Result:
    """Times of all tokens as (sent, arrived) in ns; bytes of the frames with tokens, and of everything."""

    tokens: list[tuple[int, int]] = field(default_factory=list)
    first_ms: list[float] = field(default_factory=list)
    probe_ms: list[float] = field(default_factory=list)
    token_frames: int = 0
    token_bytes: int = 0
    all_bytes: int = 0


class Reader:
    """One socket and its conversation."""

    def __init__(self, plan: Plan) -> None:
        self._protocol = PROTOCOLS[plan.system]
        self._plan = plan
        self._session = ""
        self._begun = 0

    async def enter(self) -> None:
        """Signs in, and asks once so that the conversation exists and is read, if there is to be one."""
        self._socket = await self._protocol.connect(self._plan.url, self._plan.token)
        if not self._plan.about:
            await self.ask(1, 50)
            self._session = self._protocol.conversation(text for _, text in self._socket.frames)
        self.forget()

    def forget(self) -> None:
        self._socket.frames.clear()
        self._socket.received = 0

    async def ask(self, tokens: int, rate: int) -> None:
        """Asks and waits for the whole answer. Raises `Failed`."""
        end = self._socket.next(self._protocol.end)
        self._begun = time.time_ns()
        self._socket.send(self._protocol.question(question(tokens, rate), self._place()))
        await end
        for _, frame in self._socket.frames:
            if self._protocol.failed.search(frame):
                raise Failed(frame.decode())

    def leave(self) -> None:
        """Reads the conversation of the last answer no more: a socket may read some, and each question begins one."""
        if leaving := self._protocol.leaving(self._protocol.conversation(text for _, text in self._socket.frames)):
            self._socket.send(leaving)

    def _place(self) -> dict[str, Any]:
        if self._plan.about:
            kind, _, key = self._plan.about.partition(":")
            return {"context": {"type": kind, "id": key}}
        return {"sessionId": self._session} if self._session else {}

    @property
    def began(self) -> bool:
        return any(self._protocol.token.search(text) for _, text in self._socket.frames[:20])

    def first_token_ms(self) -> float:
        """From the question to its first token."""
        arrived = next(at for at, text in self._socket.frames if self._protocol.token.search(text))
        return (arrived - self._begun) / 1e6

    def tell(self, result: Result) -> None:
        """Adds what came since the last `forget`."""
        for _, text in self._socket.frames:
            if not self._protocol.token.search(text):
                continue
            result.token_frames += 1
            result.token_bytes += len(text) + (2 if len(text) < 126 else 4)
        result.tokens += self.tokens()
        result.all_bytes += self._socket.received

    def tokens(self) -> list[tuple[int, int]]:
        """(sent, arrived) of each token since the last `forget`."""
        frames = ((arrived, text) for arrived, text in self._socket.frames if self._protocol.token.search(text))
        return [(int(stamp), arrived) for arrived, text in frames for stamp in STAMP.findall(text)]

    def close(self) -> None:
        self._socket.close()


async def open_readers(plan: Plan, count: int) -> list[Reader]:
    """Readers that have entered."""
    readers: list[Reader] = []
    while len(readers) < count:
        some = [Reader(plan) for _ in range(min(_OPENING_AT_ONCE, count - len(readers)))]
        await asyncio.gather(*(reader.enter() for reader in some))
        readers += some
    return readers


async def _ask_after(reader: Reader, delay_s: float, plan: Plan) -> None:
    await asyncio.sleep(delay_s)
    await reader.ask(plan.tokens, plan.rate)


async def _all_began(readers: Sequence[Reader]) -> None:
    while not all(reader.began for reader in readers):
        await asyncio.sleep(0.02)


async def _probe(reader: Reader, count: int) -> list[float]:
    found = []
    for _ in range(count):
        await asyncio.sleep(_PROBE_PAUSE_S)
        reader.forget()
        await reader.ask(1, 50)
        found.append(reader.first_token_ms())
    return found


async def perform(plan: Plan) -> Result:
    """Carries out the plan; says on standard output how far it is."""
    result = Result()
    readers = await open_readers(plan, plan.streams)
    prober = await open_readers(plan, 1)
    await asyncio.sleep(0.3)
    gc.collect()
    gc.disable()
    asked = [asyncio.create_task(_ask_after(reader, random.random() * plan.spread_s, plan)) for reader in readers]
    await _all_began(readers)
    _say("running")
    await asyncio.sleep(plan.steady_s)
    _say("over")
    result.probe_ms = await _probe(prober[0], plan.probes)
    await asyncio.gather(*asked)
    for reader in readers:
        result.first_ms.append(reader.first_token_ms())
        reader.tell(result)
    for reader in [*readers, *prober]:
        reader.close()
    return result


def _say(line: str) -> None:
    print(line, flush=True)


def main(arguments: list[str]) -> None:
    plan = Plan(**json.loads(arguments[0]))
    _say(json.dumps(asdict(asyncio.run(perform(plan)))))


if __name__ == "__main__":
    main(sys.argv[1:])
