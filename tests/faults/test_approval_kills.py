"""A decision that dies between any two of its statements: as if nobody had decided. It can be decided again, once."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError, connection, connections

from chat.actions import deciding
from chat.actions.deciding import Decision
from chat.models import Proposal, ProposalStatus, Run, Session, StreamEvent
from graphs.models import ChangeSet, Modification, Node, NodeType, Object, Revision, Workspace
from graphs.site.access import Member, member_of
from tests import checker
from tests.shop.models import Product
from tests.things import a_part_and_a_row, change_sets, new_thing

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True), pytest.mark.timeout(600)]


def cut_before(statement: int, act: Callable[[], Any]) -> bool:
    """Acts on a connection of its own that is cut before this statement; False when there were not so many."""
    happened = []

    def run() -> None:
        seen = 0

        def count(execute: Any, sql: Any, params: Any, many: bool, context: Any) -> Any:
            nonlocal seen
            seen += 1
            if seen == statement:
                assert connection.connection is not None
                connection.connection.close()
                raise OperationalError("cut")
            return execute(sql, params, many, context)

        try:
            with connection.execute_wrapper(count):
                act()
        except OperationalError:
            happened.append(True)
        finally:
            connections.close_all()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(30)
    assert not thread.is_alive()
    return bool(happened)


def stored() -> tuple[Any, ...]:
    """All that a decision changes."""
    counted = [model.objects.count() for model in (ChangeSet, Revision, Modification, Run, StreamEvent)]
    tables = (Proposal, Node, NodeType, Product, Object, Session)
    return (*counted, *(list(model.objects.order_by("pk").values()) for model in tables))


@a_part_and_a_row
@pytest.mark.parametrize("approved", [True, False])
def test_whatever_statement_a_decision_dies_before(
    alice: User, demo_workspace: Workspace, kind_of_thing: str, approved: bool
) -> None:
    decided = 0
    for statement in range(1, 200):
        (proposal,) = new_thing(kind_of_thing, demo_workspace, statement).proposed(alice)
        before = stored()
        if not cut_before(statement, _decide(member_of(alice), proposal, approved)):
            break
        assert stored() == before, statement
        deciding.decide(member_of(alice), str(proposal.pk), Decision(approved))
        decided += 1
    else:
        pytest.fail("a decision takes too many statements")
    assert decided > 8
    status = ProposalStatus.APPLIED if approved else ProposalStatus.REJECTED
    assert Proposal.objects.filter(status=status).count() == decided + 1
    assert change_sets().count() == (decided + 1 if approved else 0)
    checker.check_gap_free()


def _decide(member: Member, proposal: Proposal, approved: bool) -> Callable[[], Any]:
    return lambda: deciding.decide(member, str(proposal.pk), Decision(approved))
