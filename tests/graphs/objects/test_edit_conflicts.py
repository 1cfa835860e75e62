"""What others changed since somebody looked, of many items: told in as many statements as of one."""

import uuid
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from graphs.history import changes, live_edits
from graphs.history.editing import Request
from graphs.history.outside import begin_history
from graphs.history.recording import Because
from graphs.models import Graph, LiveEdit, Node, NodeType, Object, Origin, Role, Workspace
from graphs.objects.actions import parse
from graphs.objects.edit_conflicts import MOST_NAMED, EditConflict, EditConflicts, SeenVersions
from graphs.objects.operations import Delete, Operation, Update
from graphs.objects.refs import Ref
from graphs.objects.stores import stored
from graphs.site.access import member_of
from graphs.workflows.live import editing
from tests.cast import member
from tests.graphs.api.callers import post_json, problem, with_token
from tests.graphs.history.test_many_conflicts import made

pytestmark = pytest.mark.django_db
CHANGES = "/api/v1/graphs/nba/changes"


@pytest.fixture
def dora(demo_workspace: Workspace) -> User:
    return member("dora", demo_workspace, Role.EDITOR)


def nodes(graph: Graph, count: int) -> list[Ref]:
    sheet = graph.sheets.get(key="main")
    Node.objects.bulk_create(Node(graph=graph, sheet=sheet, key=f"n{n}", name="0", type="html") for n in range(count))
    return [Ref("node", f"n{n}") for n in range(count)]


def renamed(around: Object, items: list[Ref], old: str | None, new: str, who: User, field: str = "name") -> None:
    changes.apply(around, [Update(item, {field: old}, {field: new}) for item in items], Because(who, Origin.MANUAL))


def live(graph: Graph, who: User, items: list[Ref], name: str) -> LiveEdit:
    """One live edit that gives all of them a name."""
    asked = [parse("update_node", {"nodeKey": item.key, "updates": {"name": name}}) for item in items]
    return editing.edit(member_of(who), graph.pk, Request(asked, key=uuid.uuid4().hex, digest=name))


def met(around: Object, operations: list[Operation], version: int = 1) -> tuple[tuple[EditConflict, ...], int]:
    """What stands in the way of somebody who saw all of them at a version, and how many statements told it."""
    seen = SeenVersions.read(around, [(each.item, version) for each in operations])
    with CaptureQueriesContext(connection) as captured, pytest.raises(EditConflicts) as refused:
        seen.refuse_conflicts(operations)
    assert refused.value.count >= len(refused.value.conflicts)
    return refused.value.conflicts, len(captured)


def mine(items: list[Ref], now: str, field: str = "name") -> list[Operation]:
    return [Update(item, {field: now}, {field: "mine"}) for item in items]


def test_a_thousand_parts_take_as_many_statements_as_one(nba: Graph, alice: User) -> None:
    items = nodes(nba, 1_000)
    for old, new in (("0", "1"), ("1", "2"), ("2", "3")):
        renamed(nba, items, old, new, alice)

    (one, few), (many, as_few) = met(nba, mine(items[:1], "3"), 2), met(nba, mine(items, "3"), 2)

    assert (as_few, len(many)) == (few, MOST_NAMED)
    assert {(each.expected, each.found, each.wanted, each.by, each.version) for each in (*one, *many)} == {
        ("1", "3", "mine", "alice", 4)
    }


def test_many_objects_take_as_many_statements_as_one(demo_workspace: Workspace, alice: User) -> None:
    headers = made(demo_workspace, 150)
    items = [Ref(of.type, of.key) for of in headers]
    for old, new in ((None, "1"), ("1", "2")):
        renamed(headers[0], items, old, new, alice, "data.problem")

    (one, few), (many, as_few) = (met(headers[0], mine(some, "2", "data.problem"), 2) for some in (items[:1], items))

    assert (as_few, len(many)) == (few, MOST_NAMED)
    assert {(each.expected, each.found, each.by) for each in (*one, *many)} == {("1", "2", "alice")}


