import json
import os
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from chat.providers.estimating import MESSAGE_TOKENS
from graphs.models import NodeType
from rag.texts.tables import decode
from tests.chat.providers.demo.conversing import Conversation
from tests.registered import pin, pins
from tests.seeded import CANARY, World, world


@pytest.fixture
def here(db: None) -> World:
    return world()


def output(*command: str) -> str:
    out = StringIO()
    call_command(*command, "--workspace", "demo", stdout=out)
    assert CANARY not in out.getvalue()
    return out.getvalue()


def test_it_shows_the_context_of_a_question(here: World) -> None:
    text = output("dump_context", "Que fait le node fetch-api ?", "--graph", "nba")
    assert text.index("  fetch-api") < text.index("  filter-active")
    assert "fetch-api:R-1 -> error-handler:L-0  error" in text


def test_it_shows_every_tool_with_an_answer(here: World) -> None:
    text = output("dump_tools", "--graph", "order-to-cash")
    assert (text.count("--- "), text.count(" (later: ")) == (34, 14)
    assert "tokens of the 20 offered at once" in text
    assert "anthropic" in text.splitlines()[-1]
    assert '"error"' not in text
    assert "refused" not in text


def test_it_shows_the_whole_prompt_with_sizes(here: World) -> None:
    text = output("dump_prompt", "what does fetch-api do?", "--graph", "nba", "--role", "viewer")
    assert "The person is a viewer" in text
    assert "fetch-api,Fetch players" in text
    assert "tokens" in text


def test_tools_of_the_web_are_told_and_not_tried(here: World, settings: Any) -> None:
    settings.SEARCH_PROVIDER = "demo"
    found = document("dump_tools", "--graph", "nba")
    told = {tool["name"]: tool for tool in found["tools"]}
    assert "sent" in told["web_extract"]
    assert not any("result" in told[name] for name in ("web_search", "web_extract"))


@pytest.mark.parametrize("command", [("dump_context", "x"), ("dump_tools",), ("dump_prompt", "x")])
def test_it_says_when_there_is_no_such_graph(here: World, command: tuple[str, ...]) -> None:
    with pytest.raises(CommandError, match='no graph "nowhere" in the workspace "demo"'):
        output(*command, "--graph", "nowhere")


def test_they_take_objects_of_any_kind(here: World) -> None:
    NodeType.objects.create(workspace=here.alice.workspace, key="step", display_name="A step")
    named = ("--object", "nodeType:step")
    assert "A step" in output("dump_context", "x", *named)
    assert document("dump_context", "x", *named)["object"] == "nodeType:step"
    prompt = document("dump_prompt", "what is it?", *named)
    assert any("The record of nodeType:step now" in str(part) for part in prompt["body"]["messages"])
    tools = {tool["name"]: tool for tool in document("dump_tools", *named)["tools"]}
    assert "A step" in tools["read_object"]["told"]
    assert "read_node_detail" not in tools
    with pins():
        spring = pin(here.alice.workspace, "spring")
        assert "spring" in output("dump_context", "x", "--object", f"pin:{spring.pk}")
        assert "spring" in output("dump_tools", "--object", f"pin:{spring.pk}")
        assert '"error"' not in output("dump_tools", "--graph", "nba")


