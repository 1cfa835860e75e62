"""Rollbacks and edits at the same moment, in transactions of their own: each has one outcome, nothing is lost."""

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction

from graphs.history import changes, rollback
from graphs.history.recording import Because
from graphs.history.rollback import Clashing, NothingToUndo
from graphs.history.scopes import ChangeSets
from graphs.models import ChangeSet, Graph, Membership, Node, NodeType, Origin, Revision, Role
from graphs.objects.operations import Update
from graphs.objects.preconditions import Conflicting
from graphs.objects.refs import Ref
from tests.cast import signed_in
from tests.chat.engine.driving import until
from tests.chat.spending.paid import somebody_waits
from tests.graphs.history.test_rollback import by, rename
from tests.things import Thing, change_sets

pytestmark = pytest.mark.django_db(transaction=True)
ROUNDS = 100 if os.environ.get("FULL") else 3
Outcome = str


def at_once(*deeds: Callable[[], object]) -> list[Outcome]:
    """What each came to: "done", or the name of what was raised."""
    barrier = threading.Barrier(len(deeds))

    def run(deed: Callable[[], object]) -> Outcome:
        try:
            barrier.wait(30)
            deed()
        except (Clashing, Conflicting, NothingToUndo) as refusal:
            return type(refusal).__name__
        finally:
            connection.close()
        return "done"

    with ThreadPoolExecutor(len(deeds)) as pool:
        return sorted(pool.map(run, deeds))


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_two_rollbacks_of_one_change_set(thing: Thing, alice: User, _round: int) -> None:
    done = thing.change(alice, "Fetch")
    scope = ChangeSets((done.change_set_id,))

    def undo() -> None:
        rollback.roll_back(thing.workspace.pk, alice, scope)

    assert at_once(undo, undo) == ["NothingToUndo", "done"]
    assert thing.called == "Fetch API"
    assert ChangeSet.objects.filter(undoes=[done.change_set_id]).count() == 1


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_two_rollbacks_of_one_deletion(thing: Thing, alice: User, _round: int) -> None:
    before = thing.record
    done = thing.apply(thing.gone(), by(alice))

    def undo() -> None:
        rollback.roll_back(thing.workspace.pk, alice, ChangeSets((done.change_set_id,)))

    assert at_once(undo, undo) == ["NothingToUndo", "done"]
    assert thing.record == before
    assert ChangeSet.objects.filter(undoes=[done.change_set_id]).count() == 1


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_a_rollback_while_somebody_edits(thing: Thing, alice: User, _round: int) -> None:
    done, later = thing.change(alice, "Fetch"), thing.to("Get")

    outcomes = at_once(
        lambda: rollback.roll_back(thing.workspace.pk, alice, ChangeSets((done.change_set_id,))),
        lambda: thing.apply([later], by(None)),
    )

    found = outcomes, thing.called
    assert found in [(["Clashing", "done"], "Get"), (["Conflicting", "done"], "Fetch API")]
    versions = Revision.objects.filter(change_set__in=change_sets()).order_by("-version")
    assert list(versions.values_list("version", flat=True)) == [3, 2]


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_a_type_that_is_changed_through_two_graphs(nba: Graph, alice: User, _round: int) -> None:
    other = Graph.objects.create(workspace=nba.workspace, key="other", name="Other")
    NodeType.objects.create(workspace=nba.workspace, key="retry", display_name="Retry")
    because = Because(alice, Origin.MANUAL)

    def change(graph: Graph, process: str) -> None:
        changes.apply(graph, [Update(Ref("nodeType", "retry"), {"process": ""}, {"process": process})], because)

    assert at_once(lambda: change(nba, "a"), lambda: change(other, "b")) == ["Conflicting", "done"]
    assert Revision.objects.filter(type="nodeType").count() == 1


def test_a_role_that_is_being_taken_away_is_waited_for(nba: Graph, alice: User) -> None:
    done = rename(nba, "Fetch API", "Fetch", by(alice))
    client = signed_in(alice)

    def undo() -> int:
        try:
            return client.post(f"/api/v1/history/{done.change_set_id}/rollback", {}, "application/json").status_code
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            Membership.objects.filter(user=alice).update(role=Role.VIEWER)
            answer = pool.submit(undo)
            until(somebody_waits)
        assert answer.result(30) == 403
    assert Node.objects.get(key="fetch-api").name == "Fetch"
