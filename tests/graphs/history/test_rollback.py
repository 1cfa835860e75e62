from collections.abc import Iterable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from chat.models import Stream
from graphs.api.rollback_json import ConflictShape
from graphs.history import changes, recording, rollback
from graphs.history.recording import Applied, Because
from graphs.history.rollback import Clashing, LeftOut, NothingToUndo, Outdated
from graphs.history.rollback_conflicts import named
from graphs.history.scopes import AsOf, Caused, ChangeSets, OneModification
from graphs.models import ChangeSet, Edge, Graph, Modification, Node, NodeType, Origin, Revision, Sheet, Workspace
from graphs.objects.operations import Create, Delete, Operation, Update
from graphs.objects.refs import Ref
from graphs.site.access import NotFound
from tests.cast import draw_nba
from tests.graphs.history.test_changes import FETCH, MORE, RETURN, TO_FETCH, TO_RETURN, record
from tests.graphs.random_changes import picture

TURN, TALK = "message:1", "session:1"


def by(user: User | None, *causes: str) -> Because:
    return Because(user, Origin.CHAT if causes else Origin.MANUAL, causes=causes)


def rename(graph: Graph, old: str, new: str, because: Because, item: Ref = FETCH) -> Applied:
    return changes.apply(graph, [Update(item, {"name": old}, {"name": new})], because)


def removed(graph: Graph, *items: Ref) -> list[Operation]:
    return [Delete(item, record(graph, item)) for item in items]


def back(graph: Graph, user: User, done: Applied, *left: LeftOut, **more: Any) -> Applied:
    return rollback.roll_back(graph.workspace_id, user, ChangeSets((done.change_set_id,)), left, **more)


def name_of(key: str) -> str:
    return Node.objects.get(key=key).name


def test_a_change_set_is_taken_back_by_a_new_one_and_that_again(nba: Graph, alice: User) -> None:
    done = rename(nba, "Fetch API", "Fetch", by(None))

    undone = back(nba, alice, done, reason="too short")
    made = ChangeSet.objects.get(pk=undone.change_set_id)
    assert name_of("fetch-api") == "Fetch API"
    assert (made.origin, made.reason, made.undoes, made.actor_label) == (
        "rollback",
        "too short",
        [done.change_set_id],
        "alice",
    )
    assert made.cause == f"change-set:{done.change_set_id}"

    back(nba, alice, undone)
    assert name_of("fetch-api") == "Fetch"
    assert Modification.objects.count() == 3


def test_what_was_taken_back_cannot_be_taken_back_twice(nba: Graph, alice: User) -> None:
    done = rename(nba, "Fetch API", "Fetch", by(None))
    back(nba, alice, done)

    with pytest.raises(NothingToUndo):
        back(nba, alice, done)
    assert ChangeSet.objects.count() == 2


def test_a_later_edit_is_named_and_may_be_left_out(nba: Graph, alice: User, bob: User) -> None:
    done = changes.apply(
        nba,
        [Update(FETCH, {"name": "Fetch API", "process": "return fetch(url)"}, {"name": "Fetch", "process": ""})],
        by(alice),
    )
    later = rename(nba, "Fetch", "Get", by(bob))

    with pytest.raises(Clashing) as refused:
        back(nba, alice, done)

    (clash,) = named(refused.value.plan)
    told = ConflictShape.of(clash).to_json()
    assert (told["object"], told["field"], told["code"]) == (FETCH.to_json(), "name", "changed")
    assert (told["expected"], told["found"], told["label"]) == ("Fetch", "Get", "Get")
    assert (told["changedBy"], told["changeSetId"]) == ("bob", str(later.change_set_id))
    undone = back(nba, alice, done, LeftOut(FETCH, "name"))
    fetch = Node.objects.get(key="fetch-api")
    assert (fetch.name, fetch.process) == ("Get", "return fetch(url)")
    assert ChangeSet.objects.get(pk=undone.change_set_id).undoes == []


def test_one_modification_of_several(nba: Graph, alice: User) -> None:
    old, new = {"name": "Fetch API", "process": "return fetch(url)"}, {"name": "Fetch", "process": ""}
    changes.apply(nba, [Update(FETCH, old, new)], by(alice))
    modification = Modification.objects.get(field="process")

    rollback.roll_back(nba.workspace_id, alice, OneModification(modification.pk))

    fetch = Node.objects.get(key="fetch-api")
    assert (fetch.name, fetch.process) == ("Fetch", "return fetch(url)")


def test_a_turn_and_a_conversation(nba: Graph, alice: User) -> None:
    before = picture(nba)
    rename(nba, "Fetch API", "One", by(alice, TURN, TALK))
    middle = picture(nba)
    rename(nba, "One", "Two", by(alice, "message:2", TALK))
    rename(nba, "Return", "End", by(alice, "message:3", "session:2"), RETURN)

    rollback.roll_back(nba.workspace_id, alice, Caused("message:3"))
    rollback.roll_back(nba.workspace_id, alice, Caused("message:2"))
    assert picture(nba) == middle
    done = rollback.roll_back(nba.workspace_id, alice, Caused(TALK))
    assert picture(nba) == before
    assert ChangeSet.objects.get(pk=done.change_set_id).cause == TALK
    with pytest.raises(NothingToUndo):
        rollback.roll_back(nba.workspace_id, alice, Caused(TALK))


