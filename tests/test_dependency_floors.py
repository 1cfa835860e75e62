"""Versions below these have known holes; see the advisories before lowering one. And all parts are listed."""

import re
from datetime import date, timedelta
from importlib.metadata import PackageNotFoundError, distribution, version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

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


def required() -> list[Requirement]:
    lines = (ROOT / "requirements.txt").read_text().splitlines()
    found = [Requirement(line) for line in lines if line and not line.startswith("#")]
    return [each for each in found if each.marker is None or each.marker.evaluate()]


def brought_in() -> set[str]:
    """The names of all that is installed because of what we name."""
    found: set[tuple[str, str]] = set()
    waiting = [(each, extra) for each in required() for extra in ("", *each.extras)]
    while waiting:
        each, extra = waiting.pop()
        if (canonicalize_name(each.name), extra) in found:
            continue
        try:
            lines = distribution(each.name).requires or []
        except PackageNotFoundError:  # It has no wheel here.
            continue
        found.add((canonicalize_name(each.name), extra))
        more = [Requirement(line) for line in lines]
        needed = [one for one in more if one.marker is None or one.marker.evaluate({"extra": extra})]
        waiting += [(one, name) for one in needed for name in ("", *one.extras)]
    return {name for name, _extra in found}


def test_all_parts_were_looked_through_in_time() -> None:
    """As docs/security.md promises. Look for known holes in all of docs/parts.txt, mend them, write the date there."""
    (promised,) = re.findall(
        r"are looked\s+through for known holes .+ every (\d+) days", (ROOT / "docs/security.md").read_text()
    )
    (done,) = re.findall(r"^# Looked through for known holes: (\S+?)[,.]", (ROOT / "docs/parts.txt").read_text(), re.M)
    # Of the last version that the changelog names, not of the clock: a day that passes breaks no suite.
    released = max(re.findall(r"^## (\d{4}-\d\d-\d\d)", (ROOT / "docs/changelog.md").read_text(), re.M))
    assert date.fromisoformat(released) - date.fromisoformat(done) <= timedelta(days=int(promised))


def test_every_part_is_listed() -> None:
    """docs/parts.txt, with the versions that were last tried together."""
    lines = (ROOT / "docs" / "parts.txt").read_text().splitlines()
    listed = dict(line.split("==") for line in lines if line and not line.startswith("#"))
    assert list(listed) == sorted(listed)
    assert not brought_in() - listed.keys()
    named = {canonicalize_name(each.name): str(each.specifier).removeprefix("==") for each in required()}
    assert {name: listed[name] for name in named} == named
