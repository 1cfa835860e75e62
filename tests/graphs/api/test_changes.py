import threading
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from graphs.api.changes import digest_of
from graphs.history import changes, editing
from graphs.history.recording import Because
from graphs.models import ChangeSet, Edge, Graph, Membership, Node, NodeType, Origin, Role
from graphs.objects.actions import parse
from graphs.objects.edit_conflicts import EditConflicts
from graphs.objects.operations import Update
from graphs.objects.refs import Ref
from graphs.site.access import Forbidden, member_of
from graphs.workflows.live import editing as live_editing
from tests.cast import draw_nba, member, signed_in
from tests.graphs.api.callers import post_json, problem, with_token
from tests.proposed import Call
from tests.things import Thing, change_sets

CHANGES = "/api/v1/graphs/nba/changes"


def action(name: str, **arguments: Any) -> dict[str, Any]:
    return {"action": name, "arguments": arguments}


def rename(name: str, key: str = "fetch-api") -> dict[str, Any]:
    return action("update_node", nodeKey=key, updates={"name": name})


def move(x: float, key: str = "fetch-api") -> dict[str, Any]:
    return action("move_node", nodeKey=key, posX=x, posY=0)


def change(client: Client, *actions: dict[str, Any], seen: tuple[str, ...] = (), key: str | None = None) -> Any:
    """`seen` are items as "node:fetch-api:1"; `key` makes the request one that is done once."""
    split = [one.partition(":") for one in seen]
    headers = {"Idempotency-Key": key} if key else {}
    items = [(kind, *rest.rpartition(":")[::2]) for kind, _colon, rest in split]
    saw = [{"type": kind, "id": id_, "version": int(version)} for kind, id_, version in items]
    return post_json(client, CHANGES, {"actions": list(actions), "expected": saw}, headers=headers)


@pytest.fixture
def client(alice: User, nba: Graph) -> Client:
    return with_token(alice)


class Door:
    """The address of the changes of a thing's object, for one person."""

    def __init__(self, thing: Thing, who: User) -> None:
        self.thing = thing
        self._client = with_token(who)

    def __call__(self, *calls: Call, saw: int | None = None, key: str = "") -> Any:
        """`saw` is the version of the thing that the person looked at; by default it gets another name."""
        asked = [action(name, **arguments) for name, arguments in calls or (self.thing.rename_call(),)]
        seen = [] if saw is None else [{**self.thing.item.to_json(), "version": saw}]
        around = self.thing.around
        address = f"/api/v1/objects/{around.type}/{around.key}/changes"
        headers = {"Idempotency-Key": key} if key else {}
        return post_json(self._client, address, {"actions": asked, "expected": seen}, headers=headers)

    def text(self, new: Any, **options: Any) -> Any:
        """Gives it another text."""
        return self(self.thing.update_call(**{self.thing.text: new}), **options)


@pytest.fixture
def mine(alice: User, thing: Thing) -> Door:
    return Door(thing, alice)


@pytest.fixture
def doras(thing: Thing) -> Door:
    return Door(thing, member("dora", thing.workspace, Role.EDITOR))


def test_a_change_by_hand_is_made_and_kept(client: Client, alice: User) -> None:
    answer = change(
        client, rename("Fetch"), action("delete_edge", edgeKey="root-fetch-api"), seen=("node:fetch-api:1",)
    )

    assert answer.status_code == 201
    made = answer.json()
    assert Node.objects.get(key="fetch-api").name == "Fetch"
    assert not Edge.objects.filter(key="root-fetch-api").exists()
    kept = ChangeSet.objects.get()
    assert (made["id"], kept.origin, kept.actor) == (str(kept.pk), Origin.MANUAL, alice.pk)
    assert made["objects"][0].items() >= {"type": "graph", "id": "nba", "version": 2}.items()
    assert {one["field"] for one in made["modifications"]} == {"name", ""}


def test_a_change_of_an_object_is_made_and_kept(mine: Door, thing: Thing, alice: User) -> None:
    made = mine(thing.rename_call(), thing.update_call(**{thing.text: "new"}), saw=1).json()
    assert (thing.called, thing.record[thing.text]) == ("Fetch", "new")
    kept = change_sets().get()
    assert (made["id"], kept.origin, kept.actor) == (str(kept.pk), Origin.MANUAL, alice.pk)
    around = Ref(thing.around.type, thing.around.key).to_json()
    assert made["objects"][0].items() >= {**around, "version": 2}.items()
    assert {one["field"] for one in made["modifications"]} == {thing.name, thing.text}


