"""What people call the objects that keys in diffs lead to, one statement for all keys of a kind."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from graphs.history.diffs import DiffEntry, DiffField
from graphs.objects.headers import parent_of, ref_of, rows_named, rows_with
from graphs.objects.kinds import KINDS, Kind
from graphs.objects.model_rows import name_of
from graphs.objects.operations import Record
from graphs.objects.refs import Ref
from graphs.site.access import Member

_PARENT = "parent"


def with_titles(diff: Sequence[DiffEntry], workspace_id: int, reader: Member | None = None) -> list[DiffEntry]:
    """The diff, whose keys of holders have titles beside them where the reader may see these.

    Without a reader, for a diff that is kept for all members, only of kinds of which every member sees all.
    """
    keys = _keys(diff)
    if not keys:
        return list(diff)
    titles = _coming(diff) | _titles(keys, workspace_id, reader)
    return [{**entry, "fields": [_titled(entry, field, titles) for field in entry["fields"]]} for entry in diff]


def titles_of_parents(kind: Kind, records: Iterable[Record], reader: Member) -> dict[str, str]:
    """What the holders are called that these records name, by key, without those that the reader may not see."""
    keys = {str(record[_PARENT]) for record in records if record.get(_PARENT) is not None}
    holder = parent_of(kind)
    found = _titles({Ref(holder.name, key) for key in keys}, reader.workspace.pk, reader) if holder else {}
    return {ref.key: title for ref, title in found.items()}


def _keys(diff: Iterable[DiffEntry]) -> set[Ref]:
    return {
        ref
        for entry in diff
        for field in entry["fields"]
        for key in (field["old"], field["new"])
        if (ref := _holder(entry, field, key)) is not None
    }


def _holder(entry: DiffEntry, field: DiffField, key: Any) -> Ref | None:
    """The object that a key in a field leads to."""
    kind = KINDS.get(entry["object"]["type"])
    if field["field"] != _PARENT or field["form"] != "key" or key is None or kind is None:
        return None
    holder = parent_of(kind)
    return Ref(holder.name, str(key)) if holder else None


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


def _coming(diff: Iterable[DiffEntry]) -> dict[Ref, str]:
    """What those are called that come by the diff itself."""
    return {Ref.from_json(entry["object"]): entry["label"] for entry in diff if entry["action"] == "create"}


def _titled(entry: DiffEntry, field: DiffField, titles: Mapping[Ref, str]) -> DiffField:
    titled: DiffField = {**field}
    if (title := titles.get(_holder(entry, field, field["old"]) or _NOBODY)) is not None:
        titled["oldTitle"] = title
    if (title := titles.get(_holder(entry, field, field["new"]) or _NOBODY)) is not None:
        titled["newTitle"] = title
    return titled


_NOBODY = Ref("", "")
