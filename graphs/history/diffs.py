"""Operations as people read them, item by item and field by field; the same shape everywhere."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, NotRequired

import pydantic
from pydantic import with_config
from typing_extensions import TypedDict

from graphs.history import code_diff
from graphs.history.code_diff import DiffLine, Pairs
from graphs.models import Object
from graphs.objects.kinds import KINDS, Field, Form, Kind
from graphs.objects.operations import OF_THE_ROW, Create, Delete, Operation, Record, Update
from graphs.objects.refs import ObjectName, Ref
from graphs.objects.stores import find, labels
from graphs.site.preview_places import require_time
from graphs.site.readable_json import readable

_ABSENT = pydantic.Field(default=None)


@with_config(extra="forbid")
class DiffField(TypedDict):
    """A changed field. If it is `cut`, texts and lines are the first ones; `added` and `removed` count all lines.

    `oldTitle` and `newTitle` say what people call the objects that keys lead to, `titles` what they call the entries of
    JSON by their ids (`graphs.history.value_words`), `names` how they call the keys of these.
    """

    field: str
    label: str
    form: Form
    old: Any
    new: Any
    oldTitle: NotRequired[Annotated[str | None, _ABSENT]]
    newTitle: NotRequired[Annotated[str | None, _ABSENT]]
    titles: NotRequired[Annotated[dict[str, str] | None, _ABSENT]]
    names: NotRequired[Annotated[dict[str, str] | None, _ABSENT]]
    lines: NotRequired[Annotated[list[DiffLine] | None, _ABSENT]]
    added: NotRequired[Annotated[int | None, _ABSENT]]
    removed: NotRequired[Annotated[int | None, _ABSENT]]
    cut: NotRequired[Annotated[bool | None, _ABSENT]]


# Plain data, as it is stored with proposals.
@with_config(extra="forbid")
class DiffEntry(TypedDict):
    object: ObjectName
    kindLabel: str
    kindPlural: NotRequired[Annotated[str | None, _ABSENT]]
    label: str
    action: Literal["create", "update", "delete"]
    fields: list[DiffField]


class _Called(TypedDict):
    kindLabel: str
    kindPlural: NotRequired[str]


#: How a kind and its fields are called, looked up once for a diff: a translation takes longer than an entry.
Words = tuple[_Called, dict[str, str]]
#: What a field holds that nobody filled in.
_NOTHING: tuple[Any, ...] = (None, "", {}, [])


def diff_in(
    around: Object, operations: Sequence[Operation], names: Callable[[list[Ref]], Mapping[Ref, str]] | None = None
) -> list[DiffEntry]:
    """One entry for each of the `net` operations on an object, its parts and others of its workspace, named as now.

    `names` gives the names where they were read already.
    """
    untold = [each.item for each in operations if not _told_name(each)]
    diff = diff_of(operations, names(untold) if names else labels(around, untold))
    whole = {each.item for each in operations if isinstance(each, Delete) and KINDS[each.item.type].parts}
    if whole and len(whole) == len(operations):
        found = {Ref(around.type, around.key): around, **find(around.workspace_id, whole)}
        for entry, operation in zip(diff, operations, strict=True):
            entry["fields"] += _what_goes_along(found[operation.item])
    return diff


def _what_goes_along(of: Object) -> Iterator[DiffField]:
    """How many parts of each kind an object has that is deleted as a whole."""
    for part in KINDS[of.type].parts:
        count = part.model._default_manager.filter(**{part.owner: of.pk}).count()
        yield {"field": part.name, "label": _several(part), "form": "number", "old": count, "new": None}


def _several(part: Kind) -> str:
    return str(part.model._meta.verbose_name_plural)


def diff_of(operations: Iterable[Operation], names: Mapping[Ref, str] | None = None) -> list[DiffEntry]:
    """One entry for each of the `net` operations; `names` has those of items whose names they do not hold."""
    words: dict[str, Words] = {}
    entries: list[DiffEntry] = []
    pairs = Pairs()
    for operation in operations:
        require_time()
        entries.append(_entry(operation, names or {}, words, pairs))
    return entries


def labelled(diff: Iterable[DiffEntry]) -> list[DiffEntry]:
    """A diff that was stored, with its kinds and fields named in the language of whoever reads it now."""
    return [_named(KINDS.get(entry["object"]["type"]), entry) for entry in diff]


def _named(kind: Kind | None, entry: DiffEntry) -> DiffEntry:
    if kind is None:
        return entry
    parts = {part.name: _several(part) for part in kind.parts}
    fields = [_labelled(kind.by_name.get(shown["field"]), shown, parts) for shown in entry["fields"]]
    return {**entry, **called(kind), "fields": fields}


def _labelled(field: Field | None, shown: DiffField, parts: Mapping[str, str]) -> DiffField:
    if field is None:
        return {**shown, "label": parts.get(shown["field"], shown["label"])}
    named: DiffField = {**shown, "label": str(field.label)}
    if field.keys:
        named["names"] = names_of(field)
    return named


def names_of(field: Field) -> dict[str, str]:
    """What people call the keys within a JSON value of a field."""
    return {key: str(label) for key, label in field.keys}


def called(kind: Kind) -> _Called:
    """What one of the kind is called, and several if the kind says so."""
    label = str(kind.label)
    return {"kindLabel": label, "kindPlural": str(kind.plural)} if kind.plural else {"kindLabel": label}


def label_of(operation: Operation, names: Mapping[Ref, str]) -> str:
    """What the item was called before, or will be where it is new."""
    return _told_name(operation) or names.get(operation.item) or operation.item.key


def _told_name(operation: Operation) -> str:
    """What the operation itself says that its item is called; "" if it does not."""
    kind = KINDS.get(operation.item.type)
    return kind.name_of(operation.old if isinstance(operation, Update) else operation.record) if kind else ""


def _entry(operation: Operation, names: Mapping[Ref, str], words: dict[str, Words], pairs: Pairs) -> DiffEntry:
    kind = KINDS.get(operation.item.type)
    if kind and kind.name not in words:
        words[kind.name] = called(kind), {field.name: str(field.label) for field in kind.fields}
    kind_words, field_labels = words.get(operation.item.type, (_Called(kindLabel=operation.item.type), {}))
    action: Literal["create", "update", "delete"]
    old: Record
    new: Record
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
        **kind_words,
        "label": label_of(operation, names),
        "action": action,
        "fields": [
            _field(field, field_labels.get(field.name, field.name), old.get(field.name), new.get(field.name), pairs)
            for field in (kind.fields if kind else unknown)
            if field.name in old or field.name in new
        ],
    }


def _filled(record: Record) -> Record:
    return {name: value for name, value in record.items() if value not in _NOTHING}


def _field(field: Field, label: str, old: Any, new: Any, pairs: Pairs) -> DiffField:
    found: DiffField = {"field": field.name, "label": label, "form": field.form, "old": old, "new": new}
    if field.form in ("code", "json"):
        shown = code_diff.lines(_text(field, old), _text(field, new), code_diff.CONTEXT, pairs)
        found["lines"] = [line.to_json() for line in shown]
    if field.keys:
        found["names"] = names_of(field)
    return found


def _text(field: Field, value: Any) -> str:
    if value is None:
        return ""
    if field.form == "code":
        return str(value)
    return readable(value, sort_keys=True)