def test_an_edit_between_two_of_a_conversation_is_not_lost(nba: Graph, alice: User, bob: User) -> None:
    rename(nba, "Fetch API", "One", by(alice, TURN, TALK))
    rename(nba, "One", "Two", by(bob))
    rename(nba, "Two", "Three", by(alice, "message:2", TALK))

    with pytest.raises(Clashing):
        rollback.roll_back(nba.workspace_id, alice, Caused(TALK))
    assert name_of("fetch-api") == "Three"


def test_an_object_as_of_a_version(nba: Graph, alice: User) -> None:
    before = picture(nba)
    changes.apply(nba, removed(nba, TO_FETCH, TO_RETURN, FETCH), by(alice))
    new = {**record(nba, RETURN), "name": "More"}
    changes.apply(nba, [Create(MORE, new)], by(alice))
    rename(nba, "Return", "End", by(alice), RETURN)

    done = rollback.roll_back(nba.workspace_id, alice, AsOf("graph", nba.pk, 1))

    assert picture(nba) == before
    assert ChangeSet.objects.get(pk=done.change_set_id).cause == "as-of:1"


def test_a_new_node_that_somebody_connected_stays_unless_chosen(nba: Graph, alice: User, bob: User) -> None:
    created = changes.apply(nba, [Create(MORE, {**record(nba, RETURN), "name": "More"})], by(alice))
    edge = {**record(nba, TO_RETURN), "source": "more"}
    changes.apply(nba, [Create(Ref("edge", "more-return"), edge)], by(bob))

    with pytest.raises(Clashing) as refused:
        back(nba, alice, created)

    (clash,) = named(refused.value.plan)
    assert (clash.clash.code, clash.clash.item, clash.changed_by) == ("connected", MORE, "bob")
    assert "more-return" in clash.sentence


def test_an_edge_whose_end_is_gone_does_not_come_back(nba: Graph, alice: User, bob: User) -> None:
    done = changes.apply(nba, removed(nba, TO_FETCH), by(alice))
    changes.apply(nba, removed(nba, TO_RETURN, FETCH), by(bob))

    with pytest.raises(Clashing) as refused:
        back(nba, alice, done)

    (clash,) = named(refused.value.plan)
    assert (clash.clash.code, clash.clash.field, clash.clash.expected) == ("missing", "target", "fetch-api")
    assert clash.changed_by == "bob"
    with pytest.raises(NothingToUndo):
        back(nba, alice, done, LeftOut(TO_FETCH))


def test_a_node_that_exists_again_is_a_clash_and_its_edges_stay_away_with_it(nba: Graph, alice: User) -> None:
    old = record(nba, FETCH)
    done = changes.apply(nba, removed(nba, TO_FETCH, TO_RETURN, FETCH), by(alice))
    again = changes.apply(nba, [Create(FETCH, {**old, "name": "Other"})], by(alice))

    with pytest.raises(Clashing) as refused:
        back(nba, alice, done)
    assert [clash.code for _graph, clash in refused.value.plan.clashes] == ["recreated"]

    back(nba, alice, again)
    plan = rollback.preview(nba.workspace_id, ChangeSets((done.change_set_id,)), [LeftOut(FETCH)])
    assert (plan.clashes, plan.operations) == ((), ())
    assert {left.item for left in plan.steps[0].undone.left} == {FETCH, TO_FETCH, TO_RETURN}


def test_a_type_that_is_used_stays(nba: Graph, alice: User) -> None:
    item = Ref("nodeType", "retry")
    new = {"displayName": "Retry", "description": "", "category": "", "icon": "", "handles": {}, "process": "x"}
    created = changes.apply(nba, [Create(item, new)], by(alice))
    used = changes.apply(nba, [Update(FETCH, {"type": "api-call"}, {"type": "retry"})], by(alice))

    with pytest.raises(Clashing) as refused:
        back(nba, alice, created)
    (clash,) = named(refused.value.plan)
    assert (clash.clash.code, clash.label) == ("used", "Retry")

    rollback.roll_back(nba.workspace_id, alice, ChangeSets((created.change_set_id, used.change_set_id)))
    assert not NodeType.objects.exists()
    assert Node.objects.get(key="fetch-api").type == "api-call"


def test_a_type_as_of_a_version(nba: Graph, alice: User) -> None:
    type_ = NodeType.objects.create(workspace=nba.workspace, key="retry", display_name="Retry", process="x")
    changes.apply(nba, [Update(Ref("nodeType", "retry"), {"process": "x"}, {"process": "y"})], by(alice))

    rollback.roll_back(nba.workspace_id, alice, AsOf("nodeType", type_.pk, 1))

    type_.refresh_from_db()
    assert (type_.process, type_.version) == ("x", 3)


