"""Both web processes are restarted one after the other under load: whoever comes again loses nothing."""

import os

import pytest

from tests.faults.outage import Outage

pytestmark = [pytest.mark.processes, pytest.mark.faults, pytest.mark.timeout(1800)]

ROLLS = 20 if os.environ.get("FULL") else 2


def test_nobody_loses_a_message(outage: Outage) -> None:
    with outage.crowd() as people:
        for _ in range(ROLLS):
            for place in range(2):
                people.all_get_on()
                assert outage.processes[place].terminate() == 0
                outage.replace(place)
        people.all_get_on()
    closed = {reason for reason in people.losses if reason.startswith("closed")}
    assert closed <= {"closed with 4012"}
