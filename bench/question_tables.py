"""The tables of what questions cost: each system by itself, and the product beside those that its targets name."""

from collections.abc import Iterator

from bench.figures import ratio
from bench.question_rounds import ALONE, BUSY, QUESTION_200, Rounds
from bench.question_scenes import SCENES
from bench.table import Row, markdown

_AGAINST = {"known, socket, graph": 0.40, "new, socket, graph": 0.45, "new, REST, graph": 0.45}
#: Scenes of ours beside those of chainlit, which knows no objects.
_BESIDE_CHAINLIT = {"new, socket, graph": "new", "known, socket, graph": "known", "new": "new", "known": "known"}
_AT_MOST_CHAINLIT = 1.3
#: Of questions that come at once.
_FIGURES = (
    ("first token, p50", "first_ms", 50),
    ("first token, p95", "first_ms", 95),
    ("delay of their tokens, p99", "own_delays_ms", 99),
)


def of_each(rounds: Rounds) -> str:
    """CPU and times of all systems in all scenes."""
    heads = ["question", "system", "web, CPU ms", "PostgreSQL, CPU ms", "first token, ms", "done, ms"]
    names = [name for scene in SCENES for name in (scene.name, scene.name + QUESTION_200)]
    rows = [
        [name, system, *(f"{rounds.of(system, name, figure):.1f}" for figure in ("web", "database", "first", "wall"))]
        for name in names
        for system in ("product", "before", "view", "reference", "chainlit")
        if (system, name) in rounds.found
    ]
    return markdown([heads, *rows])


def beside(rounds: Rounds, other: str) -> Iterator[Row]:
    """Each scene beside the state of before; where none runs, beside the view, and crowds beside the relay."""
    for system, name in list(rounds.found):
        if system != "product":
            continue
        for figure, what in (("cpu", "CPU, web and PostgreSQL"), ("first", "first token"), ("wall", "done")):
            target = _AGAINST.get(name) if other == "before" and figure == "cpu" else None
            theirs = rounds.of(other, name if other == "before" else "new", figure)
            ours = rounds.of("product", name, figure)
            yield Row(f"{name}: {what}", theirs, ours, ratio(ours, theirs), target, "ms")
    yield _cpu(rounds, "view", "new", "new, socket, graph", "CPU of a new question beside the minimal view", 2)
    late = "known, socket, graph" + QUESTION_200
    yield _cpu(rounds, "product", "known, socket, graph", late, "CPU of question 200 beside question 20", 1.2)
    yield from _pressed(rounds, other if other == "before" else "reference")
    if any(system == "chainlit" for system, _ in rounds.found):
        yield from _beside_chainlit(rounds)


def _cpu(rounds: Rounds, system: str, theirs: str, ours: str, what: str, target: float | None) -> Row:
    reference, product = rounds.of(system, theirs, "cpu"), rounds.of("product", ours, "cpu")
    return Row(what, reference, product, ratio(product, reference), target, "ms")


def _pressed(rounds: Rounds, other: str) -> Iterator[Row]:
    for system, name in list(rounds.pressed):
        if system != "product" or name in {ALONE, BUSY}:
            continue
        for what, figure, percent in _FIGURES:
            yield _pressed_row(rounds, other, name, what, figure, percent, None)
    alone, busy = (rounds.pressed_of("product", name, "delays_ms", 99) for name in (ALONE, BUSY))
    yield Row("p99 of 50 streams while 5 questions a second come", alone, busy, ratio(busy, alone), 3, "ms")


def _pressed_row(
    rounds: Rounds, other: str, load: str, what: str, figure: str, percent: float, target: float | None
) -> Row:
    theirs, ours = (rounds.pressed_of(system, load, figure, percent) for system in (other, "product"))
    return Row(f"{load}: {what}", theirs, ours, ratio(ours, theirs), target, "ms")


def _beside_chainlit(rounds: Rounds) -> Iterator[Row]:
    for ours, theirs in _BESIDE_CHAINLIT.items():
        what, target = f"{ours}: CPU beside chainlit, {theirs}", _AT_MOST_CHAINLIT if "graph" in ours else None
        yield _cpu(rounds, "chainlit", theirs, ours, what, target)
    for system, load in list(rounds.pressed):
        if system != "chainlit":
            continue
        for what, figure, percent in _FIGURES:
            target = 1.0 if load.startswith("50 ") and figure == "first_ms" else None
            yield _pressed_row(rounds, "chainlit", load, f"{what}, beside chainlit", figure, percent, target)
