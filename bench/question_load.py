"""Many questions at once, in a process of its own: when their first tokens came, and what streams felt meanwhile."""

import asyncio
import gc
import json
import random
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field

from bench.client import Plan, Reader, open_readers
from bench.figures import delays_ms
from bench.servers import without_settings_of_people
from bench.systems import ROOT, System

RATE = 50
#: Streams run so long before the first question comes.
_RUNNING_S = 1.5


@dataclass(frozen=True)
class Load:
    """`questions` evenly spread over `seconds` at random, each of `tokens`; beside `streams` that run all the time.

    They come by at most so many `sockets`, each of which asks again when its answer has come.
    """

    name: str
    questions: int = 0
    seconds: float = 1.0
    tokens: int = 150
    streams: int = 0
    sockets: int = 60
    rate: int = RATE
    asked_of: tuple[str, ...] = ("product", "before", "reference")


@dataclass
class Pressed:
    """First tokens of the questions, in ms, delays of the streams' tokens while they came and of the answers' own.

    `seconds` is how long all of it took, `readers_cpu_s` what asking and reading took.
    """

    first_ms: list[float] = field(default_factory=list)
    delays_ms: list[float] = field(default_factory=list)
    own_delays_ms: list[float] = field(default_factory=list)
    seconds: float = 0.0
    readers_cpu_s: float = 0.0


def press(system: System, load: Load) -> Pressed:
    """Raises RuntimeError if an answer was lost."""
    plan = Plan(system.url, system.name, system.token(), about="graph:nba")
    arguments = [json.dumps(asdict(plan)), json.dumps(asdict(load))]
    found = subprocess.run(
        [sys.executable, "-m", "bench.question_load", *arguments],
        cwd=ROOT, env=without_settings_of_people(), stdout=subprocess.PIPE, text=True, timeout=load.seconds + 180,
    )  # fmt: skip
    if found.returncode:
        raise RuntimeError(f"{load.name} of {system.name} failed; what stands above says why")
    pressed = Pressed(**json.loads(found.stdout))
    if len(pressed.first_ms) != load.questions:
        raise RuntimeError(f"{load.name} of {system.name}: {len(pressed.first_ms)} of {load.questions} were answered")
    return pressed


async def perform(plan: Plan, load: Load) -> Pressed:
    """Opens all sockets, starts the streams, asks the questions."""
    pressed = Pressed()
    streaming = await open_readers(plan, load.streams)
    asking = await open_readers(plan, min(load.questions, load.sockets))
    gc.collect()
    gc.disable()
    running = [asyncio.create_task(_stream(reader, load)) for reader in streaming]
    await asyncio.sleep(_RUNNING_S if running else 0)
    due = sorted(random.random() * load.seconds for _ in range(load.questions))
    began, cpu = asyncio.get_running_loop().time(), time.process_time()
    free: asyncio.Queue[Reader] = asyncio.Queue()
    for reader in asking:
        free.put_nowait(reader)
    await asyncio.gather(*(_ask_at(began + at, free, load, pressed) for at in due))
    pressed.seconds = asyncio.get_running_loop().time() - began
    pressed.readers_cpu_s = time.process_time() - cpu
    await asyncio.sleep(max(0.0, began + load.seconds - asyncio.get_running_loop().time()))
    await asyncio.gather(*running)
    for reader in streaming:
        pressed.delays_ms += delays_ms(reader.tokens())
    for reader in [*streaming, *asking]:
        reader.close()
    return pressed


async def _stream(reader: Reader, load: Load) -> None:
    await asyncio.sleep(random.random())
    await reader.ask(int((load.seconds + _RUNNING_S) * RATE), RATE)


async def _ask_at(due: float, free: "asyncio.Queue[Reader]", load: Load, pressed: Pressed) -> None:
    """Asks as soon as it is due and a socket is free. Raises RuntimeError if a token was lost."""
    await asyncio.sleep(due - asyncio.get_running_loop().time())
    reader = await free.get()
    reader.forget()
    await reader.ask(load.tokens, load.rate)
    tokens = reader.tokens()
    if len(tokens) != load.tokens:
        raise RuntimeError(f"{len(tokens)} of {load.tokens} tokens came")
    pressed.first_ms.append(reader.first_token_ms())
    pressed.own_delays_ms += delays_ms(tokens)
    reader.leave()
    free.put_nowait(reader)


def main(arguments: Sequence[str]) -> None:
    plan, load = Plan(**json.loads(arguments[0])), Load(**json.loads(arguments[1]))
    print(json.dumps(asdict(asyncio.run(perform(plan, load)))))


if __name__ == "__main__":
    main(sys.argv[1:])
