import uuid
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, connection, transaction

from graphs.history import changes
from graphs.history.recording import Because
from graphs.models import ChangeSet, Edge, Graph, Modification, Node, NodeType, Origin, Revision
from graphs.objects.operations import Create, Delete, Operation, Update, inverses
from graphs.objects.preconditions import Conflict, Conflicting
from graphs.objects.refs import Ref
from graphs.workflows import rows as graph_rows
from graphs.workflows.exports import export_graph
from tests.graphs.recorded import recorded

FETCH, RETURN, MORE = Ref("node", "fetch-api"), Ref("node", "return"), Ref("node", "more")
TO_FETCH, TO_RETURN = Ref("edge", "root-fetch-api"), Ref("edge", "fetch-api-return")


@pytest.fixture
def because(alice: User) -> Because:
    return Because(alice, Origin.MANUAL, reason="to see", cause="test:1", causes=("test:1", "suite:2"))


def record(graph: Graph, item: Ref) -> dict[str, Any]:
    found = graph_rows.nodes(graph, [item.key]) if item.type == "node" else graph_rows.edges(graph, [item.key])
    return found[item.key].record


def without_versions(graph: Graph) -> dict[str, Any]:
    document = export_graph(graph)
    del document["version"]
    for part in ("nodes", "edges"):
        for item in document[part]:
            del item["version"]
    return document


def test_an_update_is_written_and_recorded(nba: Graph, because: Because) -> None:
    done = changes.apply(nba, [Update(FETCH, {"name": "Fetch API"}, {"name": "Fetch"})], because)

    node = Node.objects.get(key="fetch-api")
    assert (node.name, node.version) == ("Fetch", 2)
    nba.refresh_from_db()
    assert nba.version == 2
    stored = ChangeSet.objects.get(pk=done.change_set_id)
    assert (stored.actor_label, stored.reason, stored.causes) == ("alice", "to see", ["test:1", "suite:2"])
    assert Revision.objects.values_list("type", "object", "version").get() == ("graph", nba.pk, 2)
    found = Modification.objects.values_list("kind", "key", "action", "field", "old", "new").get()
    assert found == ("node", "fetch-api", "update", "name", "Fetch API", "Fetch")


def test_a_deleted_node_takes_its_edges_and_comes_back_the_same(nba: Graph, because: Because) -> None:
    before = without_versions(nba)
    operations: list[Operation] = [Delete(item, record(nba, item)) for item in (TO_FETCH, TO_RETURN, FETCH)]
    done = changes.apply(nba, operations, because)
    assert not Edge.objects.exists()
    assert Node.objects.count() == 2

    changes.apply(nba, inverses(recorded(done)), because)

    assert without_versions(nba) == before
    assert Node.objects.get(key="fetch-api").version == 3


def test_a_new_node_with_edges_and_taken_back(nba: Graph, because: Because) -> None:
    before = without_versions(nba)
    new = {**record(nba, FETCH), "name": "More", "width": None, "height": 80.5}
    edge = {**record(nba, TO_RETURN), "source": "more"}
    done = changes.apply(nba, [Create(MORE, new), Create(Ref("edge", "e"), edge)], because)
    assert record(nba, MORE) == new
    assert Edge.objects.get(key="e").source.key == "more"

    changes.apply(nba, inverses(recorded(done)), because)

    assert without_versions(nba) == before


@pytest.mark.parametrize(
    ("operation", "conflict"),
    [
        (Update(FETCH, {"name": "Old"}, {"name": "New"}), Conflict(FETCH, "name", "Old", "Fetch API")),
        (Update(MORE, {"name": ""}, {"name": "New"}), Conflict(MORE, "", {"name": ""}, None)),
        (Delete(MORE, {"name": ""}), Conflict(MORE, "", {"name": ""}, None)),
    ],
)
def test_what_is_not_as_expected_is_a_conflict(
    nba: Graph, because: Because, operation: Operation, conflict: Conflict
) -> None:
    with pytest.raises(Conflicting) as refused:
        changes.apply(nba, [operation, Update(RETURN, {"name": "Return"}, {"name": "End"})], because)

    assert refused.value.conflicts == (conflict,)
    nba.refresh_from_db()
    assert nba.version == 1
    assert not ChangeSet.objects.exists()
    assert Node.objects.get(key="return").name == "Return"


def test_a_deletion_that_would_leave_an_edge_without_end_is_a_conflict(nba: Graph, because: Because) -> None:
    with pytest.raises(Conflicting) as refused:
        changes.apply(nba, [Delete(FETCH, record(nba, FETCH)), Delete(TO_FETCH, record(nba, TO_FETCH))], because)

    assert [conflict.item for conflict in refused.value.conflicts] == [TO_RETURN]


def test_a_type_is_created_changed_deleted_and_brought_back(nba: Graph, because: Because) -> None:
    item = Ref("nodeType", "retry")
    new = {"displayName": "Retry", "description": "", "category": "", "icon": "", "handles": {}, "process": "x"}
    created = changes.apply(nba, [Create(item, new)], because)
    changes.apply(nba, [Update(item, {"process": "x"}, {"process": "y"})], because)
    deleted = changes.apply(nba, [Delete(item, new | {"process": "y"})], because)
    changes.apply(nba, inverses(recorded(deleted)), because)

    back = NodeType.objects.get(key="retry")
    assert (back.process, back.version) == ("y", 4)
    assert [(made.type, made.id) for made in created.objects] == [("nodeType", back.pk)]
    versions = Revision.objects.filter(type="nodeType", object=back.pk).values_list("version", flat=True)
    assert list(versions) == [4, 3, 2, 1]


def test_many_moves_take_few_statements(nba: Graph, because: Because, django_assert_max_num_queries: Any) -> None:
    sheet = nba.sheets.get()
    Node.objects.bulk_create(Node(graph=nba, sheet=sheet, key=f"n{n}", type="t") for n in range(300))
    moves = [Update(Ref("node", f"n{n}"), {"posX": 0}, {"posX": float(n)}) for n in range(300)]
    with django_assert_max_num_queries(8):
        changes.apply(nba, moves, because)

    assert Node.objects.get(key="n299").pos_x == 299
    assert Modification.objects.count() == 300


@pytest.mark.parametrize("table", ["graphs_changeset", "graphs_revision", "graphs_modification"])
@pytest.mark.parametrize("statement", ["UPDATE {} SET id = id", "DELETE FROM {}", "TRUNCATE {}"])
def test_history_cannot_be_rewritten(nba: Graph, because: Because, table: str, statement: str) -> None:
    changes.apply(nba, [Update(FETCH, {"name": "Fetch API"}, {"name": "Fetch"})], because)

    with (
        connection.cursor() as cursor,
        pytest.raises(IntegrityError, match="append-only"),
        transaction.atomic(),
    ):
        cursor.execute(statement.format(table))


def test_history_stays_when_people_and_graphs_are_gone(nba: Graph, alice: User, because: Because) -> None:
    done = changes.apply(nba, [Update(FETCH, {"name": "Fetch API"}, {"name": "Fetch"})], because)
    nba.delete()
    alice.delete()

    kept = ChangeSet.objects.get(pk=done.change_set_id)
    assert (kept.actor_label, kept.revisions.get().key) == ("alice", "nba")
    assert isinstance(kept.pk, uuid.UUID)
