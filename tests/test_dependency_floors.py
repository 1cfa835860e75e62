"""Versions below these have known holes; see the advisories before lowering one."""

import re
from importlib.metadata import version
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FLOORS = {
    "django": "5.2.14",
    "daphne": "4.2.2",
    "djangorestframework": "3.17.2",
    "channels": "3.0.3",
    "celery": "5.2.2",
    "redis": "4.5.5",
}
#: Only where something brings them in.
FLOORS_IF_USED = {"pypdf": "6.16.1", "pdfminer.six": "20251107", "gitpython": "3.1.60", "langgraph-checkpoint": "4.1.1"}
PINNED = {
    name.lower(): pinned
    for name, pinned in re.findall(
        r"^([\w.-]+)(?:\[.*\])?==(\S+)(?: ; .+)?$", (ROOT / "requirements.txt").read_text(), re.M
    )
}


def parts(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", text))


@pytest.mark.parametrize("name", FLOORS)
def test_what_is_installed_is_above_its_floor(name: str) -> None:
    assert parts(version(name)) >= parts(FLOORS[name])


@pytest.mark.parametrize("name", FLOORS)
def test_what_is_pinned_is_above_its_floor(name: str) -> None:
    assert parts(PINNED[name]) >= parts(FLOORS[name])


@pytest.mark.parametrize("name", FLOORS_IF_USED)
def test_what_may_come_in_is_above_its_floor(name: str) -> None:
    assert name not in PINNED or parts(PINNED[name]) >= parts(FLOORS_IF_USED[name])


def test_django_stays_on_its_long_term_support() -> None:
    assert parts(PINNED["django"])[:2] == (5, 2)


def test_every_requirement_is_pinned() -> None:
    lines = [line for line in (ROOT / "requirements.txt").read_text().splitlines() if line and not line.startswith("#")]
    assert len(lines) == len(PINNED)