def test_everything_or_nothing_of_an_object(mine: Door, thing: Thing) -> None:
    before = thing.record
    problem(
        mine(thing.rename_call(), thing.update_call(nowhere="x")),
        400,
        "validation" if thing.item.type == "node" else "refused",
    )
    assert (thing.record, change_sets().exists()) == (before, False)


def test_everything_or_nothing(client: Client) -> None:
    refused = problem(change(client, rename("Fetch"), rename("Gone", "nowhere")), 400, "refused")
    assert "nowhere" in refused["errors"]["actions"][0]
    assert Node.objects.get(key="fetch-api").name == "Fetch API"
    assert not ChangeSet.objects.exists()


def test_what_is_wrong_is_told_action_by_action(client: Client) -> None:
    wrong = (rename("Fine"), action("fly"), action("move_node", nodeKey="root", posX="far", posY=0, more=1))
    errors = problem(change(client, *wrong), 400, "validation")["errors"]
    assert {place.rpartition(".")[0] or place for place in errors} == {"actions.1", "actions.2.arguments"}


#: Parts that are allowed each, and are too long together: a merge patch, patches of code, patches within data.
GROWING = [
    ({"data": {"first": "x" * 600_000}}, {"data": {"second": "x" * 600_000}}, "data"),
    (
        {"process": "x" * 600_000 + "END"},
        {"processPatches": [{"search": "END", "replace": "y" * 600_000}]},
        "process",
    ),
    (
        {"data": {"text": "x" * 600_000 + "END"}},
        {"dataPatches": [{"path": "/text", "search": "END", "replace": "y" * 600_000}]},
        "data",
    ),
]


@pytest.mark.parametrize(("first", "second", "field"), GROWING)
def test_parts_that_are_too_long_together_are_refused(
    client: Client, first: dict[str, Any], second: dict[str, Any], field: str
) -> None:
    assert change(client, action("update_node", nodeKey="fetch-api", updates=first)).status_code == 201
    before = Node.objects.get(key="fetch-api")
    refused = change(client, action("update_node", nodeKey="fetch-api", updates=second))
    told = problem(refused, 400, "refused")
    assert f"{field} of node:fetch-api would be longer than 1,000,000 characters" in str(told)
    both = [action("update_node", nodeKey="parse", updates=updates) for updates in (first, second)]
    problem(change(client, *both), 400, "refused")
    assert Node.objects.get(key="fetch-api").version == before.version


@pytest.mark.parametrize(
    "body",
    [
        {"actions": []},
        {"actions": [rename("A")], "graph": "nba"},
        {"actions": [rename("A")] * 1001},
        {"actions": [rename("A")], "expected": [{"type": "session", "id": "x", "version": 1}]},
        {"actions": [rename("A")], "expected": [{"type": "node", "id": "x", "version": "1"}]},
        {"actions": "all"},
        [],
    ],
)
def test_bodies_of_another_shape_are_refused(client: Client, body: Any) -> None:
    problem(post_json(client, CHANGES, body), 400, "validation")


def test_viewers_change_nothing_and_strangers_see_nothing(bob: User, charlie: User, thing: Thing) -> None:
    problem(Door(thing, bob)(), 403, "forbidden")
    problem(Door(thing, charlie)(), 404, "not_found")
    assert not change_sets().exists()


def test_a_cookie_alone_does_not_change_anything(alice: User, nba: Graph) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(alice)
    assert problem(change(browser, rename("Forged")), 403, "csrf")
    assert change(signed_in(alice), rename("Mine")).status_code == 201


def test_who_touched_another_field_does_not_disturb(mine: Door, doras: Door, thing: Thing) -> None:
    doras.text("new")
    assert mine(saw=1).status_code == 201
    assert (thing.called, thing.record[thing.text], thing.version) == ("Fetch", "new", 3)


def test_who_touched_the_same_field_is_told_with_both_sides(mine: Door, doras: Door, thing: Thing) -> None:
    doras(thing.rename_call("Dora's"), saw=1)
    doras.text("new")

    [conflict] = problem(mine(thing.rename_call("Alice's"), saw=1), 409, "conflict")["conflicts"]

    sides = (conflict["expected"], conflict["found"], conflict["wanted"], conflict["by"], conflict["version"])
    assert sides == ("Fetch API", "Dora's", "Alice's", "dora", 3)
    assert (conflict["object"], conflict["field"]) == (thing.item.to_json(), thing.name)
    assert thing.called == "Dora's"
    assert mine(thing.rename_call("Alice's"), saw=3).status_code == 201


