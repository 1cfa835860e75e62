"""The tools that read objects of any kind: one of them, those of a kind, those with a word, and their history.

An object is named "type:id". Registered in `registry`.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Annotated, Any

from django.db.models import QuerySet
from django.utils.dateparse import parse_date, parse_datetime
from django.utils.timezone import is_aware, make_aware
from pydantic import Field

from chat.tools.base import OBJECTS, Arguments, ReadTool, ToolContext, ToolFailed
from chat.tools.results import FIELD_CHARS, SHORT_CHARS, as_json, fitting, next_offset
from graphs.history import queries
from graphs.history.outside import catch_up
from graphs.models import Modification, Object, Revision
from graphs.objects.actions import ObjectName, quoted
from graphs.objects.headers import children_of, listed, parent_of, ref_of, searched, title_of
from graphs.objects.kinds import KINDS, Kind, of_objects
from graphs.objects.model_rows import record_of, row_of
from graphs.objects.refs import Ref
from graphs.objects.refusals import some
from graphs.site.access import Member, NotFound
from rag.texts.shortening import cut

#: Rows of one list, objects of one kind that a search finds, versions of one history and changes of each.
MAX_ROWS = 50
MAX_FOUND = 10
MAX_VERSIONS = 30
MAX_CHANGES = 10
#: Characters of one field in a list.
CELL_CHARS = 80
_NOTHING: tuple[Any, ...] = (None, "", {}, [])

Name = Annotated[str, Field(min_length=1, max_length=100)]


class ObjectArguments(Arguments):
    object: ObjectName
    fields: Annotated[list[Name], Field(max_length=50)] | None = Field(None, description="Only these fields.")
    offset: int = Field(0, ge=0, description="Characters of long fields to skip.")


class ReadObject(ReadTool[ObjectArguments]):
    name = "read_object"
    description = "One object: its title, fields, the object that holds it, and what it holds."
    context_type = OBJECTS
    arguments = ObjectArguments

    def run(self, context: ToolContext, arguments: ObjectArguments) -> dict[str, Any]:
        of = _object(context, arguments.object)
        kind, row = KINDS[of.type], row_of(of)
        wanted = arguments.fields or [name for name in kind.by_name if name != "parent"]
        _require_fields(kind, wanted, kind.by_name)
        record = record_of(kind, row)
        fields = {name: _page(record[name], arguments.offset) for name in wanted}
        longer = [name for name in wanted if len(_text(record[name])) > arguments.offset + FIELD_CHARS]
        return {
            "object": f"{of.type}:{of.key}",
            "title": title_of(kind, row),
            "version": of.version,
            **_holder(kind, record),
            **_held(context.member, kind, row),
            "fields": {name: value for name, value in fields.items() if arguments.fields or value not in _NOTHING},
            **({"cut": longer, "nextOffset": arguments.offset + FIELD_CHARS} if longer else {}),
        }


class ListArguments(Arguments):
    kind: Name
    parent: ObjectName | None = Field(None, description='Only what this object holds, "type:id".')
    search: Annotated[str, Field(max_length=500)] | None = Field(None, description="Only with this text in a field.")
    order_by: Name | None = Field(None, description='Name of a field; "-" before it for the last ones first.')
    offset: int = Field(0, ge=0, description="Objects to skip, to read on in a long list.")


class ListObjects(ReadTool[ListArguments]):
    name = "list_objects"
    description = "The objects of one kind, by title or another field."
    context_type = OBJECTS
    arguments = ListArguments

    def run(self, context: ToolContext, arguments: ListArguments) -> dict[str, Any]:
        kind = _kind(arguments.kind)
        rows = listed(context.member, kind, parent=_parent_key(context, kind, arguments.parent))
        if arguments.search:
            rows = searched(rows, kind, arguments.search)
        rows = _ordered(rows, kind, arguments.order_by)
        total = rows.count()
        skipped = min(arguments.offset, total)
        page = list(rows[skipped : skipped + MAX_ROWS])
        shown = fitting(page, lambda row: _row(context.member, kind, row))
        told = {"total": total} if kind.may_see is None else {}
        return {"objects": [row for row in shown if row]} | told | next_offset(skipped + len(shown), total)


class FindArguments(Arguments):
    query: Annotated[str, Field(min_length=1, max_length=500, description="Words, or a part of one.")]
    kinds: Annotated[list[Name], Field(max_length=50)] | None = Field(None, description="Only of these kinds.")


class SearchObjects(ReadTool[FindArguments]):
    name = "search_objects"
    description = "Finds objects of all kinds by a text in one of their fields."
    context_type = OBJECTS
    arguments = FindArguments

    def run(self, context: ToolContext, arguments: FindArguments) -> dict[str, Any]:
        kinds = [_kind(name) for name in arguments.kinds] if arguments.kinds else of_objects()
        found, more = [], []
        for kind in kinds:
            rows = list(searched(listed(context.member, kind), kind, arguments.query)[: MAX_FOUND + 1])
            found += [
                (kind, row) for row in rows[:MAX_FOUND] if kind.may_see is None or kind.may_see(context.member, row)
            ]
            more += [kind.name] if len(rows) > MAX_FOUND else []
        shown = fitting(found, lambda each: _found(*each, arguments.query))
        if not shown:
            return {"objects": [], "note": "No object has this text. Try other words, or list_objects."}
        more += [kind.name for kind, _row in found[len(shown) :]]
        note = f"There are more: list_objects with search lists them all ({', '.join(dict.fromkeys(more))})."
        return {"objects": shown} | ({"note": note} if more else {})


class HistoryArguments(Arguments):
    object: ObjectName
    field: Name | None = Field(None, description="Only changes of this field.")
    since: Name | None = Field(None, description="Only since this date or moment, as ISO 8601.")


class ReadHistory(ReadTool[HistoryArguments]):
    name = "read_history"
    description = "How an object was changed: when, by whom, why, each field before and after; the latest first."
    context_type = OBJECTS
    arguments = HistoryArguments

    def run(self, context: ToolContext, arguments: HistoryArguments) -> dict[str, Any]:
        of = _object(context, arguments.object)
        kind = KINDS[of.type]
        if arguments.field is not None:
            _require_fields(kind, [arguments.field], [name for part in (kind, *kind.parts) for name in part.by_name])
        catch_up([of])
        subject = queries.subject(of.workspace_id, Ref(of.type, of.key))
        filters = queries.Filters(field=arguments.field, since=_moment(arguments.since))
        versions = list(queries.versions(subject, filters)[: MAX_VERSIONS + 1])
        rows = fitting(versions[:MAX_VERSIONS], lambda revision: _version(revision, arguments.field))
        note = "Earlier versions are left out: name a field, or a later moment in since."
        return {"versions": rows} | ({"note": note} if len(rows) < len(versions) else {})


def _object(context: ToolContext, name: str) -> Object:
    ref = Ref.parse(name)
    _kind(ref.type)
    try:
        return context.object(ref)
    except NotFound:
        raise ToolFailed(f"There is no {quoted(name)}. list_objects lists what there is of a kind.") from None


def _kind(name: str) -> Kind:
    known = {kind.name: kind for kind in of_objects()}
    if name not in known:
        raise ToolFailed(f"There is no kind of object {quoted(name)}. Kinds: {some(known)}.")
    return known[name]


def _require_fields(kind: Kind, wanted: Iterable[str], known: Iterable[str]) -> None:
    names = list(dict.fromkeys(known))
    unknown = [name for name in wanted if name not in names]
    if unknown:
        raise ToolFailed(f"There is no field {quoted(unknown[0])}. Fields of {kind.name}: {some(names, 50)}.")


def _parent_key(context: ToolContext, kind: Kind, name: str | None) -> str:
    """The key of the object that holds what is listed; "" for all."""
    if name is None:
        return ""
    holder, ref = parent_of(kind), Ref.parse(name)
    if holder is None or ref.type != holder.name:
        held_by = f"is held by a {holder.name}" if holder else "is held by no other object"
        raise ToolFailed(f"{quoted(name)} holds no {kind.name}: a {kind.name} {held_by}.")
    return _object(context, name).key


def _ordered(rows: QuerySet[Any], kind: Kind, order_by: str | None) -> QuerySet[Any]:
    if order_by is None:
        return rows
    name = order_by.removeprefix("-")
    _require_fields(kind, [name], kind.by_name)
    field = kind.field(name)
    path = "__".join((field.attribute, *field.inside))
    return rows.order_by(f"-{path}" if order_by.startswith("-") else path, "pk")


def _row(member: Member, kind: Kind, row: Any) -> dict[str, Any]:
    """What a list says of a row: short fields that say something; nothing of one that the member may not see."""
    if kind.may_see is not None and not kind.may_see(member, row):
        return {}
    record = record_of(kind, row)
    told = [field.name for field in kind.fields if not field.minor and field.form not in ("code", "json", "key")]
    fields = {name: _cell(record[name]) for name in told if name != kind.title and record[name] not in _NOTHING}
    return {"object": str(ref_of(kind, row)), "title": title_of(kind, row), **_holder(kind, record), **fields}


def _found(kind: Kind, row: Any, query: str) -> dict[str, Any]:
    """A row with the field and the words around the place that was found."""
    record = record_of(kind, row)
    told = {"object": str(ref_of(kind, row)), "title": cut(title_of(kind, row), SHORT_CHARS)}
    for name, value in record.items():
        at = _text(value).lower().find(query.lower())
        if at >= 0:
            return told | {"field": name, "text": _text(value)[max(at - CELL_CHARS, 0) : at + len(query) + CELL_CHARS]}
    return told


def _version(revision: Revision, field: str | None) -> dict[str, Any]:
    made = revision.change_set
    rows = Modification.objects.filter(change_set=made, type=revision.type, object=revision.object)
    if field is not None:
        rows = rows.filter(field=field)
    changes = list(rows.order_by("sequence")[: MAX_CHANGES + 1])
    return {
        "version": revision.version,
        "when": revision.created_at.isoformat(timespec="seconds"),
        "who": made.actor_label,
        "through": made.origin,
        **({"reason": cut(made.reason, SHORT_CHARS)} if made.reason else {}),
        "changes": [_change(change) for change in changes[:MAX_CHANGES]],
        **({"moreChanges": True} if len(changes) > MAX_CHANGES else {}),
    }


def _change(change: Modification) -> dict[str, Any]:
    what = {"item": f"{change.kind}:{change.key}"} if change.kind != change.type else {}
    if change.action != Modification.Action.UPDATE:
        return {**what, "action": str(change.action)}
    return {**what, "field": change.field, "old": _cell(change.old), "new": _cell(change.new)}


def _holder(kind: Kind, record: dict[str, Any]) -> dict[str, str]:
    holder, key = parent_of(kind), record.get("parent")
    return {"parent": f"{holder.name}:{key}"} if holder and key is not None else {}


def _held(member: Member, kind: Kind, row: Any) -> dict[str, Any]:
    """How many objects of which kinds it holds."""
    counts = {
        child.name: listed(member, child, parent=str(row.pk)).count()
        for child in children_of(kind)
        if child.may_see is None
    }
    held = {name: count for name, count in counts.items() if count}
    return {"holds": held} if held else {}


def _page(value: Any, offset: int) -> Any:
    """The value, or as much of its text from there on as one answer takes."""
    text = _text(value)
    if not offset and len(text) <= FIELD_CHARS:
        return value
    return text[offset : offset + FIELD_CHARS]


def _cell(value: Any) -> Any:
    return value if len(_text(value)) <= CELL_CHARS else cut(_text(value), CELL_CHARS)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else as_json(value)


def _moment(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        moment = parse_datetime(text)
        day = parse_date(text) if moment is None else None
    except ValueError:
        moment = day = None
    if day is not None:
        moment = datetime(day.year, day.month, day.day)
    if moment is None:
        raise ToolFailed(f"{quoted(text)} is no date: write 2026-03-31, or 2026-03-31T12:00:00Z.")
    return moment if is_aware(moment) else make_aware(moment)


READ_TOOLS: Sequence[ReadTool[Any]] = (ReadObject(), ListObjects(), SearchObjects(), ReadHistory())