@pytest.mark.parametrize(
    ("named", "said"),
    [
        (("--object", "nodeType:nowhere"), 'no nodeType "nowhere" in the workspace "demo"'),
        (("--object", "nodeType:api-call-of-others"), "no nodeType"), (("--object", "planet:x"), "no planet"),
        (("--object", "nba"), "type:key"), (("--object", ""), "required"), ((), "required"),
        (("--object", "graph:nba", "--graph", "nba"), "not allowed"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("command", [("dump_context", "x"), ("dump_tools",), ("dump_prompt", "x")])
def test_a_wrong_name_of_an_object_is_refused(
    here: World, command: tuple[str, ...], named: tuple[str, ...], said: str
) -> None:
    NodeType.objects.create(workspace=here.charlie.workspace, key="api-call-of-others", display_name=CANARY)
    with pytest.raises(CommandError, match=said):
        output(*command, *named)


def test_what_a_shell_of_another_encoding_gives_is_refused(here: World) -> None:
    latin = os.fsdecode(b"caf\xe9")
    with pytest.raises(CommandError, match="given as query is no text in UTF-8"):
        output("dump_context", latin, "--graph", "nba")
    with pytest.raises(CommandError, match="given as graph is no text in UTF-8"):
        output("dump_prompt", "x", "--graph", latin)


def document(*command: str) -> Any:
    return json.loads(output(*command, "--json"))


def test_a_request_has_the_same_tokens_where_it_is_shown_and_where_it_is_recorded(here: World) -> None:
    conversation = Conversation(here.alice, here.nba)
    conversation.ask("What happens after fetch-api?")
    found = document("dump_prompt", "What happens after fetch-api?", "--graph", "nba", "--user", "alice")
    assert found["tokens"] == conversation.recorded[0]
    assert found["levels"][0]["tokens"] == document("dump_tools", "--graph", "nba")["tokens"]["counted"]
    sizes = [level["tokens"] for level in found["levels"]]
    assert 0 <= found["tokens"] - sum(sizes) - MESSAGE_TOKENS * 2 <= 1  # the blank line between context and question


def test_it_says_why_each_node_is_there_and_how_many_tokens_they_take(here: World) -> None:
    found = document("dump_context", "Que fait le node fetch-api ?", "--graph", "nba")
    first = found["nodes"][0]
    assert (first["key"], first["by"][:2]) == ("fetch-api", ["name", "words"])
    scores = [node["score"] for node in found["nodes"]]
    assert scores[1:] == sorted(scores[1:], reverse=True)
    assert any(node["by"] == ["links"] for node in found["nodes"])
    assert found["tokens"]["sent"] <= min(found["tokens"]["json"], found["tokens"]["toon"])
    assert "the question finds nothing" in output("dump_context", "zzzz", "--graph", "nba")


@pytest.mark.parametrize(
    ("wire", "names"),
    [
        ("openai", lambda tool: (tool["function"]["name"], tool["function"]["parameters"])),
        ("openai-responses", lambda tool: (tool["name"], tool["parameters"])),
        ("anthropic", lambda tool: (tool["name"], tool["input_schema"])),
    ],
)
def test_it_shows_the_tools_as_each_wire_has_them(here: World, wire: str, names: Any) -> None:
    found = document("dump_tools", "--graph", "nba", "--wire", wire)
    assert found["wire"] == wire
    for tool in found["tools"]:
        name, schema = names(tool["sent"])
        assert name == tool["name"]
        assert schema["type"] == "object"
    reading = next(tool for tool in found["tools"] if tool["name"] == "read_node_detail")
    assert reading["result"]["node"]["key"] == reading["arguments"]["nodeKey"]
    assert decode(reading["told"]) == reading["result"]
    assert reading["characters"] == len(reading["told"]) < len(json.dumps(reading["result"]))


def test_it_shows_the_request_with_its_levels_and_breakpoints(here: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key-of-a-test")
    found = document("dump_prompt", "what does fetch-api do?", "--graph", "nba", "--model", "anthropic")
    assert [level["name"].partition(",")[0] for level in found["levels"]] == [
        "tools", "system prompt", "context of the question", "question",
    ]  # fmt: skip
    assert found["breakpoints"] == [1, 2]
    assert found["body"]["system"][0]["cache_control"] == {"type": "ephemeral"}
    assert "key-of-a-test" not in json.dumps(found)
    with pytest.raises(CommandError, match="needs a key"):
        output("dump_prompt", "x", "--graph", "nba", "--model", "openai")


def test_it_asks_as_who_is_named(here: World) -> None:
    assert "The person is a viewer" in output(
        "dump_prompt", "x", "--graph", "nba", "--user", "alice", "--role", "viewer"
    )
    with pytest.raises(CommandError, match='"charlie" is no member'):
        output("dump_tools", "--graph", "nba", "--user", "charlie")


def test_a_reader_who_has_seen_enough_is_no_error(here: World) -> None:
    """As in `dump_tools --graph nba | head -1`; what is still buffered when the process ends is nobody's, too."""
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as nobody:
        with pytest.raises(SystemExit) as ended:
            call_command("dump_tools", "--graph", "nba", "--workspace", "demo", stdout=nobody)
        nobody.write("the rest")
    assert ended.value.code == 141
