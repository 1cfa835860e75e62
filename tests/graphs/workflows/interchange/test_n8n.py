from typing import Any

import pytest

from graphs.workflows.interchange.parsed_graph import Limits, ParsedGraph, ParsedNode
from tests.graphs.workflows.interchange.samples import n8n, n8n_node, parsed, refusal, to


def node(graph: ParsedGraph, key: str) -> ParsedNode:
    return next(node for node in graph.nodes if node.key == key)


def points(graph: ParsedGraph, key: str) -> dict[str, list[str]]:
    return {side: [point["id"] for point in points] for side, points in node(graph, key).handles.items()}


def test_it_makes_keys_of_names() -> None:
    graph = parsed(n8n(n8n_node("On clicking 'execute'"), n8n_node("Été_2"), n8n_node("日本"), n8n_node("😀")))
    assert [node.key for node in graph.nodes] == ["on-clicking-execute", "ete-2", "set", "set-2"]
    assert [node.name for node in graph.nodes] == ["On clicking 'execute'", "Été_2", "日本", "😀"]


def test_it_keeps_what_has_no_column_of_its_own_as_data() -> None:
    entry = n8n_node("A", id="17", disabled=True, notes="n", webhookId="w", parameters={"url": "u"}, typeVersion=4.1)
    [read] = parsed(n8n(entry)).nodes
    assert read.type == "n8n-nodes-base.set"
    assert (read.pos_x, read.pos_y) == (100, 200)
    assert read.data == {
        "id": "17",
        "disabled": True,
        "notes": "n",
        "webhookId": "w",
        "parameters": {"url": "u"},
        "typeVersion": 4.1,
    }


@pytest.mark.parametrize(
    ("parameters", "process", "kept"),
    [
        ({"jsCode": "a()", "mode": "x"}, "a()", {"mode": "x"}),
        ({"functionCode": "b()"}, "b()", {}),
        (
            {"language": "python", "pythonCode": "c()", "jsCode": "old()"},
            "c()",
            {"language": "python", "jsCode": "old()"},
        ),
        ({"url": "u"}, "", {"url": "u"}),
    ],
)
def test_it_puts_code_into_process(parameters: dict[str, Any], process: str, kept: dict[str, Any]) -> None:
    [read] = parsed(n8n(n8n_node("Code", "n8n-nodes-base.code", parameters=parameters))).nodes
    assert read.process == process
    assert read.data["parameters"] == kept


def test_it_makes_notes_of_sticky_notes() -> None:
    parameters = {"content": "## Read me", "width": 500, "color": 3}
    [read] = parsed(n8n(n8n_node("Sticky Note", "n8n-nodes-base.stickyNote", parameters=parameters))).nodes
    assert (read.type, read.key, read.name, read.handles) == ("note", "sticky-note", "Sticky Note", {})
    assert (read.data["content"], read.data["parameters"]) == ("## Read me", {"color": 3})
    assert (read.width, read.height) == (500, 160)


def test_it_connects_main_outputs_on_the_right_with_inputs_on_the_left() -> None:
    graph = parsed(n8n(n8n_node("A"), n8n_node("B"), connections={"A": {"main": [[], to("B", index=2)]}}))
    [edge] = graph.edges
    assert (edge.key, edge.source, edge.source_handle, edge.target, edge.target_handle, edge.sheet) == (
        "a--b",
        "a",
        "main-1",
        "b",
        "main-2",
        "main",
    )
    assert points(graph, "a") == {"L": ["main-0"], "R": ["main-0", "main-1"]}
    assert points(graph, "b") == {"L": ["main-0", "main-2"], "R": ["main-0"]}


def test_it_connects_sub_nodes_from_below() -> None:
    model = n8n_node("Model", "@n8n/n8n-nodes-langchain.lmChatOpenAi")
    connections = {"Model": {"ai_languageModel": [to("Agent", kind="ai_languageModel")]}}
    graph = parsed(n8n(model, n8n_node("Agent", "@n8n/n8n-nodes-langchain.agent"), connections=connections))
    assert points(graph, "model") == {"T": ["ai_languageModel-0"]}
    assert points(graph, "agent") == {"L": ["main-0"], "B": ["ai_languageModel-0"], "R": ["main-0"]}
    assert node(graph, "model").handles["T"][0]["accept"] == "ai_languageModel"
    assert graph.edges[0].source_handle == graph.edges[0].target_handle == "ai_languageModel-0"


