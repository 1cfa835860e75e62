"""What a search shows: messages with the conversation they are in, and changes with the object that they changed."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Literal, Self
from urllib.parse import urlencode

from django.db.models import QuerySet

from chat.models import Message
from chat.queries.links import Link, shown_as
from chat.queries.snippets import named_in, part_with, snippet, texts_of
from chat.searching import messages
from chat.searching.messages import Asked
from graphs.history import queries, searching
from graphs.history.searching import SEARCHED_CHARS
from graphs.models import Modification, Origin, Revision
from graphs.objects.headers import require_seen
from graphs.objects.kinds import KINDS
from graphs.objects.refs import ObjectName, Ref
from graphs.site.access import Member
from graphs.site.shapes import AsItIs, Id, Moment, Shape


class FoundMessageShape(Shape):
    """`owner` is whose conversation it is in, `author` wrote it, where that was somebody else; `url` leads to it, where
    its object has a page."""

    id: Id
    session_id: Id
    title: str
    context: ObjectName | None
    owner: str
    author: str | None
    role: AsItIs[Literal["user", "assistant"]]
    snippet: str
    url: str | None
    created_at: Moment

    @classmethod
    def of(cls, message: Message, told: str, address: str) -> Self:
        session = message.session
        return cls.from_attributes(
            message,
            title=session.title,
            context=session.context.to_json() if session.context else None,
            owner=session.owner.get_username(),
            author=message.author.get_username() if message.author else None,
            snippet=told,
            url=_with(address, session=session.pk, message=message.pk),
        )


class FoundChangeShape(Shape):
    """A change set by the first of its modifications that has the words; `label` is what the object is called."""

    change_set_id: Id
    object: ObjectName
    label: str
    version: int
    item: ObjectName
    field: str
    actor: str
    origin: AsItIs[Origin]
    reason: str
    snippet: str
    url: str | None
    created_at: Moment

    @classmethod
    def of(cls, row: Modification, revision: Revision, told: str, link: Link) -> Self:
        made = row.change_set
        return cls(
            change_set_id=made.pk,
            object=Ref(revision.type, revision.key).to_json(),
            label=link.title or revision.label or revision.key,
            version=row.version,
            item=Ref(row.kind, row.key).to_json(),
            field=row.field,
            actor=made.actor_label,
            origin=made.origin,
            reason=made.reason,
            snippet=told,
            url=link.url or None,
            created_at=made.created_at,
        )


def messages_with(member: Member, asked: Asked) -> tuple[QuerySet[Message], bool]:
    """The messages that the member may read and that have the words, and whether all were looked through."""
    if asked.about is not None:
        require_seen(member, [asked.about])
    return messages.found(messages.texts_for(member), asked)


def changes_with(member: Member, asked: Asked) -> tuple[QuerySet[Modification], bool]:
    """The changes that have the words, of objects that the member may see. Raises `NotFound` for no object."""
    subject = None
    if asked.about is not None:
        require_seen(member, [asked.about])
        subject = queries.subject(member.workspace.pk, asked.about)
    return searching.found(member, asked.words, subject, asked.person, asked.since, asked.until)


def shown_messages(member: Member, rows: Sequence[Message], words: str) -> list[FoundMessageShape]:
    """What is shown of these messages; their objects, and those that are mentioned, are asked for together."""
    parts = [part_with(each.content, words) for each in rows]
    abouts = {about for each in rows if (about := each.session.context)}
    links = _links(member, [*abouts, *named_in(parts)])
    return [
        FoundMessageShape.of(
            each,
            snippet(part, words, links, markdown=each.role == Message.Role.ASSISTANT),
            links[each.session.context].url,
        )
        for each, part in zip(rows, parts, strict=True)
    ]


def shown_changes(member: Member, rows: Sequence[Modification], words: str) -> list[FoundChangeShape]:
    """What is shown of these changes; their objects, and those that are mentioned, are asked for together."""
    revisions = searching.revisions_of(rows)
    refs = {row.pk: Ref(revisions[row.pk].type, revisions[row.pk].key) for row in rows}
    parts = [part_with(_value_with(row, words), words) for row in rows]
    links = _links(member, [*dict.fromkeys(refs.values()), *named_in(parts)])
    return [
        FoundChangeShape.of(
            row, revisions[row.pk], snippet(part, words, links, markdown=_may_be_markdown(row)), links[refs[row.pk]]
        )
        for row, part in zip(rows, parts, strict=True)
    ]


def _links(member: Member, refs: Iterable[Ref]) -> defaultdict[Ref | None, Link]:
    """Titles and addresses in this workspace; both are "" of what is gone, or has no page."""
    found: defaultdict[Ref | None, Link] = defaultdict(lambda: Link("", ""))
    for ref, link in shown_as(member, refs).items():
        found[ref] = replace(link, url=_with(link.url, workspace=member.workspace.slug) or "")
    return found


def _value_with(row: Modification, words: str) -> str:
    """What the modification made, or what was there before, whichever has a word; else what it is about."""
    for value in reversed(searching.sides(row)):
        text = texts_of(value)[:SEARCHED_CHARS]
        if any(word in text.lower() for word in messages.words_in(words)):
            return text
    return ""


def _may_be_markdown(row: Modification) -> bool:
    """Whether the value is a text that people read, and no code."""
    kind = KINDS.get(row.kind)
    field = kind.by_name.get(row.field) if kind else None
    return field is not None and field.form == "text"


def _with(address: str, **named: Any) -> str | None:
    """The address of a page with what it is to open; None without one."""
    return f"{address}{'&' if '?' in address else '?'}{urlencode(named)}" if address else None
