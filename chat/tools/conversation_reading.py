"""The tools that read the conversation itself: what was shortened or summarised in it."""

from typing import Annotated, Any

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _
from pydantic import Field

from chat.models import Message, Summary, calls_of
from chat.tools.authors import Names, names_in
from chat.tools.results import as_json, fitting, next_offset
from chat.tools.tool import SKIPPED, Arguments, ReadTool, ToolContext, ToolFailed
from rag.texts.shortening import cut

#: Characters of one page of a text.
PAGE_CHARS = 6_000
#: Messages of one page, characters of each, and calls that are named with it.
MAX_MESSAGES = 50
LISTED_CHARS = 500
MAX_CALLS = 20


class ResultArguments(Arguments):
    call_id: Annotated[str, Field(min_length=1, max_length=100)]
    path: str = Field("", max_length=1_000, description="JSON Pointer of its note.")
    offset: int = Field(0, ge=0, description=SKIPPED)


class ReadToolResult(ReadTool[ResultArguments]):
    name = "read_tool_result"
    badge = ("read", _("Read on in a result"))
    description = "Reads on in a shortened tool result."
    arguments = ResultArguments
    shown_by_links = False  # What it reads on in is shown where it was given, if it may be.

    def run(self, context: ToolContext, arguments: ResultArguments) -> dict[str, Any]:
        value = _at(_result_of(context, arguments.call_id), arguments.path)
        where = {"callId": arguments.call_id, "path": arguments.path, "offset": arguments.offset}
        if isinstance(value, list):
            rows = fitting(value[arguments.offset :], lambda row: row)
            return where | {"total": len(value), "rows": rows} | next_offset(arguments.offset + len(rows), len(value))
        text = value if isinstance(value, str) else as_json(value)
        part = text[arguments.offset : arguments.offset + PAGE_CHARS]
        return where | {"total": len(text), "text": part} | next_offset(arguments.offset + len(part), len(text))


def _result_of(context: ToolContext, call_id: str) -> Any:
    """What the call gave, as it is stored: the latest, where a vendor used an id again that was no longer sent."""
    answers = _sent_once(context).filter(rounds__contains=[{"toolCalls": [{"id": call_id}]}])
    for rounds in answers.order_by("-sequence").values_list("rounds", flat=True)[:1]:
        for call in calls_of(rounds):
            if call.id == call_id:
                return call.result
    raise ToolFailed(f"No tool call of this conversation has the id {call_id!r}.")


def _at(value: Any, path: str) -> Any:
    """The part of a value that a JSON Pointer (RFC 6901) names; raises `ToolFailed` where there is none."""
    for token in path.split("/")[1:]:
        key = token.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and key.isascii() and key.isdigit() and int(key) < len(value):
            value = value[int(key)]
        else:
            raise ToolFailed(f"There is nothing at {path!r} in this result.")
    if path and not path.startswith("/"):
        raise ToolFailed(f"{path!r} is no JSON Pointer: it begins with a slash, or is left out for the whole result.")
    return value


class EarlierArguments(Arguments):
    offset: int = Field(0, ge=0, description=SKIPPED)
    message: int | None = Field(None, ge=1, description="Only this number, in full.")
    from_character: int = Field(0, ge=0, description="Of message.")
    from_call: int = Field(0, ge=0, description="Of message.")


class ReadEarlierMessages(ReadTool[EarlierArguments]):
    name = "read_earlier_messages"
    badge = ("list", _("Read earlier messages"))
    description = "Reads earlier messages that are summarised, first ones first."
    arguments = EarlierArguments

    def run(self, context: ToolContext, arguments: EarlierArguments) -> dict[str, Any]:
        summary = Summary.objects.filter(session=context.session_id).last()
        if summary is None:
            return {"messages": [], "note": "Nothing was summarised: you see every message of this conversation."}
        earlier = _sent_once(context).filter(sequence__lte=summary.sequence)
        names = names_in(summary.session_id)
        if arguments.message is not None:
            return _in_full(earlier.filter(sequence=arguments.message).first(), arguments, names)
        total = earlier.count()
        skipped = min(arguments.offset, total)  # PostgreSQL knows no number of any length
        rows = fitting(list(earlier[skipped : skipped + MAX_MESSAGES]), lambda message: _row(message, names))
        return {"messages": rows} | next_offset(skipped + len(rows), total)


def _sent_once(context: ToolContext) -> QuerySet[Message]:
    """What a model of this conversation may see; not what the person left out."""
    messages = Message.objects.filter(session=context.session_id, kind=Message.TEXT, exclude_from_prompt=False)
    return messages.exclude(in_prompt=Message.InPrompt.LEFT_OUT).order_by("sequence")


def _row(message: Message, names: Names) -> dict[str, Any]:
    calls = [call.id for call in calls_of(message.rounds)]
    by_person = message.role == Message.Role.USER
    return {
        "message": message.sequence,
        "from": "person" if by_person else "assistant",
        **({"author": names[message.author_id]} if by_person and names else {}),
        "text": cut(message.content, LISTED_CHARS),
        **({"toolCalls": calls[:MAX_CALLS]} if calls else {}),
        **({"totalCalls": len(calls)} if len(calls) > MAX_CALLS else {}),
    }


def _in_full(message: Message | None, arguments: EarlierArguments, names: Names) -> dict[str, Any]:
    if message is None:
        raise ToolFailed(f"There is no earlier message {arguments.message}. Without `message` they are listed.")
    text = message.content[arguments.from_character : arguments.from_character + PAGE_CHARS]
    shown = _row(message, names) | {"text": text, "totalChars": len(message.content)}
    more = next_offset(arguments.from_character + len(text), len(message.content), "nextFromCharacter")
    return shown | more | _calls(message, arguments)


def _calls(message: Message, arguments: EarlierArguments) -> dict[str, Any]:
    calls = [
        {"callId": call.id, "tool": call.name, "arguments": cut(as_json(call.args), LISTED_CHARS)}
        for call in calls_of(message.rounds)
    ]
    rows = calls[arguments.from_call : arguments.from_call + MAX_CALLS]
    more = next_offset(arguments.from_call + len(rows), len(calls), "nextFromCall")
    return {"toolCalls": rows, "totalCalls": len(calls)} | more


READ_TOOL_RESULT = ReadToolResult()
READ_EARLIER_MESSAGES = ReadEarlierMessages()
