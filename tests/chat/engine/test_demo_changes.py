"""The demo drives the whole path: it looks up, proposes, waits, and tells what came of it."""

from typing import Any

import pytest

from chat.actions import deciding
from chat.actions.deciding import Decision
from chat.models import Proposal, ProposalStatus
from graphs.models import Edge, Node
from graphs.objects.refs import Ref
from tests import checker
from tests.chat.engine.driving import Engine, ask, rested
from tests.registered import pin, pins
from tests.seeded import world

pytestmark = pytest.mark.django_db(transaction=True)

#: What is asked, and what an approval leaves: a query with what it must find. Those of one list do not meet.
ITEMS: list[tuple[str, Any, dict[str, Any]]] = [
    ("Rename fetch-api to Get players", Node, {"key": "fetch-api", "name": "Get players"}),
    ("Déplace sort-stats à droite", Node, {"key": "sort-stats", "pos_x": 260}),
    ("Mets level de error-handler à warn", Node, {"key": "error-handler", "data__level": "warn"}),
    ('Replace ">= 10" with ">= 20" in filter-active', Node, {"key": "filter-active", "process__contains": ">= 20"}),
    ("Rename root to Begin and delete disconnected-note", Node, {"key": "root", "name": "Begin"}),
    ("add a filter", Node, {"type": "filter", "name": "Filter"}),
]
WAYS: list[tuple[str, Any, dict[str, Any]]] = [
    ("Ajoute un filtre après root", Edge, {"source__key": "root", "target__name": "Filtre"}),
    ("Add a filter before display-html", Edge, {"source__type": "filter", "target__key": "display-html"}),
    ("insert a log node between fetch-api and filter-active", Edge, {"source__type": "log-node"}),
    ("Connect sort-stats to return", Edge, {"source__key": "sort-stats", "target__key": "return"}),
]


@pytest.mark.parametrize("changes", [ITEMS, WAYS], ids=["items", "ways"])
def test_what_it_proposes_can_be_approved(
    running: Engine, transactional_db: None, changes: list[tuple[str, Any, dict[str, Any]]]
) -> None:
    here = world()
    asked = [ask(here.alice.user, text) for text, _, _ in changes]
    for accepted, (text, model, expected) in zip(asked, changes, strict=True):
        run = rested(accepted.run_id)
        assert run.outcome == "waiting", f"{text}: {run.message.content}"
        (proposal,) = Proposal.objects.filter(session=accepted.session_id)
        decided = deciding.decide(here.alice, str(proposal.pk), Decision(approved=True))
        assert decided.run is not None
        told = rested(decided.run.run_id).message
        assert model.objects.filter(graph=here.nba, **expected).exists(), text
        assert told.changes
        assert str(told.changes) in told.content
    checker.check_database()


def test_several_are_decided_one_by_one(running: Engine, transactional_db: None) -> None:
    here = world()
    accepted = ask(here.alice.user, "Delete disconnected-note and sort-stats")
    rested(accepted.run_id)
    first, second = Proposal.objects.order_by("created_at", "id")
    assert deciding.decide(here.alice, str(first.pk), Decision(approved=True)).run is None
    decided = deciding.decide(here.alice, str(second.pk), Decision(approved=False, feedback="I need it."))
    assert decided.run is not None
    told = rested(decided.run.run_id).message
    assert "I need it." in told.content
    assert set(Proposal.objects.values_list("status", flat=True)) == {ProposalStatus.APPLIED, ProposalStatus.REJECTED}
    assert Node.objects.filter(graph=here.nba, key__in=["sort-stats", "disconnected-note"]).count() == 1
    checker.check_database()


def test_it_changes_an_object_of_another_kind(running: Engine, transactional_db: None) -> None:
    here = world()
    with pins():
        lamp = pin(here.alice.workspace, "Lamp")
        accepted = ask(here.alice.user, "Rename it to Torch", context=Ref("pin", str(lamp.pk)))
        assert rested(accepted.run_id).outcome == "waiting"
        decided = deciding.decide(here.alice, str(Proposal.objects.get().pk), Decision(approved=True))
        assert decided.run is not None
        assert "changes recorded: 1." in rested(decided.run.run_id).message.content
        lamp.refresh_from_db()
        assert lamp.object_key == "Torch"
        checker.check_database()
