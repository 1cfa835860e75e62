"""Objects of any kind over HTTP: graphs and node types, and a model that a test registers."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from chat.models import Stream
from graphs.models import ChangeSet, Graph, Node, NodeType, Object, Origin, Workspace
from graphs.objects import register
from tests.cast import draw_nba
from tests.graphs.api.callers import post_json, problem, with_token
from tests.registered import forget
from tests.shop.models import Page

API = "/api/v1/"
NBA = f"{API}objects/graph/nba"
RETRY = f"{API}objects/nodeType/retry"


def action(name: str, **arguments: Any) -> dict[str, Any]:
    return {"action": name, "arguments": arguments}


def change(client: Client, path: str, *actions: dict[str, Any], key: str = "", **more: Any) -> Any:
    headers = {"Idempotency-Key": key} if key else {}
    return post_json(client, f"{path}/changes", {"actions": list(actions), **more}, headers=headers)


def update(**updates: Any) -> dict[str, Any]:
    return action("update_object", updates=updates)


@pytest.fixture
def retry(demo_workspace: Workspace) -> NodeType:
    return NodeType.objects.create(workspace=demo_workspace, key="retry", display_name="Retry", process="again()")


@pytest.fixture
def client(alice: User, nba: Graph, retry: NodeType) -> Client:
    return with_token(alice)


def test_kinds_tell_what_may_be_talked_about(client: Client, bob: User) -> None:
    answer = client.get(f"{API}kinds").json()
    kinds = {kind["type"]: kind for kind in answer["results"]}
    assert (answer["next"], answer["previous"]) == (None, None)
    assert {"graph", "nodeType"} <= kinds.keys()
    assert "node" not in kinds
    assert [field["path"] for field in kinds["graph"]["fields"]] == ["name", "description", "metadata"]
    assert (kinds["graph"]["mayCreate"], kinds["graph"]["mayEdit"]) == (True, True)
    assert (kinds["nodeType"]["mayCreate"], kinds["nodeType"]["parents"]) == (True, [])
    viewed = {kind["type"]: kind for kind in with_token(bob).get(f"{API}kinds").json()["results"]}
    assert (viewed["nodeType"]["mayCreate"], viewed["nodeType"]["mayEdit"]) == (False, False)


def test_a_list_has_beginnings_of_what_is_long(client: Client, demo_workspace: Workspace) -> None:
    """A member may write a million characters into a field, and a page has two hundred objects."""
    long, handles = "x" * 2_000, {"R": [{"id": f"R-{n}", "type": "out", "accept": "any"} for n in range(100)]}
    NodeType.objects.create(
        workspace=demo_workspace, key="long", display_name="Long", process=long, description=long, handles=handles
    )
    listed = next(each for each in client.get(f"{API}objects?type=nodeType").json()["results"] if each["id"] == "long")
    assert listed["cut"] == ["description", "handles", "process"]
    assert listed["fields"]["process"] == "x" * 1_000 + "…"
    assert listed["fields"]["handles"].startswith('{"R": [{"id": "R-0"')
    whole = client.get(f"{API}objects/nodeType/long").json()
    assert (whole["fields"]["process"], whole["fields"]["handles"]) == (long, handles)
    assert "cut" not in whole
    type_ = next(each for each in client.get(f"{API}node-types").json()["results"] if each["key"] == "long")
    assert (type_["cut"], type_["process"]) == (["description", "process"], "x" * 1_000 + "…")
    assert type_["handles"] == handles


def test_one_object(client: Client, nba: Graph) -> None:
    found = client.get(NBA).json()
    assert found.pop("updatedAt")
    assert found == {
        "type": "graph",
        "id": "nba",
        "title": "NBA scores",
        "fields": {"name": "NBA scores", "description": "Fetches games.", "metadata": {}},
        "version": nba.version,
        "parent": None,
        "children": {},
        "url": "/graphs/nba/",
        "untrustedSince": None,
        "streamId": f"graph_{nba.pk}",
    }


@pytest.mark.parametrize(
    "path", ["objects/graph/newsletter", "objects/graph/nowhere", "objects/node/root", "objects/x/y"]
)
def test_foreign_is_as_absent(client: Client, other_workspace: Workspace, path: str) -> None:
    Graph.objects.create(workspace=other_workspace, key="newsletter")
    absent = client.get(f"{API}objects/graph/absent").content
    for address in (path, f"{path}/stream"):
        answer = client.get(API + address)
        problem(answer, 404, "not_found")
        assert answer.content == absent
    assert change(client, API + path, update(name="Mine")).content == absent


def test_a_list_needs_a_known_type(client: Client) -> None:
    for query in ("", "?type=node", "?type=nothing"):
        refused = problem(client.get(f"{API}objects{query}"), 400, "validation")
        assert "graph, nodeType" in refused["errors"]["type"][0]


def test_a_list_in_pages_and_in_both_orders(client: Client, demo_workspace: Workspace) -> None:
    for number in range(3):
        Graph.objects.create(workspace=demo_workspace, key=f"g{number}", name=f"Graph {number}")
    first = client.get(f"{API}objects?type=graph&limit=2").json()
    second = client.get(first["next"]).json()
    assert [one["id"] for one in first["results"] + second["results"]] == ["g0", "g1", "g2", "nba"]
    assert "children" not in first["results"][0]
    turned = client.get(f"{API}objects?type=graph&orderBy=-name").json()
    assert [one["title"] for one in turned["results"]] == ["NBA scores", "Graph 2", "Graph 1", "Graph 0"]
    found = client.get(f"{API}objects?type=graph&search=graph 1").json()
    assert [one["id"] for one in found["results"]] == ["g1"]


def test_a_list_has_every_word_and_one_value_of_a_field(client: Client, demo_workspace: Workspace) -> None:
    for number in range(3):
        Graph.objects.create(
            workspace=demo_workspace, key=f"g{number}", name=f"Graph {number}", description="Two words."
        )

    def ids(query: str) -> list[str]:
        return [one["id"] for one in client.get(f"{API}objects?type=graph&{query}").json()["results"]]

    assert ids("words=WORDS graph 1") == ["g1"]
    assert ids("words=%00") == ids("where=") == ["g0", "g1", "g2", "nba"]
    assert ids("where=name:Graph 2") == ids("where=name:Graph%00 2") == ["g2"]
    assert ids("where=name:graph 2") == ids("words=1 2") == []
    assert ids("words=words&where=name:Graph 0") == ["g0"]
    assert ids("orderBy=-updatedAt") == ["g2", "g1", "g0", "nba"]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("where=metadata:x", "where"),
        ("where=name", "where"),
        ("where=:", "where"),
        ("where=updatedAt:x", "where"),
        ("orderBy=-", "orderBy"),
        ("orderBy=metadata", "orderBy"),
        ("orderBy=pk", "orderBy"),
        ("parent=nodeType:retry", "parent"),
        ("parent=x", "parent"),
    ],
)
def test_what_a_list_cannot_do(client: Client, query: str, field: str) -> None:
    assert field in problem(client.get(f"{API}objects?type=graph&{query}"), 400, "validation")["errors"]


def test_an_object_is_made_once(client: Client) -> None:
    body = {"fields": {"displayName": "Throttle", "process": "wait()"}, "reason": "Asked for."}
    made = post_json(client, f"{API}objects/nodeType", body, headers={"Idempotency-Key": "one"})
    assert made.status_code == 201
    found = made.json()  # type: ignore[attr-defined]
    assert (found["title"], found["fields"]["process"], found["version"]) == ("Throttle", "wait()", 1)
    assert ChangeSet.objects.get().reason == "Asked for."
    again = post_json(client, f"{API}objects/nodeType", body, headers={"Idempotency-Key": "one"})
    assert again.json() == found  # type: ignore[attr-defined]
    other = post_json(
        client, f"{API}objects/nodeType", {"fields": {"displayName": "B"}}, headers={"Idempotency-Key": "one"}
    )
    problem(other, 422, "idempotency_key")
    assert NodeType.objects.filter(display_name="Throttle").count() == 1


@pytest.mark.parametrize(
    ("kind", "body", "status", "code"),
    [
        ("graph", {"fields": {"name": "New"}, "parent": "graph:nba"}, 400, "refused"),
        ("nodeType", {"fields": {"displayName": ""}}, 400, "refused"),
        ("nodeType", {"fields": {"displayName": "A", "colour": "red"}}, 400, "refused"),
        ("nodeType", {"fields": {"displayName": "A", "handles": ["R"]}}, 400, "refused"),
        ("nodeType", {"fields": {"displayName": "A"}, "parent": "graph:nba"}, 400, "refused"),
        ("nodeType", {"fields": {"displayName": "A"}, "parent": "nba"}, 400, "validation"),
        ("nodeType", {"fields": [], "more": 1}, 400, "validation"),
        ("node", {"fields": {}}, 404, "not_found"),
    ],
)
def test_what_cannot_be_made(client: Client, kind: str, body: Any, status: int, code: str) -> None:
    problem(post_json(client, f"{API}objects/{kind}", body), status, code)
    assert not ChangeSet.objects.exists()


def test_an_object_is_changed_and_deleted(client: Client, retry: NodeType) -> None:
    patch = {"path": "process", "search": "again", "replace": "once_more"}
    absent = change(client, RETRY, action("update_object", patches=[patch, {**patch, "search": "nowhere to be found"}]))
    assert 'patches[1] of "process"' in absent.json()["detail"]
    changed = change(client, RETRY, action("update_object", updates={"displayName": "Once more"}, patches=[patch]))
    assert changed.status_code == 201
    assert {one["field"] for one in changed.json()["modifications"]} == {"displayName", "process"}
    found = client.get(RETRY).json()
    assert (found["title"], found["fields"]["process"], found["version"]) == ("Once more", "once_more()", 2)
    assert change(client, RETRY, action("delete_object", object="nodeType:retry")).status_code == 201
    problem(client.get(RETRY), 404, "not_found")
    problem(change(client, RETRY, update(displayName="Gone")), 404, "not_found")


def test_a_request_with_a_key_is_done_once(client: Client) -> None:
    first = change(client, RETRY, update(displayName="A"), key="k").json()
    assert change(client, RETRY, update(displayName="A"), key="k").json()["id"] == first["id"]
    problem(change(client, RETRY, update(displayName="B"), key="k"), 422, "idempotency_key")


def test_who_changed_the_same_meanwhile_is_told(client: Client) -> None:
    saw = [{"type": "nodeType", "id": "retry", "version": 1}]
    assert change(client, RETRY, update(icon="loop"), expected=saw).status_code == 201
    assert change(client, RETRY, update(category="flow"), expected=saw).status_code == 201
    (met,) = problem(change(client, RETRY, update(icon="star"), expected=saw), 409, "conflict")["conflicts"]
    assert (met["field"], met["expected"], met["found"], met["wanted"]) == ("icon", "", "loop", "star")
    assert (met["object"], met["by"], met["version"]) == ({"type": "nodeType", "id": "retry"}, "alice", 3)


def test_who_moved_a_node_did_not_change_the_graph(client: Client) -> None:
    saw = [{"type": "graph", "id": "nba", "version": 1}]
    change(client, NBA, action("move_node", nodeKey="root", posX=1, posY=2))
    assert change(client, NBA, update(name="Mine"), expected=saw).status_code == 201
    body = problem(change(client, NBA, update(name="Yours", description="All games"), expected=saw), 409, "conflict")
    assert [(each["field"], each["expected"], each["by"]) for each in body["conflicts"]] == [
        ("name", "NBA scores", "alice"),
    ]  # fmt: skip


def test_an_earlier_object_of_the_same_name_is_another_one(client: Client) -> None:
    """Its history tells nothing of this one."""
    for name in ("A", "B", "A"):
        change(client, RETRY, update(displayName=name))
    change(client, RETRY, action("delete_object"))
    post_json(client, f"{API}objects/nodeType", {"fields": {"displayName": "Retry"}})
    NodeType.objects.update(key="retry")
    Object.objects.filter(type="nodeType").update(key="retry")
    for name in ("One", "Two", "Three"):
        assert change(client, RETRY, update(displayName=name)).status_code == 201
    body = problem(
        change(client, RETRY, update(displayName="Mine"), expected=[{"type": "nodeType", "id": "retry", "version": 2}]),
        409,
        "conflict",
    )
    assert [(each["expected"], each["found"]) for each in body["conflicts"]] == [("One", "Three")]


def test_a_graph_has_its_own_actions_too(client: Client, nba: Graph) -> None:
    rename = action("update_node", nodeKey="root", updates={"name": "Begin"})
    saw = [{"type": "graph", "id": "nba", "version": 1}, {"type": "node", "id": "root", "version": 1}]
    answer = change(client, NBA, update(name="Scores"), rename, expected=saw)
    assert answer.status_code == 201, answer.content
    assert (Graph.objects.get(pk=nba.pk).name, Node.objects.get(key="root").name) == ("Scores", "Begin")
    assert ChangeSet.objects.count() == 1


@pytest.mark.parametrize(
    ("path", "asked", "code"),
    [
        (RETRY, action("update_node", nodeKey="root", updates={"name": "A"}), "validation"),
        (RETRY, action("create_object", kind="nodeType", fields={"displayName": "A"}), "validation"),
        (RETRY, action("update_object", object="graph:nba", updates={"name": "A"}), "validation"),
        (RETRY, action("update_object"), "validation"),
        (RETRY, update(displayName="x" * 201), "refused"),
        (RETRY, update(handles={"R": 7}), "refused"),
        (RETRY, update(displayName="Retry"), "refused"),
        (RETRY, action("move_object", parent="graph:nba"), "refused"),
        (NBA, action("move_object", parent="graph:nba"), "refused"),
        (NBA, update(metadata=[]), "refused"),
    ],
)
def test_what_is_refused(client: Client, path: str, asked: dict[str, Any], code: str) -> None:
    problem(change(client, path, asked), 400, code)
    assert not ChangeSet.objects.exists()


def test_a_type_that_nodes_have_stays(client: Client, nba: Graph) -> None:
    Node.objects.filter(key="root").update(type="retry")
    refused = problem(change(client, RETRY, action("delete_object")), 400, "refused")
    assert "node:root" in refused["errors"]["actions"][0]


def test_expected_are_items_of_known_kinds(client: Client) -> None:
    saw = [{"type": "planet", "id": "x", "version": 1}]
    assert "expected.0" in problem(change(client, RETRY, update(icon="a"), expected=saw), 400, "validation")["errors"]


def test_viewers_only_look(client: Client, bob: User) -> None:
    viewer = with_token(bob)
    assert viewer.get(RETRY).status_code == 200
    problem(change(viewer, RETRY, update(icon="a")), 403, "forbidden")
    problem(post_json(viewer, f"{API}objects/nodeType", {"fields": {"displayName": "A"}}), 403, "forbidden")


def test_the_stream_of_an_object_is_made(client: Client, retry: NodeType, nba: Graph) -> None:
    Stream.objects.filter(name=f"nodeType_{retry.pk}").delete()
    for path, name in ((RETRY, f"nodeType_{retry.pk}"), (NBA, f"graph_{nba.pk}")):
        assert client.get(f"{path}/stream").json() == {"stream": name}
        assert client.get(f"{API}streams/events/{name}").status_code == 200


def test_another_workspace_has_objects_of_its_own(client: Client, other_workspace: Workspace, charlie: User) -> None:
    draw_nba(other_workspace)
    theirs = with_token(charlie)
    assert change(theirs, NBA, update(name="Theirs")).status_code == 201
    assert client.get(NBA).json()["title"] == "NBA scores"
    problem(theirs.get(RETRY), 404, "not_found")


@pytest.fixture
def pages(demo_workspace: Workspace) -> Iterator[Page]:
    """Sheets as if another app had registered them; bob sees none whose name is secret, and nobody changes "locked"."""
    kind = register(
        Page,
        name="page",
        title="name",
        workspace="graph__workspace",
        minor=("position",),
        may_see=lambda member, row: row.name != "Secret" or member.user.username == "alice",
        may_edit=lambda _member, row: row.key != "locked",
    )
    graph = Graph.objects.create(workspace=demo_workspace, key="paged")
    for position, (key, name) in enumerate({"a": "First", "secret": "Secret", "locked": "Third"}.items()):
        Page.objects.create(graph=graph, key=key, name=name, position=position)
    yield Page.objects.get(graph=graph, key="a")
    forget(kind)


def test_a_registered_model_is_listed(client: Client, bob: User, pages: Page) -> None:
    kinds = {kind["type"]: kind for kind in client.get(f"{API}kinds").json()["results"]}
    fields = {field["path"]: field for field in kinds["page"]["fields"]}
    assert (fields["key"]["limit"], fields["position"]["form"], fields["position"]["minor"]) == (100, "number", True)
    listed = client.get(f"{API}objects?type=page&search=ir&orderBy=-position").json()["results"]
    assert [one["title"] for one in listed] == ["Third", "First"]
    (first,) = client.get(f"{API}objects?type=page&where=position:0").json()["results"]
    assert first["title"] == "First"
    assert client.get(f"{API}objects?type=page&where=name:Secret").json()["results"]
    assert not with_token(bob).get(f"{API}objects?type=page&where=name:Secret").json()["results"]
    for number in ("x", "1e5", "9" * 400, "nan"):
        refused = client.get(f"{API}objects?type=page&where=position:{number}")
        assert refused.status_code in (200, 400), refused.content
        assert refused.json().get("results", []) == []
    assert (listed[0]["version"], listed[0]["updatedAt"]) == (1, None)
    viewed = with_token(bob).get(f"{API}objects?type=page").json()["results"]
    assert "Secret" not in {one["title"] for one in viewed}


def test_what_others_saved_stands_in_the_history_first(client: Client, alice: User, pages: Page) -> None:
    path = f"{API}objects/page/{pages.pk}"
    assert client.get(path).json()["version"] == 1
    Page.objects.filter(pk=pages.pk).update(name="Saved outside")
    saw = [{"type": "page", "id": str(pages.pk), "version": 1}]
    (met,) = problem(change(client, path, update(name="Mine"), expected=saw), 409, "conflict")["conflicts"]
    assert (met["expected"], met["found"], met["wanted"]) == ("First", "Saved outside", "Mine")
    assert client.get(path).json()["version"] == 2
    assert ChangeSet.objects.latest("created_at").origin == Origin.OUTSIDE
    assert change(client, path, update(name="Mine"), expected=[saw[0] | {"version": 2}]).status_code == 201
    pages.refresh_from_db()
    assert pages.name == "Mine"


def test_what_a_kind_hides_and_locks(client: Client, bob: User, pages: Page) -> None:
    secret, locked = (Page.objects.get(key=key, graph=pages.graph) for key in ("secret", "locked"))
    absent = client.get(f"{API}objects/page/999999").content
    viewer = with_token(bob)
    for path in (f"{API}objects/page/{secret.pk}", f"{API}objects/page/{secret.pk}/stream"):
        assert client.get(path).status_code == 200
        assert viewer.get(path).content == absent
    problem(change(client, f"{API}objects/page/{locked.pk}", update(name="Open")), 403, "forbidden")


def test_the_words_of_the_model_are_told(client: Client, pages: Page) -> None:
    path = f"{API}objects/page/{pages.pk}"
    refused = problem(change(client, path, update(position="far", name="")), 400, "refused")
    assert refused["errors"]["actions"][0].startswith("position: ")
    refused = problem(change(client, path, update(key="")), 400, "refused")
    assert refused["errors"]["actions"][0].startswith("key: ")
