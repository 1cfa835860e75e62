"""What the demo sees of a request: the person's words, the object at hand, tools and results. Called by `answering`.

It reads how messages are built (`[a line]`, data between marks, JSON or TOON), not what their sentences say.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from chat.providers.base import ModelRequest, PromptMessage, ToolCall
from rag.texts.tables import decode

Row = dict[str, Any]
PROPOSE = "propose_"
#: What stands before the words of a person, or in their place: a line in brackets, with data between marks under it.
_GIVEN = re.compile(r"\A\[[^\n]*\](?:\n<data (?P<mark>\w+)>\n(?P<body>.*?)\n</data (?P=mark)>)?(?:\n\n|\Z)", re.DOTALL)
_JSON = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Result:
    """What a call gave; `round` is the number of the message that asked for it."""

    round: int
    tool: str
    arguments: Row
    value: Row


@dataclass(frozen=True, slots=True)
class Seen:
    """`questions` are all that the person asked, the latest last; `results` are what was seen since.

    `next_page` are the arguments that read on in a list that was shown before, if there is more of it. `at_hand` names
    the object that a conversation is about, "type:key", where data about one was given. `late` are decisions about
    earlier proposals that are told last.
    """

    questions: tuple[str, ...]
    results: tuple[Result, ...]
    next_page: Row
    offered: frozenset[str]
    at_hand: str
    late: tuple[Row, ...]


def seen(request: ModelRequest) -> Seen:
    messages = request.messages
    given = {number: _given(each.content) for number, each in enumerate(messages) if each.role == "user"}
    questions = {number: words for number, (words, _data) in given.items() if words}
    last = max(questions, default=-1)
    called = list(_called(messages))
    lists = [each for each in called if each[0] < last and each[1].name == "list_objects"]
    listed = _result(*lists[-1]) if lists else None
    records = [record for data in (given[last][1] if questions else ()) if "fields" in (record := _object_of(data))]
    return Seen(
        questions=tuple(questions.values()),
        results=tuple(_result(*each) for each in called if each[0] > last),
        next_page=_next_page(listed) if listed else {},
        offered=frozenset(tool.name for tool in request.tools) if request.tools_allowed else frozenset(),
        at_hand=str(records[-1].get("object", "")) if records else "",
        late=tuple(_decisions(messages[-1].content)) if len(messages) - 1 in given.keys() - questions.keys() else (),
    )


def _given(text: str) -> tuple[str, list[str]]:
    """What a person wrote, and the data in front of it."""
    given = []
    while found := _GIVEN.match(text):
        text = text[found.end() :]
        given.append(found["body"] or "")
    return text, given


def _called(messages: Sequence[PromptMessage]) -> Iterator[tuple[int, ToolCall, str]]:
    """The calls that have results, each with the number of its message."""
    calls = {call.id: (number, call) for number, each in enumerate(messages) for call in each.tool_calls}
    for message in messages:
        if message.role == "tool" and message.tool_call_id in calls:
            yield *calls[message.tool_call_id], message.content


def _result(number: int, call: ToolCall, content: str) -> Result:
    return Result(number, call.name, _object_of(call.arguments), _object_of(content))


def _next_page(listed: Result) -> Row:
    offset = listed.value.get("nextOffset")
    return listed.arguments | {"offset": offset} if offset else {}


def _object_of(text: str) -> Row:
    """What a text in JSON or TOON says; nothing for any other text."""
    try:
        value = decode(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _decisions(note: str) -> Iterator[Row]:
    """The results of proposals within a note."""
    at = 0
    while (at := note.find('{"', at)) >= 0:
        try:
            value, at = _JSON.raw_decode(note, at)
        except ValueError:
            at += 1
            continue
        if "proposalId" in value:
            yield value
