from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client

from graphs.api.rollback_json import ConflictShape
from graphs.history import causes, changes
from graphs.history.editing import Request
from graphs.history.recording import Because
from graphs.models import ChangeSet, Graph, Modification, Node, NodeType, Origin, Revision, Workspace
from graphs.objects import actions
from graphs.objects.operations import Create, Delete, Update
from graphs.objects.refs import Ref
from graphs.site.access import Member, member_of
from graphs.workflows.live import editing
from tests.cast import signed_in
from tests.graphs.api.callers import post_json, problem
from tests.graphs.api.documented import check
from tests.graphs.history.test_changes import TO_FETCH, TO_RETURN
from tests.graphs.history.test_rollback import FETCH, RETURN, TALK, TURN, back, by, record, rename
from tests.things import Thing, change_sets, new_thing

HISTORY = "/api/v1/history"


@pytest.fixture
def editor(alice: User) -> Client:
    return signed_in(alice)


def read(client: Client, path: str = "", **given: Any) -> Any:
    answer = client.get(HISTORY + path, given)
    assert answer.status_code == 200, answer.content
    check(answer)
    return answer.json()


def name_of(thing: Thing) -> str:
    """The name of its object."""
    return f"{thing.around.type}:{thing.around.key}"


def roll_back(client: Client, where: object = "", **body: Any) -> HttpResponse:
    path = f"{HISTORY}/{where}/rollback" if where else f"{HISTORY}/rollback"
    return post_json(client, path, body)


def test_the_versions_of_a_graph_newest_first(nba: Graph, alice: User, editor: Client) -> None:
    rename(nba, "Fetch API", "Fetch", by(alice, TURN, TALK))
    changes.apply(nba, [Delete(item, record(nba, item)) for item in (TO_FETCH, TO_RETURN, FETCH)], by(None))

    page = read(editor, object="graph:nba")

    latest, first = page["results"]
    assert (latest["version"], latest["summary"]) == (3, {"edge": {"delete": 2}, "node": {"delete": 1}})
    assert [each["label"] for each in latest["modifications"]] == ["root → fetch-api", "fetch-api → return", "Fetch"]
    assert (first["actor"], first["origin"], first["modificationCount"]) == ("alice", "chat", 1)
    assert first["objects"] == [{"type": "graph", "id": "nba", "label": "NBA scores", "version": 2}]
    (modification,) = first["modifications"]
    assert (modification["field"], modification["old"], modification["new"]) == ("name", "Fetch API", "Fetch")


def test_the_versions_of_an_object_newest_first(thing: Thing, alice: User, bob: User, editor: Client) -> None:
    thing.apply([thing.to("Fetch")], by(alice, TURN, TALK))
    thing.change(bob, "new", field=thing.text)

    latest, first, *imported = read(editor, object=name_of(thing))["results"]

    assert [(each["actor"], each["version"]) for each in (latest, first)] == [("bob", 3), ("alice", 2)]
    assert [each["origin"] for each in imported] == (["import"] if thing.item.type == "product" else [])
    assert (first["origin"], first["modificationCount"], first["objects"][0]["version"]) == ("chat", 1, 2)
    (modification,) = first["modifications"]
    assert (modification["object"], modification["field"]) == (thing.item.to_json(), thing.name)
    assert (modification["old"], modification["new"]) == ("Fetch API", "Fetch")


def test_filters_and_pages_of_an_object(thing: Thing, alice: User, bob: User, editor: Client) -> None:
    thing.apply([thing.to("One")], by(alice, TURN, TALK))
    thing.change(bob, "new", field=thing.text)
    moments = list(Revision.objects.order_by("version").values_list("created_at", flat=True))

    def versions(**given: str) -> list[int]:
        return [each["version"] for each in read(editor, object=name_of(thing), **given)["results"]]

    assert versions(who="bob") == versions(origin="manual") == versions(field=thing.text) == [3]
    assert versions(session="1") == versions(field=thing.name, item=thing.item.key) == [2]
    assert versions(**{"from": moments[-1].isoformat()}) == [3]
    assert versions(field=thing.name, item=str(thing.item)) == [2]
    assert versions(who="nobody") == versions(field=thing.name, item="nowhere") == []
    page = read(editor, object=name_of(thing), limit="1")
    assert [each["version"] for each in page["results"]] == [3]
    assert editor.get(page["next"]).json()["results"][0]["version"] == 2


