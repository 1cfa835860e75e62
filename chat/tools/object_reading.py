"""The tools that read objects of any kind, named "type:id": one, those of a kind, those with a word, history."""

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any

from django.db.models import QuerySet
from django.utils.timezone import is_aware, make_aware
from django.utils.translation import gettext_lazy as _
from pydantic import Field

from chat.tools.results import FIELD_CHARS, SHORT_CHARS, as_json, fitting, next_offset
from chat.tools.tool import SKIPPED, Arguments, ReadTool, ToolContext, ToolFailed
from graphs.history import queries
from graphs.history.first_difference import clipped_both
from graphs.history.outside import catch_up
from graphs.models import Modification, Object, Revision
from graphs.objects.actions import quoted, some
from graphs.objects.headers import children_of, holder_of, listed, parent_of, ref_of, searched_by, title_of
from graphs.objects.kinds import KINDS, Kind, of_objects, store_of
from graphs.objects.model_rows import row_of
from graphs.objects.model_values import record_of
from graphs.objects.operations import Record
from graphs.objects.refs import Ref, RefText
from graphs.site.access import Member, NotFound
from graphs.site.accounts import Account
from rag.sources.objects.search import find
from rag.sources.objects.texts import needles
from rag.texts.shortening import cut

#: Rows of one list, versions of one history and changes of each.
MAX_ROWS = 50
MAX_VERSIONS = 30
MAX_CHANGES = 10
#: Parts of each kind that are named with an object.
MAX_PARTS = 30
#: Characters of one field in a list.
CELL_CHARS = 80
_NOTHING: tuple[Any, ...] = (None, "", {}, [])

Name = Annotated[str, Field(min_length=1, max_length=100)]


class ObjectArguments(Arguments):
    object: RefText
    part: RefText | None = Field(None, description='A part of it instead, "node:key"; parts names them.')
    fields: Annotated[list[Name], Field(max_length=50)] | None = Field(None, description="Only these fields.")
    offset: int = Field(0, ge=0, description=SKIPPED)


class ReadObject(ReadTool[ObjectArguments]):
    name = "read_object"
    badge = ("read", _("Read an object"))
    description = "One object: its title, fields, the object that holds it, and what it holds."
    arguments = ObjectArguments

    def run(self, context: ToolContext, arguments: ObjectArguments) -> dict[str, Any]:
        of = object_of(context, arguments.object)
        kind = KINDS[of.type]
        if arguments.part is not None:
            named = {"object": f"{of.type}:{of.key}", "part": str(arguments.part)}
            return named | _fields(KINDS[arguments.part.type], _part_record(of, kind, arguments.part), arguments)
        row = row_of(of)
        record = record_of(kind, row)
        return {
            "object": f"{of.type}:{of.key}",
            "title": title_of(kind, row),
            "version": of.version,
            **_holder(context.member, kind, record),
            **_held(context.member, kind, of),
            **_parts(kind, of),
            **_fields(kind, record, arguments),
        }


class ListArguments(Arguments):
    kind: Name
    parent: RefText | None = Field(None, description='Only what this object holds, "type:id".')
    search: Annotated[str, Field(max_length=500)] | None = Field(None, description="Only with this text in a field.")
    order_by: Name | None = Field(None, description='Name of a field; "-" before it for the last ones first.')
    offset: int = Field(0, ge=0, description=SKIPPED)


class ListObjects(ReadTool[ListArguments]):
    name = "list_objects"
    badge = ("list", _("Listed objects"))
    description = "The objects of one kind, by title or another field."
    arguments = ListArguments

    def run(self, context: ToolContext, arguments: ListArguments) -> dict[str, Any]:
        kind = _kind(arguments.kind)
        rows = listed(context.member, kind, parent=_parent(context, kind, arguments.parent))
        if arguments.search:
            rows = rows.filter(searched_by(kind, arguments.search))
        rows = _ordered(rows, kind, arguments.order_by)
        total = rows.count()
        skipped = min(arguments.offset, total)
        page = list(rows[skipped : skipped + MAX_ROWS])
        shown = fitting(page, lambda row: _row(context.member, kind, row))
        context.read.update(ref_of(kind, row) for row in page[: len(shown)])
        return {"objects": shown, "total": total} | next_offset(skipped + len(shown), total)


