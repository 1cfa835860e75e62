import json
from typing import Any

import pytest

from chat.models import Call, Message, Session, Summary
from chat.prompts.round_messages import round_of
from chat.providers.pieces import Reply
from chat.subjects import tools
from chat.subjects.tools import ParsedCall
from chat.tools.tool import ToolContext
from graphs.objects.refs import Ref
from tests import conversations
from tests.seeded import World, world

ROWS = [{"key": f"node-{n}", "note": "x" * 90} for n in range(100)]
TEXT = "".join(f"{n} " for n in range(4_000))


@pytest.fixture
def here(db: None) -> World:
    return world()


def said(session: Session, position: int, call_id: str, result: dict[str, Any]) -> Message:
    rounds = [round_of(Reply(text="t"), [Call(call_id, "x", {}, result, "ok", "{}")])]
    return Message.objects.create(session=session, sequence=position, role=Message.Role.ASSISTANT, rounds=rounds)


@pytest.fixture
def context(here: World) -> ToolContext:
    """Alice's conversation, with two results; Charlie has one too."""
    session = conversations.empty(here.alice, Ref("graph", "nba"))
    said(session, 2, "call-1", {"nodes": ROWS, "node": {"a/b": TEXT}})
    said(conversations.empty(here.charlie), 2, "call-9", {"secret": "s"})
    return ToolContext(here.alice, here.nba, session.pk)


def read(context: ToolContext, tool: str = "read_tool_result", **arguments: Any) -> dict[str, Any]:
    call = tools.parse(tool, json.dumps(arguments), [tool])
    assert isinstance(call, ParsedCall), call
    return tools.run(call, context)


def test_rows_are_read_on_until_there_are_none(context: ToolContext) -> None:
    rows, offset = [], 5
    while offset is not None:
        page = read(context, callId="call-1", path="/nodes", offset=offset)
        rows += page["rows"]
        offset = page.get("nextOffset")
    assert rows == ROWS[5:]


def test_a_text_is_read_on_until_its_end(context: ToolContext) -> None:
    text, offset = "", 0
    while offset is not None:
        page = read(context, callId="call-1", path="/node/a~1b", offset=offset)
        text, offset = text + page["text"], page.get("nextOffset")
    assert text == TEXT


def test_the_whole_result_and_one_row_are_read_as_json(context: ToolContext) -> None:
    assert read(context, callId="call-1")["text"].startswith('{"node":{"a/b":"0 1 ')
    assert json.loads(read(context, callId="call-1", path="/nodes/7")["text"]) == ROWS[7]


@pytest.mark.parametrize("path", ["/nope", "/nodes/100", "/nodes/-1", "/nodes/x", "/node/a~1b/0", "nodes", "/nodes//"])
def test_a_wrong_path_is_told(context: ToolContext, path: str) -> None:
    assert "error" in read(context, callId="call-1", path=path)


def test_results_of_other_conversations_are_as_none(context: ToolContext, here: World) -> None:
    foreign, none = read(context, callId="call-9"), read(context, callId="call-8")
    assert str(foreign).replace("call-9", "call-8") == str(none)
    assert "error" in read(ToolContext(here.alice, None), callId="call-1")


@pytest.mark.parametrize("offset", [1, 2, 10**30])
def test_there_are_no_earlier_messages_behind_the_last(context: ToolContext, offset: int) -> None:
    Summary.objects.create(session_id=context.session_id, sequence=3, tokens_before=2, tokens_after=1)
    assert [each["message"] for each in read(context, "read_earlier_messages")["messages"]] == [2]
    assert read(context, "read_earlier_messages", offset=offset) == {"messages": []}


def test_every_call_of_a_message_can_be_read(context: ToolContext) -> None:
    calls = [Call(f"c{n}", "x", {}, {"a": n}, "ok", "{}") for n in range(45)]
    Message.objects.filter(session=context.session_id, sequence=2).update(rounds=[round_of(Reply(), calls)])
    Summary.objects.create(session_id=context.session_id, sequence=3, tokens_before=2, tokens_after=1)
    (listed,) = read(context, "read_earlier_messages")["messages"]
    assert (len(listed["toolCalls"]), listed["totalCalls"]) == (20, 45)
    seen, start = [], 0
    while start is not None:
        page = read(context, "read_earlier_messages", message=2, fromCall=start)
        seen += [each["callId"] for each in page["toolCalls"]]
        start = page.get("nextFromCall")
    assert seen == [each.id for each in calls]
    assert read(context, "read_earlier_messages", message=2, fromCall=10**30)["toolCalls"] == []