def test_code_that_both_changed_is_told_by_lines(client: Client) -> None:
    change(client, action("update_node", nodeKey="fetch-api", updates={"process": "return 1"}))
    mine = action("update_node", nodeKey="fetch-api", updates={"process": "return 2"})
    [conflict] = problem(change(client, mine, seen=("node:fetch-api:1",)), 409, "conflict")["conflicts"]
    assert [(line["op"], line["text"]) for line in conflict["lines"]] == [("-", "return 1"), ("+", "return 2")]


def test_both_may_have_wanted_the_same(mine: Door, doras: Door, thing: Thing) -> None:
    doras()
    assert mine(thing.update_call(**{thing.name: "Fetch", thing.text: "new"}), saw=1).status_code == 201


def test_a_field_that_was_changed_and_changed_back_is_no_conflict(mine: Door, doras: Door, thing: Thing) -> None:
    doras(thing.rename_call("Other"))
    doras(thing.rename_call("Fetch API"))
    assert mine(saw=1).status_code == 201


def test_true_is_not_1(client: Client) -> None:
    """JSON tells them apart, so they are two sides."""
    change(client, action("replace_data", nodeKey="fetch-api", data={"retry": True}))
    change(client, action("replace_data", nodeKey="fetch-api", data={"retry": 1}))
    mine = action("replace_data", nodeKey="fetch-api", data={"retry": False})
    [conflict] = problem(change(client, mine, seen=("node:fetch-api:2",)), 409, "conflict")["conflicts"]
    assert (conflict["expected"], conflict["found"]) == ({"retry": True}, {"retry": 1})


def test_who_is_too_far_behind_to_be_told_is_asked_about_every_field(client: Client, nba: Graph) -> None:
    """Also about what only the oldest of their five hundred and one modifications tells."""

    def apply(old: dict[str, Any], new: dict[str, Any]) -> None:
        changes.apply(nba, [Update(Ref("node", "fetch-api"), old, new)], Because(None, Origin.MANUAL))

    def box(size: float) -> dict[str, Any]:
        return dict.fromkeys(("posX", "posY", "width", "height"), size)

    node = Node.objects.get(key="fetch-api")
    there = {"posX": node.pos_x, "posY": node.pos_y, "width": None, "height": None}
    apply(
        {"process": node.process, "data": node.data, **there}, {"process": "theirs", "data": {"more": True}, **box(1.0)}
    )
    for size in range(1, 100):
        apply({"name": str(size - 1) if size > 1 else node.name, **box(size)}, {"name": str(size), **box(size + 1.0)})

    mine = action("update_node", nodeKey="fetch-api", updates={"process": "mine"})
    problem(change(client, mine, seen=("node:fetch-api:1",)), 409, "conflict")


def test_what_was_seen_and_changed_is_not_deleted(mine: Door, doras: Door, thing: Thing) -> None:
    doras()
    conflicts = problem(mine(thing.delete_call(), saw=1), 409, "conflict")["conflicts"]
    (met,) = (each for each in conflicts if each["object"] == thing.item.to_json())
    assert (met["field"], met["expected"], met["found"]) == (thing.name, "Fetch API", "Fetch")
    assert mine(thing.delete_call()).status_code == 201
    assert thing.find() is None


def test_what_somebody_deleted_is_told_with_what_it_was(client: Client) -> None:
    change(client, action("delete_node", nodeKey="fetch-api"))
    [conflict] = problem(change(client, rename("Late"), seen=("node:fetch-api:1",)), 409, "conflict")["conflicts"]
    assert (conflict["field"], conflict["found"], conflict["by"]) == ("", None, "alice")
    assert conflict["expected"]["name"] == "Fetch API"


