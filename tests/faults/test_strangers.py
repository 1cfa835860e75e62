"""A thousand sockets of one address that never say whose they are."""

from contextlib import ExitStack

import pytest
from django.contrib.auth.models import User

from graphs.models import Graph
from graphs.site.api import tokens
from tests.faults.raw_socket import RawSocket
from tests.site import site
from tests.web_process import web_processes

pytestmark = [
    pytest.mark.processes,
    pytest.mark.faults,
    pytest.mark.timeout(300),
    pytest.mark.django_db(transaction=True),
]

THOUSAND = 1_000
#: Who comes through a proxy; those of others may still be counted.
VISITOR = b"X-Forwarded-For: 203.0.113.7"
LIMIT = 100


def test_a_few_are_let_in_and_who_has_signed_in_goes_on(alice: User, nba: Graph) -> None:
    with site(1) as here, ExitStack() as open_ones, RawSocket(here.web) as known:
        assert known.upgrade() == 101
        known.authenticate(tokens.issue(alice).access)
        strangers: list[RawSocket] = []
        statuses: list[int] = []
        for _ in range(THOUSAND):  # one after the other: a request that is long in coming is given up
            strangers.append(open_ones.enter_context(RawSocket(here.web)))
            statuses.append(strangers[-1].upgrade())
        assert {101, 403} == set(statuses)
        let_in = [each for each, status in zip(strangers, statuses, strict=True) if status == 101]
        assert statuses[: LIMIT - 1] == [101] * (LIMIT - 1)
        known.authenticate(tokens.issue(alice).access)
        assert [each.until_closed() for each in let_in[:3]] == [4401] * 3
        for each in let_in[3:]:
            each.until_closed()
        with RawSocket(here.web) as later:
            assert later.upgrade() == 101


def test_all_processes_count_them_together(alice: User, nba: Graph) -> None:
    environment = {"LIMIT_UNKNOWN_SOCKETS": "3", "TRUSTED_PROXIES": "127.0.0.1"}
    with web_processes(2, **environment) as [one, other], ExitStack() as open_ones:
        first, *rest = (open_ones.enter_context(RawSocket(web)) for web in (one, one, one, other, other))
        assert [each.upgrade(VISITOR) for each in (first, *rest)] == [101, 101, 101, 403, 403]
        first.authenticate(tokens.issue(alice).access)
        with RawSocket(other) as next_one, RawSocket(one) as one_more:
            assert [next_one.upgrade(VISITOR), one_more.upgrade(VISITOR)] == [101, 403]
