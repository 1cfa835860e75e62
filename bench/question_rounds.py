"""Rounds in which all systems are asked by turns: what each question cost, and how each stood what came at once."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bench.cpu import Clocks
from bench.figures import median, percentile
from bench.question_doors import Door, door_of
from bench.question_load import Load, Pressed, press
from bench.question_scenes import ANSWERED_TOKENS, SCENES, TOKENS, Scene
from bench.systems import System

#: After each question: what a process does once the answer is out belongs to the question.
_SETTLES_S = 0.1
#: Which questions of a long conversation are compared.
EARLY, LATE = range(18, 23), range(196, 205)
QUESTION_200 = ", question 200"
ALONE, BUSY = "50 streams, nothing else", "50 streams, 5 questions a second"


@dataclass(frozen=True)
class Scale:
    """How many questions of each scene a round has, and what is asked at once."""

    rounds: int = 3
    questions: int = 8
    late: bool = True
    bursts: tuple[int, ...] = (10, 50, 200)
    steady_s: float = 60.0
    saturating: int = 600


QUICK = Scale(rounds=1, questions=4, late=False, bursts=(50,), steady_s=10.0, saturating=100)


@dataclass(frozen=True)
class Cost:
    """Of one question, in ms."""

    web: float
    database: float
    first: float
    wall: float

    @property
    def cpu(self) -> float:
        return self.web + self.database


def cost_of(clocks: Clocks, system: System, door: Door, text: str) -> Cost:
    """Asks, and waits until the process has done what follows."""
    door.prepare()
    before = clocks.read(system)
    first, wall = door.ask(text)
    time.sleep(_SETTLES_S)
    return Cost(*clocks.since(before, system), first, wall)


class Rounds:
    """Interleaved rounds of all systems; `found` is what each question of a scene cost."""

    def __init__(self, running: Sequence[System], clocks: Clocks, scale: Scale) -> None:
        self.found: dict[tuple[str, str], list[Cost]] = {}
        self.pressed: dict[tuple[str, str], list[Pressed]] = {}
        self._systems = running
        self._clocks = clocks
        self._scale = scale

    def perform(self) -> None:
        for number in range(self._scale.rounds):
            turn = self._systems if number % 2 == 0 else list(reversed(self._systems))
            for scene in SCENES:
                for system in turn:
                    self._ask(system, scene)
            for load in _loads(self._scale):
                for system in turn:
                    if system.name in load.asked_of:
                        self.pressed.setdefault((system.name, load.name), []).append(press(system, load))

    def _ask(self, system: System, scene: Scene) -> None:
        if not scene.possible(system):
            return
        with door_of(system, scene) as door:
            if scene.new:
                door.prepare()
                door.ask(scene.next_text())
            else:
                _fill(door, scene, min(EARLY) - 1)
            self._measure(system, scene.name, door, scene, self._scale.questions)
            if scene.grows and self._scale.late:
                _fill(door, scene, min(LATE) - min(EARLY) - self._scale.questions)
                self._measure(system, scene.name + QUESTION_200, door, scene, len(LATE))

    def _measure(self, system: System, name: str, door: Door, scene: Scene, count: int) -> None:
        costs = [cost_of(self._clocks, system, door, scene.next_text(TOKENS)) for _ in range(count)]
        self.found.setdefault((system.name, name), []).extend(costs)
        print(f"{name}, {system.name}: {line(costs)}", flush=True)

    def of(self, system: str, scene: str, figure: str) -> float:
        """The median over all questions of a scene."""
        return median(getattr(cost, figure) for cost in self.found.get((system, scene), ()))

    def pressed_of(self, system: str, load: str, figure: str, percent: float) -> float:
        """The median of a percentile over all rounds."""
        pressed = self.pressed.get((system, load), ())
        return median(percentile(getattr(each, figure), percent) for each in pressed)


def line(costs: Sequence[Cost]) -> str:
    figures = (("web", "web"), ("PostgreSQL", "database"), ("first token", "first"), ("done", "wall"))
    return ", ".join(f"{name} {median(getattr(cost, field) for cost in costs):.1f} ms" for name, field in figures)


def _fill(door: Door, scene: Scene, count: int) -> None:
    """Questions of a conversation that come before those that are measured, with answers of an ordinary length."""
    for _ in range(count):
        door.ask(scene.next_text(ANSWERED_TOKENS))


def _loads(scale: Scale) -> Iterator[Load]:
    for count in scale.bursts:
        asked_of = ("product", "before", "reference", "chainlit")
        yield Load(f"{count} within a second", questions=count, sockets=count, asked_of=asked_of)
    yield Load("20 a second", questions=int(20 * scale.steady_s), seconds=scale.steady_s, tokens=20)
    yield Load(ALONE, streams=50, seconds=6.0, asked_of=("product", "reference"))
    yield Load(BUSY, streams=50, questions=30, seconds=6.0, tokens=20, asked_of=("product",))