def test_node_types_are_told_with_those_of_the_graph(demo_workspace: Workspace, nba: Graph, alice: User) -> None:
    items = [Ref("nodeType", f"t{n}") for n in range(12)]
    for item in items:
        begin_history(NodeType.objects.create(workspace=demo_workspace, key=item.key, display_name="0"))
    renamed(nba, items, "0", "1", alice, "displayName")
    seen = stored(nba, items)[items[0]].version - 1

    (one, few), (many, as_few) = (met(nba, mine(some, "1", "displayName"), seen) for some in (items[:1], items))

    assert (as_few, len(many)) == (few, 12)
    assert {(each.expected, each.found, each.by) for each in (*one, *many)} == {("0", "1", "alice")}


def test_what_was_done_live_to_many_takes_as_many_statements_as_to_one(nba: Graph, alice: User, dora: User) -> None:
    items = nodes(nba, 60)
    for name, who in (("1", alice), ("2", dora)):
        for item in items:
            live(nba, who, [item], name)
    for save_before in (False, True):
        if save_before:
            live_edits.save_edits(nba.pk)
        (one, few), (many, as_few) = met(nba, mine(items[:1], "2")), met(nba, mine(items, "2"))
        assert (as_few, len(many)) == (few, 60)
        assert {(each.expected, each.found, each.by) for each in (*one, *many)} == {("0", "2", "dora")}


def test_each_is_read_back_as_far_as_it_was_not_seen(nba: Graph, alice: User, dora: User) -> None:
    """Live, saved, and by hand, one after the other: of each item another part of it was seen."""
    items = nodes(nba, 4)
    for item in items:
        live(nba, alice, [item], "1")
    live_edits.save_edits(nba.pk)
    renamed(nba, items, "1", "2", dora)
    for item in items:
        live(nba, alice, [item], "3")

    seen = SeenVersions.read(nba, list(zip(items, (1, 2, 3, 4), strict=True)))
    with pytest.raises(EditConflicts) as refused:
        seen.refuse_conflicts(mine(items, "3"))
    told = [(each.item, each.expected, each.by) for each in refused.value.conflicts]
    assert told == [(items[0], "0", "alice"), (items[1], "1", "alice"), (items[2], "2", "alice")]


def test_a_live_edit_that_is_forgotten_is_told_by_its_change_set(nba: Graph, alice: User) -> None:
    items = nodes(nba, 2)
    for item in items:
        live(nba, alice, [item], "1")
    live_edits.save_edits(nba.pk)
    LiveEdit.objects.all().delete()
    told, _statements = met(nba, mine(items, "1"))
    assert [(each.expected, each.by) for each in told] == [("0", "alice")] * 2


def test_who_saw_all_is_asked_nothing(nba: Graph, alice: User) -> None:
    items = nodes(nba, 20)
    renamed(nba, items, "0", "1", alice)
    seen = SeenVersions.read(nba, [(item, 2) for item in items])
    with CaptureQueriesContext(connection) as captured:
        seen.refuse_conflicts(mine(items, "1"))
    assert not captured


def test_of_many_the_first_are_told_and_all_are_counted(nba: Graph, alice: User, bob: User) -> None:
    items = nodes(nba, MOST_NAMED + 7)
    renamed(nba, items, "0", "1", alice)
    body: dict[str, Any] = {
        "actions": [
            {"action": "update_node", "arguments": {"nodeKey": i.key, "updates": {"name": "x"}}} for i in items
        ],
        "expected": [{**item.to_json(), "version": 1} for item in items],
    }

    told = problem(post_json(with_token(alice), CHANGES, body), 409, "conflict")

    assert (len(told["conflicts"]), told["conflictCount"]) == (MOST_NAMED, MOST_NAMED + 7)
    assert [each["object"]["id"] for each in told["conflicts"]] == [item.key for item in items[:MOST_NAMED]]
    body["expected"] = [{**each["object"], "version": each["version"]} for each in told["conflicts"]]
    body["expected"] += [{**item.to_json(), "version": 1} for item in items[MOST_NAMED:]]
    rest = problem(post_json(with_token(alice), CHANGES, body), 409, "conflict")
    assert (len(rest["conflicts"]), "conflictCount" in rest) == (7, False)
    problem(post_json(with_token(bob), CHANGES, body), 403, "forbidden")  # who may not edit is told none of it


