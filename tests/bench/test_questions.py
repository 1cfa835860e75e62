import json
from typing import Any

import psutil
import pytest

from bench import vendor
from bench.question_doors import place_of
from bench.question_scenes import DOORS, SCENES, Scene, large_graph
from bench.systems import System
from graphs.workflows.interchange.formats import parse
from graphs.workflows.interchange.parsed_graph import Limits

TOOL = Scene("one read tool", "socket", "graph:nba", tool=("read_node_detail", {"nodeKey": "fetch-api"}))


def named(name: str) -> System:
    return System(name, psutil.Popen(["true"]), 0)


def called(*messages: dict[str, Any]) -> Any:
    body = json.dumps({"messages": messages}).encode()
    found = vendor._called(body)
    return (
        json.loads(found.partition(b"data: ")[2])["choices"][0]["delta"]["tool_calls"][0]["function"] if found else None
    )


def test_the_vendor_calls_a_tool_once_and_then_writes() -> None:
    asked = {"role": "user", "content": TOOL.next_text()}
    function = called(asked)
    assert (function["name"], json.loads(function["arguments"])) == ("read_node_detail", {"nodeKey": "fetch-api"})
    assert called(asked, {"role": "assistant", "content": ""}, {"role": "tool", "content": "{}"}) is None
    assert called({"role": "user", "content": vendor.question(2, 500)}) is None


def test_no_question_is_asked_twice() -> None:
    assert len({TOOL.next_text() for _ in range(100)}) == 100


@pytest.mark.parametrize(
    ("name", "asked"),
    [("product", len(SCENES)), ("before", len(SCENES) - 2), ("view", 1), ("reference", 1), ("chainlit", 2)],
)
def test_systems_are_asked_what_they_can_answer(name: str, asked: int) -> None:
    assert sum(scene.possible(named(name)) for scene in SCENES) == asked


def test_each_kind_of_question_is_asked_through_both_doors() -> None:
    asked = {(scene.door, scene.new, scene.about, scene.tool[0] if scene.tool else "") for scene in SCENES}
    abouts = ("", "graph:nba", "graph:large", "nodeType:filter")
    tools = ("read_node_detail", "propose_update_node")
    for door in DOORS:
        assert {(door, True, about, "") for about in abouts} <= asked
        assert {(door, True, "graph:nba", tool) for tool in tools} <= asked
        assert (door, False, "graph:nba", "") in asked


def test_a_question_goes_into_its_conversation_or_begins_one() -> None:
    known = Scene("known", "socket", "graph:nba", new=False)
    assert place_of(TOOL, "s") == place_of(known, "") == {"context": {"type": "graph", "id": "nba"}}
    assert place_of(known, "s") == {"sessionId": "s"}
    assert place_of(Scene("new", "socket"), "s") == {}


def test_the_large_graph_can_be_imported() -> None:
    parsed = parse(large_graph(), "auto", Limits(), "large.json")
    assert (parsed.key, len(parsed.nodes), len(parsed.edges)) == ("large", 10_000, 9_999)