def test_filters(nba: Graph, alice: User, bob: User, editor: Client) -> None:
    rename(nba, "Fetch API", "One", by(alice, TURN, TALK))
    changes.apply(nba, [Update(RETURN, {"posX": 400.0}, {"posX": 0.0})], by(bob))
    moments = list(Revision.objects.order_by("version").values_list("created_at", flat=True))

    def versions(**given: str) -> list[int]:
        return [each["version"] for each in read(editor, object="graph:nba", **given)["results"]]

    assert versions() == [3, 2]
    assert versions(who="bob") == versions(origin="manual") == versions(field="posX") == versions(item="return") == [3]
    assert versions(session="1") == versions(field="name", item="fetch-api") == [2]
    assert versions(**{"from": moments[1].isoformat()}) == [3]
    assert versions(to=moments[0].isoformat()) == [2]
    assert versions(who="nobody") == versions(field="name", item="return") == []


def test_a_part_is_found_by_its_kind_and_key(nba: Graph, bob: User, editor: Client) -> None:
    changes.apply(nba, [Update(Ref("graph", "nba"), {"name": "NBA scores"}, {"name": "NBA"})], by(bob))
    rename(nba, "Fetch API", "One", by(bob))
    changes.apply(nba, [Delete(TO_FETCH, record(nba, TO_FETCH))], by(bob))

    def versions(item: str) -> list[int]:
        return [each["version"] for each in read(editor, object="graph:nba", item=item)["results"]]

    assert versions("node:fetch-api") == versions("fetch-api") == [3]
    assert versions("edge:root-fetch-api") == [4]
    assert versions("graph:nba") == [2]
    for nothing in ("edge:fetch-api", "node:nba", "node:", "nodeType:fetch-api", ":fetch-api", "node:node:fetch-api"):
        assert versions(nothing) == [], nothing


def test_what_an_item_is_part_of_has_to_be_said(nba: Graph, editor: Client) -> None:
    told = problem(editor.get(HISTORY, {"item": "node:fetch-api"}), 400, "validation")
    assert told["errors"] == {"object": ["Say with “object” what the item is part of, for example graph:nba."]}


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ({}, "object"),
        ({"object": "graph"}, "object"),
        ({"object": "graph:nba", "origin": "magic"}, "origin"),
        ({"object": "graph:nba", "from": "yesterday"}, "from"),
        ({"object": "graph:nba", "who": "a\0"}, "who"),
    ],
)
def test_wrong_questions_are_explained(nba: Graph, editor: Client, given: dict[str, str], wrong: str) -> None:
    told = problem(editor.get(HISTORY, given), 400, "validation")
    assert list(told["errors"]) == [wrong]


def test_a_list_leaves_long_values_out_and_the_change_set_has_them(nba: Graph, alice: User, editor: Client) -> None:
    code = "".join(str(number) for number in range(10_000))
    done = changes.apply(nba, [Update(FETCH, {"process": "return fetch(url)"}, {"process": code})], by(alice))

    (version,) = read(editor, object="graph:nba")["results"]
    (modification,) = version["modifications"]
    assert (modification["cut"], modification["new"], modification["label"]) == (True, None, "Fetch API")
    whole = read(editor, f"/{done.change_set_id}")
    assert whole["modifications"][0]["new"] == code
    assert whole["diff"][0]["fields"][0]["lines"][0] == {"op": "-", "old": 1, "text": "return fetch(url)"}


def test_a_long_change_set_comes_in_pages(nba: Graph, alice: User, editor: Client) -> None:
    record_ = record(nba, RETURN)
    done = changes.apply(nba, [Create(Ref("node", f"n{n}"), record_) for n in range(5)], by(alice))

    page = read(editor, f"/{done.change_set_id}", limit=3)
    rest = editor.get(page["next"]).json()
    assert [each["object"]["id"] for each in (*page["modifications"], *rest["modifications"])] == [
        f"n{n}" for n in range(5)
    ]
    assert (len(page["diff"]), len(rest["diff"]), rest["next"]) == (3, 2, None)


