from typing import Any

import pytest

from graphs.models import Edge, Graph, Node, NodeType, Sheet
from graphs.objects.operations import Create, Delete, Target, Update
from graphs.objects.refs import Ref
from tests.graphs.workflows.planning.asking import done, one, plan, refused, shown, undone, without_versions

NODE = {"typeKey": "html", "sheet": "main", "posX": 10, "posY": 20}


@pytest.fixture
def second(nba: Graph) -> Sheet:
    return Sheet.objects.create(graph=nba, key="second", name="Second", position=1)


def test_a_new_node_gets_a_readable_key_and_the_handles_of_its_type(nba: Graph) -> None:
    planned = one(nba, "create_node", **NODE, name="Show the Result!")
    (operation,) = planned.operations
    assert isinstance(operation, Create)
    assert operation.item == Ref("node", "show-the-result")
    assert operation.record["handles"] == {
        "L": [{"id": "L-0", "type": "in", "accept": "any"}],
        "R": [{"id": "R-0", "type": "out", "accept": "any"}],
    }
    assert (operation.record["posX"], operation.record["width"], operation.record["data"]) == (10.0, None, {})
    assert planned.targets == ()


def test_keys_are_free_in_the_graph_and_among_those_that_others_would_get(nba: Graph) -> None:
    keys = [
        plan(nba, ("create_node", {**NODE, "name": "Return"}), reserved=reserved).operations[0].item.key
        for reserved in ((), ("return-2",))
    ]
    assert keys == ["return-2", "return-3"]


def test_two_new_nodes_of_one_name_get_two_keys_and_a_given_key_stays_its_own(nba: Graph) -> None:
    unnamed = ("create_node", {**NODE, "name": "Retry"})
    planned = plan(nba, unnamed, unnamed, ("create_node", {**NODE, "key": "retry"}))
    assert [operation.item.key for operation in planned.operations] == ["retry-2", "retry-3", "retry"]


def test_a_given_key_that_is_taken_is_refused(nba: Graph) -> None:
    assert "already" in refused(nba, "create_node", **NODE, key="root")


@pytest.mark.parametrize(
    ("name", "key"), [("日本語", "html"), ("x" * 200, "x" * 90), ("", "html"), ("Café crème", "cafe-creme")]
)
def test_any_name_gives_a_key(nba: Graph, name: str, key: str) -> None:
    assert one(nba, "create_node", **NODE, name=name).operations[0].item.key == key


def test_a_type_of_the_workspace_gives_handles_and_is_depended_on(nba: Graph) -> None:
    handles = {"T": [{"id": "up", "type": "in", "accept": "any"}]}
    NodeType.objects.create(workspace=nba.workspace, key="retry", display_name="Retry", handles=handles, version=3)
    planned = one(nba, "create_node", **{**NODE, "typeKey": "retry"})
    assert planned.operations[0].record["handles"] == handles  # type: ignore[union-attr]
    assert planned.targets == (Target("nodeType", "retry", 3),)


def test_a_type_that_only_the_graph_knows_gives_what_its_nodes_have(nba: Graph) -> None:
    handles = {"R": [{"id": "main-0", "type": "out", "accept": "any"}]}
    Node.objects.filter(key="fetch-api").update(handles=handles)
    planned = one(nba, "create_node", **{**NODE, "typeKey": "api-call"})
    assert planned.operations[0].record["handles"] == handles  # type: ignore[union-attr]


def test_unknown_types_and_sheets_are_told_with_those_there_are(nba: Graph) -> None:
    NodeType.objects.create(workspace=nba.workspace, key="retry", display_name="Retry")
    told = refused(nba, "create_node", **{**NODE, "typeKey": "wait"})
    assert "wait" in told
    assert "starter, return, html, entryType, note, retry" in told
    told = refused(nba, "create_node", **{**NODE, "sheet": "nowhere"})
    assert "nowhere" in told
    assert "Sheets: main" in told


def test_a_type_of_another_workspace_is_no_type(nba: Graph, other_workspace: Any) -> None:
    NodeType.objects.create(workspace=other_workspace, key="theirs", display_name="Theirs")
    told = refused(nba, "create_node", **{**NODE, "typeKey": "theirs"})
    assert "theirs" in told.partition("Types:")[0]
    assert "theirs" not in told.partition("Types:")[2]


def test_only_what_differs_is_updated(nba: Graph) -> None:
    planned = one(
        nba, "update_node", nodeKey="fetch-api", updates={"name": "Fetch API", "data": {"retries": 3, "url": None}}
    )
    assert planned.operations == (
        Update(Ref("node", "fetch-api"), {"data": {"url": "https://example.org"}}, {"data": {"retries": 3}}),
    )
    assert planned.targets == (Target("node", "fetch-api", 1),)


