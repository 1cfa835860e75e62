"""In which order the tests run. Loaded as a plugin.

A module that starts processes or drives a browser mostly waits for them, and is given to one worker as a whole. Those
modules begin early and evenly among the other tests, which compute: so the workers together always have both to do,
and what comes last is short.
"""

from collections import defaultdict

import pytest

KINDS = ("processes", "browser", "")
#: Up to which part of the other tests the modules begin that start something.
EARLY = 0.85

Unit = list[pytest.Item]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: Unit) -> None:
    """Comes after those that sort by what a test does to the database, and after those that choose."""
    items[:] = [item for unit in _in_order(_units(items)) for item in unit]


def _units(items: Unit) -> list[Unit]:
    """What goes to a worker in one piece."""
    units: dict[str, Unit] = defaultdict(list)
    for item in items:
        group = item.get_closest_marker("xdist_group")
        units[group.args[0] if group else item.nodeid].append(item)
    return list(units.values())


def _in_order(units: list[Unit]) -> list[Unit]:
    places: list[tuple[float, int, Unit]] = []
    for kind in KINDS:
        alike = sorted((unit for unit in units if _kind(unit) == kind), key=len, reverse=True)
        share = EARLY if kind else 1
        places += [(number * share / len(alike), len(places), unit) for number, unit in enumerate(alike)]
    return [unit for *_, unit in sorted(places, key=lambda place: place[:2])]


def _kind(unit: Unit) -> str:
    return next(kind for kind in KINDS if not kind or unit[0].get_closest_marker(kind))