def test_of_long_conflicts_the_first_is_whole_and_the_others_are_bounded(nba: Graph, alice: User) -> None:
    items, (old, new) = nodes(nba, 6), ("a" * 500_000, "b" * 500_000)
    Node.objects.filter(key__in=[item.key for item in items]).update(process=old)
    renamed(nba, items, old, new, alice, "process")
    updates = {"process": "mine"}
    body = {
        "actions": [{"action": "update_node", "arguments": {"nodeKey": i.key, "updates": updates}} for i in items],
        "expected": [{**item.to_json(), "version": 1} for item in items],
    }

    answer = post_json(with_token(alice), CHANGES, body)

    told = problem(answer, 409, "conflict")["conflicts"]
    assert [each.get("cut", False) for each in told] == [False, False, True, True, True, True]
    assert (told[0]["expected"], told[0]["found"], told[0]["version"]) == (old, new, 2)
    assert all(new.startswith(each["found"].removesuffix("…")) and len(each["found"]) < 10_000 for each in told[2:])
    assert len(answer.content) < 5_000_000


def test_of_many_that_are_gone_the_first_are_told(nba: Graph, alice: User) -> None:
    items = nodes(nba, MOST_NAMED + 5)
    asked = [{"action": "delete_node", "arguments": {"nodeKey": item.key}} for item in items]
    client = with_token(alice)
    for some in (asked[:60], asked[60:]):
        assert post_json(client, CHANGES, {"actions": some}).status_code == 201
    late = {"action": "update_node", "arguments": {"nodeKey": "root", "updates": {"name": "Late"}}}
    saw = [{**item.to_json(), "version": 1} for item in items]

    told = problem(post_json(client, CHANGES, {"actions": [late], "expected": saw}), 409, "conflict")

    assert (len(told["conflicts"]), told["conflictCount"]) == (MOST_NAMED, len(items))
    assert {(each["found"], each["by"]) for each in told["conflicts"]} == {(None, "alice")}


def test_edges_that_nobody_saw_are_counted_with_the_others(nba: Graph, alice: User) -> None:
    items = nodes(nba, MOST_NAMED + 2)
    hub, *others = items
    made = [
        {
            "action": "create_edge",
            "arguments": {"sourceKey": hub.key, "sourceHandle": "R-0", "targetKey": item.key, "targetHandle": "L-0"},
        }
        for item in others
    ]
    client = with_token(alice)
    for some in (made[:60], made[60:]):
        assert post_json(client, CHANGES, {"actions": some}).status_code == 201
    renamed(nba, [hub], "0", "1", alice)
    delete = {"action": "delete_node", "arguments": {"nodeKey": hub.key}}

    told = problem(
        post_json(client, CHANGES, {"actions": [delete], "expected": [{**hub.to_json(), "version": 1}]}),
        409,
        "conflict",
    )

    assert (len(told["conflicts"]), told["conflictCount"]) == (MOST_NAMED, len(others) + 1)
    assert (told["conflicts"][0]["field"], told["conflicts"][1]["field"]) == ("name", "")


def test_what_stands_in_the_way_when_it_is_done_is_cut_as_well(nba: Graph, alice: User) -> None:
    items = nodes(nba, MOST_NAMED + 3)
    edit = live(nba, alice, items, "1")
    renamed(nba, items, "1", "2", alice)
    request = Request((), key=str(uuid.uuid4()), digest="d")
    with pytest.raises(EditConflicts) as refused:
        editing.take_back(member_of(alice), nba.pk, edit.version, request)
    assert (len(refused.value.conflicts), refused.value.count) == (MOST_NAMED, len(items))


def test_a_deletion_of_what_moved_on_names_each_field(nba: Graph, alice: User) -> None:
    (item,) = nodes(nba, 1)
    renamed(nba, [item], "0", "1", alice)
    told, _statements = met(nba, [Delete(item, stored(nba, [item])[item].record)])
    assert [(each.field, each.expected, each.found) for each in told] == [("name", "0", "1")]
