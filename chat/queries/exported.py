"""A conversation as an export has it: what people see of its messages, read some at a time."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from chat.models import Message, Session
from chat.queries.answers import tool_calls
from chat.queries.links import MENTION, mentioned, shown_as
from graphs.objects.refs import Ref
from graphs.site.access import Member

#: Messages that are in memory at the same time: one may have a megabyte.
BATCH = 50


@dataclass(frozen=True, slots=True)
class Wanted:
    """What an export has beside what was said."""

    reasoning: bool
    tools: bool


@dataclass(frozen=True, slots=True)
class ExportedMessage:
    """A message; `text` is its content with titles in the places of mentions, `author` who wrote it."""

    message: Message
    author: str
    text: str
    reasoning: str
    tool_calls: tuple[dict[str, Any], ...]
    error: str

    def to_json(self, wanted: Wanted) -> dict[str, Any]:
        """The message as the JSON of an export has it, where mentions stay as they were written."""
        message = self.message
        shown: dict[str, Any] = {
            "id": str(message.pk),
            "role": message.role,
            "author": self.author,
            "status": message.status,
            "createdAt": message.created_at.isoformat(),
            "model": message.model,
            "content": message.content,
        }
        if self.error:
            shown["error"] = self.error
        if wanted.reasoning and message.role == Message.Role.ASSISTANT:
            shown["reasoning"] = self.reasoning
        if wanted.tools and message.role == Message.Role.ASSISTANT:
            shown["toolCalls"] = list(self.tool_calls)
        return shown


def exported(member: Member, session: Session, wanted: Wanted) -> Iterator[ExportedMessage]:
    """The messages of a conversation, the oldest first."""
    last = 0
    while messages := _after(session, last):
        texts = _told(member, messages)
        for message, text in zip(messages, texts, strict=True):
            yield _exported(session, message, text, wanted)
        last = messages[-1].sequence


def _after(session: Session, sequence: int) -> list[Message]:
    seen = session.messages.exclude(role=Message.Role.SYSTEM).exclude(kind=Message.NOTE)
    rows = seen.filter(sequence__gt=sequence).order_by("sequence")
    return list(rows.select_related("run", "author").defer("retrieved", "records")[:BATCH])


def _told(member: Member, messages: list[Message]) -> list[str]:
    links = shown_as(member, mentioned(message.content for message in messages))

    def title(found: Any) -> str:
        link = links.get(Ref(*found.groups()))
        return " ".join(link.title.split()) if link else str(found.group())

    return [MENTION.sub(title, message.content) for message in messages]


def _exported(session: Session, message: Message, text: str, wanted: Wanted) -> ExportedMessage:
    run = getattr(message, "run", None)
    is_answer = message.role == Message.Role.ASSISTANT
    return ExportedMessage(
        message=message,
        author=message.model if is_answer else (message.author or session.owner).get_username(),
        text=text,
        reasoning=message.reasoning if wanted.reasoning else "",
        tool_calls=tuple(tool_calls(message)) if wanted.tools else (),
        error=str((run.error or {}).get("message", "")) if run else "",
    )
