"""An entry of the queue, and what every source of entries can do."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Literal, Protocol

from graphs.objects.refs import Ref
from graphs.site.access import Member

#: "paused" waits for somebody to let it go on; "failed" for being tried again.
State = Literal["running", "waiting", "paused", "failed"]
#: Where an entry stands in the list: moment and id.
Place = tuple[datetime, str]
#: What failed is listed so long; its conversation, or the page of its object, tells of it later, too.
FAILED_FOR = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Progress:
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Entry:
    """What runs or waits, as one member may know of it.

    `title`, `object` and what follows are empty where that would tell of somebody else's conversation. `person` is
    whose it is, "" for what belongs to the workspace. `reason` says why it does not get on.
    """

    kind: str
    key: str
    state: State
    since: datetime
    person: str = ""
    own: bool = False
    reason: str = ""
    progress: Progress | None = None
    may_cancel: bool = False
    may_retry: bool = False
    title: str = ""
    object: Ref | None = None
    stream: str | None = None
    session_id: str | None = None
    message_id: str | None = None
    model: str = ""
    cost: Decimal | None = None

    @property
    def id(self) -> str:
        return f"{self.kind}:{self.key}"

    @property
    def place(self) -> Place:
        return self.since, self.id


class Source(Protocol):
    """Tells entries of one kind. Whatever is not there for the member raises `NotFound`."""

    kind: str

    def entries(self, member: Member, after: Place | None, most: int) -> Sequence[Entry]:
        """The first so many after a place, in the order of their places."""

    def cancel(self, member: Member, key: str) -> None:
        """Ends it, or has it wait; raises `Forbidden`, or `Refused` "conflict" for what has ended by itself."""

    def retry(self, member: Member, key: str) -> None:
        """Has it tried again, or go on; raises `Forbidden`, or `Refused` "conflict" where there is nothing to try."""