class FindArguments(Arguments):
    query: Annotated[str, Field(min_length=1, max_length=500, description="Words, or a part of one.")]
    kinds: Annotated[list[Name], Field(max_length=50)] | None = Field(None, description="Only of these kinds.")


class SearchObjects(ReadTool[FindArguments]):
    name = "search_objects"
    badge = ("search", _("Searched objects"))
    description = "Finds objects of all kinds by words in their fields, and by what they are about."
    arguments = FindArguments

    def run(self, context: ToolContext, arguments: FindArguments) -> dict[str, Any]:
        kinds = [_kind(name) for name in arguments.kinds] if arguments.kinds else _wholes()
        account = context.account or Account(context.member.workspace.pk)
        found = find(context.member, kinds, arguments.query, account)
        shown = fitting(found.objects, lambda each: _found(*each, arguments.query))
        context.read.update(ref_of(*each) for each in found.objects[: len(shown)])
        if not shown:
            return {"objects": [], "note": "No object has these words. Try others, or list_objects."}
        more = [*found.more, *(kind.name for kind, _row in found.objects[len(shown) :])]
        note = f"There are more: list_objects with search lists them all ({', '.join(dict.fromkeys(more))})."
        return {"objects": shown} | ({"note": note} if more else {})


class HistoryArguments(Arguments):
    object: RefText
    field: Name | None = Field(None, description="Only changes of this field.")
    since: Name | None = Field(None, description="Only since this date or moment, as ISO 8601.")


class ReadHistory(ReadTool[HistoryArguments]):
    name = "read_history"
    badge = ("clock", _("Read the history"))
    description = "How an object was changed: when, by whom, why, each field before and after; the latest first."
    arguments = HistoryArguments

    def run(self, context: ToolContext, arguments: HistoryArguments) -> dict[str, Any]:
        of = object_of(context, arguments.object)
        kind = KINDS[of.type]
        if arguments.field is not None:
            _require_fields(kind, [arguments.field], [name for part in (kind, *kind.parts) for name in part.by_name])
        catch_up([of])
        subject = queries.subject(of.workspace_id, Ref(of.type, of.key))
        filters = queries.Filters(field=arguments.field, since=moment_of(arguments.since))
        versions = list(queries.versions(subject, filters)[: MAX_VERSIONS + 1])
        rows = fitting(versions[:MAX_VERSIONS], lambda revision: _version(revision, arguments.field))
        note = "Earlier versions are left out: name a field, or a later moment in since."
        return {"versions": rows} | ({"note": note} if len(rows) < len(versions) else {})


def object_of(context: ToolContext, ref: Ref) -> Object:
    """The object that a call names. Raises `ToolFailed`, alike for what is foreign and what is absent."""
    _kind(ref.type)
    try:
        return context.object(ref)
    except NotFound:
        raise ToolFailed(f"There is no {quoted(str(ref))}. list_objects lists what there is of a kind.") from None


def _wholes() -> list[Kind]:
    """What is searched where nothing is named: a view is found as its whole."""
    return [kind for kind in of_objects() if not kind.view_of]


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


def _parent(context: ToolContext, kind: Kind, ref: Ref | None) -> Object | None:
    """The object that holds what is listed; None for all."""
    if ref is None:
        return None
    holder = parent_of(kind)
    if holder is None or ref.type != holder.name:
        where = f"is held by a {holder.name}" if holder else "is held by no other object"
        raise ToolFailed(f"{quoted(str(ref))} holds no {kind.name}: a {kind.name} {where}.")
    return object_of(context, ref)