@pytest.mark.parametrize(
    ("meanwhile", "field"),
    [
        (rename("New"), "name"),
        (action("create_edge", sourceKey="root", sourceHandle="R-0", targetKey="return", targetHandle="L-0"), ""),
        (action("update_edge", edgeKey="root-fetch-api", label="first"), "label"),
    ],
)
def test_a_deletion_takes_nothing_that_was_not_seen(client: Client, meanwhile: dict[str, Any], field: str) -> None:
    gone = "return" if field == "" else "fetch-api"
    edges = [f"edge:{key}:1" for key in Edge.objects.values_list("key", flat=True) if gone in key]
    change(client, meanwhile)
    delete = action("delete_node", nodeKey=gone)

    conflicts = problem(change(client, delete, seen=(f"node:{gone}:1", *edges)), 409, "conflict")["conflicts"]

    assert [conflict["field"] for conflict in conflicts] == [field]
    assert Node.objects.filter(key=gone).exists()
    seen = {f"node:{gone}": 1, **dict.fromkeys((edge.rpartition(":")[0] for edge in edges), 1)}
    seen |= {f"{one['object']['type']}:{one['object']['id']}": one["version"] for one in conflicts}
    assert change(client, delete, seen=tuple(f"{item}:{version}" for item, version in seen.items())).status_code == 201


def test_a_version_that_the_history_does_not_tell_is_a_conflict(mine: Door) -> None:
    for version in (0, 7):
        [conflict] = problem(mine(saw=version), 409, "conflict")["conflicts"]
        assert (conflict["expected"], conflict["found"]) == (None, "Fetch API")


def test_the_same_request_twice_is_done_once(client: Client, alice: User) -> None:
    create = action("create_node", typeKey="note", sheet="main", posX=0, posY=0)
    first = change(client, create, key="k")
    again = change(client, create, key="k")
    assert first.json()["id"] == again.json()["id"]
    assert Node.objects.count() == 4
    problem(change(client, rename("Other"), key="k"), 422, "idempotency_key")
    problem(change(client, rename("Other"), key="x" * 256), 400, "validation")


def test_the_same_change_twice_is_made_once(mine: Door, thing: Thing) -> None:
    first, again = mine(key="k"), mine(key="k")
    assert (first.status_code, again.status_code, first.json()["id"]) == (201, 201, again.json()["id"])
    assert thing.version == 2
    problem(mine(thing.rename_call("Other"), key="k"), 422, "idempotency_key")


def test_the_same_request_is_not_done_again_after_it_was_done_live(client: Client, alice: User, nba: Graph) -> None:
    asked = {"actions": [rename("Fetch")], "expected": []}
    live = editing.Request(
        [parse("update_node", rename("Fetch")["arguments"])], key="k", digest=digest_of(nba.pk, asked)
    )
    live_editing.edit(member_of(alice), nba.pk, live)
    answer = change(client, rename("Fetch"), key="k")
    assert (answer.status_code, answer.json()["id"]) == (201, str(ChangeSet.objects.get().pk))
    assert Node.objects.get(key="fetch-api").version == 2
    problem(change(client, rename("Other"), key="k"), 422, "idempotency_key")


def test_a_key_of_somebody_else_is_another_key(mine: Door, doras: Door, thing: Thing) -> None:
    mine(key="k")
    assert doras(thing.rename_call("Dora's"), key="k").status_code == 201
    assert thing.called == "Dora's"


def test_the_same_key_for_another_graph_is_another_request(client: Client, nba: Graph) -> None:
    """Nobody is told that something was done that was not."""
    change(client, rename("One"), key="k")
    Graph.objects.filter(key="nba").update(key="former")
    draw_nba(nba.workspace)
    problem(change(client, rename("One"), key="k"), 422, "idempotency_key")


def test_the_role_counts_that_a_person_has_when_it_is_done(alice: User, thing: Thing) -> None:
    asked = editing.Request([parse(*thing.rename_call("Late"))])
    before = member_of(alice)
    Membership.objects.filter(user=alice).update(role=Role.VIEWER)
    with pytest.raises(Forbidden):
        editing.edit(before, thing.around, asked)
    assert not change_sets().exists()


def test_there_is_a_limit(mine: Door, thing: Thing, settings: Settings) -> None:
    settings.LIMIT_CHANGES = "1/hour"
    assert mine().status_code == 201
    problem(mine(thing.rename_call("Two")), 429, "throttled")


