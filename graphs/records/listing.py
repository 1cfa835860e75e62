"""Records of a workspace as their lists show them: searched, filtered, in an order, a page at a time."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import CharField, Count, F, QuerySet, Value
from django.urls import reverse

from graphs.models import Object, Workspace
from graphs.models.records import Status
from graphs.objects.headers import children_of, listed, parent_of
from graphs.objects.kinds import Kind
from graphs.objects.word_search import MOST_WORDS, having_words, words_of
from graphs.records.kinds import COMPANY, FOLDER, USE_CASE
from graphs.site.access import Member

KINDS_OF_RECORDS = (COMPANY, FOLDER, USE_CASE)
MAX_SEARCH_CHARS = 200
#: What lists may be ordered by, with the columns that pages are cut by.
ORDERS: Mapping[str, tuple[str, ...]] = {
    "name": ("name", "id"),
    "status": ("status", "name", "id"),
    "changed": ("updated_at", "name", "id"),
}
#: Holders that a list offers to choose from.
HOLDERS = 500
#: Records that the home page shows.
LATEST = 5


@dataclass(frozen=True, slots=True)
class Asked:
    """What of a kind a list is to show. `order` is one of `ORDERS`, with a minus in front descending.

    `is_in_nothing` where what is to hold them is not there: then there are none, else it would be all of the workspace.
    """

    search: str = ""
    status: str = ""
    holder: Object | None = None
    is_in_nothing: bool = False
    order: str = "name"

    @property
    def ordering(self) -> tuple[str, ...]:
        """The columns of the order, for pages."""
        columns = ORDERS[self.order.removeprefix("-")]
        return tuple(f"-{column}" for column in columns) if self.order.startswith("-") else columns

    @property
    def descending(self) -> str:
        """The order that is turned round; "" if it is not."""
        return self.order.removeprefix("-") if self.order.startswith("-") else ""


@dataclass(frozen=True, slots=True)
class ListedRecord:
    """A row of a list. `held` is how much it holds of each kind, with what these are called."""

    key: str
    name: str
    url: str
    status: str
    changed: datetime
    holder: str = ""
    holder_url: str = ""
    held: Sequence[tuple[str, int]] = ()


def matching(member: Member, kind: Kind, asked: Asked) -> QuerySet[Any]:
    """The rows that a list shows, whatever their status."""
    rows = listed(member, kind, parent=asked.holder)
    if asked.is_in_nothing:
        return rows.none()
    words = words_of(asked.search[:MAX_SEARCH_CHARS])[:MOST_WORDS]
    return rows.filter(having_words(kind, words)) if words else rows


def as_filters(kind: Kind, asked: Asked) -> str:
    """The query that asks the API for what a list shows, in its order."""
    in_the_api = {"name": kind.title, "status": "status", "changed": "updatedAt"}
    minus = "-" if asked.descending else ""
    wanted = {
        "parent": f"{asked.holder.type}:{asked.holder.key}" if asked.holder else "",
        "words": asked.search,
        "where": f"status:{asked.status}" if asked.status else "",
        "orderBy": f"{minus}{in_the_api[asked.order.removeprefix('-')]}",
    }
    return urlencode({name: value for name, value in wanted.items() if value})


def by_status(rows: QuerySet[Any]) -> dict[str, int]:
    """How many of the rows have each status."""
    counts = dict(rows.order_by().values_list("status").annotate(Count("pk")))
    return {status: counts.get(status, 0) for status in Status.values}


def shown(kind: Kind, rows: QuerySet[Any]) -> QuerySet[Any, Any]:
    """What lists show of rows, as named tuples: their texts and other values are not read."""
    above = (kind.parent, f"{kind.parent}__name") if kind.parent else ()
    return rows.values_list("id", "name", "status", "updated_at", *above, named=True)


def as_listed(kind: Kind, rows: Sequence[Any]) -> list[ListedRecord]:
    """Rows of `shown` with their addresses, and how much they hold: one statement for each kind of these."""
    held = [(str(child.plural), _counts(child, rows)) for child in children_of(kind)]
    address, address_above = _addresses(kind), _addresses(parent_of(kind))
    found = []
    for row in rows:
        above = getattr(row, kind.parent) if kind.parent else None
        found.append(
            ListedRecord(
                str(row.id),
                row.name,
                address(row.id),
                row.status,
                row.updated_at,
                getattr(row, f"{kind.parent}__name") if above else "",
                address_above(above) if above else "",
                [(called, counts.get(row.id, 0)) for called, counts in held],
            )
        )
    return found


def _addresses(kind: Kind | None) -> Callable[[UUID], str]:
    """What gives the address of a record. Django looks through all addresses of the site for each that it makes."""
    if kind is None:
        return str
    nobody = str(UUID(int=0))
    assert isinstance(kind.url, str)
    before, after = reverse(kind.url, args=[nobody]).split(nobody)
    return lambda key: f"{before}{key}{after}"


def holders(member: Member, kind: Kind, chosen: Object | None = None) -> list[tuple[str, str]]:
    """Keys and titles of what may hold records; two of one title are told with their own holders.

    There are at most `HOLDERS`, and the one that is `chosen`.
    """
    holder = parent_of(kind)
    if holder is None:
        return []
    above = parent_of(holder)
    within = F(f"{holder.parent}__{above.field(above.title).ordered}") if above else Value(None, CharField())
    rows = listed(member, holder).values_list("pk", holder.field(holder.title).ordered, within)
    found = [(str(key), title, over) for key, title, over in rows[:HOLDERS]]
    if chosen is not None and chosen.type == holder.name and all(key != chosen.key for key, _title, _over in found):
        found += [(str(key), title, over) for key, title, over in rows.filter(pk=chosen.key)]
    times = Counter(title for _key, title, _over in found)
    return [(key, f"{over} / {title}" if over and times[title] > 1 else title) for key, title, over in found]


def counted(workspace: Workspace) -> dict[str, int]:
    """How many records of each kind a workspace has, in one statement."""
    one, *others = (
        kind.model._default_manager.filter(workspace=workspace)
        .order_by()
        .values("workspace")
        .annotate(kind=Value(kind.name), count=Count("pk"))
        .values_list("kind", "count")
        for kind in KINDS_OF_RECORDS
    )
    found = dict(one.union(*others, all=True))
    return {kind.name: found.get(kind.name, 0) for kind in KINDS_OF_RECORDS}


def latest(workspace: Workspace) -> list[tuple[str, str]]:
    """The names and addresses of the records that were changed last, of whichever kind, in one statement."""
    one, *others = (
        kind.model._default_manager.filter(workspace=workspace)
        .order_by("-updated_at")
        .values_list(Value(kind.url), "pk", "name", "updated_at")[:LATEST]
        for kind in KINDS_OF_RECORDS
    )
    found = one.union(*others, all=True).order_by("-updated_at", "pk")[:LATEST]
    return [(name, reverse(url, args=[key])) for url, key, name, _when in found]


def _counts(child: Kind, rows: Sequence[Any]) -> dict[Any, int]:
    """How many records of a kind these hold, by their primary keys."""
    held = child.model._default_manager.filter(**{f"{child.parent}__in": [row.id for row in rows]})
    return dict(held.order_by().values_list(child.parent).annotate(Count("pk")))
