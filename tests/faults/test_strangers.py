"""A thousand sockets of one address that never say whose they are."""

from contextlib import ExitStack

import pytest
from django.contrib.auth.models import User

from graphs.models import Graph
from graphs.site.api import tokens
from tests.faults.raw_socket import RawSocket
from tests.site import site

pytestmark = [
    pytest.mark.processes,
    pytest.mark.faults,
    pytest.mark.timeout(300),
    pytest.mark.django_db(transaction=True),
]

THOUSAND = 1_000
LIMIT = 100


def test_a_few_are_let_in_and_who_has_signed_in_goes_on(alice: User, nba: Graph) -> None:
    with site(1) as here, ExitStack() as open_ones, RawSocket(here.web) as known:
        assert known.upgrade() == 101
        known.authenticate(tokens.issue(alice).access)
        strangers = [open_ones.enter_context(RawSocket(here.web)) for _ in range(THOUSAND)]
        statuses = [each.upgrade() for each in strangers]
        assert {101, 403} == set(statuses)
        let_in = [each for each, status in zip(strangers, statuses, strict=True) if status == 101]
        assert statuses[: LIMIT - 1] == [101] * (LIMIT - 1)
        known.authenticate(tokens.issue(alice).access)
        assert [each.until_closed() for each in let_in[:3]] == [4401] * 3
        for each in let_in[3:]:
            each.until_closed()
        with RawSocket(here.web) as later:
            assert later.upgrade() == 101
