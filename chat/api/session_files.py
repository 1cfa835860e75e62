"""A conversation written as JSON, as Markdown or as PDF, into a file on the disk."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import IO, Any

from django.utils.formats import date_format
from django.utils.timezone import localtime, now
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from chat.models import Message, Session
from chat.queries.exported import ExportedMessage, Wanted, exported
from graphs.pdf.blocks import Block, plain
from graphs.pdf.making import pdf
from graphs.pdf.markdown import as_part, blocks_of, without_html
from graphs.site.access import Member
from graphs.site.temporary_files import written

FORMAT, FORMAT_VERSION = "countersign.conversation", 1
#: Levels of headings that Markdown has of its own: the title, and who wrote a message.
HEADINGS = 2


def write(member: Member, session: Session, format_: str, wanted: Wanted) -> IO[bytes]:
    """An open file with the conversation, from its beginning. Raises `NotMade` where there is no PDF."""
    messages = exported(member, session, wanted)
    if format_ == "pdf":
        return pdf(session.title or _("Conversation"), _blocks(messages), get_language() or "en")
    parts = _json_parts(session, messages, wanted) if format_ == "json" else _markdown_parts(session, messages)
    return written(lambda file: file.writelines(part.encode() for part in parts))


def _json_parts(session: Session, messages: Iterable[ExportedMessage], wanted: Wanted) -> Iterator[str]:
    head = {
        "format": FORMAT,
        "formatVersion": FORMAT_VERSION,
        "id": str(session.pk),
        "title": session.title,
        "context": session.context.to_json() if session.context else None,
        "createdAt": session.created_at.isoformat(),
        "exportedAt": now().isoformat(),
    }
    yield json.dumps(head, ensure_ascii=False)[:-1] + ', "messages": ['
    before = "\n"
    for each in messages:
        yield before + json.dumps(each.to_json(wanted), ensure_ascii=False)
        before = ",\n"
    yield "\n]}\n"


def _markdown_parts(session: Session, messages: Iterable[ExportedMessage]) -> Iterator[str]:
    yield f"# {without_html(' '.join((session.title or _('Conversation')).split()))}\n"
    for each in messages:
        yield f"\n## {_head(each)}\n\n"
        if each.reasoning:
            yield f"**{_('Reasoning')}**\n\n{_quoted(each.reasoning)}\n"
        for call in each.tool_calls:
            yield f"**{call['name']}** ({call['status']})\n\n{_fenced(_pretty(_call(call)), 'json')}\n\n"
        is_answer = each.message.role == Message.Role.ASSISTANT
        yield f"{as_part(each.text, HEADINGS)}\n" if is_answer else _quoted(each.text)
        if each.error:
            yield f"\n{_quoted(each.error)}"


def _blocks(messages: Iterable[ExportedMessage]) -> Iterator[Block]:
    for each in messages:
        yield from plain("speaker", _head(each))
        if each.reasoning:
            yield from plain("note", _("Reasoning"))
            yield from plain("quote", each.reasoning)
        for call in each.tool_calls:
            yield from plain("note", f"{call['name']} ({call['status']})")
            yield from plain("code", _pretty(_call(call)))
        if each.message.role == Message.Role.ASSISTANT:
            yield from blocks_of(each.text)
        else:
            yield from plain("text", each.text)
        if each.error:
            yield from plain("note", each.error)


def _head(each: ExportedMessage) -> str:
    """Who, when, and how an answer ended where that was not its end."""
    who = each.author or _("Assistant")
    when = date_format(localtime(each.message.created_at), "SHORT_DATETIME_FORMAT")
    whole = each.message.status == Message.Status.COMPLETE
    return " · ".join([who, when] if whole else [who, when, each.message.get_status_display()])


def _call(call: dict[str, Any]) -> dict[str, Any]:
    return {"args": call["args"], "result": call["result"]}


def _quoted(text: str) -> str:
    """The text as a quotation: nothing in it can look like another message."""
    part = as_part("\n".join(text.splitlines()), 0)
    return "".join(f"> {line}\n" for line in part.splitlines())


def _pretty(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)


def _fenced(text: str, language: str) -> str:
    """The text as code, by a fence that is longer than any within."""
    longest = max((len(found) for found in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"