def test_two_versions_are_compared(thing: Thing, alice: User, editor: Client) -> None:
    thing.change(alice, "One")
    thing.change(alice, "Two")
    name = name_of(thing)

    compared = read(editor, "/versions", object=name, a=1, b=3)
    assert [(field["old"], field["new"]) for field in compared["diff"][0]["fields"]] == [("Fetch API", "Two")]
    assert read(editor, "/versions", object=name, a=3)["diff"] == []
    problem(editor.get(f"{HISTORY}/versions", {"object": name, "a": 1, "b": 4}), 400, "validation")


@pytest.mark.parametrize("version", ["0", "-1", "2.0", "²", "", "00000000010", "2" * 5_000])
def test_what_is_no_version_is_refused(nba: Graph, alice: User, editor: Client, version: str) -> None:
    rename(nba, "Fetch API", "One", by(alice))
    problem(editor.get(f"{HISTORY}/versions", {"object": "graph:nba", "a": version}), 400, "validation")


def test_a_deleted_type_keeps_its_history_and_comes_back(
    nba: Graph, alice: User, editor: Client, charlie: User
) -> None:
    step = Ref("nodeType", "step")
    fields = {"displayName": "Step", "description": "", "category": "", "icon": "", "handles": {}, "process": ""}
    changes.apply(nba, [Create(step, fields)], by(alice))
    changes.apply(nba, [Delete(step, fields)], by(alice))
    assert [each["version"] for each in read(editor, object="nodeType:step")["results"]] == [2, 1]
    assert read(editor, "/versions", object="nodeType:step", a=1)["total"] == 1
    assert signed_in(charlie).get(HISTORY, {"object": "nodeType:step"}).status_code == 404
    asked = {"scope": {"object": {"type": "nodeType", "id": "step"}, "version": 1}}
    assert roll_back(editor, **asked).status_code == 201
    assert NodeType.objects.get(workspace=nba.workspace).display_name == "Step"


def test_undo_and_redo(thing: Thing, alice: User, editor: Client) -> None:
    done = thing.change(alice, "Fetch")

    preview = roll_back(editor, done.change_set_id, preview=True)
    assert preview.status_code == 200
    assert not Modification.objects.filter(version=3).exists()

    undone = roll_back(editor, done.change_set_id, digest=preview.json()["digest"], reason="no")
    assert undone.status_code == 201
    assert (undone.json()["undoes"], undone.json()["reason"]) == (str(done.change_set_id), "no")
    assert read(editor, f"/{done.change_set_id}")["undoneBy"] == undone.json()["id"]

    told = problem(roll_back(editor, done.change_set_id), 409, "undone")
    assert [each["id"] for each in told["undoneBy"]] == [undone.json()["id"]]

    assert roll_back(editor, undone.json()["id"]).status_code == 201
    assert read(editor, f"/{done.change_set_id}")["undoneBy"] is None
    assert thing.called == "Fetch"


def test_what_is_undone_and_done_again_many_times_is_still_listed(nba: Graph, alice: User, editor: Client) -> None:
    """Each undoes the one before: of those who are followed along every way there is, no list ever ends."""
    toggled = [rename(nba, "Fetch API", "Fetch", by(alice))]
    for _time in range(44):
        toggled.append(back(nba, alice, toggled[-1]))

    listed = read(editor, object="graph:nba", limit=50)["results"]
    newest_first = [str(each.change_set_id) for each in reversed(toggled)]
    assert [each["id"] for each in listed] == newest_first
    assert [each["undoneBy"] for each in listed] == [
        newest_first[place - 1] if place % 2 else None for place in range(45)
    ]


def test_what_a_turn_did_is_marked_when_the_turn_is_taken_back(thing: Thing, alice: User, editor: Client) -> None:
    first = thing.apply([thing.to("Fetch")], by(alice, TURN, TALK))
    second = thing.apply([thing.to("Get")], by(alice, TURN, TALK))

    whole = editor.post(f"{HISTORY}/rollback", {"scope": {"turn": TURN.partition(":")[2]}}, "application/json")
    assert (whole.status_code, whole.json()["undoes"]) == (201, None)
    undone_by = {read(editor, f"/{each.change_set_id}")["undoneBy"] for each in (first, second)}
    assert undone_by == {whole.json()["id"]}

    assert roll_back(editor, whole.json()["id"]).status_code == 201
    assert {read(editor, f"/{each.change_set_id}")["undoneBy"] for each in (first, second)} == {None}


