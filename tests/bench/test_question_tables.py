from typing import Any, cast

from bench.cpu import Clocks
from bench.question_load import Pressed
from bench.question_parts import statement_rows
from bench.question_rounds import ALONE, BUSY, QUICK, Cost, Rounds
from bench.question_tables import beside, of_each
from bench.table import Row

KNOWN, NEW = "known, socket, graph", "new, socket, graph"


def rounds(**costs: dict[str, float]) -> Rounds:
    """CPU of questions by system and scene, a quarter of it PostgreSQL's."""
    found = Rounds([], cast(Clocks, None), QUICK)
    for system, scenes in costs.items():
        for scene, cpu in scenes.items():
            found.found[system, scene] = [Cost(0.75 * cpu, 0.25 * cpu, 5, 9)]
    return found


def by_name(found: Any) -> dict[str, Row]:
    return {row.what: row for row in found}


def test_a_question_about_a_graph_is_compared_with_chainlits() -> None:
    ours = {"new": 20.0, NEW: 30.0, "known": 10.0, KNOWN: 24.0}
    rows = by_name(beside(rounds(product=ours, view={"new": 8.0}, chainlit={"new": 20.0, "known": 20.0}), "view"))
    new, known = (rows[f"{scene}: CPU beside chainlit, {kind}"] for scene, kind in ((NEW, "new"), (KNOWN, "known")))
    assert (new.result, new.target, new.met) == (1.5, 1.3, False)
    assert (known.result, known.target, known.met) == (1.2, 1.3, True)
    assert rows["new: CPU beside chainlit, new"].target is None
    assert rows["CPU of a new question beside the minimal view"].result == 3.75


def test_without_chainlit_nothing_is_said_of_it() -> None:
    rows = by_name(beside(rounds(product={NEW: 30.0}, view={"new": 8.0}), "view"))
    assert not [what for what in rows if "chainlit" in what]


def test_late_questions_are_compared_with_early_ones() -> None:
    found = rounds(product={KNOWN: 20.0, f"{KNOWN}, question 200": 26.0}, before={KNOWN: 60.0})
    rows = by_name(beside(found, "before"))
    late = rows["CPU of question 200 beside question 20"]
    assert (late.result, late.target, late.met) == (1.3, 1.2, False)
    against = rows[f"{KNOWN}: CPU, web and PostgreSQL"]
    assert (round(against.result, 3), against.target, against.met) == (0.333, 0.4, True)


def test_fifty_within_a_second_have_to_be_faster_than_chainlits() -> None:
    found = rounds(product={NEW: 30.0}, chainlit={"new": 20.0})
    for system, first in (("product", 200.0), ("chainlit", 250.0)):
        found.pressed[system, "50 within a second"] = [Pressed(first_ms=[first], own_delays_ms=[first / 10])]
        found.pressed[system, "10 within a second"] = [Pressed(first_ms=[first])]
    for name, delay in ((ALONE, 100.0), (BUSY, 400.0)):
        found.pressed["product", name] = [Pressed(delays_ms=[delay])]
    rows = by_name(beside(found, "view"))
    for percent in (50, 95):
        row = rows[f"50 within a second: first token, p{percent}, beside chainlit"]
        assert (row.result, row.target, row.met) == (0.8, 1.0, True)
        assert rows[f"10 within a second: first token, p{percent}, beside chainlit"].target is None
    running = rows["p99 of 50 streams while 5 questions a second come"]
    assert (running.result, running.target, running.met) == (4.0, 3, False)


def test_each_system_is_shown_by_itself() -> None:
    shown = of_each(rounds(product={NEW: 30.0, f"{KNOWN}, question 200": 40.0}, chainlit={"new": 20.0}))
    assert shown.splitlines()[2:] == [
        "| new | chainlit | 15.0 | 5.0 | 5.0 | 9.0 |",
        f"| {NEW} | product | 22.5 | 7.5 | 5.0 | 9.0 |",
        f"| {KNOWN}, question 200 | product | 30.0 | 10.0 | 5.0 | 9.0 |",
    ]


def test_statements_stand_beside_their_targets() -> None:
    parts = {"so far, asked": 7.0, "so far, shown": 9.0, "statements accept": 6.0, "statements finish": 8.0}
    asked, shown, in_all = statement_rows({KNOWN: parts})
    assert (asked.result, asked.target) == (7, None)
    assert (shown.result, shown.target, shown.met) == (9, 8, False)
    assert (in_all.result, in_all.target, in_all.met) == (14, 16, True)
