import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.subjects import tools
from chat.subjects.registered_subjects import subject_of
from chat.subjects.tools import CallRefused, ParsedCall, parse, specs
from chat.tools.comparing import COMPARE_VERSIONS
from chat.tools.conversation_search import SEARCH_CONVERSATIONS
from chat.tools.object_reading import READ_TOOLS
from graphs.models import Role

SEED_TOOLS = {
    "read_graph_overview": {"graphKey"},
    "search_nodes": {"query", "sheetId", "maxResults"},
    "explore_neighborhood": {"nodeKey", "maxDepth", "direction"},
    "read_node_detail": {"nodeKey"},
    "read_node_config": {"typeKey"},
    "list_available_node_types": set(),
    "list_node_edges": {"nodeKey", "direction"},
    "read_subgraph": {"nodeKeys", "fields", "includeEdges", "includeTypes"},
}
OF_EVERY_CONVERSATION = {"read_tool_result": {"callId", "path", "offset"}}
OF_LONG_CONVERSATIONS = {"read_earlier_messages": {"offset", "message", "fromCharacter", "fromCall"}}
OF_OBJECTS = {tool.name for tool in (*READ_TOOLS, COMPARE_VERSIONS, SEARCH_CONVERSATIONS)}

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=10,
)
arguments = (
    st.text()
    | json_values.map(json.dumps)
    | st.dictionaries(st.sampled_from(sorted(set().union(*SEED_TOOLS.values()))), json_values).map(json.dumps)
)


def refusal(name: str, text: str) -> str:
    found = parse(name, text, tools.by_name())
    assert isinstance(found, CallRefused)
    return found.message


def test_it_offers_the_read_tools_with_their_arguments() -> None:
    offered = {spec.name: set(spec.parameters["properties"]) for spec in specs(Role.VIEWER, subject_of("graph"))}
    expected = SEED_TOOLS | OF_EVERY_CONVERSATION | {"load_object_tools": set()}
    assert offered.keys() == expected.keys()
    assert all(expected[name] <= offered[name] for name in offered)


def test_it_offers_the_same_bytes_every_time() -> None:
    assert repr(specs(Role.EDITOR, subject_of("graph"))) == repr(specs(Role.EDITOR, subject_of("graph")))


def test_it_offers_no_graph_tools_without_a_graph() -> None:
    about_nothing = {spec.name for spec in specs(Role.VIEWER, subject_of(""))}
    assert about_nothing == OF_EVERY_CONVERSATION.keys() | OF_OBJECTS


@pytest.mark.parametrize("role", Role)
def test_it_adds_what_was_loaded_and_what_reads_a_summarised_part_at_the_end(role: Role) -> None:
    def names(type_: str, **added: bool) -> list[str]:
        return [spec.name for spec in specs(role, subject_of(type_), **added)]

    at_once, loaded = names("graph"), names("graph", loaded=True)
    assert not OF_OBJECTS & set(at_once)
    assert loaded[: len(at_once)] == at_once, "a vendor's cache keeps what a request begins with"
    changing = {f"propose_{name}_object" for name in ("update", "create", "delete", "move")}
    of_sheets = {f"propose_{what}_sheet" for what in ("create", "update", "delete")}
    assert set(loaded[len(at_once) :]) == OF_OBJECTS | (changing | of_sheets if role.may_edit else set())
    assert names("graph", summarised=True) == [*at_once, *OF_LONG_CONVERSATIONS]
    assert names("", loaded=True) == names("")


def test_what_is_told_of_loaded_tools_leaves_the_others_as_they_are() -> None:
    subject = subject_of("graph")
    at_once = specs(Role.EDITOR, subject)
    assert specs(Role.EDITOR, subject, loaded=True)[: len(at_once)] == at_once


def test_a_tool_that_is_not_loaded_is_told_how_to_get() -> None:
    def told(role: Role, name: str) -> str:
        offered, loadable = (
            [spec.name for spec in specs(role, subject_of("graph"), loaded=loaded)] for loaded in (False, True)
        )
        found = parse(name, '{"object": "graph:nba"}', offered, loadable)
        assert isinstance(found, CallRefused)
        return found.message

    assert "call load_object_tools first" in told(Role.EDITOR, "propose_delete_object")
    assert "call load_object_tools first" in told(Role.VIEWER, "read_object")
    assert "There is no tool called" in told(Role.VIEWER, "propose_delete_object"), "it would never come"


@pytest.mark.parametrize("spec", specs(Role.EDITOR, subject_of("graph")), ids=lambda spec: spec.name)
def test_it_describes_arguments_in_plain_json_schema(spec) -> None:
    text = json.dumps(spec.parameters)
    assert spec.parameters["type"] == "object"
    assert spec.parameters["additionalProperties"] is False
    for word in ("$ref", "$defs", '"null"', '"title"'):
        assert word not in text


def test_it_parses_a_call() -> None:
    found = parse(
        "explore_neighborhood", '{"nodeKey": "root", "maxDepth": 2, "direction": "outbound"}', tools.by_name()
    )
    assert isinstance(found, ParsedCall)
    assert found.arguments.model_dump() == {"nodeKey": "root", "maxDepth": 2, "direction": "outbound"}


@pytest.mark.parametrize("text", ["", "  ", "{}"])
def test_it_takes_nothing_for_no_arguments(text: str) -> None:
    assert isinstance(parse("list_available_node_types", text, tools.by_name()), ParsedCall)


def test_it_takes_null_for_an_argument_left_out() -> None:
    assert isinstance(parse("search_nodes", '{"query": "x", "sheetId": null}', tools.by_name()), ParsedCall)


def test_it_names_the_tools_there_are_when_one_is_unknown() -> None:
    message = refusal("delete_everything", "{}")
    assert "delete_everything" in message
    assert "search_nodes" in message


def test_it_says_where_json_is_broken() -> None:
    assert "column" in refusal("search_nodes", '{"query": "x"')


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('{"nodeKey": "a", "graph": "b"}', "'graph'"),
        ('{"nodeKey": 5}', "'nodeKey'"),
        ("{}", "'nodeKey'"),
        ('{"nodeKey": ""}', "'nodeKey'"),
        ('{"nodeKey": "a", "offset": "3"}', "'offset'"),
        ('{"nodeKey": "a", "offset": -1}', "'offset'"),
        ('{"node_key": "a"}', "'node_key'"),
    ],
)
def test_it_names_what_does_not_fit_and_what_is_expected(text: str, named: str) -> None:
    message = refusal("read_node_detail", text)
    assert named in message
    assert "nodeKey (required)" in message


@pytest.mark.parametrize(
    "text", ["[]", "5", "null", '"text"', '{"nodeKey": "a\\u0000"}', '{"nodeKey": "\\ud800"}', "NaN"]
)
def test_it_refuses_what_no_tool_could_take(text: str) -> None:
    assert refusal("read_node_detail", text)


@given(st.sampled_from([*SEED_TOOLS, "unknown"]) | st.text(), arguments)
def test_it_never_raises(name: str, text: str) -> None:
    found = parse(name, text, tools.by_name())
    if isinstance(found, CallRefused):
        assert found.message.encode()
    else:
        assert found.tool is tools.by_name()[name]
