"""kill -9 before and after everything that has an effect: nothing lost, nothing twice, nobody waits for ever.

A usual run takes a few of the points, other ones every day; FULL=1 takes all. A failure names its point.
"""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from graphs.models import Graph
from tests.faults.crash_orders import Orders
from tests.faults.crash_points import HARMLESS, POINTS, Point
from tests.faults.crash_scenarios import SCENARIOS
from tests.faults.crash_stage import Stage
from tests.registered import shops
from tests.site import site

pytestmark = [pytest.mark.processes, pytest.mark.faults, pytest.mark.django_db(transaction=True)]

FEW = 2
ALL = [(point, when) for point in POINTS for when in ("before", "after")]


def chosen() -> list[tuple[Point, str]]:
    """All of them, or a few that lie apart in the list, moving on every day."""
    if os.environ.get("FULL"):
        return ALL
    stride = -(-len(ALL) // FEW)
    return ALL[int(time.time() // 86_400) % stride :: stride]


@pytest.fixture
def stage(transactional_db: None, alice: User, nba: Graph, tmp_path: Path) -> Iterator[Stage]:
    environment = {"CRASH_ORDERS": str(tmp_path), "TOOL_ROUNDS": "2", "TOOL_ROUNDS_EXTENDED": "3", "DRAIN_S": "0"}
    environment |= {"ANTHROPIC_CONTEXT_WINDOW": "14600", "LIMIT_CHANGES": "1000/min"}
    with shops(), site(2, "tests.faults.crashing", LIMIT_MESSAGES="1000/min", **environment) as here:
        yield Stage(here, Orders(tmp_path))


@pytest.mark.timeout(2400)
def test_a_process_dies_there(stage: Stage, subtests: pytest.Subtests) -> None:
    """One pair of processes for all points: who dies is replaced while the other one goes on."""
    for point, when in chosen():
        with subtests.test(place=point.place, when=when, nth=point.nth):
            stage.prepare(point.place, when, point.nth)
            stage.all_hangs_together(SCENARIOS[point.scenario](stage))
    unlisted = stage.orders.crossed() - {point.place for point in POINTS} - HARMLESS.keys()
    assert not unlisted, f"crossed, but not in the list of crash points: {unlisted}"
