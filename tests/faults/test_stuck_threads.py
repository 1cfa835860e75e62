"""SIGTERM ends a web process within its time, whatever its threads do."""

import urllib.request
from pathlib import Path

import pytest

from chat.web import ending
from tests.chat.engine.driving import until
from tests.faults import stuck as stuck_process
from tests.site import Site, site
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
DRAIN_S = 1


def is_deaf(here: Site) -> bool:
    try:
        urllib.request.urlopen(f"{here.web.url}/healthz", timeout=1).close()
    except TimeoutError:
        return True
    return False


@pytest.mark.parametrize(
    ("stuck", "within_s"), [("turns", DRAIN_S + stuck_process.MORE_S), ("held", stuck_process.DEAF_S)]
)
def test_it_ends_and_says_where_it_was(stuck: str, within_s: float, tmp_path: Path) -> None:
    begin = tmp_path / "begin"
    with site(1, "tests.faults.stuck", STUCK=stuck, STUCK_AT=str(begin), DRAIN_S=str(DRAIN_S)) as here:
        begin.touch()
        if stuck == "turns":
            assert here.web.process.poll() is None
        else:
            until(lambda: is_deaf(here))
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