def _ordered(rows: QuerySet[Any], kind: Kind, order_by: str | None) -> QuerySet[Any]:
    if order_by is None:
        return rows
    name = order_by.removeprefix("-")
    _require_fields(kind, [name], kind.by_name)
    field = kind.field(name)
    path = field.attribute if field.form == "key" else field.ordered
    return rows.order_by(f"-{path}" if order_by.startswith("-") else path, "pk")


def _row(member: Member, kind: Kind, row: Any) -> dict[str, Any]:
    """What a list says of a row: short fields that say something."""
    record = record_of(kind, row)
    names = [field.name for field in kind.fields if not field.minor and field.form not in ("code", "json", "key")]
    fields = {name: _cell(record[name]) for name in names if name != kind.title and record[name] not in _NOTHING}
    return {"object": str(ref_of(kind, row)), "title": title_of(kind, row), **_holder(member, kind, record), **fields}


def _found(kind: Kind, row: Any, query: str) -> dict[str, Any]:
    """A row with the field and the words around the place that was found; without them if its vector was."""
    record = record_of(kind, row)
    shown = {"object": str(ref_of(kind, row)), "title": cut(title_of(kind, row), SHORT_CHARS)}
    for needle in (form for forms in needles(query) for form in forms):
        for name, value in record.items():
            text = _text(value)
            at = text.lower().find(needle.lower())
            if at >= 0:
                return shown | {"field": name, "text": text[max(at - CELL_CHARS, 0) : at + len(needle) + CELL_CHARS]}
    return shown


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
    old, new = clipped_both(change.old, change.new, CELL_CHARS)
    return {**what, "field": change.field, "old": old, "new": new}


def _holder(member: Member, kind: Kind, record: dict[str, Any]) -> dict[str, str]:
    holder = holder_of(member, kind, record)
    return {"parent": str(holder)} if holder else {}


def _held(member: Member, kind: Kind, of: Object) -> dict[str, Any]:
    """How many objects of which kinds it holds."""
    counts = {child.name: listed(member, child, parent=of).count() for child in children_of(kind)}
    held = {name: count for name, count in counts.items() if count}
    return {"holds": held} if held else {}


def _parts(kind: Kind, of: Object) -> dict[str, Any]:
    """How many parts of which kinds it consists of, and the names of the first ones."""
    parts = {}
    for part in kind.parts:
        keys = part.model._default_manager.filter(**{part.owner: of.pk}).order_by("pk").values_list("key", flat=True)
        parts[part.name] = {"count": keys.count(), "first": [f"{part.name}:{key}" for key in keys[:MAX_PARTS]]}
    return {"parts": parts} if parts else {}


def _part_record(of: Object, kind: Kind, part: Ref) -> Record:
    if part.type in [each.name for each in kind.parts]:
        stored = store_of(of.type).stored(of, [part])
        if part in stored:
            return stored[part].record
    raise ToolFailed(f"{of.type}:{of.key} has no part {quoted(str(part))}. Without part, parts names the first ones.")


def _fields(kind: Kind, record: Record, arguments: ObjectArguments) -> dict[str, Any]:
    """The fields that were asked for, else all that say something; long ones from the offset on."""
    known = [name for name in kind.by_name if name != "parent"]  # which not everybody may see
    wanted = arguments.fields or known
    _require_fields(kind, wanted, known)
    fields = {name: _page(record[name], arguments.offset) for name in wanted}
    longer = [name for name in wanted if len(_text(record[name])) > arguments.offset + FIELD_CHARS]
    return {
        "fields": {name: value for name, value in fields.items() if arguments.fields or value not in _NOTHING},
        **({"cut": longer, "nextOffset": arguments.offset + FIELD_CHARS} if longer else {}),
    }


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


def moment_of(text: str | None) -> datetime | None:
    """The moment in a text, None if there is no text. Raises `ToolFailed`."""
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ToolFailed(f"{quoted(text)} is no date: write 2026-03-31, or 2026-03-31T12:00:00Z.") from None
    return moment if is_aware(moment) else make_aware(moment)


READ_TOOLS: tuple[ReadTool[Any], ...] = (ReadObject(), ListObjects(), SearchObjects(), ReadHistory())