def test_conflicts_are_told_and_may_be_left_out(thing: Thing, alice: User, bob: User, editor: Client) -> None:
    done = thing.change(alice, "Fetch")
    thing.change(bob, "Get")

    told = problem(roll_back(editor, done.change_set_id), 409, "conflict")
    (conflict,) = told["conflicts"]
    ConflictShape.model_validate(conflict)
    assert (conflict["changedBy"], conflict["expected"], conflict["found"]) == ("bob", "Fetch", "Get")

    left = [{"object": conflict["object"], "field": thing.name, "graph": thing.around.key}]
    shown = roll_back(editor, done.change_set_id, preview=True, leaveOut=left).json()
    assert (shown["conflicts"], shown["diff"], shown["leftOut"]) == ([], [], left)


def test_what_changed_since_the_preview_is_not_done(thing: Thing, alice: User, editor: Client) -> None:
    done = thing.change(alice, "Fetch")
    told = problem(roll_back(editor, done.change_set_id, digest="0" * 64), 409, "stale")
    assert told["preview"]["diff"][0]["fields"][0]["new"] == "Fetch API"


def test_scopes(thing: Thing, alice: User, editor: Client) -> None:
    first = thing.apply([thing.to("One")], by(alice, TURN, TALK))
    thing.apply([thing.to("Two")], by(alice, "message:2", TALK))
    moment = Revision.objects.get(change_set=first.change_set_id).created_at
    latest = Modification.objects.latest("id")
    named = {"type": thing.around.type, "id": thing.around.key}

    for scope, name in (
        ({"modification": latest.pk}, "One"),
        ({"turn": "2"}, "One"),
        ({"session": "1"}, "Fetch API"),
        ({"asOf": moment.isoformat(), "object": named}, "One"),
        ({"version": 1, "object": named}, "Fetch API"),
        ({"changeSets": [str(latest.change_set_id)]}, "One"),
    ):
        shown = roll_back(editor, scope=scope, preview=True).json()
        assert shown["diff"][0]["fields"][0]["new"] == name, scope
    too_early = (moment - timedelta(days=1)).isoformat()
    problem(roll_back(editor, scope={"asOf": too_early, "object": named}), 404, "not_found")


@pytest.mark.parametrize(
    "scope",
    [{}, {"turn": "1", "session": "1"}, {"version": 1}, {"turn": "1", "object": {"type": "graph", "id": "nba"}}],
)
def test_scopes_that_say_too_little_or_too_much(nba: Graph, editor: Client, scope: dict[str, Any]) -> None:
    problem(roll_back(editor, scope=scope), 400, "validation")


def test_viewers_read_and_change_nothing(thing: Thing, alice: User, bob: User) -> None:
    done = thing.apply([thing.to("Fetch")], by(alice, TURN))
    viewer = signed_in(bob)

    assert read(viewer, object=name_of(thing))["results"][0]["actor"] == "alice"
    for body in ({}, {"preview": True}):
        problem(roll_back(viewer, done.change_set_id, **body), 403, "forbidden")
        problem(roll_back(viewer, scope={"turn": "1"}, **body), 403, "forbidden")
    assert change_sets().count() == 1