def test_true_is_not_one(nba: Graph) -> None:
    Node.objects.filter(key="fetch-api").update(data={"on": 1})
    planned = one(nba, "update_node", nodeKey="fetch-api", updates={"data": {"on": True}})
    done(nba, planned)
    assert Node.objects.get(key="fetch-api").data["on"] is True


def test_what_changes_nothing_is_refused(nba: Graph) -> None:
    for updates in ({"name": "Fetch API"}, {"data": {"gone": None}}, {"process": "return fetch(url)"}):
        assert "Nothing would change" in refused(nba, "update_node", nodeKey="fetch-api", updates=updates)
    assert "Nothing would change" in refused(nba, "move_node", nodeKey="root", posX=0, posY=0)


def test_code_is_patched(nba: Graph) -> None:
    patches = [{"search": "fetch(url)", "replace": "await fetch(url)"}]
    planned = one(nba, "update_node", nodeKey="fetch-api", updates={"processPatches": patches})
    assert planned.operations[0].new == {"process": "return await fetch(url)"}  # type: ignore[union-attr]
    wrong = [{"search": "fetch(uri)", "replace": ""}]
    told = refused(nba, "update_node", nodeKey="fetch-api", updates={"processPatches": wrong})
    assert "return fetch(url)" in told


def test_data_is_merged_first_and_then_patched(nba: Graph) -> None:
    patches = [{"path": "/url", "search": "example", "replace": "sample"}]
    planned = one(nba, "update_node", nodeKey="fetch-api", updates={"data": {"n": 1}, "dataPatches": patches})
    assert planned.operations[0].new == {"data": {"url": "https://sample.org", "n": 1}}  # type: ignore[union-attr]
    wrong = [{"path": "/url", "search": "examples", "replace": ""}]
    told = refused(nba, "update_node", nodeKey="fetch-api", updates={"dataPatches": wrong})
    assert 'dataPatches[0] of "fetch-api"' in told
    assert "https://example.org" in told


def test_people_replace_data_with_nulls_in_it(nba: Graph) -> None:
    planned = one(nba, "replace_data", nodeKey="fetch-api", data={"a": None})
    assert planned.operations[0].new == {"data": {"a": None}}  # type: ignore[union-attr]
    # Who edits a proposal says it in its own words.
    planned = one(nba, "update_node", nodeKey="fetch-api", updates={"name": "Ask", "wholeData": {"a": None}})
    assert planned.operations[0].new == {"name": "Ask", "data": {"a": None}}  # type: ignore[union-attr]


def test_a_node_that_does_not_exist_is_told_with_the_one_that_may_be_meant(nba: Graph) -> None:
    assert "Perhaps you mean: fetch-api" in refused(nba, "delete_node", nodeKey="fetch_api")
    assert "Perhaps you mean: fetch-api" in refused(nba, "delete_node", nodeKey="fetch API")
    assert "Perhaps" not in refused(nba, "delete_node", nodeKey="zebra")


def test_handles_that_edges_use_stay(nba: Graph) -> None:
    both = {
        "L": [{"id": "L-0", "type": "in", "accept": "any"}],
        "R": [{"id": "R-0", "type": "out", "accept": "any"}],
    }
    Node.objects.filter(key="fetch-api").update(handles=both)
    told = refused(nba, "update_node", nodeKey="fetch-api", updates={"handles": {"L": both["L"]}})
    assert "fetch-api-return" in told
    assert "root-fetch-api" not in told
    more = both["R"] + [{"id": "R-1", "type": "out", "label": "error"}]
    planned = one(nba, "update_node", nodeKey="fetch-api", updates={"handles": {**both, "R": more}})
    assert planned.operations[0].new["handles"]["R"][1]["accept"] == "any"  # type: ignore[union-attr]


def test_a_handle_may_go_once_its_edge_went_in_the_same_batch(nba: Graph) -> None:
    Node.objects.filter(key="fetch-api").update(handles={"R": [{"id": "R-0", "type": "out", "accept": "any"}]})
    planned = plan(
        nba,
        ("delete_edge", {"edgeKey": "fetch-api-return"}),
        ("update_node", {"nodeKey": "fetch-api", "updates": {"handles": {}}}),
    )
    assert shown(planned.operations) == [("delete", "edge", "fetch-api-return"), ("update", "node", "fetch-api")]


