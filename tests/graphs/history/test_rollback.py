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
from graphs.models import ChangeSet, Edge, Graph, Modification, Node, NodeType, Object, Origin, Revision, Workspace
from graphs.objects.operations import Create, Delete, Operation, Update
from graphs.objects.refs import Ref
from graphs.site.access import NotFound
from tests.graphs.history.test_changes import FETCH, MORE, RETURN, TO_FETCH, TO_RETURN, record
from tests.graphs.random_changes import picture
from tests.things import Thing, beside, change_sets, new_thing

TURN, TALK = "message:1", "session:1"


def by(user: User | None, *causes: str) -> Because:
    return Because(user, Origin.CHAT if causes else Origin.MANUAL, causes=causes)


def rename(graph: Graph, old: str, new: str, because: Because, item: Ref = FETCH) -> Applied:
    return changes.apply(graph, [Update(item, {"name": old}, {"name": new})], because)


def removed(graph: Graph, *items: Ref) -> list[Operation]:
    return [Delete(item, record(graph, item)) for item in items]


def back(of: Graph | Thing, user: User, done: Applied, *left: LeftOut, **more: Any) -> Applied:
    return rollback.roll_back(of.workspace.pk, user, ChangeSets((done.change_set_id,)), left, **more)


def test_a_change_set_is_taken_back_by_a_new_one_and_that_again(thing: Thing, alice: User) -> None:
    done = thing.change(None, "Fetch")

    undone = back(thing, alice, done, reason="too short")
    made = ChangeSet.objects.get(pk=undone.change_set_id)
    assert thing.called == "Fetch API"
    assert (made.origin, made.reason, made.undoes, made.actor_label) == (
        "rollback",
        "too short",
        [done.change_set_id],
        "alice",
    )
    assert made.cause == f"change-set:{done.change_set_id}"

    back(thing, alice, undone)
    assert thing.called == "Fetch"
    assert Modification.objects.count() == 3


def test_what_was_taken_back_cannot_be_taken_back_twice(thing: Thing, alice: User) -> None:
    done = thing.change(None, "Fetch")
    back(thing, alice, done)

    with pytest.raises(NothingToUndo):
        back(thing, alice, done)
    assert change_sets().count() == 2


def both_changed(thing: Thing) -> Update:
    """The operation that gives it another name and no text."""
    old = {thing.name: "Fetch API", thing.text: "return fetch(url)"}
    return Update(thing.item, old, {thing.name: "Fetch", thing.text: ""})


def test_a_later_edit_is_named_and_may_be_left_out(thing: Thing, alice: User, bob: User) -> None:
    done = thing.apply([both_changed(thing)], by(alice))
    later = thing.change(bob, "Get")

    with pytest.raises(Clashing) as refused:
        back(thing, alice, done)

    (clash,) = named(refused.value.plan)
    told = ConflictShape.of(clash).to_json()
    assert (told["object"], told["field"], told["code"]) == (thing.item.to_json(), thing.name, "changed")
    assert (told["expected"], told["found"], told["label"]) == ("Fetch", "Get", "Get")
    assert (told["changedBy"], told["changeSetId"]) == ("bob", str(later.change_set_id))
    undone = back(thing, alice, done, LeftOut(thing.item, thing.name))
    assert (thing.called, thing.record[thing.text]) == ("Get", "return fetch(url)")
    assert ChangeSet.objects.get(pk=undone.change_set_id).undoes == []


def test_one_modification_of_several(thing: Thing, alice: User) -> None:
    thing.apply([both_changed(thing)], by(alice))
    modification = Modification.objects.get(field=thing.text)

    rollback.roll_back(thing.workspace.pk, alice, OneModification(modification.pk))

    assert (thing.called, thing.record[thing.text]) == ("Fetch", "return fetch(url)")


def test_a_turn_and_a_conversation(thing: Thing, alice: User) -> None:
    other = beside(thing)
    before = thing.record, other.record
    thing.apply([thing.to("One")], by(alice, TURN, TALK))
    middle = thing.record, other.record
    thing.apply([thing.to("Two")], by(alice, "message:2", TALK))
    other.apply([other.to("End")], by(alice, "message:3", "session:2"))

    rollback.roll_back(thing.workspace.pk, alice, Caused("message:3"))
    rollback.roll_back(thing.workspace.pk, alice, Caused("message:2"))
    assert (thing.record, other.record) == middle
    done = rollback.roll_back(thing.workspace.pk, alice, Caused(TALK))
    assert (thing.record, other.record) == before
    assert ChangeSet.objects.get(pk=done.change_set_id).cause == TALK
    with pytest.raises(NothingToUndo):
        rollback.roll_back(thing.workspace.pk, alice, Caused(TALK))


def test_an_edit_between_two_of_a_conversation_is_not_lost(thing: Thing, alice: User, bob: User) -> None:
    thing.apply([thing.to("One")], by(alice, TURN, TALK))
    thing.change(bob, "Two")
    thing.apply([thing.to("Three")], by(alice, "message:2", TALK))

    with pytest.raises(Clashing):
        rollback.roll_back(thing.workspace.pk, alice, Caused(TALK))
    assert thing.called == "Three"