def test_what_is_gone_is_looked_for_at_once_however_much_it_is(client: Client, nba: Graph) -> None:
    sheet = nba.sheets.get()
    Node.objects.bulk_create(Node(graph=nba, sheet=sheet, key=f"n{n}", type="html") for n in range(41))
    kept = action("update_node", nodeKey="n40", updates={"name": "Kept"})
    change(client, *(action("delete_node", nodeKey=f"n{n}") for n in range(40)))
    for n in range(40):
        NodeType.objects.create(workspace=nba.workspace, key=f"t{n}", display_name="T")
    change(client, *(action("delete_node_type", typeKey=f"t{n}") for n in range(40)))
    asked = []
    for count in (1, 33):
        seen = [f"{item}{n}:1" for n in range(count) for item in ("node:n", "nodeType:t", "node:never")]
        with CaptureQueriesContext(connection) as queries:
            answer = problem(change(client, kept, seen=tuple(seen)), 409, "conflict")
        asked.append(len(queries))
        told = {(each["object"]["type"], each["object"]["id"]): each for each in answer["conflicts"]}
        assert len(told) == 3 * count
        assert all(told["node", f"n{n}"]["by"] == "alice" for n in range(count))
        assert all(told["nodeType", f"t{n}"]["expected"]["displayName"] == "T" for n in range(count))
        assert told["node", "never0"]["by"] == ""
    assert asked[0] == asked[1]


def test_edges_that_nobody_saw_are_looked_at_at_once_however_many_go(client: Client, nba: Graph) -> None:
    sheet, asked = nba.sheets.get(), []
    hub, *others = Node.objects.bulk_create(Node(graph=nba, sheet=sheet, key=f"n{n}", type="html") for n in range(41))
    for some in (others[:1], others[1:]):
        Edge.objects.bulk_create(
            Edge(graph=nba, sheet=sheet, key=f"e-{other.key}", source=hub, target=other) for other in some
        )
        with CaptureQueriesContext(connection) as queries:
            answer = problem(change(client, action("delete_node", nodeKey="n0"), seen=("node:n0:1",)), 409, "conflict")
        asked.append(len(queries))
    assert len(answer["conflicts"]) == 40
    assert asked[0] == asked[1]


def test_types_are_listed_and_changed_like_everything_else(client: Client, bob: User) -> None:
    made = change(client, action("configure_node_type", mode="create", typeKey="mail", displayName="Mail"))
    assert made.status_code == 201
    [listed] = with_token(bob).get("/api/v1/node-types").json()["results"]
    assert (listed["key"], listed["displayName"], listed["version"]) == ("mail", "Mail", 1)
    change(client, action("configure_node_type", mode="update", typeKey="mail", displayName="Post"))
    late = action("configure_node_type", mode="update", typeKey="mail", displayName="Letter")
    [conflict] = problem(change(client, late, seen=("nodeType:mail:1",)), 409, "conflict")["conflicts"]
    assert conflict["found"] == "Post"
    change(client, action("delete_node_type", typeKey="mail"), seen=("nodeType:mail:2",))
    assert not NodeType.objects.exists()


def test_types_of_others_are_not_listed(client: Client, charlie: User) -> None:
    change(client, action("configure_node_type", mode="create", typeKey="mail", displayName="Mail"))
    assert with_token(charlie).get("/api/v1/node-types").json()["results"] == []


@pytest.mark.django_db(transaction=True)
def test_of_many_who_change_the_same_at_once_one_is_first(alice: User, thing: Thing) -> None:
    """All saw version 1: the others are told, and none is lost in silence."""
    outcomes: list[str] = []
    ready = threading.Barrier(6)

    def edit(number: int) -> None:
        asked = editing.Request([parse(*thing.rename_call(f"Name {number}"))], [(thing.item, 1)])
        try:
            ready.wait()
            editing.edit(member_of(alice), thing.around, asked)
            outcomes.append("done")
        except EditConflicts:
            outcomes.append("told")
        finally:
            connection.close()

    threads = [threading.Thread(target=edit, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(outcomes) == ["done"] + ["told"] * 5
    assert thing.version == 2


@pytest.mark.django_db(transaction=True)
def test_the_same_request_many_times_at_once_is_done_once(alice: User, thing: Thing) -> None:
    made: list[Any] = []
    ready = threading.Barrier(6)
    asked = editing.Request([parse(*thing.rename_call())], key="k", digest="d")

    def edit() -> None:
        try:
            ready.wait()
            made.append(editing.edit(member_of(alice), thing.around, asked))
        finally:
            connection.close()

    threads = [threading.Thread(target=edit) for _number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(made) == 6
    assert len(set(made)) == 1
    assert (thing.called, thing.version) == ("Fetch", 2)