def test_foreign_looks_like_absent(
    kind_of_thing: str, demo_workspace: Workspace, editor: Client, other_workspace: Workspace, charlie: User
) -> None:
    theirs = new_thing(kind_of_thing, other_workspace)
    of = theirs.around.type
    done = theirs.apply([theirs.to("Fetch")], by(charlie, "message:9", "session:9"))
    modification = Modification.objects.get()
    nowhere = "00000000-0000-4000-8000-000000000007"

    def same(foreign: HttpResponse, absent: HttpResponse) -> None:
        assert (foreign.status_code, foreign.content) == (404, absent.content)

    for path in ("/{}",):
        same(editor.get(HISTORY + path.format(done.change_set_id)), editor.get(HISTORY + path.format(nowhere)))
    for path in ("", "/versions"):
        same(
            editor.get(HISTORY + path, {"object": name_of(theirs), "a": "1"}),
            editor.get(HISTORY + path, {"object": f"{of}:nothing", "a": "1"}),
        )
    same(roll_back(editor, done.change_set_id), roll_back(editor, nowhere))
    for foreign, absent in (
        ({"modification": modification.pk}, {"modification": 10**9}),
        ({"turn": "9"}, {"turn": "none"}),
        ({"session": "9"}, {"session": "none"}),
        ({"changeSets": [str(done.change_set_id)]}, {"changeSets": ["no uuid"]}),
        (
            {"version": 1, "object": {"type": of, "id": theirs.around.key}},
            {"version": 1, "object": {"type": of, "id": "nothing"}},
        ),
    ):
        same(roll_back(editor, scope=foreign), roll_back(editor, scope=absent))
    assert theirs.called == "Fetch"


def test_causes_are_explained_by_who_gave_them(
    nba: Graph, alice: User, editor: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    def explain(member: Member, ids: Any) -> dict[str, causes.Explanation]:
        asked.append((member.user, set(ids)))
        return {"1": causes.Explanation("A question", "/somewhere/", {"mine": True})}

    monkeypatch.setattr(causes, "_explainers", {"message": explain})
    rename(nba, "Fetch API", "One", by(alice, TURN, TALK))
    rename(nba, "One", "Two", by(alice, "message:2", TALK))

    latest, first = read(editor, object="graph:nba")["results"]

    link = {"cause": TURN, "text": "A question", "url": "/somewhere/", "details": {"mine": True}}
    assert (latest["links"], first["links"]) == ([], [link])
    assert asked == [(alice, {"1", "2"})]


def test_a_page_takes_as_many_queries_for_many_versions(
    nba: Graph, alice: User, editor: Client, django_assert_max_num_queries: Any
) -> None:
    for number in range(30):
        rename(nba, f"{number}" if number else "Fetch API", f"{number + 1}", Because(alice, Origin.MANUAL))
    with django_assert_max_num_queries(16):
        assert len(read(editor, object="graph:nba")["results"]) == 30


def test_the_modifications_of_a_long_change_set_are_searched(nba: Graph, editor: Client, alice: User) -> None:
    moves = [
        Update(Ref("node", node.key), {"posX": node.pos_x}, {"posX": node.pos_x + 1})
        for node in Node.objects.filter(graph=nba)
    ]
    changes.apply(nba, [*moves, Delete(TO_RETURN, record(nba, TO_RETURN))], by(alice))
    change_set = ChangeSet.objects.get()

    def found(search: str) -> set[tuple[str, str]]:
        page = read(editor, f"/{change_set.pk}", search=search)
        return {(each["object"]["id"], each["field"]) for each in page["modifications"]}

    assert len(found("posx")) == len(moves)
    assert found("FETCH-API") == {("fetch-api", "posX"), (TO_RETURN.key, "")}
    assert found("Fetch API") == {("fetch-api", "posX")}, "by the name of a node, too"
    assert found("nowhere") == set()
    first = read(editor, f"/{change_set.pk}", search="posx", limit="1")
    assert "search=posx" in first["next"]
    for wrong in ("a" * 101, "a\nb"):
        assert editor.get(f"{HISTORY}/{change_set.pk}", {"search": wrong}).status_code == 400


def test_it_says_that_there_are_live_edits_it_does_not_have_yet(nba: Graph, alice: User, editor: Client) -> None:
    rename(nba, "Fetch API", "Fetch", by(alice))
    assert read(editor, object="graph:nba")["unsavedSince"] is None
    asked = actions.parse("update_node", {"nodeKey": "root", "updates": {"name": "Begin"}})
    editing.edit(member_of(alice), nba.pk, Request([asked], key="mine"))
    found = read(editor, object="graph:nba")
    assert (len(found["results"]), bool(found["unsavedSince"])) == (1, True)

    scope = {"object": {"type": "graph", "id": "nba"}, "version": 2}
    assert roll_back(editor, scope=scope, preview=True).status_code == 200
    saved = read(editor, object="graph:nba")
    assert (len(saved["results"]), saved["unsavedSince"]) == (2, None)