def test_several_graphs_are_one_change_set(nba: Graph, alice: User) -> None:
    other = Graph.objects.create(workspace=nba.workspace, key="more", name="More")
    sheet = Sheet.objects.create(graph=other, key="main", name="Main")
    Node.objects.create(graph=other, sheet=sheet, key="fetch-api", name="Theirs", type="html")
    rename(other, "Theirs", "Ours", by(alice, TURN, TALK))
    rename(nba, "Fetch API", "Fetch", by(alice, TURN, TALK))

    done = rollback.roll_back(nba.workspace_id, alice, Caused(TURN))

    assert set(Node.objects.filter(key="fetch-api").values_list("name", flat=True)) == {"Fetch API", "Theirs"}
    assert {revised.key for revised in done.objects} == {"nba", "more"}
    back(nba, alice, done)
    assert set(Node.objects.filter(key="fetch-api").values_list("name", flat=True)) == {"Fetch", "Ours"}


def test_a_graph_that_is_as_it_was_gets_no_version(nba: Graph, alice: User) -> None:
    other = Graph.objects.create(workspace=nba.workspace, key="more", name="More")
    sheet = Sheet.objects.create(graph=other, key="main", name="Main")
    Node.objects.create(graph=other, sheet=sheet, key="fetch-api", name="Theirs", type="html")
    rename(other, "Theirs", "Ours", by(alice, TURN, TALK))
    rename(nba, "Fetch API", "Fetch", by(alice, TURN, TALK))
    rename(nba, "Fetch", "Fetch API", by(alice))
    stream = Stream.objects.get(name=f"graph_{nba.pk}")

    done = rollback.roll_back(nba.workspace_id, alice, Caused(TURN))

    assert [revised.key for revised in done.objects] == ["more"]
    assert list(nba_versions(nba)) == [3, 2]
    assert Graph.objects.get(pk=nba.pk).version == 3
    assert Stream.objects.get(pk=stream.pk).last_sequence == stream.last_sequence


def nba_versions(nba: Graph) -> Iterable[int]:
    return Revision.objects.filter(type="graph", object=nba.pk).values_list("version", flat=True)


def test_a_graph_that_is_gone_is_named(nba: Graph, alice: User) -> None:
    done = rename(nba, "Fetch API", "Fetch", by(alice))
    workspace_id = nba.workspace_id
    nba.delete()

    with pytest.raises(Clashing) as refused:
        rollback.roll_back(workspace_id, alice, ChangeSets((done.change_set_id,)))
    (clash,) = named(refused.value.plan)
    assert (clash.of, clash.clash.code, clash.clash.item) == ("nba", "gone", Ref("graph", "nba"))


def test_only_what_was_shown_is_done(nba: Graph, alice: User) -> None:
    done = changes.apply(
        nba,
        [Update(FETCH, {"name": "Fetch API"}, {"name": "F"}), Update(RETURN, {"name": "Return"}, {"name": "R"})],
        by(alice),
    )
    shown = rollback.preview(nba.workspace_id, ChangeSets((done.change_set_id,)))
    rename(nba, "R", "Return", by(alice), RETURN)

    with pytest.raises(Outdated):
        back(nba, alice, done, digest=shown.digest)
    assert name_of("fetch-api") == "F"


def test_nothing_of_another_workspace_is_rolled_back(nba: Graph, alice: User, other_workspace: Workspace) -> None:
    theirs = draw_nba(other_workspace)
    done = rename(theirs, "Fetch API", "Fetch", by(None, TURN, TALK))
    modification = Modification.objects.get()

    for scope in (
        ChangeSets((done.change_set_id,)), OneModification(modification.pk), Caused(TURN), Caused(TALK),
        AsOf("graph", theirs.pk, 1),
    ):  # fmt: skip
        with pytest.raises(NotFound):
            rollback.preview(nba.workspace_id, scope)
        with pytest.raises(NotFound):
            rollback.roll_back(nba.workspace_id, alice, scope)
    assert Node.objects.get(graph=theirs, key="fetch-api").name == "Fetch"


def test_a_thousand_objects_take_eight_statements(nba: Graph, alice: User) -> None:
    sheet = nba.sheets.get()
    Node.objects.bulk_create(Node(graph=nba, sheet=sheet, key=f"n{n}", type="t") for n in range(1_000))
    edits = [
        Update(Ref("node", f"n{n}"), {"posX": 0.0, "name": ""}, {"posX": float(n + 1), "name": f"N {n}"})
        for n in range(1_000)
    ]
    before = picture(nba)
    done = changes.apply(nba, edits, by(None))

    with CaptureQueriesContext(connection) as captured:
        back(nba, alice, done)

    assert len([query for query in captured if "SAVEPOINT" not in query["sql"]]) <= 8
    assert picture(nba) == before


def test_what_was_just_imported_leaves_nothing_to_undo(nba: Graph, alice: User) -> None:
    recording.begin(nba, Because(alice, Origin.IMPORT))
    made = ChangeSet.objects.get()

    with pytest.raises(NothingToUndo):
        rollback.roll_back(nba.workspace_id, alice, ChangeSets((made.pk,)))
    assert Edge.objects.count() == 2
