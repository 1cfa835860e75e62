"""What the demo sees of a request: the person's words, the object at hand, tools and results.

It reads how messages are built (`[a line]`, data between marks, JSON or TOON), not what their sentences say.
"""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from chat.providers.model_request import ModelRequest
from rag.texts.tables import ROWS, decode

Row = dict[str, Any]
#: What stands before the words of a person, or in their place: a line in brackets, with data between marks under it.
_GIVEN = re.compile(r"\A\[[^\n]*\](?:\n<data (?P<mark>\w+)>\n(?P<body>.*?)\n</data (?P=mark)>)?(?:\n\n|\Z)", re.DOTALL)
#: What stands in the place of a person's words where several people write: a line that names one, and theirs.
_AUTHORED = re.compile(r"\A\[[^\n]*\]\n<message (?P<mark>\w+)>\n(?P<body>.*)\n</message (?P=mark)>\Z", re.DOTALL)
#: Where a table begins: TOON indents what is in it, JSON is one line.
_TABLE = re.compile(r"^(?=\S)", re.MULTILINE)
#: What the list of kinds says of one.
_KIND = re.compile(
    r"^- (?P<name>\w+)(?:, held by an? (?P<holder>\w+))?: (?P<fields>.*?)(?: and \d+ more)?"
    r"; its title is (?P<title>\S+?)(?P<without_page>; no page)?$",
    re.MULTILINE,
)
_JSON = json.JSONDecoder()
#: Where the data of a question has objects beside the one at hand.
_WITH_TITLES = ("above", "held", "related")


@dataclass(frozen=True, slots=True)
class KnownKind:
    """A kind of objects: the kind that holds it, "" where none does, its fields, and which of them is its title."""

    holder: str
    fields: tuple[str, ...]
    title: str
    has_page: bool


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

    `answers` is all that was answered before. `next_page` are the arguments that read on in a list that was shown
    before, if there is more of it. `at_hand` names the object that a conversation is about, "type:key", where data
    about one was given; `tables` are all that was given with the latest question. `kinds` are those that were told
    of, by name. `late` are decisions about earlier proposals that are told last.
    """

    questions: tuple[str, ...]
    answers: str
    results: tuple[Result, ...]
    next_page: Row
    offered: frozenset[str]
    at_hand: str
    tables: tuple[Row, ...]
    kinds: dict[str, KnownKind]
    late: tuple[Row, ...]

    @property
    def names(self) -> frozenset[str]:
        """The titles of all that was given with the latest question."""
        given = (row for table in self.tables for name in _WITH_TITLES for row in rows_of(table.get(name)))
        return frozenset(str(row.get("title") or "") for row in (*self.tables, *given))


def seen(request: ModelRequest) -> Seen:
    messages = request.messages
    given = {number: _given(each.content) for number, each in enumerate(messages) if each.role == "user"}
    questions = {number: words for number, (words, _data) in given.items() if words}
    last = max(questions, default=-1)
    calls = {call.id: (number, call) for number, each in enumerate(messages) for call in each.tool_calls}
    answered = [(*calls[each.tool_call_id], each.content) for each in messages if each.tool_call_id in calls]
    results = [Result(at, call.name, object_of(call.arguments), object_of(text)) for at, call, text in answered]
    lists = [each for each in results if each.round < last and each.tool == "list_objects"]
    offset = lists[-1].value.get("nextOffset") if lists else None
    data = given[last][1] if questions else ()
    records = [record for each in data if "fields" in (record := object_of(each))]
    return Seen(
        questions=tuple(questions.values()),
        answers="\n".join(each.content for each in messages if each.role == "assistant"),
        results=tuple(each for each in results if each.round > last),
        next_page=lists[-1].arguments | {"offset": offset} if offset else {},
        offered=frozenset(tool.name for tool in request.tools) if request.tools_allowed else frozenset(),
        at_hand=str(records[-1].get("object", "")) if records else "",
        tables=tuple(object_of(table) for each in data for table in _TABLE.split(each)),
        kinds={
            found["name"]: KnownKind(
                found["holder"] or "", tuple(found["fields"].split(", ")), found["title"], not found["without_page"]
            )
            for text in (messages[0].content, *(str(each.value.get("kinds")) for each in results))
            for found in _KIND.finditer(text)
        },
        late=tuple(_decisions(messages[-1].content)) if len(messages) - 1 in given.keys() - questions.keys() else (),
    )


def _given(text: str) -> tuple[str, list[str]]:
    """What a person wrote, and the data in front of it."""
    given = []
    while found := _GIVEN.match(text):
        text = text[found.end() :]
        given.append(found["body"] or "")
    authored = _AUTHORED.match(text)
    return authored["body"] if authored else text, given


def rows_of(value: Any) -> list[Row]:
    """The rows of a table, those of groups with what they have in common; without what is none."""
    rows = [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []
    return [{**row, **own} for row in rows for own in (_rows_in(row) if ROWS in row else [{}])]


def _rows_in(group: Row) -> list[Row]:
    return [row for row in group[ROWS] if isinstance(row, dict)] if isinstance(group[ROWS], list) else []


def object_of(text: str) -> Row:
    """What a text in JSON or TOON says; nothing for any other text."""
    with suppress(ValueError):
        if isinstance(value := decode(text), dict):
            return value
    return {}


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
