"""What is embedded and searched together, called `<family>:<number>`, such as "graph:17" (`rag.sources` has them)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from django.db import connection
from django.db.models import QuerySet

from graphs.site.accounts import Account

#: More of a text says little about which questions it answers.
MAX_CHARS = 2_000


@dataclass(frozen=True, slots=True)
class Targets:
    """Things of one kind, by the ids of their rows."""

    type: str
    ids: Sequence[int]


@dataclass(frozen=True, slots=True)
class TargetText:
    """What a target says, and the version of its row when it was read."""

    id: int
    version: int
    text: str


class Collection(Protocol):
    """`account` pays for its vectors, `table` has its targets with `id` and `version`, `label` names it."""

    name: str
    label: str
    account: Account
    table: str

    def settled_version(self) -> int:
        """The version up to which `changed_since` names all that changed."""

    def size(self) -> int:
        """How many targets there are."""

    def all_targets(self, most: int) -> Iterator[Targets]:
        """All targets, at most so many at once."""

    def changed_since(self, version: int, most: int) -> Iterator[Targets]:
        """The targets that changed since a version, and perhaps others, at most so many at once."""

    def read(self, targets: Targets) -> list[TargetText]:
        """The texts of those of the targets that are still there."""

    def fit(self, *, wait: bool) -> bool:
        """Builds or drops what finds its targets otherwise; False if an index is just built. Not in a transaction."""


class Family(Protocol):
    """Collections of one sort."""

    def discover(self) -> None:
        """Makes rows known that nobody has named yet."""

    def versions(self, workspace_id: int | None) -> QuerySet[Any, tuple[str, int]]:
        """Name and present version of every collection, or of those of a workspace."""

    def open(self, number: int) -> Collection | None:
        """The collection of this number; None if it is gone."""

    def drop_forgotten(self) -> None:
        """Drops what `Collection.fit` built for collections that are gone."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A collection that a model has to look at; `changes` since it looked last, None if it never did."""

    name: str
    changes: int | None


_families: dict[str, Family] = {}

_WAITING = """
SELECT known.name, known.version - state.version FROM ({versions}) AS known(name, version)
LEFT JOIN rag_embeddedcollection AS state ON state.collection = known.name AND state.model = %s AND state.version > 0
WHERE state.version IS NULL OR state.version < known.version OR NOT state.fitted
"""
_FORGET_GONE = """
DELETE FROM rag_embeddedcollection WHERE collection NOT IN (SELECT name FROM ({versions}) AS known(name, version))
"""


def register(name: str, family: Family) -> None:
    """Makes a family of collections known, when the program starts."""
    _families[name] = family


def discover() -> None:
    """Makes rows known that nobody has named yet, in all families."""
    for family in _families.values():
        family.discover()


def drop_forgotten() -> None:
    """Drops what was built for collections that are gone, in all families."""
    for family in _families.values():
        family.drop_forgotten()


def open_collection(name: str) -> Collection | None:
    """The collection with this name; None if it is gone."""
    family, _, number = name.partition(":")
    return _families[family].open(int(number)) if family in _families else None


def in_pages(rows: QuerySet[Any], type_: str, most: int) -> Iterator[Targets]:
    """The rows of one kind as targets, in the order of their ids, at most so many at once."""
    last = 0
    while ids := list(rows.filter(pk__gt=last).order_by("pk").values_list("pk", flat=True)[:most]):
        yield Targets(type_, ids)
        last = ids[-1]


def names(workspace_id: int | None = None) -> list[str]:
    """The names of all collections, or of those of a workspace."""
    return [name for family in _families.values() for name, _version in family.versions(workspace_id)]


def size(name: str) -> int:
    """How many targets a collection has."""
    collection = open_collection(name)
    return collection.size() if collection else 0


def waiting(model: str, workspace_id: int | None = None) -> list[Waiting]:
    """Collections that changed since this model looked or lack an index: fewest changes first, new ones last.

    Of all workspaces, or of one.
    """
    sql, values = _versions(workspace_id)
    with connection.cursor() as cursor:
        cursor.execute(_WAITING.format(versions=sql), [*values, model])
        found = [Waiting(name, changes) for name, changes in cursor.fetchall()]
    return sorted(found, key=lambda each: (each.changes is None, each.changes or 0, len(each.name), each.name))


def forget_gone() -> None:
    """Deletes what is known of collections that are gone; their vectors went with their targets."""
    sql, values = _versions()
    with connection.cursor() as cursor:
        cursor.execute(_FORGET_GONE.format(versions=sql), values)


def _versions(workspace_id: int | None = None) -> tuple[str, list[Any]]:
    """One query for the versions of all collections, or of those of a workspace, and its parameters."""
    queries = [family.versions(workspace_id).order_by().query.sql_with_params() for family in _families.values()]
    return " UNION ALL ".join(sql for sql, _ in queries), [value for _, values in queries for value in values]
