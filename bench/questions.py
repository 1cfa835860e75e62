"""What a question costs: CPU of the web process and of PostgreSQL, and how long its first token and its end take.

Beside the bare relay and a minimal Django view in the same run, and beside another state of the product where
`--against FOLDER` names one. `bench.question_parts` counts statements, hops and bytes in a run of its own.
"""

import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from bench import question_parts, systems
from bench.cpu import Clocks
from bench.figures import median, percentile, ratio
from bench.question_doors import Door, door_of
from bench.question_load import Load, Pressed, press
from bench.question_scenes import SCENES, Scene, large_graph
from bench.servers import Servers
from bench.systems import System
from bench.table import Row, table

#: After each question: what a process does once the answer is out belongs to the question.
_SETTLES_S = 0.03
#: Which questions of a long conversation are compared.
EARLY, LATE = range(18, 23), range(196, 205)


@dataclass(frozen=True)
class Scale:
    """How many questions of each scene a round has, and what is asked at once."""

    rounds: int = 3
    questions: int = 8
    late: bool = True
    bursts: tuple[int, ...] = (10, 50, 200)
    steady_s: float = 60.0


QUICK = Scale(rounds=1, questions=4, late=False, bursts=(50,), steady_s=10.0)


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
            for _ in range(1 if scene.new else min(EARLY) - 1):
                door.ask(scene.next_text())
            self._measured(system, scene.name, door, scene, self._scale.questions)
            if scene.grows and self._scale.late:
                for _ in range(min(EARLY) - 1 + self._scale.questions, min(LATE)):
                    door.ask(scene.next_text())
                self._measured(system, f"{scene.name}, question 200", door, scene, len(LATE))

    def _measured(self, system: System, name: str, door: Door, scene: Scene, count: int) -> None:
        for _ in range(count):
            before = self._clocks.read(system)
            first, wall = door.ask(scene.next_text())
            time.sleep(_SETTLES_S)
            web, database = self._clocks.since(before, system)
            self.found.setdefault((system.name, name), []).append(Cost(web, database, first, wall))
        print(f"{name}, {system.name}: {_line(self.found[system.name, name][-count:])}", flush=True)

    def of(self, system: str, scene: str, figure: str) -> float:
        """The median over all questions of a scene."""
        return median(getattr(cost, figure) for cost in self.found.get((system, scene), ()))


def _line(costs: Sequence[Cost]) -> str:
    figures = (("web", "web"), ("PostgreSQL", "database"), ("first token", "first"), ("done", "wall"))
    return ", ".join(f"{name} {median(getattr(cost, field) for cost in costs):.1f} ms" for name, field in figures)


def _loads(scale: Scale) -> Iterator[Load]:
    for count in scale.bursts:
        yield Load(f"{count} within a second", questions=count, seconds=1.0)
    yield Load("20 a second", questions=int(20 * scale.steady_s), seconds=scale.steady_s, tokens=20)
    yield Load("50 streams, nothing else", streams=50, seconds=6.0, asked_of=("product", "reference"))
    yield Load(
        "50 streams, 5 questions a second", streams=50, questions=30, seconds=6.0, tokens=20, asked_of=("product",)
    )


def _rows(rounds: Rounds, against: bool) -> Iterator[Row]:
    """Each scene beside the state of before where one runs, else beside the minimal view."""
    beside = "before" if against else "view"
    for (system, name), _ in list(rounds.found.items()):
        if system != "product":
            continue
        for figure, what in (("cpu", "CPU, web and PostgreSQL"), ("first", "first token"), ("wall", "done")):
            other = rounds.of(beside, name if against else "new", figure)
            ours = rounds.of("product", name, figure)
            yield Row(f"{name}: {what}", other, ours, ratio(ours, other), _target(name, figure, against), "ms")
    view, ours = rounds.of("view", "new", "cpu"), rounds.of("product", "new, socket, graph", "cpu")
    yield Row("CPU of a new question beside the minimal view", view, ours, ratio(ours, view), 2, "ms")
    early, late = (rounds.of("product", f"known, socket, graph{which}", "cpu") for which in ("", ", question 200"))
    yield Row("CPU of question 200 beside question 20", early, late, ratio(late, early), 1.2, "ms")
    yield from _pressed_rows(rounds, beside)


def _target(scene: str, figure: str, against: bool) -> float | None:
    if not against or figure != "cpu":
        return None
    return {"known, socket, graph": 0.40, "new, socket, graph": 0.45, "new, REST, graph": 0.45}.get(scene)


def _pressed_rows(rounds: Rounds, beside: str) -> Iterator[Row]:
    for (system, name), pressed in list(rounds.pressed.items()):
        if system != "product":
            continue
        others = rounds.pressed.get((beside, name), [])
        for what, figure, percent in (("first token", "first_ms", 50), ("first token", "first_ms", 95)):
            ours, other = (_percentile(each, figure, percent) for each in (pressed, others))
            yield Row(f"{name}: {what}, p{percent}", other, ours, ratio(ours, other), None, "ms")
    alone, busy = (
        _percentile(rounds.pressed.get(("product", name), []), "delays_ms", 99)
        for name in ("50 streams, nothing else", "50 streams, 5 questions a second")
    )
    yield Row("p99 of 50 streams while 5 questions a second come", alone, busy, ratio(busy, alone), 3, "ms")


def _percentile(pressed: Sequence[Pressed], figure: str, percent: float) -> float:
    return median(percentile(getattr(each, figure), percent) for each in pressed)


def measure(servers: Servers, scale: Scale, against: Path | None) -> str:
    """The tables: costs and loads, then what one question is made of."""
    with ExitStack() as stack:
        vendor = stack.enter_context(systems.vendor())
        running = [
            stack.enter_context(systems.reference({}, "--vendor", vendor, "--database", servers.reference)),
            stack.enter_context(systems.view({}, vendor, servers.reference)),
            stack.enter_context(_product(_variables(servers, vendor), systems.ROOT)),
        ]
        if against is not None:
            of_its_own = replace(servers, database_url=servers.another_database("before"))
            variables = _variables(of_its_own, vendor) | {"REDIS_PREFIX": "before"}
            running.append(stack.enter_context(_product(variables, against.resolve())))
        rounds = Rounds(running, Clocks(), scale)
        rounds.perform()
        costs = table(list(_rows(rounds, against is not None)))
    return f"{costs}\n\n{question_parts.measure(servers)}"


def _variables(servers: Servers, vendor: str) -> dict[str, str]:
    return systems.with_long_memory(systems.environment(servers, vendor), vendor)


@contextmanager
def _product(variables: Mapping[str, str], root: Path) -> Iterator[System]:
    """The product in this folder, with its demo data and a large graph."""
    systems.prepare(variables, root)
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        file.write(large_graph())
        file.flush()
        systems.manage(variables, "import_graph", file.name, "--workspace", "demo", root=root)
    systems.manage(variables, "embed_nodes", "--graph", "large", root=root)
    with systems.product(variables, root) as system:
        yield system
