"""The pages about security name tests that exist, and leave out no item of ASVS 5.0 of level 1 and 2."""

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "docs" / "security-asvs.md"
PAGES = (ROOT / "docs" / "security.md", TABLE)
ANSWERS = ("test", "reason", "not applicable", "does not hold")
#: The items of levels 1 and 2, section by section: "1.2" has items 1 to 5 of level 1 and 6 to 9 of level 2.
LEVELS: dict[str, tuple[str, str]] = {
    "1.1": ("", "1-2"), "1.2": ("1-5", "6-9"), "1.3": ("1-2", "3-11"), "1.4": ("", "1-3"), "1.5": ("1", "2"),
    "2.1": ("1", "2-3"), "2.2": ("1-2", "3"), "2.3": ("1", "2-4"), "2.4": ("", "1"),
    "3.2": ("1-2", ""), "3.3": ("1", "2-4"), "3.4": ("1-2", "3-6"), "3.5": ("1-3", "4-5"), "3.7": ("", "1-2"),
    "4.1": ("1", "2-3"), "4.2": ("", "1"), "4.3": ("", "1-2"), "4.4": ("1", "2-4"),
    "5.1": ("", "1"), "5.2": ("1-2", "3"), "5.3": ("1-2", ""), "5.4": ("", "1-3"),
    "6.1": ("1", "2-3"), "6.2": ("1-8", "9-12"), "6.3": ("1-2", "3-4"), "6.4": ("1-2", "3-4"), "6.5": ("", "1-5"),
    "6.6": ("", "1-3"), "6.8": ("", "1-4"),
    "7.1": ("", "1-3"), "7.2": ("1-4", ""), "7.3": ("", "1-2"), "7.4": ("1-2", "3-5"), "7.5": ("", "1-2"),
    "7.6": ("", "1-2"),
    "8.1": ("1", "2"), "8.2": ("1-2", "3"), "8.3": ("1", ""), "8.4": ("", "1"),
    "9.1": ("1-3", ""), "9.2": ("1", "2-4"),
    "10.1": ("", "1-2"), "10.2": ("", "1-2"), "10.3": ("", "1-4"), "10.4": ("1-5", "6-11"), "10.5": ("", "1-5"),
    "10.6": ("", "1-2"), "10.7": ("", "1-3"),
    "11.1": ("", "1-2"), "11.2": ("", "1-3"), "11.3": ("1-2", "3"), "11.4": ("1", "2-4"), "11.5": ("", "1"),
    "11.6": ("", "1"),
    "12.1": ("1", "2-3"), "12.2": ("1-2", ""), "12.3": ("", "1-4"),
    "13.1": ("", "1"), "13.2": ("", "1-5"), "13.3": ("", "1-2"), "13.4": ("1", "2-5"),
    "14.1": ("", "1-2"), "14.2": ("1", "2-4"), "14.3": ("1", "2-3"),
    "15.1": ("1", "2-3"), "15.2": ("1", "2-3"), "15.3": ("1", "2-7"),
    "16.1": ("", "1"), "16.2": ("", "1-5"), "16.3": ("", "1-4"), "16.4": ("", "1-3"), "16.5": ("", "1-3"),
    "17.1": ("", "1"), "17.2": ("", "1-4"), "17.3": ("", "1-2"),
}  # fmt: skip
_NAMED = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")
_ROW = re.compile(r"\| (\d+\.\d+\.\d+) \| ([12]) \| ([^|]+) \| ([^|]+) \| (.+) \|")


def items() -> dict[str, int]:
    """Each item with its level."""
    found = {}
    for section, ranges in LEVELS.items():
        for level, text in enumerate(ranges, 1):
            first, _to, last = text.partition("-")
            for number in range(int(first or 1), int(last or first or 0) + 1):
                found[f"{section}.{number}"] = level
    return found


def rows() -> list[tuple[str, ...]]:
    """Item, level, subject, answer and grounds of each line of the tables."""
    lines = [line for line in TABLE.read_text().splitlines() if re.match(r"\| *\d", line)]
    found = [_ROW.fullmatch(line) for line in lines]
    unread = [line for line, match in zip(lines, found, strict=True) if match is None]
    assert not unread, unread
    return [match.groups() for match in found if match]


@cache
def functions(path: str) -> set[str]:
    tree = ast.parse((ROOT / path).read_text())
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


def test_it_knows_how_many_there_are() -> None:
    assert Counter(items().values()) == {1: 70, 2: 183}


def test_every_item_is_answered_once_and_at_its_level() -> None:
    answered = [(item, int(level)) for item, level, *_rest in rows()]
    assert len(answered) == len(set(answered)) == 253
    assert dict(answered) == items()


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0])
def test_every_answer_is_one_and_has_its_grounds(row: tuple[str, ...]) -> None:
    item, _level, subject, answer, grounds = row
    assert answer in ANSWERS, item
    assert len(subject) <= 60, "the words of the standard are not ours to copy"
    assert bool(_NAMED.search(grounds)) or answer != "test", f"{item} names no test"
    assert grounds.strip()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_test_that_is_named_exists(page: Path) -> None:
    named = _NAMED.findall(page.read_text())
    assert named
    for path, name in named:
        assert (ROOT / path).is_file(), path
        assert not name or name in functions(path), f"{path} has no {name}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_file_that_is_named_exists(page: Path) -> None:
    for path in re.findall(r"`((?:chat|graphs|rag|config|docs)/[\w/.-]+\.\w+)`", page.read_text()):
        assert (ROOT / path).is_file(), path
    for path in re.findall(r"\]\(([\w/-]+\.md)(?:#[\w-]+)?\)", page.read_text()):
        assert (page.parent / path).is_file(), path


def test_the_sums_at_the_top_are_right() -> None:
    counted = Counter((answer, int(level)) for _item, level, _subject, answer, _grounds in rows())
    text = TABLE.read_text()
    for answer in ANSWERS:
        both = [counted[answer, level] for level in (1, 2)]
        assert f"| {answer} | {both[0]} | {both[1]} | {sum(both)} |" in text, (answer, both)