def test_a_node_on_another_sheet_takes_along_the_edges_that_leave_it(nba: Graph, second: Sheet) -> None:
    before = without_versions(nba)
    planned = one(nba, "move_node", nodeKey="fetch-api", posX=5, posY=6, sheet="second")
    assert shown(planned.operations) == [("update", "edge", "fetch-api-return"), ("update", "node", "fetch-api")]
    applied = done(nba, planned)
    sheets = dict(Edge.objects.values_list("key", "sheet__key"))
    assert sheets == {"root-fetch-api": "main", "fetch-api-return": "second"}
    undone(nba, applied)
    assert without_versions(nba) == before


def test_an_edge_that_stood_elsewhere_stays_there(nba: Graph, second: Sheet) -> None:
    Edge.objects.filter(key="fetch-api-return").update(sheet=Sheet.objects.create(graph=nba, key="third", name="Third"))
    planned = one(nba, "move_node", nodeKey="fetch-api", posX=5, posY=6, sheet="second")
    assert shown(planned.operations) == [("update", "node", "fetch-api")]


def test_a_deleted_node_takes_its_edges_and_all_come_back(nba: Graph) -> None:
    before = without_versions(nba)
    planned = one(nba, "delete_node", nodeKey="fetch-api")
    assert shown(planned.operations) == [
        ("delete", "edge", "root-fetch-api"),
        ("delete", "edge", "fetch-api-return"),
        ("delete", "node", "fetch-api"),
    ]
    assert {target.type for target in planned.targets} == {"edge", "node"}
    applied = done(nba, planned)
    undone(nba, applied)
    assert without_versions(nba) == before


def test_a_node_between_two_others(nba: Graph) -> None:
    planned = plan(
        nba,
        ("delete_edge", {"edgeKey": "fetch-api-return"}),
        (
            "create_node_with_edges",
            {
                "typeKey": "html", "sheet": "main", "name": "Retry",
                "edges": [
                    {"direction": "in", "handle": "L-0", "otherKey": "fetch-api", "otherHandle": "R-0"},
                    {"direction": "out", "handle": "R-0", "otherKey": "return", "otherHandle": "L-0", "label": "ok"},
                ],
            },
        ),
    )  # fmt: skip
    assert shown(planned.operations)[1:] == [
        ("create", "node", "retry"),
        ("create", "edge", "fetch-api:R-0--retry:L-0"),
        ("create", "edge", "retry:R-0--return:L-0"),
    ]
    done(nba, planned)
    assert Edge.objects.get(source__key="retry").label == "ok"


def test_an_edge_of_a_new_node_that_cannot_be_refuses_all(nba: Graph) -> None:
    edge = {"direction": "out", "handle": "R-9", "otherKey": "return", "otherHandle": "L-0"}
    told = refused(nba, "create_node_with_edges", typeKey="html", sheet="main", edges=[edge])
    assert "R-9" in told
    assert "R-0" in told


def test_all_problems_are_told_at_once_with_their_places(nba: Graph) -> None:
    asked = [("delete_node", {"nodeKey": f"zebra-{number}"}) for number in range(7)]
    with pytest.raises(Exception, match="And 3 more") as refusal:
        plan(nba, ("move_node", {"nodeKey": "root", "posX": 1, "posY": 1, "sheet": "no"}), *asked)
    assert str(refusal.value).startswith('Action 1 (move_node): There is no sheet "no"')
    assert 'Action 2 (delete_node): There is no node with the key "zebra-0"' in str(refusal.value)


def test_later_actions_see_earlier_ones(nba: Graph) -> None:
    planned = plan(
        nba,
        ("create_node", {**NODE, "key": "a"}),
        ("update_node", {"nodeKey": "a", "updates": {"name": "A"}}),
        ("create_edge", {"sourceKey": "a", "sourceHandle": "R-0", "targetKey": "return", "targetHandle": ""}),
        ("delete_node", {"nodeKey": "root"}),
    )
    assert shown(planned.operations) == [
        ("create", "node", "a"),
        ("create", "edge", "a:R-0--return:"),
        ("delete", "edge", "root-fetch-api"),
        ("delete", "node", "root"),
    ]
    assert planned.operations[0].record["name"] == "A"  # type: ignore[union-attr]
    gone = plan(nba, ("delete_node", {"nodeKey": "fetch-api"}), ("create_node", {**NODE, "key": "fetch-api"}))
    assert not any(isinstance(operation, Delete) and operation.item.type == "node" for operation in gone.operations)


def test_what_is_deleted_cannot_be_used_any_more(nba: Graph) -> None:
    edge = {"sourceKey": "root", "sourceHandle": "", "targetKey": "fetch-api", "targetHandle": ""}
    with pytest.raises(Exception, match="Action 2"):
        plan(nba, ("delete_node", {"nodeKey": "root"}), ("create_edge", edge))
