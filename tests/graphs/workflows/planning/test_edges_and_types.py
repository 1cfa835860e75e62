from typing import Any

import pytest

from graphs.models import Edge, Graph, Node, NodeType, Sheet
from graphs.objects.operations import Target
from tests.graphs.workflows.planning.asking import done, one, plan, refused, shown, without_versions

EDGE = {"sourceKey": "fetch-api", "sourceHandle": "R-1", "targetKey": "return", "targetHandle": "L-1"}
HANDLES = {
    "L": [{"id": "L-0", "type": "in", "accept": "any"}],
    "R": [
        {"id": "R-0", "type": "out", "accept": "any"},
        {"id": "R-1", "type": "out", "accept": "any", "label": "error"},
    ],
}


@pytest.fixture
def handled(nba: Graph) -> Graph:
    """`fetch-api` has handles; the others have none."""
    Node.objects.filter(key="fetch-api").update(handles=HANDLES)
    return nba


def test_an_edge_depends_on_both_its_ends(handled: Graph) -> None:
    planned = one(handled, "create_edge", **EDGE, label="error")
    (operation,) = planned.operations
    assert operation.item.key == "fetch-api:R-1--return:L-1"
    assert operation.record == {  # type: ignore[union-attr]
        "source": "fetch-api", "sourceHandle": "R-1", "target": "return", "targetHandle": "L-1", "label": "error",
        "sheet": "main",
    }  # fmt: skip
    assert set(planned.targets) == {Target("node", "fetch-api", 1), Target("node", "return", 1)}
    done(handled, planned)
    assert Edge.objects.get(key="fetch-api:R-1--return:L-1").label == "error"


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"sourceHandle": "R-7"}, 'has no out handle "R-7". It has: R-0, R-1 (error).'),
        ({"sourceHandle": "L-0"}, 'has no out handle "L-0"'),
        ({"sourceHandle": ""}, "It has: R-0"),
        ({"targetKey": "fetch-api"}, 'has no in handle "L-1". It has: L-0.'),
        ({"targetKey": "zebra"}, 'no node with the key "zebra"'),
        ({"sheet": "nowhere"}, "Sheets: main"),
    ],
)
def test_an_edge_that_would_lead_nowhere_is_refused(handled: Graph, changed: dict[str, str], told: str) -> None:
    assert told in refused(handled, "create_edge", **{**EDGE, **changed})


def test_a_handle_may_be_named_with_its_side_or_not_at_all_where_there_is_one(handled: Graph) -> None:
    Node.objects.filter(key="return").update(handles=HANDLES)
    planned = one(handled, "create_edge", **{**EDGE, "sourceHandle": "R-R-1", "targetHandle": ""})
    assert planned.operations[0].item.key == "fetch-api:R-1--return:L-0"


def test_no_edge_leads_from_a_node_to_itself(handled: Graph) -> None:
    to_itself = EDGE | {"targetKey": "fetch-api", "targetHandle": "L-0"}
    assert '"fetch-api" cannot lead to itself' in refused(handled, "create_edge", **to_itself)


def accepting(wanted: str, given: str = "any") -> None:
    """`return` accepts only this, `fetch-api` gives that."""
    Node.objects.filter(key="return").update(handles={"L": [{"id": "L-1", "type": "in", "accept": wanted}]})
    Node.objects.filter(key="fetch-api").update(handles={"R": [{"id": "R-1", "type": "out", "accept": given}]})


@pytest.mark.parametrize(
    ("wanted", "given"), [("any", "msg"), ("", "any"), ("api-call", "any"), ("msg", "msg"), ("main", "any")]
)
def test_a_handle_takes_what_it_accepts(handled: Graph, wanted: str, given: str) -> None:
    """A type of nodes, or a kind of values, which the other handle may leave open."""
    accepting(wanted, given)
    assert one(handled, "create_edge", **EDGE).operations


@pytest.mark.parametrize(("wanted", "given"), [("entryType", "any"), ("own", "any"), ("used", "any"), ("a", "b")])
def test_a_handle_takes_nothing_else(handled: Graph, wanted: str, given: str) -> None:
    """A built-in type, one of the workspace, one that only nodes have, another kind of values."""
    NodeType.objects.create(workspace=handled.workspace, key="own", display_name="Own")
    Node.objects.filter(key="root").update(type="used")
    accepting(wanted, given)
    told = refused(handled, "create_edge", **EDGE)
    assert f'"L-1" of "return" accepts {wanted} only; "fetch-api" is of the type api-call' in told


def test_an_end_without_a_handle_of_the_direction_is_told(nba: Graph) -> None:
    Node.objects.filter(key="return").update(handles={"L": HANDLES["L"]})
    assert "no edge can leave it" in refused(nba, "create_edge", **{**EDGE, "sourceKey": "return"})
    Node.objects.filter(key="return").update(type="note")
    assert "note" in refused(nba, "create_edge", **EDGE)


