from io import StringIO
from itertools import pairwise

import pytest
from django.core.management.base import OutputWrapper

from graphs.management import progress
from graphs.management.progress import ProgressBar


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def at_every_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "ON_TERMINAL_S", 0)
    monkeypatch.setattr(progress, "ELSEWHERE_S", 0)


def test_a_terminal_has_one_line_that_grows() -> None:
    out = Terminal()
    bar = ProgressBar(OutputWrapper(out), 4_000, "nodes")
    bar.advance(1_000)
    bar.reach(4_000, 4_000)
    bar.close()
    first, second, last = out.getvalue().split("\r")[1:]
    assert first.startswith("[########......................]  25%  1,000 of 4,000 nodes, ")
    assert second.startswith(f"[{'#' * 30}] 100%")
    assert last.endswith(" left\n")


def test_elsewhere_every_report_is_a_line() -> None:
    out = StringIO()
    bar = ProgressBar(OutputWrapper(out), 2, "nodes")
    bar.advance(1)
    bar.close()
    assert [line[-4:] for line in out.getvalue().splitlines()] == ["left", "left"]
    assert "\r" not in out.getvalue()


def test_what_is_soon_done_is_not_told() -> None:
    out = Terminal()
    bar = ProgressBar(OutputWrapper(out), 2, "nodes", quiet_s=3_600)
    bar.advance(2)
    bar.close()
    assert out.getvalue() == ""


def test_nothing_of_nothing_is_all_of_it() -> None:
    line = ProgressBar(OutputWrapper(StringIO()), 0, "nodes").line()
    assert line.endswith("100%  0 of 0 nodes, 0 a second, 0:00:00 left")
    out = StringIO()
    ProgressBar(OutputWrapper(out), 0, "nodes").close()
    assert out.getvalue() == ""


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time of the bar, in seconds."""
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(progress, "ELSEWHERE_S", 10)
    return now


def test_a_terminal_shows_one_line_of_which_nothing_is_left_behind(clock: list[float]) -> None:
    out = Terminal()
    bar = ProgressBar(OutputWrapper(out), 20_000, "nodes")
    for after, by in [(0.5, 6_000), (2_000, 1), (0.5, 13_999)]:
        clock[0] += after
        bar.advance(by)
    bar.close()
    shown = out.getvalue()
    assert shown.count("\r") == 4
    assert shown.count("\n") == 1, "each report is written over the one before"
    lines = shown.removesuffix("\n").split("\r")[1:]
    assert all(len(later) >= len(line.rstrip()) for line, later in pairwise(lines))


def test_elsewhere_a_report_is_a_line(clock: list[float]) -> None:
    out = StringIO()
    bar = ProgressBar(OutputWrapper(out), 100, "nodes")
    for _ in range(5):
        clock[0] += 5
        bar.advance(10)
    bar.close()
    assert [line.partition("]")[2].split(",")[0] for line in out.getvalue().splitlines()] == [
        "  20%  20 of 100 nodes",
        "  40%  40 of 100 nodes",
        "  50%  50 of 100 nodes",
    ]


def test_what_an_earlier_run_did_makes_nobody_believe_it_ends_soon(clock: list[float]) -> None:
    bar = ProgressBar(OutputWrapper(StringIO()), 1_000_000, "nodes")
    clock[0] += 10
    bar.advance(500_000)
    for _ in range(60):
        clock[0] += 1
        bar.advance(50)
    assert bar.line().endswith("50 a second, 2:45:40 left")


def test_more_than_was_expected_is_no_more_than_all(clock: list[float]) -> None:
    bar = ProgressBar(OutputWrapper(StringIO()), 10, "nodes")
    clock[0] += 1
    bar.advance(12)
    assert bar.line() == f"[{'#' * progress.WIDTH}] 100%  12 of 12 nodes, 12 a second, 0:00:00 left"
