"""Entries of the queue as the API and the page have them."""

from collections.abc import Sequence
from typing import Literal, Self

from chat.queries.links import Link, shown_as
from chat.queue.entry import Entry, State
from graphs.objects.refs import ObjectName
from graphs.site.access import Member
from graphs.site.shapes import AsItIs, Moment, Shape


class ProgressShape(Shape):
    done: int
    total: int


class EntryShape(Shape):
    """What runs or waits. Of a conversation that one may not read only whose it is, its state, and why it waits."""

    id: str
    kind: Literal["answer", "generation", "embedding", "import"]
    state: AsItIs[State]
    since: Moment
    person: str
    own: bool
    reason: str
    progress: ProgressShape | None
    title: str
    object: AsItIs[ObjectName | None]
    object_title: str
    url: str
    stream_id: str | None
    session_id: str | None
    message_id: str | None
    model: str
    cost: str | None
    may_cancel: bool
    may_retry: bool

    @classmethod
    def of(cls, entry: Entry, link: Link | None) -> Self:
        progress, cost = entry.progress, entry.cost
        return cls.from_attributes(
            entry,
            progress=ProgressShape(done=progress.done, total=progress.total) if progress else None,
            object=entry.object.to_json() if entry.object else None,
            object_title=link.title if link else "",
            url=link.url if link else "",
            stream_id=entry.stream,
            cost=None if cost is None else f"{cost:f}",
        )


def entries_json(member: Member, entries: Sequence[Entry]) -> list[EntryShape]:
    """Entries as the API and the page have them, with the titles of objects that the member may see."""
    links = shown_as(member, [entry.object for entry in entries if entry.object])
    return [EntryShape.of(entry, links.get(entry.object) if entry.object else None) for entry in entries]
