"""What depends on web processes: the first question of one, and how many questions two answer beside one."""

import os
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace

import psutil

from bench import systems
from bench.cpu import Clocks, cpu_s
from bench.figures import median, ratio
from bench.held_back import held_back
from bench.question_doors import door_of
from bench.question_load import Load, press
from bench.question_rounds import Scale, cost_of, line
from bench.question_scenes import RATE, SCENES, TOKENS
from bench.systems import System
from bench.table import Row, markdown

#: So much of a core a web process gets where it is held back: two of them and all that serves them leave one free.
SHARE = 0.4
#: Questions of a new process after its first.
_OTHERS = 12
_SOCKETS = 24
_SCENE = next(scene for scene in SCENES if scene.name == "new, socket, graph")
#: Processes that work for the web processes, by what their command holds.
_BESIDE = {"Valkey": "valkey-server", "vendor": "bench.vendor"}


@dataclass(frozen=True)
class Saturated:
    """Questions a second, and how many cores each process took meanwhile."""

    web: int
    share: float
    per_second: float
    cores: Mapping[str, float]

    @property
    def in_all(self) -> float:
        return sum(self.cores.values())

    def limit(self, machine: int) -> str:
        """What is full: the machine, or a web process."""
        full = []
        if self.in_all >= 0.9 * machine:
            full.append("all cores are full")
        if max(self.cores[f"web-{number}"] for number in range(1, self.web + 1)) >= 0.85 * self.share:
            full.append("a web process has all that it may use")
        return ", ".join(full) or "nothing is full: they wait for each other"


def measure(variables: Mapping[str, str], clocks: Clocks, scale: Scale) -> tuple[str, list[Row]]:
    """The cores that were used, and the rows. The product's tables exist already."""
    with systems.product(variables) as system:
        token = system.token()
    rows = list(_first_questions(variables, clocks, scale.rounds, token))
    found: list[Saturated] = []
    for number in range(scale.rounds):
        for web in (1, 2) if number % 2 == 0 else (2, 1):
            with systems.products(variables, web) as running:
                systems.wait_until_quiet(running)
                found += _saturated(running, clocks, scale.saturating)
    machine = os.cpu_count() or 1
    return _cores(found, machine), [*rows, *throughput_rows(found)]


def _first_questions(variables: Mapping[str, str], clocks: Clocks, rounds: int, token: str) -> Iterator[Row]:
    """Each in a process that has answered nothing, not even who somebody is."""
    firsts, others = [], []
    for _ in range(rounds):
        with systems.product(variables) as system:
            systems.wait_until_quiet([system])
            with door_of(replace(system, signed_in=token), _SCENE) as door:
                costs = [cost_of(clocks, system, door, _SCENE.next_text()) for _ in range(1 + _OTHERS)]
        print(f"first question of a process: {line(costs[:1])}; the others: {line(costs[1:])}", flush=True)
        firsts.append(costs[0])
        others += costs[1:]
    for figure, what, target in (("cpu", "CPU, web and PostgreSQL", 2.0), ("first", "first token", None)):
        first, other = (median(getattr(cost, figure) for cost in costs) for costs in (firsts, others))
        yield Row(
            f"first question of a process beside the others: {what}", other, first, ratio(first, other), target, "ms"
        )


def _saturated(running: list[System], clocks: Clocks, questions: int) -> Iterator[Saturated]:
    """As they are, and held back; after some questions that nobody counts."""
    load = Load("saturated", questions, seconds=0, tokens=TOKENS, rate=RATE, sockets=_SOCKETS)
    asked = replace(running[0], signed_in=running[0].token())
    press(asked, replace(load, questions=5 * _SOCKETS))
    for share in (1.0, SHARE):
        processes = [system.process for system in running]
        with nullcontext() if share == 1.0 else held_back(processes, share):
            found = _pressed(running, asked, clocks, load, share)
        told = ", ".join(f"{name} {used:.2f}" for name, used in found.cores.items())
        print(f"WEB={found.web}, {share:.0%} of a core: {found.per_second:.1f} questions a second; {told}", flush=True)
        yield found


def _pressed(running: list[System], asked: System, clocks: Clocks, load: Load, share: float) -> Saturated:
    beside = {name: pid for name, text in _BESIDE.items() if (pid := _pid_of(text))}
    pids = {f"web-{number}": system.process.pid for number, system in enumerate(running, 1)} | beside
    before, used = clocks.read_of([], asked.database), {name: cpu_s(pid) for name, pid in pids.items()}
    pressed = press(asked, load)
    seconds = {name: cpu_s(pid) - used[name] for name, pid in pids.items()}
    seconds |= {"PostgreSQL": clocks.read_of([], asked.database).database_since(before)}
    seconds |= {"readers": pressed.readers_cpu_s}
    cores = {name: value / pressed.seconds for name, value in seconds.items()}
    return Saturated(len(running), share, load.questions / pressed.seconds, cores)


def _pid_of(text: str) -> int | None:
    """The process started by this one whose command holds the text."""
    found = (child.pid for child in psutil.Process().children(recursive=True) if text in " ".join(child.cmdline()))
    return next(found, None)


def throughput_rows(found: list[Saturated]) -> Iterator[Row]:
    """Two web processes beside one: on this machine as it is, and with a core to spare, of which the target speaks."""
    for share, what, target in (
        (1.0, "WEB=2 beside WEB=1, as they are", None),
        (SHARE, f"WEB=2 beside WEB=1, a core to spare (each web process has {SHARE:.0%} of one)", 1.7),
    ):
        one, two = (
            median(each.per_second for each in found if (each.web, each.share) == (web, share)) for web in (1, 2)
        )
        yield Row(f"questions a second, {what}", one, two, ratio(two, one), target, at_least=True)


def _cores(found: list[Saturated], machine: int) -> str:
    """What each process took of the cores, by the medians of all rounds; and what that leaves to gain."""
    names = ["web-1", "web-2", "PostgreSQL", "Valkey", "vendor", "readers"]
    rows = [["saturated", "questions a second", *names, "in all", f"with all {machine} cores full", "what limits"]]
    for web, share in sorted({(each.web, each.share) for each in found}, key=lambda key: (-key[1], key[0])):
        same = [each for each in found if (each.web, each.share) == (web, share)]
        cores = {name: median(each.cores[name] for each in same) for name in names if name in same[0].cores}
        middle = Saturated(web, share, median(each.per_second for each in same), cores)
        rows.append([
            f"WEB={web}, each {share:.0%} of a core", f"{middle.per_second:.1f}",
            *(f"{cores[name]:.2f}" if name in cores else "" for name in names),
            f"{middle.in_all:.2f}", f"{ratio(machine, middle.in_all):.2f} x", middle.limit(machine),
        ])  # fmt: skip
    return markdown(rows)
