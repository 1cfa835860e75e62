"""Operations as people read them, item by item and field by field; the same shape everywhere."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from graphs.history import code_diff
from graphs.models import Object
from graphs.objects.kinds import KINDS, Field, Form, Kind
from graphs.objects.operations import OF_THE_ROW, Create, Delete, Operation, Record, Update
from graphs.objects.refs import ObjectName, Ref
from graphs.objects.stores import labels
from graphs.site.shapes import Shape


class DiffLine(Shape):
    op: Literal[" ", "-", "+"]
    old: int | None = None
    new: int | None = None
    text: str


class DiffField(Shape):
    """A changed field. If it is `cut`, texts and lines are the first ones; `added` and `removed` count all lines."""

    field: str
    label: str
    form: Form
    old: Any
    new: Any
    lines: list[DiffLine] | None = None
    added: int | None = None
    removed: int | None = None
    cut: bool | None = None


class DiffEntry(Shape):
    object: ObjectName
    kind_label: str
    kind_plural: str | None = None
    label: str
    action: Literal["create", "update", "delete"]
    fields: list[DiffField]


#: How a kind and its fields are called, looked up once for a diff: a translation takes longer than an entry.
Words = tuple[dict[str, str], dict[str, str]]
#: What a field holds that nobody filled in.
_NOTHING: tuple[Any, ...] = (None, "", {}, [])


def diff_in(around: Object, operations: Sequence[Operation]) -> list[dict[str, Any]]:
    """One entry for each of the `net` operations on an object, its parts and others of its workspace, named as now."""
    return diff_of(operations, labels(around, [each.item for each in operations if not _told_name(each)]))


def diff_of(operations: Iterable[Operation], names: Mapping[Ref, str] | None = None) -> list[dict[str, Any]]:
    """One entry for each of the `net` operations; `names` has those of items whose names they do not hold."""
    words: dict[str, Words] = {}
    return [_entry(operation, names or {}, words) for operation in operations]


def labelled(diff: Iterable[Any]) -> list[Any]:
    """A diff that was stored, with its kinds and fields named in the language of whoever reads it now."""
    return [_named(KINDS.get(entry["object"]["type"]), entry) for entry in diff]


def _named(kind: Kind | None, entry: dict[str, Any]) -> dict[str, Any]:
    if kind is None:
        return entry
    names = {field.name: field.label for field in kind.fields}
    fields = [{**shown, "label": str(names.get(shown["field"], shown["label"]))} for shown in entry["fields"]]
    return {**entry, **_called(kind), "fields": fields}


def _called(kind: Kind) -> dict[str, str]:
    """What one of the kind is called, and several if the kind says so."""
    return {"kindLabel": str(kind.label)} | ({"kindPlural": str(kind.plural)} if kind.plural else {})


def label_of(operation: Operation, names: Mapping[Ref, str]) -> str:
    """What the item was called before, or will be where it is new."""
    return _told_name(operation) or names.get(operation.item) or operation.item.key


def _told_name(operation: Operation) -> str:
    """What the operation itself says that its item is called; "" if it does not."""
    kind = KINDS.get(operation.item.type)
    return kind.name_of(operation.old if isinstance(operation, Update) else operation.record) if kind else ""


def _entry(operation: Operation, names: Mapping[Ref, str], words: dict[str, Words]) -> dict[str, Any]:
    kind = KINDS.get(operation.item.type)
    if kind and kind.name not in words:
        words[kind.name] = _called(kind), {field.name: str(field.label) for field in kind.fields}
    called, field_labels = words.get(operation.item.type, ({"kindLabel": operation.item.type}, {}))
    match operation:
        case Create(_, record):
            action, old, new = "create", {}, _filled(record)
        case Delete(_, record):
            action, old, new = "delete", _filled(record), {}
        case Update(_, old, new):
            action = "update"
    # The history outlives a kind: of one that is no longer registered, fields have the names that they had.
    unknown = [Field(name, name, name, "json") for name in sorted({*old, *new} - OF_THE_ROW)]
    return {
        "object": operation.item.to_json(),
        **called,
        "label": label_of(operation, names),
        "action": action,
        "fields": [
            _field(field, field_labels.get(field.name, field.name), old.get(field.name), new.get(field.name))
            for field in (kind.fields if kind else unknown)
            if field.name in old or field.name in new
        ],
    }


def _filled(record: Record) -> Record:
    return {name: value for name, value in record.items() if value not in _NOTHING}


def _field(field: Field, label: str, old: Any, new: Any) -> dict[str, Any]:
    found = {"field": field.name, "label": label, "form": field.form, "old": old, "new": new}
    if field.form in ("code", "json"):
        shown = code_diff.lines(_text(field, old), _text(field, new))
        found["lines"] = [line.to_json() for line in shown]
    return found


def _text(field: Field, value: Any) -> str:
    if value is None:
        return ""
    if field.form == "code":
        return str(value)
    return json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True)
