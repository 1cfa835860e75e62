"""What a reader is told beside values: what people call the objects and entries that keys in them lead to.

One statement is for all objects of a kind, one more for what holds the objects whose fields have entries with ids.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NotRequired

import pydantic
from pydantic import with_config
from typing_extensions import TypedDict

from graphs.history.diffs import DiffEntry, DiffField, names_of
from graphs.objects.headers import parent_of, ref_of, rows_named, rows_with
from graphs.objects.kinds import KINDS, EntryTitles, Field, Kind
from graphs.objects.model_values import name_of
from graphs.objects.operations import Record
from graphs.objects.refs import Ref
from graphs.site.access import Member

PARENT = "parent"
#: What entries of lists are known by.
_IDS = ("id", "axisId")
_ABSENT = pydantic.Field(default=None)


@with_config(extra="forbid")
class ValueWords(TypedDict):
    """`titles` are of objects by their keys, and of entries by their ids; `names` of the keys that entries have."""

    titles: NotRequired[Annotated[dict[str, str] | None, _ABSENT]]
    names: NotRequired[Annotated[dict[str, str] | None, _ABSENT]]


@dataclass(frozen=True, slots=True)
class Told:
    """Values of a field of an item, and the keys of what holds the item, where these are told with it."""

    item: Ref
    field: str
    values: tuple[Any, ...]
    holders: tuple[str, ...] = ()

    @property
    def of(self) -> Field | None:
        kind = KINDS.get(self.item.type)
        return kind.by_name.get(self.field) if kind else None


def words_of(told: Sequence[Told], workspace_id: int, reader: Member | None = None) -> list[ValueWords]:
    """What is told beside each of these, as far as the reader may see it.

    Without a reader, for what is kept for all members, only of kinds of which every member sees all.
    """
    titles = _all_titles(told, {}, workspace_id, reader)
    return [_words(each, titles[place]) for place, each in enumerate(told)]


def with_titles(diff: Sequence[DiffEntry], workspace_id: int, reader: Member | None = None) -> list[DiffEntry]:
    """The diff with titles beside keys and ids, as `words_of` gives them."""
    told = [_told(entry, field) for entry in diff for field in entry["fields"]]
    titles = iter(_all_titles(told, _coming(diff), workspace_id, reader))
    return [{**entry, "fields": [_titled(field, next(titles)) for field in entry["fields"]]} for entry in diff]


def titles_of_parents(kind: Kind, records: Iterable[Record], reader: Member) -> dict[str, str]:
    """What the holders are called that these records name, by key, without those that the reader may not see."""
    keys = {str(record[PARENT]) for record in records if record.get(PARENT) is not None}
    holder = parent_of(kind)
    found = _titles({Ref(holder.name, key) for key in keys}, reader.workspace.pk, reader) if holder else {}
    return {ref.key: title for ref, title in found.items()}


def _words(told: Told, titles: dict[str, str]) -> ValueWords:
    words: ValueWords = {"titles": titles} if titles else {}
    if told.of is not None and told.of.keys:
        words["names"] = names_of(told.of)
    return words


def _told(entry: DiffEntry, field: DiffField) -> Told:
    sides = [(each["old"], each["new"]) for each in entry["fields"] if each["field"] == PARENT]
    holders = tuple(str(key) for side in sides for key in side if key is not None)
    return Told(Ref.from_json(entry["object"]), field["field"], (field["old"], field["new"]), holders)


def _titled(field: DiffField, titles: dict[str, str]) -> DiffField:
    if field["field"] != PARENT:
        return {**field, "titles": titles} if titles else field
    titled: DiffField = {**field}
    if (title := titles.get(str(field["old"]))) is not None:
        titled["oldTitle"] = title
    if (title := titles.get(str(field["new"]))) is not None:
        titled["newTitle"] = title
    return titled


def _coming(diff: Iterable[DiffEntry]) -> dict[Ref, str]:
    """What those are called that come by the diff itself."""
    return {Ref.from_json(entry["object"]): entry["label"] for entry in diff if entry["action"] == "create"}


def _all_titles(
    told: Sequence[Told], known: Mapping[Ref, str], workspace_id: int, reader: Member | None
) -> list[dict[str, str]]:
    """The titles of each of these, by key or id."""
    refs = {ref for each in told for ref in _holders(each)}
    holders = {**_titles(refs - known.keys(), workspace_id, reader), **known}
    entries = _titles_of_entries(told, workspace_id, reader)
    return [
        {ref.key: holders[ref] for ref in _holders(each) if ref in holders}
        or _within(_ids(each.values), {**dict(_own_titles(each.values)), **entries.get(place, {})})
        for place, each in enumerate(told)
    ]


def _holders(told: Told) -> list[Ref]:
    """The objects that the keys in a field lead to."""
    kind = KINDS.get(told.item.type)
    holder = parent_of(kind) if kind and told.field == PARENT else None
    return [Ref(holder.name, str(key)) for key in told.values if key is not None] if holder else []


def _within(ids: Collection[str], titles: Mapping[str, str]) -> dict[str, str]:
    return {id_: title for id_, title in titles.items() if id_ in ids}


def _entries(values: Iterable[Any]) -> Iterator[Mapping[str, Any]]:
    for value in values:
        yield from (entry for entry in value if isinstance(entry, dict)) if isinstance(value, list) else ()


def _ids(values: Iterable[Any]) -> set[str]:
    """What the entries of the values are known by."""
    return {str(entry[name]) for entry in _entries(values) for name in _IDS if isinstance(entry.get(name), str)}


def _own_titles(values: Iterable[Any]) -> Iterator[tuple[str, str]]:
    """What entries say themselves that they are called; the last value says it last."""
    for entry in _entries(values):
        if isinstance(entry.get("id"), str) and isinstance(entry.get("name"), str) and entry["name"]:
            yield entry["id"], entry["name"]


def _titles_of_entries(told: Sequence[Told], workspace_id: int, reader: Member | None) -> dict[int, Mapping[str, str]]:
    """The titles that what holds objects gives the entries of their fields, by the place of a field."""
    asked = {place: each for place, each in enumerate(told) if each.of and each.of.entries and _ids(each.values)}
    found: dict[int, Mapping[str, str]] = {}
    for kind in (KINDS[name] for name in sorted({each.item.type for each in asked.values()})):
        of_kind = {place: each for place, each in asked.items() if each.item.type == kind.name}
        holders = _holders_of(kind, of_kind.values(), workspace_id)
        columns = {each.of.entries.column for each in of_kind.values() if each.of and each.of.entries}
        rows = _rows_of_holders(kind, {key for keys in holders.values() for key in keys}, columns, workspace_id, reader)
        for place, each in of_kind.items():
            assert each.of is not None
            assert each.of.entries is not None
            found[place] = _from_rows(each.of.entries, [rows[key] for key in holders[each.item] if key in rows])
    return found


def _holders_of(kind: Kind, told: Iterable[Told], workspace_id: int) -> dict[Ref, list[str]]:
    """The keys of what holds items, first what holds them now."""
    keys: dict[Ref, list[str]] = {}
    for each in told:
        keys.setdefault(each.item, []).extend(each.holders)
    there = rows_with(kind, workspace_id, [ref.key for ref in keys]).select_related(None)
    for pk, holder in there.values_list("pk", kind.parent):
        if holder is not None:
            keys[Ref(kind.name, str(pk))].insert(0, str(holder))
    return keys


def _rows_of_holders(
    kind: Kind, keys: Collection[str], columns: Collection[str], workspace_id: int, reader: Member | None
) -> dict[str, Any]:
    holder = parent_of(kind)
    if holder is None or not keys:
        return {}
    if holder.may_see is None:
        rows = rows_with(holder, workspace_id, keys).select_related(None).only("pk", *columns)
        return {ref_of(holder, row).key: row for row in rows}
    return rows_named(reader, holder, keys) if reader else {}


def _from_rows(titles: EntryTitles, rows: Iterable[Any]) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for row in rows:
        found = {**titles.of(getattr(row, titles.column)), **found}
    return found


def _titles(refs: Collection[Ref], workspace_id: int, reader: Member | None) -> dict[Ref, str]:
    found: dict[Ref, str] = {}
    for kind in (KINDS[name] for name in sorted({ref.type for ref in refs})):
        keys = [ref.key for ref in refs if ref.type == kind.name]
        found |= {
            ref_of(kind, row): name for row in _rows(kind, keys, workspace_id, reader) if (name := name_of(kind, row))
        }
    return found


def _rows(kind: Kind, keys: Collection[str], workspace_id: int, reader: Member | None) -> Iterable[Any]:
    if kind.may_see is None:
        rows = rows_with(kind, workspace_id, keys).select_related(None)
        return rows if kind.called else rows.only(*_columns(kind))
    return rows_named(reader, kind, keys).values() if reader else ()


def _columns(kind: Kind) -> set[str]:
    """Where the key and the title stand: the other columns may be long."""
    named = {"key"} if any(column.name == "key" for column in kind.model._meta.concrete_fields) else set()
    return {"pk", kind.field(kind.title).column} | named
