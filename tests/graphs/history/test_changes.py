import uuid
from dataclasses import replace
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, connection, transaction

from graphs.history import changes
from graphs.history.recording import Applied, Because
from graphs.models import ChangeSet, Edge, Graph, Modification, Node, NodeType, Object, Origin, Revision
from graphs.objects import stores
from graphs.objects.operations import Create, Delete, Operation, Update, inverses
from graphs.objects.preconditions import Conflict, Conflicting
from graphs.objects.refs import Ref
from graphs.workflows import rows as graph_rows
from graphs.workflows.exports import export_graph
from tests.graphs.recorded import recorded
from tests.things import Thing, beside, change_sets

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


def test_an_update_is_written_and_recorded(thing: Thing, because: Because) -> None:
    done = thing.apply([thing.to("Fetch")], because)

    assert (thing.called, thing.version) == ("Fetch", 2)
    around = Object.objects.get(pk=thing.around.pk)
    assert around.version == 2
    stored = ChangeSet.objects.get(pk=done.change_set_id)
    assert (stored.actor_label, stored.reason, stored.causes) == ("alice", "to see", ["test:1", "suite:2"])
    latest = Revision.objects.filter(change_set=stored).values_list("type", "object", "version").get()
    assert latest == (around.type, around.pk, 2)
    found = Modification.objects.values_list("kind", "key", "action", "field", "old", "new").get()
    assert found == (*thing.item, "update", thing.name, "Fetch API", "Fetch")


def test_a_deleted_node_takes_its_edges_and_comes_back_the_same(nba: Graph, because: Because) -> None:
    before = without_versions(nba)
    operations: list[Operation] = [Delete(item, record(nba, item)) for item in (TO_FETCH, TO_RETURN, FETCH)]
    done = changes.apply(nba, operations, because)
    assert not Edge.objects.exists()
    assert Node.objects.count() == 2

    changes.apply(nba, inverses(recorded(done)), because)

    assert without_versions(nba) == before
    assert Node.objects.get(key="fetch-api").version == 3


def test_what_is_deleted_comes_back_as_the_same_row(thing: Thing, because: Because) -> None:
    before, id_ = thing.record, stores.stored(thing.around, [thing.item])[thing.item].id
    done = thing.apply(thing.gone(), because)
    assert thing.find() is None
    assert done.objects[-1].label == ("NBA scores" if thing.item.type == "node" else "Fetch API")

    around = thing.around if thing.item.type == "node" else Object(workspace=thing.workspace, **_named(thing.item))
    changes.apply(around, inverses(recorded(done)), because)

    assert thing.record == before
    assert (thing.version, stores.stored(thing.around, [thing.item])[thing.item].id) == (3, id_)


def _named(ref: Ref) -> dict[str, str]:
    return {"type": ref.type, "key": ref.key}


def test_what_is_made_is_taken_back(thing: Thing, because: Because) -> None:
    new = thing.another(str(uuid.uuid4()), **{thing.name: "More"})
    made = replace(thing, item=new.item)
    done = thing.apply([new], because)
    assert changes_of(done) == [(*new.item, "create")]
    made = replace(made, around=Object.objects.get(pk=done.objects[0].id)) if made.item.type != "node" else made
    assert made.record == new.record
    made.apply(inverses(recorded(done)), because)
    assert made.find() is None
    assert thing.called == "Fetch API"


def changes_of(done: Applied) -> list[Any]:
    return list(Modification.objects.filter(change_set=done.change_set_id).values_list("kind", "key", "action"))


def test_a_new_node_with_edges_and_taken_back(nba: Graph, because: Because) -> None:
    before = without_versions(nba)
    new = {**record(nba, FETCH), "name": "More", "width": None, "height": 80.5}
    edge = {**record(nba, TO_RETURN), "source": "more"}
    done = changes.apply(nba, [Create(MORE, new), Create(Ref("edge", "e"), edge)], because)
    assert record(nba, MORE) == new
    assert Edge.objects.get(key="e").source.key == "more"

    changes.apply(nba, inverses(recorded(done)), because)

    assert without_versions(nba) == before


def test_what_is_not_as_expected_is_a_conflict(thing: Thing, because: Because) -> None:
    other, name = beside(thing), thing.name
    gone = Ref(thing.item.type, str(uuid.uuid4()))
    for operation, conflict in (
        (thing.to("New", old="Old"), Conflict(thing.item, name, "Old", "Fetch API")),
        (Update(gone, {name: ""}, {name: "New"}), Conflict(gone, "", {name: ""}, None)),
        (Delete(gone, {name: ""}), Conflict(gone, "", {name: ""}, None)),
        (Create(thing.item, thing.record), Conflict(thing.item, "", None, thing.record)),
    ):
        with pytest.raises(Conflicting) as refused:
            thing.apply([operation, other.to("End")], because)

        assert refused.value.conflicts == (conflict,)
        assert Object.objects.get(pk=thing.around.pk).version == 1
        assert not change_sets().exists()
        assert other.called == "Return"


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


def test_history_stays_when_people_and_objects_are_gone(thing: Thing, alice: User, because: Because) -> None:
    done = thing.apply([thing.to("Fetch")], because)
    thing.vanish()
    alice.delete()

    kept = ChangeSet.objects.get(pk=done.change_set_id)
    assert (kept.actor_label, kept.revisions.get().key) == ("alice", thing.around.key)
    assert isinstance(kept.pk, uuid.UUID)
