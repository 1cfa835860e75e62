"""Change sets that are taken back in one statement: the same comes of it as of the long way, which is there as well."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from graphs.history import changes, rollback
from graphs.history.recording import Applied
from graphs.history.rollback import Clashing, LeftOut, NothingToUndo, Outdated
from graphs.history.scopes import ChangeSets
from graphs.models import ChangeSet, Edge, Graph, Modification, Node, Revision
from graphs.objects.operations import Create, Operation, Update
from graphs.objects.refs import Ref
from graphs.workflows import rows as graph_rows
from tests.graphs.history.test_fast_updates import VALUES, while_it_waits
from tests.graphs.history.test_rollback import FETCH, MORE, RETURN, TO_FETCH, by, record, rename
from tests.graphs.recorded import recorded
from tests.things import node_of


def back(graph: Graph, user: User, done: Applied, digest: str | None = None) -> Applied:
    return rollback.roll_back(graph.workspace_id, user, ChangeSets((done.change_set_id,)), digest=digest)


def statements(graph: Graph, user: User, done: Applied) -> list[str]:
    with CaptureQueriesContext(connection) as captured:
        back(graph, user, done)
    return [query["sql"] for query in captured if "SAVEPOINT" not in query["sql"]]


@pytest.mark.django_db
@pytest.mark.parametrize(("field", "old", "new"), VALUES)
def test_every_value_comes_back_and_is_recorded(nba: Graph, alice: User, field: str, old: Any, new: Any) -> None:
    Node.objects.filter(key="fetch-api").update(process="", data={}, handles={}, pos_x=0, pos_y=0)
    done = changes.apply(nba, [Update(FETCH, {field: old}, {field: new})], by(None))

    assert len(statements(nba, alice, done)) == 2, "what it is, and the rollback with its notice"
    assert graph_rows.nodes(nba, ["fetch-api"])["fetch-api"].record[field] == old
    assert Modification.objects.order_by("id").values_list("field", "old", "new").last() == (field, new, old)
    made = ChangeSet.objects.latest("created_at")
    assert (made.origin, made.actor_label, made.undoes, made.size) == ("rollback", "alice", [done.change_set_id], 1)


@pytest.mark.django_db
def test_items_of_which_different_fields_changed(nba: Graph, alice: User) -> None:
    before = graph_rows.nodes(nba)
    asked = [
        Update(FETCH, {"name": "Fetch API", "width": None}, {"name": "F", "width": 9.5}),
        Update(RETURN, {"name": "Return", "process": ""}, {"name": "R", "process": "x"}),
    ]
    Node.objects.filter(key="return").update(process="")
    done = changes.apply(nba, asked, by(None))

    assert len(statements(nba, alice, done)) == 2
    now = graph_rows.nodes(nba)
    assert (now["fetch-api"].record, now["root"]) == (before["fetch-api"].record, before["root"])
    assert (now["return"].record["name"], now["return"].record["process"]) == ("Return", "")
    assert now["fetch-api"].version == before["fetch-api"].version + 2


@pytest.mark.django_db
def test_edges_as_well(nba: Graph, alice: User) -> None:
    done = changes.apply(nba, [Update(TO_FETCH, {"label": ""}, {"label": "then"})], by(None))
    undone = back(nba, alice, done)
    assert Edge.objects.get(key="root-fetch-api").label == ""
    back(nba, alice, undone)
    assert Edge.objects.get(key="root-fetch-api").label == "then"


@pytest.mark.django_db
def test_both_ways_record_the_same(nba: Graph, alice: User) -> None:
    asked = [Update(RETURN, {"name": "Return"}, {"name": "R"}), Update(FETCH, {"name": "Fetch API"}, {"name": "F"})]
    done = changes.apply(nba, asked, by(None))
    at_once = back(nba, alice, done)
    back(nba, alice, at_once)
    shown = rollback.preview(nba.workspace_id, ChangeSets((done.change_set_id,)))
    changes.apply(nba, [Update(TO_FETCH, {"label": ""}, {"label": "then"})], by(None))
    with CaptureQueriesContext(connection) as captured:
        long_way = back(nba, alice, done, digest=shown.digest)
    assert len(captured) > 3, "something else changed since: what would be done is computed again"

    assert recorded(at_once) == recorded(long_way)
    assert at_once.touched == long_way.touched
    one, other = (
        ChangeSet.objects.values("origin", "cause", "causes", "undoes", "size").get(pk=each.change_set_id)
        for each in (at_once, long_way)
    )
    assert one == other


@pytest.mark.django_db
def test_what_was_shown_is_done_at_once_while_nothing_changed(nba: Graph, alice: User) -> None:
    done = rename(nba, "Fetch API", "Fetch", by(None))
    other = rename(nba, "Return", "End", by(None), RETURN)
    scope = ChangeSets((done.change_set_id,))
    shown = rollback.preview(nba.workspace_id, scope)
    without = rollback.preview(nba.workspace_id, scope, [LeftOut(FETCH)])
    of_other = rollback.preview(nba.workspace_id, ChangeSets((other.change_set_id,)))
    for digest in (without.digest, of_other.digest, "", "0" * 64):
        with pytest.raises(Outdated):
            back(nba, alice, done, digest=digest)
    assert node_of(nba).called == "Fetch"

    with CaptureQueriesContext(connection) as captured:
        back(nba, alice, done, digest=shown.digest)
    assert len([query for query in captured if "SAVEPOINT" not in query["sql"]]) == 2
    assert node_of(nba).called == "Fetch API"


@pytest.mark.django_db(transaction=True)
def test_what_changed_while_it_waited_was_not_shown(nba: Graph, alice: User) -> None:
    asked = [Update(RETURN, {"name": "Return"}, {"name": "R"}), Update(FETCH, {"name": "Fetch API"}, {"name": "F"})]
    done = changes.apply(nba, asked, by(None))
    back_by_hand = rename(nba, "F", "Fetch API", by(None))
    shown = rollback.preview(nba.workspace_id, ChangeSets((done.change_set_id,)))
    late = while_it_waits(lambda: back(nba, alice, back_by_hand), lambda: back(nba, alice, done, digest=shown.digest))
    assert isinstance(late.exception(), Outdated)
    assert (node_of(nba).called, node_of(nba, "return").called) == ("F", "R")


@pytest.mark.django_db
def test_what_was_taken_back_in_part_takes_the_long_way_and_one_version(nba: Graph, alice: User) -> None:
    asked = [Update(RETURN, {"name": "Return"}, {"name": "R"}), Update(FETCH, {"name": "Fetch API"}, {"name": "F"})]
    done = changes.apply(nba, asked, by(None))
    rename(nba, "R", "Return", by(None), RETURN)

    undone = back(nba, alice, done)
    assert recorded(undone) == [Update(FETCH, {"name": "F"}, {"name": "Fetch API"})]
    assert list(Revision.objects.values_list("version", flat=True)) == [4, 3, 2]
    assert Graph.objects.get(pk=nba.pk).version == 4
    with pytest.raises(NothingToUndo):
        back(nba, alice, done)
    assert Graph.objects.get(pk=nba.pk).version == 4


@pytest.mark.django_db
@pytest.mark.parametrize(
    "operation",
    [
        Update(FETCH, {"name": "Fetch API"}, {"name": "Fetch API"}),
        Update(TO_FETCH, {"target": "fetch-api"}, {"target": "return"}),
    ],
)
def test_what_does_not_fit_takes_the_long_way(nba: Graph, alice: User, operation: Update) -> None:
    done = changes.apply(nba, [operation, Create(MORE, {**record(nba, RETURN), "name": "More"})], by(None))
    assert len(statements(nba, alice, done)) > 3
    assert not Node.objects.filter(key="more").exists()
    assert Edge.objects.get(key="root-fetch-api").target.key == "fetch-api"


@pytest.mark.django_db(transaction=True)
def test_what_changed_while_it_waited_is_not_lost(nba: Graph, alice: User) -> None:
    done = rename(nba, "Fetch API", "Fetch", by(None))
    late = while_it_waits(lambda: rename(nba, "Fetch", "Get", by(None)), lambda: back(nba, alice, done))
    refusal = late.exception()
    assert isinstance(refusal, Clashing)
    (clash,) = (clash for _graph, clash in refusal.plan.clashes)
    assert (clash.expected, clash.found, node_of(nba).called) == ("Fetch", "Get", "Get")


@pytest.mark.django_db
def test_what_is_not_of_the_workspace_or_gone_is_not_found_out_here(nba: Graph, alice: User) -> None:
    operation: Operation = Update(Ref("node", "fetch-api"), {"name": "Fetch API"}, {"name": "Fetch"})
    done = changes.apply(nba, [operation], by(None))
    workspace_id = nba.workspace_id
    nba.delete()
    with pytest.raises(Clashing):
        rollback.roll_back(workspace_id, alice, ChangeSets((done.change_set_id,)))
