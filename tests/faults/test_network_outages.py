"""The network of one web process is cut, slow, in pieces or dead: it recovers by itself; the other is not touched."""

import os
import time

import pytest

from tests.chat.engine.driving import until
from tests.faults.outage import SILENT_S, Outage

pytestmark = [pytest.mark.processes, pytest.mark.faults, pytest.mark.timeout(600)]

FULL = bool(os.environ.get("FULL"))
CUTS = 60 if FULL else 2
#: How long each fault lasts.
FAULT_S = 30 if FULL else 0.5
LONGER_THAN_A_LEASE_S = SILENT_S + 1


def test_it_is_cut_off_from_postgres(outage: Outage) -> None:
    with outage.crowd() as people:
        for _ in range(CUTS):
            outage.way_to_postgres.cut()
            until(lambda: outage.statuses("/readyz") == [200, 503])
            outage.way_to_postgres.mend()
            people.all_get_on()


def test_it_is_cut_off_from_valkey(outage: Outage) -> None:
    with outage.crowd() as people:
        for _ in range(CUTS):
            outage.way_to_valkey.cut()
            until(lambda: outage.statuses("/readyz") == [200, 503])
            people.all_get_on()
            outage.way_to_valkey.mend()
            people.all_get_on()
    assert people.losses == {}


@pytest.mark.skipif(not FULL, reason="takes half a minute however short the fault; cuts and silence are tried")
def test_everything_comes_late_and_byte_by_byte(outage: Outage) -> None:
    with outage.crowd() as people:
        outage.way_to_postgres.delay_s = outage.way_to_valkey.delay_s = 0.05
        time.sleep(FAULT_S)
        people.all_get_on()
        outage.way_to_postgres.slice_bytes = outage.way_to_valkey.slice_bytes = 1
        time.sleep(FAULT_S)
        people.all_get_on()
    assert people.losses == {}


def test_nothing_passes_for_a_while(outage: Outage) -> None:
    """Connections stay open, as when a cable is drawn: one process waits, the other takes over what it did.

    An answer that was begun there is closed as interrupted.
    """
    with outage.crowd(ends={"finished", "server_error"}) as people:
        outage.way_to_postgres.hold_up()
        outage.way_to_valkey.hold_up()
        until(lambda: outage.statuses("/readyz") == [200, 503])
        assert outage.statuses("/healthz") == [200, 200]
        time.sleep(max(FAULT_S, LONGER_THAN_A_LEASE_S))
        outage.way_to_postgres.mend()
        outage.way_to_valkey.mend()
        people.all_get_on()