@pytest.mark.parametrize("node_type", ["n8n-nodes-base.manualTrigger", "n8n-nodes-base.webhook", "n8n-nodes-base.cron"])
def test_it_gives_triggers_no_input(node_type: str) -> None:
    assert points(parsed(n8n(n8n_node("A", node_type))), "a") == {"R": ["main-0"]}


def test_it_labels_the_outputs_of_a_condition() -> None:
    connections = {"If": {"main": [to("A"), to("A")]}}
    graph = parsed(n8n(n8n_node("If", "n8n-nodes-base.if"), n8n_node("A"), connections=connections))
    assert [edge.label for edge in graph.edges] == ["true", "false"]
    assert [edge.key for edge in graph.edges] == ["if--a", "if--a-2"]
    assert [point["label"] for point in node(graph, "if").handles["R"]] == ["true", "false"]


@pytest.mark.parametrize(
    ("parameters", "labels"),
    [
        (
            {
                "rules": {"values": [{"outputKey": "Yes", "renameOutput": True}, {}]},
                "options": {"fallbackOutput": "extra"},
            },
            ["Yes", "1", "fallback"],
        ),
        ({"rules": {"rules": [{"value2": "opened"}, {"output": 1, "value2": 7}]}}, ["opened", "7"]),
        ({"rules": {"values": [{"outputKey": "x" * 300, "renameOutput": True}]}}, ["x" * 200]),
    ],
)
def test_it_labels_the_outputs_of_a_switch(parameters: dict[str, Any], labels: list[str]) -> None:
    graph = parsed(n8n(n8n_node("S", "n8n-nodes-base.switch", parameters=parameters)))
    assert [point["label"] for point in node(graph, "s").handles["R"]] == labels


def test_the_error_output_of_a_switch_takes_no_rule_its_label() -> None:
    rules = {"rules": [{"value2": "opened"}, {"output": 2, "value2": "closed"}]}
    entry = n8n_node("S", "n8n-nodes-base.switch", parameters={"rules": rules}, onError="continueErrorOutput")
    points = node(parsed(n8n(entry)), "s").handles["R"]
    assert [point["label"] for point in points] == ["opened", "closed", "error"]


@pytest.mark.parametrize("rules", [None, 5, [], {"rules": 5}, {"rules": [5, {"output": "x"}]}, {"values": [5]}])
def test_it_survives_any_rules_of_a_switch(rules: Any) -> None:
    assert parsed(n8n(n8n_node("S", "n8n-nodes-base.switch", parameters={"rules": rules}))).nodes


@pytest.mark.parametrize(("version", "labels"), [(3, ["done", "loop"]), (2, ["loop", "done"])])
def test_it_labels_the_outputs_of_a_loop(version: int, labels: list[str]) -> None:
    graph = parsed(n8n(n8n_node("L", "n8n-nodes-base.splitInBatches", typeVersion=version)))
    assert [point["label"] for point in node(graph, "l").handles["R"]] == labels


def test_it_labels_error_outputs() -> None:
    first = n8n_node("A", "n8n-nodes-base.httpRequest", onError="continueErrorOutput")
    second = n8n_node("If", "n8n-nodes-base.if", onError="continueErrorOutput")
    connections = {"A": {"main": [to("If"), to("If")]}, "If": {"main": [[], [], to("A")]}}
    graph = parsed(n8n(first, second, connections=connections))
    assert [edge.label for edge in graph.edges] == ["", "error", "error"]


def test_it_gives_the_second_node_of_a_name_a_suffix() -> None:
    nodes = (n8n_node("Set", position=[1, 1]), n8n_node("Set"), n8n_node("Set 2"), n8n_node("End"))
    graph = parsed(n8n(*nodes, connections={"Set": {"main": [to("End")]}, "End": {"main": [to("Set")]}}))
    assert [node.name for node in graph.nodes] == ["Set", "Set 3", "Set 2", "End"]
    assert len({node.key for node in graph.nodes}) == 4
    assert [(edge.source, edge.target) for edge in graph.edges] == [("set", "end"), ("end", "set")]
    [warning] = graph.warnings
    assert (warning.code, warning.where) == ("duplicate", "nodes[1]")
    assert '"Set"' in warning.message
    assert '"Set 3"' in warning.message


