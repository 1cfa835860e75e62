from io import StringIO

import pytest

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
    bar = ProgressBar(out, 4_000, "nodes")
    bar.advance(1_000)
    bar.reach(4_000, 4_000)
    bar.close()
    first, second, last = out.getvalue().split("\r")[1:]
    assert first.startswith("[########......................]  25%  1,000 of 4,000 nodes, ")
    assert second.startswith(f"[{'#' * 30}] 100%")
    assert last.endswith(" left\n")


def test_elsewhere_every_report_is_a_line() -> None:
    out = StringIO()
    bar = ProgressBar(out, 2, "nodes")
    bar.advance(1)
    bar.close()
    assert [line[-4:] for line in out.getvalue().splitlines()] == ["left", "left"]
    assert "\r" not in out.getvalue()


def test_what_is_soon_done_is_not_told() -> None:
    out = Terminal()
    bar = ProgressBar(out, 2, "nodes", quiet_s=3_600)
    bar.advance(2)
    bar.close()
    assert out.getvalue() == ""


def test_nothing_of_nothing_is_all_of_it() -> None:
    assert "100%  0 of 0 nodes" in ProgressBar(StringIO(), 0, "nodes").line()