def test_what_was_deleted_comes_back_as_it_was_before_its_changes(thing: Thing, alice: User) -> None:
    before = thing.record
    thing.apply([thing.to("One")], by(alice, TURN, TALK))
    thing.apply(thing.gone(), by(alice, "message:2", TALK))

    rollback.roll_back(thing.workspace.pk, alice, AsOf(thing.around.type, thing.around.pk, 2))
    assert thing.called == "One"
    rollback.roll_back(thing.workspace.pk, alice, Caused(TALK))
    assert thing.record == before


def test_what_exists_again_is_a_clash(thing: Thing, alice: User) -> None:
    before, other = thing.record, beside(thing)
    gone = thing.apply(thing.gone(), by(alice))
    again = other.apply([Create(thing.item, before | {thing.name: "Other"})], by(alice))

    with pytest.raises(Clashing) as refused:
        back(thing, alice, gone)
    codes = {clash.code for _of, clash in refused.value.plan.clashes}
    assert codes == {"recreated"} or (thing.item.type != "node" and refused.value.plan.gone)
    back(thing, alice, again)
    back(thing, alice, gone)
    assert thing.record == before


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


def test_as_of_a_version(thing: Thing, alice: User) -> None:
    thing.change(alice, "new", field=thing.text)

    rollback.roll_back(thing.workspace.pk, alice, AsOf(thing.around.type, thing.around.pk, 1))

    assert (thing.record[thing.text], thing.version) == ("return fetch(url)", 3)


def test_several_objects_are_one_change_set(kind_of_thing: str, thing: Thing, alice: User) -> None:
    other = new_thing(kind_of_thing, thing.workspace, 1)
    other.apply([other.to("Ours")], by(alice, TURN, TALK))
    thing.apply([thing.to("Fetch")], by(alice, TURN, TALK))

    done = rollback.roll_back(thing.workspace.pk, alice, Caused(TURN))

    assert (thing.called, other.called) == ("Fetch API", "Fetch API")
    assert {revised.id for revised in done.objects} == {thing.around.pk, other.around.pk}
    back(thing, alice, done)
    assert (thing.called, other.called) == ("Fetch", "Ours")


def test_an_object_that_is_as_it_was_gets_no_version(kind_of_thing: str, thing: Thing, alice: User) -> None:
    other = new_thing(kind_of_thing, thing.workspace, 1)
    other.apply([other.to("Ours")], by(alice, TURN, TALK))
    thing.apply([thing.to("Fetch")], by(alice, TURN, TALK))
    thing.change(alice, "Fetch API")
    stream = Stream.objects.get(name=thing.stream)

    done = rollback.roll_back(thing.workspace.pk, alice, Caused(TURN))

    assert [revised.id for revised in done.objects] == [other.around.pk]
    assert Object.objects.get(pk=thing.around.pk).version == 3
    assert Revision.objects.filter(object=thing.around.pk).latest("version").version == 3
    assert Stream.objects.get(pk=stream.pk).last_sequence == stream.last_sequence


def test_an_object_that_is_gone_is_named(thing: Thing, alice: User) -> None:
    done = thing.change(alice, "Fetch")
    thing.vanish()

    with pytest.raises(Clashing) as refused:
        rollback.roll_back(thing.workspace.pk, alice, ChangeSets((done.change_set_id,)))
    (clash,) = named(refused.value.plan)
    gone = Ref(thing.around.type, thing.around.key)
    assert (clash.of, clash.clash.code, clash.clash.item) == (gone.key, "gone", gone)


def test_only_what_was_shown_is_done(thing: Thing, alice: User) -> None:
    other = beside(thing)
    done = thing.apply([thing.to("F"), other.to("R")], by(alice))
    shown = rollback.preview(thing.workspace.pk, ChangeSets((done.change_set_id,)))
    other.change(alice, "Return")

    with pytest.raises(Outdated):
        back(thing, alice, done, digest=shown.digest)
    assert thing.called == "F"


def test_nothing_of_another_workspace_is_rolled_back(
    kind_of_thing: str, demo_workspace: Workspace, alice: User, other_workspace: Workspace
) -> None:
    theirs = new_thing(kind_of_thing, other_workspace)
    done = theirs.apply([theirs.to("Fetch")], by(None, TURN, TALK))
    modification = Modification.objects.get()

    for scope in (
        ChangeSets((done.change_set_id,)), OneModification(modification.pk), Caused(TURN), Caused(TALK),
        AsOf(theirs.around.type, theirs.around.pk, 1),
    ):  # fmt: skip
        with pytest.raises(NotFound):
            rollback.preview(demo_workspace.pk, scope)
        with pytest.raises(NotFound):
            rollback.roll_back(demo_workspace.pk, alice, scope)
    assert theirs.called == "Fetch"


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
    recording.begin([nba], Because(alice, Origin.IMPORT))
    made = ChangeSet.objects.get()

    with pytest.raises(NothingToUndo):
        rollback.roll_back(nba.workspace_id, alice, ChangeSets((made.pk,)))
    assert Edge.objects.count() == 2


def test_what_came_back_and_was_changed_then_is_no_other_one(thing: Thing, alice: User) -> None:
    gone = thing.apply(thing.gone(), by(alice))
    back(thing, alice, gone)
    thing.apply([thing.to("Changed")], by(alice))
    plan = rollback.preview(thing.workspace.pk, ChangeSets((gone.change_set_id,)))
    assert plan.clashes == ()
    with pytest.raises(NothingToUndo):
        back(thing, alice, gone)
    assert thing.called == "Changed"