def test_the_same_edge_is_not_made_twice(handled: Graph) -> None:
    same = {**EDGE, "sourceHandle": "R-0", "targetHandle": "L-0"}
    assert '"fetch-api-return"' in refused(handled, "create_edge", **same)
    with pytest.raises(Exception, match="Action 2"):
        plan(handled, ("create_edge", EDGE), ("create_edge", EDGE))


def test_an_edge_key_that_is_taken_gets_a_number(handled: Graph) -> None:
    Edge.objects.filter(key="fetch-api-return").update(key="fetch-api:R-1--return:L-1")
    assert one(handled, "create_edge", **EDGE).operations[0].item.key == "fetch-api:R-1--return:L-1-2"


def test_an_edge_between_two_sheets_stands_on_that_of_its_source(handled: Graph) -> None:
    other = Sheet.objects.create(graph=handled, key="second", name="Second")
    Node.objects.filter(key="return").update(sheet=other)
    assert one(handled, "create_edge", **EDGE).operations[0].record["sheet"] == "main"  # type: ignore[union-attr]


def test_people_label_edges(nba: Graph) -> None:
    planned = one(nba, "update_edge", edgeKey="root-fetch-api", label="go")
    assert planned.targets == (Target("edge", "root-fetch-api", 1),)
    done(nba, planned)
    assert Edge.objects.get(key="root-fetch-api").label == "go"
    assert "no edge" in refused(nba, "update_edge", edgeKey="root", label="go")
    assert "no edge" in refused(nba, "delete_edge", edgeKey="root")


def test_a_type_is_created_used_changed_and_deleted(nba: Graph) -> None:
    before = without_versions(nba)
    new_type = {"mode": "create", "displayName": "Wait a bit", "handles": HANDLES, "process": "sleep(1)"}
    node = {"typeKey": "wait", "sheet": "main", "posX": 0, "posY": 0, "key": "w"}
    planned = plan(nba, ("configure_node_type", {**new_type, "typeKey": "wait"}), ("create_node", node))
    assert shown(planned.operations) == [("create", "nodeType", "wait"), ("create", "node", "w")]
    assert planned.operations[1].record["handles"] == HANDLES  # type: ignore[union-attr]
    done(nba, planned)

    patches = [{"search": "1", "replace": "2"}]
    changed = one(nba, "configure_node_type", mode="update", typeKey="wait", processPatches=patches, icon="clock")
    assert changed.operations[0].new == {"icon": "clock", "process": "sleep(2)"}  # type: ignore[union-attr]
    done(nba, changed)
    assert Node.objects.get(key="w").handles == HANDLES

    assert "in: nba" in refused(nba, "delete_node_type", typeKey="wait")
    done(nba, one(nba, "delete_node", nodeKey="w"))
    done(nba, one(nba, "delete_node_type", typeKey="wait"))
    assert not NodeType.objects.exists()
    assert without_versions(nba) == before


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"mode": "create", "displayName": "Note", "typeKey": "note"}, "already"),
        ({"mode": "create", "displayName": "Mine", "typeKey": "mine"}, "already"),
        ({"mode": "update", "displayName": "Note", "typeKey": "note"}, "built in"),
        ({"mode": "update", "displayName": "X", "typeKey": "api-call"}, "no node type"),
        ({"mode": "update", "displayName": "Theirs", "typeKey": "theirs"}, "no node type"),
        ({"mode": "update", "displayName": "Mine", "typeKey": "mine"}, "Nothing would change"),
    ],
)
def test_types_that_cannot_be_so_are_refused(
    nba: Graph, other_workspace: Any, arguments: dict[str, Any], told: str
) -> None:
    NodeType.objects.create(workspace=nba.workspace, key="mine", display_name="Mine")
    NodeType.objects.create(workspace=other_workspace, key="theirs", display_name="Theirs")
    assert told in refused(nba, "configure_node_type", **arguments)


def test_a_new_type_gets_a_free_key(nba: Graph) -> None:
    NodeType.objects.create(workspace=nba.workspace, key="wait", display_name="Wait")
    keys = [
        one(nba, "configure_node_type", mode="create", displayName=name).operations[0].item.key
        for name in ("Wait", "Note", "等待")
    ]
    assert keys == ["wait-2", "note-2", "type"]


def test_a_type_that_another_graph_uses_stays(nba: Graph) -> None:
    NodeType.objects.create(workspace=nba.workspace, key="wait", display_name="Wait")
    other = Graph.objects.create(workspace=nba.workspace, key="other", name="Other")
    Node.objects.create(graph=other, sheet=Sheet.objects.create(graph=other, key="s", name="S"), key="n", type="wait")
    assert "in: other" in refused(nba, "delete_node_type", typeKey="wait")
    assert "no node type" in refused(nba, "delete_node_type", typeKey="api-call")
    assert "built in" in refused(nba, "delete_node_type", typeKey="html")