def test_it_leaves_out_connections_to_nodes_that_do_not_exist() -> None:
    connections = {"A": {"main": [to("A", "gone")]}, "lost": {"main": [to("A", "gone")]}}
    graph = parsed(n8n(n8n_node("A"), connections=connections))
    assert len(graph.edges) == 1
    assert [warning.code for warning in graph.warnings] == ["dangling"] * 3
    assert '"gone"' in graph.warnings[0].message
    assert graph.warnings[1].where == "connections.lost.main[0]"


def test_it_does_not_take_a_suffixed_name_for_the_one_a_connection_means() -> None:
    graph = parsed(n8n(n8n_node("Set"), n8n_node("Set"), connections={"Set 2": {"main": [to("Set")]}}))
    assert graph.edges == ()
    assert [warning.code for warning in graph.warnings] == ["duplicate", "dangling"]


def test_it_keeps_the_names_of_credentials_and_nothing_else_of_them() -> None:
    credentials = {"a": {"id": "1", "name": "Mine"}, "b": "Old", "c": {"name": "Bad", "data": {"password": "hunter2"}}}
    graph = parsed(n8n(n8n_node("A", credentials=credentials)))
    assert graph.nodes[0].data["credentials"] == {"a": "Mine", "b": "Old", "c": "Bad"}
    assert [warning.code for warning in graph.warnings] == ["secret_left_out"]
    assert "hunter2" not in repr(graph)


def test_it_keeps_settings_of_the_workflow_in_the_metadata() -> None:
    graph = parsed(n8n(n8n_node("A"), name="My flow", settings={"a": 1}, staticData={"token": "t"}), filename="x.json")
    assert graph.metadata == {"n8n": {"settings": {"a": 1}}}
    assert graph.name == "My flow"


@pytest.mark.parametrize("connections", [None, {}, {"A": None}, {"A": {"main": None}}, {"A": {"main": [None, []]}}])
def test_it_reads_missing_lists_as_no_connections(connections: Any) -> None:
    document = n8n(n8n_node("A")) | {"connections": connections}
    assert parsed(document).edges == ()


@pytest.mark.parametrize(
    ("connections", "where"),
    [
        ([], "connections"),
        ({"A": []}, "connections.A"),
        ({"A b": {"main": {}}}, 'connections["A b"].main'),
        ({"A": {"main": [5]}}, "connections.A.main[0]"),
        ({"A": {"main": [[5]]}}, "connections.A.main[0][0]"),
        ({"A": {"main": [[{"node": 5}]]}}, "connections.A.main[0][0]"),
        ({"A": {"main": [[{"node": "A", "index": -1}]]}}, "connections.A.main[0][0]"),
        ({"A": {"main": [[{"node": "A", "index": 10**300}]]}}, "connections.A.main[0][0]"),
        ({"A": {"k" * 100: [[{"node": "A"}]]}}, "connections.A.kkk"),
    ],
)
def test_it_names_a_wrong_connection(connections: Any, where: str) -> None:
    problems = refusal(n8n(n8n_node("A")) | {"connections": connections})
    assert problems[0][0].startswith(where)


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"name": 5}, "nodes[0].name"),
        ({"name": "x" * 201}, "nodes[0].name"),
        ({"type": None}, "nodes[0].type"),
        ({"position": [1]}, "nodes[0].position"),
        ({"position": [1, "2"]}, "nodes[0].position[1]"),
        ({"position": [1, 1e9]}, "nodes[0].position[1]"),
        ({"parameters": []}, "nodes[0].parameters"),
    ],
)
def test_it_names_a_wrong_value_of_a_node(changes: dict[str, Any], where: str) -> None:
    assert refusal(n8n(n8n_node("A") | changes))[0][0].startswith(where)


def test_it_refuses_more_nodes_or_connections_than_the_limit() -> None:
    assert "3 nodes" in refusal(n8n(*[n8n_node("A")] * 3), Limits(max_nodes=2))[0][1]
    crowd = n8n(n8n_node("A"), connections={"A": {"main": [to(*["A"] * 11)]}})
    assert refusal(crowd, Limits(max_nodes=1))[0][0] == "connections"


def test_it_lays_out_nodes_without_a_position_below_the_others() -> None:
    first, second = n8n_node("A"), n8n_node("B")
    del second["position"]
    assert parsed(n8n(first, second)).nodes[1].pos_y > 200
