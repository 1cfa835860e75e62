"""SIGTERM ends a web process within its time, whatever its threads do."""

from pathlib import Path

import pytest

from chat.web import ending
from tests.site import site
from tests.web_process import QUICK

pytestmark = [
    pytest.mark.processes,
    pytest.mark.faults,
    pytest.mark.timeout(300),
    pytest.mark.django_db(transaction=True),
]

#: What DRAIN_S is in tests, with its more: 34 in earnest.
WITHIN_S = float(QUICK["DRAIN_S"]) + ending.MORE_S
#: The machine may be busy.
SLACK_S = 10


@pytest.mark.parametrize(("stuck", "within_s"), [("turns", WITHIN_S), ("held", ending.DEAF_S)])
def test_it_ends_and_says_where_it_was(stuck: str, within_s: float, tmp_path: Path) -> None:
    begin = tmp_path / "begin"
    with site(1, "tests.faults.stuck", STUCK=stuck, STUCK_AT=str(begin)) as here:
        begin.touch()
        if stuck == "turns":
            assert here.web.process.poll() is None
        code = here.web.terminate(within_s + SLACK_S)
        assert code == 1
        assert "get_stuck" in here.logs(), "where the thread was"


def test_one_whose_threads_end_ends_in_peace() -> None:
    with site(1) as here:
        assert here.web.terminate(WITHIN_S) == 0
        assert "get_stuck" not in here.logs()
        assert "Timeout" not in here.logs()


def test_the_times_are_those_that_are_promised() -> None:
    assert 25 + ending.MORE_S < 35
    assert ending.DEAF_S + ending.LOOK_S <= 35
