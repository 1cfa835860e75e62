"""Objects by their names, for a person: found, listed, and what they may do with them."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, cast

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Model, QuerySet
from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext as _

from graphs.models import Object
from graphs.objects.actions import ChangeRefused
from graphs.objects.kinds import KINDS, Kind, is_object, kinds_of, whole_of
from graphs.objects.model_refusals import refusals_of
from graphs.objects.model_rows import row_of, unsaved_row
from graphs.objects.model_values import name_of
from graphs.objects.operations import Create, Operation, Record, result
from graphs.objects.refs import Ref
from graphs.site import row_store
from graphs.site.access import Forbidden, Member, NotFound


def object_for(member: Member, ref: Ref) -> Object:
    """The object of the member's workspace with this name. Foreign and absent alike raise `NotFound`."""
    return seen(member, existing(member.workspace.pk, ref))


def seen(member: Member, found: Object | None) -> Object:
    """What was found in the member's workspace; raises `NotFound` if that is nothing, or nothing that they may see."""
    if found is None or not may_see(member, found):
        raise NotFound
    return found


def model_of_header(ref: Ref) -> type[Object] | None:
    """The model of an object that is its own header, as a graph is; None for what has a row and a header beside it."""
    if is_object(ref.type) and KINDS[ref.type].rows is None:
        return cast(type[Object], KINDS[ref.type].model)
    return None


def existing(workspace_id: int, ref: Ref) -> Object | None:
    """The object with this name; it gets its header if nobody has spoken of it yet."""
    if not is_object(ref.type):
        return None
    if model := model_of_header(ref):
        rows = row_store.read(model, statement_by_key(model), [workspace_id, ref.key])
        return rows[0][0] if rows else None
    kind = KINDS[ref.type]
    headers = row_store.read(Object, _HEADER, [workspace_id, ref.type, ref.key])
    row = rows_with(kind, workspace_id, [ref.key]).first()
    if row is None:
        return None
    return headers[0][0] if headers else header_of(kind, workspace_id, row)


#: Written out, as what `statement_by_key` gives: every request that names an object asks.
_HEADER = f"""
SELECT {row_store.columns(Object)} FROM graphs_object WHERE workspace_id = %s AND type = %s AND key = %s
"""  # noqa: S608 - what is inserted are names of columns


def existing_with_rows(workspace_id: int, refs: Iterable[Ref]) -> list[tuple[Object, Any]]:
    """The objects with these names and their rows, read together, headers first; absent ones are left out."""
    found: list[tuple[Object, Any]] = []
    keys: dict[str, list[str]] = {}
    for ref in refs:
        keys.setdefault(ref.type, []).append(ref.key)
    for kind in (KINDS[type_] for type_ in keys if is_object(type_)):
        if kind.rows is None:
            own: Any = kind.model._default_manager.filter(workspace=workspace_id, key__in=keys[kind.name])
            found += [(row, row) for row in own]
            continue
        known = Object.objects.filter(workspace=workspace_id, type=kind.name, key__in=keys[kind.name])
        headers = {header.key: header for header in known}
        rows = list(rows_with(kind, workspace_id, keys[kind.name]))
        new = [ref for ref in (ref_of(kind, row) for row in rows) if ref.key not in headers]
        headers |= {header.key: header for header in made_headers(workspace_id, new).values()}
        found += [(headers[ref_of(kind, row).key], row) for row in rows]
    return found


def whole(of: Object) -> Object:
    """The object that this one is a view of, or itself; itself, too, where that is gone."""
    ref = Ref(of.type, of.key)
    return of if whole_of(ref) == ref else existing(of.workspace_id, whole_of(ref)) or of


@cache
def statement_by_key(model: type[Model]) -> str:
    """What the ORM asks for workspace and key: to compose it takes longer than to answer, and every question asks."""
    query = model._default_manager.filter(workspace=0).filter(key="").order_by().query
    statement, values = query.sql_with_params()
    assert len(values) == 2, f"the manager of {model.__name__} has conditions with values of its own"
    return statement


def header_of(kind: Kind, workspace_id: int, row: Model) -> Object:
    """The header of a row, made if there is none."""
    header, _new = Object.objects.get_or_create(workspace_id=workspace_id, type=kind.name, key=str(row.pk))
    return header


def headers_of(workspace_id: int, refs: Sequence[Ref]) -> dict[Ref, Object]:
    """The headers of rows of registered models; those that there are not are made. One statement for all kinds."""
    asked = [workspace_id, *(row_store.as_array(each) for each in zip(*refs, strict=True))]
    found = {_named(header): header for header, _more in row_store.read(Object, _HEADERS, asked)} if refs else {}
    return found | made_headers(workspace_id, [ref for ref in refs if ref not in found])


def made_headers(workspace_id: int, refs: Sequence[Ref]) -> dict[Ref, Object]:
    """New headers of rows of registered models that have none."""
    if not refs:
        return {}
    types, keys = (row_store.as_array(each) for each in zip(*refs, strict=True))
    made = [header for header, _more in row_store.read(Object, _NEW_HEADERS, [workspace_id, types, keys])]
    if len(made) < len(refs):  # somebody else made some of them
        made = [header for header, _more in row_store.read(Object, _HEADERS, [workspace_id, types, keys])]
    return {_named(header): header for header in made}


def _named(header: Object) -> Ref:
    return Ref(header.type, header.key)


_HEADERS = f"""
SELECT {row_store.columns(Object)} FROM graphs_object
WHERE workspace_id = %s AND (type, key) IN (SELECT * FROM unnest(%s::text[], %s::text[]))
"""  # noqa: S608 - what is inserted are names of columns
_NEW_HEADERS = f"""
INSERT INTO graphs_object (workspace_id, type, key, version, created_at, updated_at)
SELECT %s, type, key, 1, statement_timestamp(), statement_timestamp()
FROM unnest(%s::text[], %s::text[]) AS row(type, key)
ON CONFLICT DO NOTHING RETURNING {row_store.columns(Object)}
"""  # noqa: S608


def listed(member: Member, kind: Kind, *, parent: Object | None = None) -> QuerySet[Any]:
    """Rows of a kind that the member may see, those that one object holds if it is named, in the order of their titles.

    What holds a `parent` holds them, too.
    """
    rows = rows_of(kind, member.workspace.pk)
    if parent is not None:
        rows = rows.filter(held_by(parent, path_to(kind, parent.type)))
    if kind.parent:
        rows = rows.select_related(kind.parent)
    if kind.may_see is not None:
        rows = rows.filter(pk__in=[row.pk for row in rows if kind.may_see(member, row)])
    return rows.order_by(kind.field(kind.title).ordered, "pk")


def rows_of(kind: Kind, workspace_id: int) -> QuerySet[Any]:
    """All rows of a kind in a workspace."""
    return kind.rows(workspace_id) if kind.rows else kind.model._default_manager.filter(workspace=workspace_id)


def held_by(parent: Object, column: str) -> models.Q:
    """The rows whose foreign key leads to an object: it has its primary key, which not every kind is named by."""
    key = parent.pk if issubclass(KINDS[parent.type].model, Object) else parent.key
    return models.Q(**{f"{column}__pk": key})


def rows_named(member: Member, kind: Kind, keys: Iterable[str]) -> dict[str, Any]:
    """The rows of a kind in the member's workspace with these keys, those that they may see, by key."""
    rows = rows_with(kind, member.workspace.pk, keys)
    return {ref_of(kind, row).key: row for row in rows if kind.may_see is None or kind.may_see(member, row)}


def rows_with(kind: Kind, workspace_id: int, keys: Iterable[str]) -> QuerySet[Any]:
    """The rows of a kind in a workspace that have these keys; a text that can be none names nothing."""
    column = "key__in" if issubclass(kind.model, Object) else "pk__in"
    rows = rows_of(kind, workspace_id).filter(**{column: [key for key in keys if is_key(kind, key)]})
    return rows.select_related(kind.parent) if kind.parent else rows


def searched_by(kind: Kind, text: str) -> models.Q:
    """The condition that a field contains the text."""
    wanted = models.Q(pk__in=())  # of a kind without texts none
    for field in kind.fields:
        if field.form in ("text", "code", "json") and not field.is_rest:
            wanted |= models.Q(**{"__".join((field.column, *field.inside, "icontains")): text})
    return wanted


def with_rows(objects: Mapping[str, list[Object]]) -> dict[str, list[Object]]:
    """These objects of one workspace, by kind, without kinds of which there are neither headers nor rows any more."""
    gone = {type_: some for type_, some in objects.items() if all(each._state.adding for each in some)}
    if len(gone) < 2:
        return dict(objects)
    there = [_kind_of_one(KINDS[type_], some) for type_, some in gone.items()]
    left = {type_ for (type_,) in there[0].union(*there[1:], all=True)}
    return {type_: some for type_, some in objects.items() if type_ not in gone or type_ in left}


def _kind_of_one(kind: Kind, objects: Sequence[Object]) -> QuerySet[Any, Any]:
    """The name of the kind if one of the objects has a row."""
    rows = rows_with(kind, objects[0].workspace_id, [each.key for each in objects])
    name = models.Value(kind.name, output_field=models.TextField())
    return rows.select_related(None).order_by().annotate(name_of_kind=name).values_list("name_of_kind")[:1]


def ref_of(kind: Kind, row: Model) -> Ref:
    """The name of a row."""
    return Ref(kind.name, row.key if isinstance(row, Object) else str(row.pk))


def title_of(kind: Kind, row: Model) -> str:
    """What people call a row, which its header may stand for."""
    if isinstance(row, Object) and kind.rows is not None:
        row = row_of(row)
    return name_of(kind, row) or ref_of(kind, row).key


def parent_of(kind: Kind) -> Kind | None:
    """The kind of objects that hold objects of this one."""
    if not kind.parent:
        return None
    target = kind.model._meta.get_field(kind.parent).related_model
    return next((each for each in KINDS.values() if each.model is target and is_object(each.name)), None)


def path_to(kind: Kind, holder: str) -> str:
    """The way of the ORM from a row to what holds it and is of a kind with this name; "" where none does."""
    path, above = kind.parent, parent_of(kind)
    while above is not None and above.name != holder:
        path, above = f"{path}__{above.parent}", parent_of(above)
    return path if above is not None else ""


def children_of(kind: Kind) -> list[Kind]:
    """The kinds of objects that objects of this one hold."""
    return [each for each in KINDS.values() if parent_of(each) is kind]


def url_of(kind: Kind, row: Model) -> str:
    """The address of the object's page; "" if it has none: not every key fits into an address."""
    try:
        if callable(kind.url):
            return kind.url(row)
        return reverse(kind.url, args=[ref_of(kind, row).key]) if kind.url else ""
    except NoReverseMatch:
        return ""


def named(row: Any) -> Ref | None:
    """The name of an object, or of a row of a registered model; None for anything else."""
    if isinstance(row, Object):
        return Ref(row.type, row.key)
    kind = next(iter(kinds_of(type(row))), None)
    return ref_of(kind, row) if kind else None


def address_of(member: Member, ref: Ref) -> str:
    """The address of the page of an object of the member's workspace, by its name; "" if there is none."""
    kind = KINDS.get(ref.type)
    if kind is None or not kind.url:
        return ""
    try:
        if callable(kind.url):
            return url_of(kind, row_of(object_for(member, ref)))
        return reverse(kind.url, args=[ref.key])
    except (NotFound, NoReverseMatch):
        return ""


def may_see(member: Member, of: Object) -> bool:
    """Whether a member of its workspace may see an object."""
    kind = KINDS[of.type]
    if kind.may_see is None:
        return True
    row = row_of(of)
    return row is not None and kind.may_see(member, row)


def may_edit(member: Member, of: Object) -> bool:
    """Whether a member may change an object."""
    kind = KINDS[of.type]
    allowed = member.role.may_edit and may_see(member, of)
    return allowed and (kind.may_edit is None or kind.may_edit(member, row_of(of)))


def require_may_edit_all(member: Member, operations: Collection[Operation]) -> None:
    """Raises `ChangeRefused` for the first object that the member may not change. Parts go with their object."""
    created = {operation.item: operation for operation in operations if isinstance(operation, Create)}
    for operation in operations:
        if not is_object(operation.item.type):
            continue
        for ref in (operation.item, *_new_parent(operation)):
            kind = KINDS[ref.type]
            if kind.may_see is None and kind.may_edit is None:
                continue
            of = existing(member.workspace.pk, ref)
            if of is not None:
                allowed = may_edit(member, of)
            else:
                with refusals_of(kind):
                    row = _unsaved(member, created[ref], created) if ref in created else None
                    allowed = row is None or kind.may_edit is None or kind.may_edit(member, row)
            if not allowed:
                raise ChangeRefused(_("{object} may not be changed by this person.").format(object=ref))


def _new_parent(operation: Operation) -> list[Ref]:
    """What an object comes into."""
    holder, key = parent_of(KINDS[operation.item.type]), result(operation).get("parent")
    return [Ref(holder.name, str(key))] if holder and key is not None else []


def _unsaved(member: Member, operation: Create, created: Mapping[Ref, Create]) -> Model:
    """The row that an operation creates, as it will be saved; its parent may be `created` with it."""
    kind = KINDS[operation.item.type]
    of = Object(workspace=member.workspace, type=kind.name, key=operation.item.key)
    row = unsaved_row(kind, of, operation.record)
    for parent in _new_parent(operation):
        if parent in created:
            setattr(row, kind.parent, _unsaved(member, created[parent], created))
    return row


def is_key(kind: Kind, key: str) -> bool:
    """Whether a row of the kind can have this key. A row has one name: "7" is no other "07"."""
    try:
        return issubclass(kind.model, Object) or str(kind.model._meta.pk.to_python(key)) == key
    except ValidationError:
        return False


def narrowed() -> list[str]:
    """The names of the kinds of which not everybody sees all."""
    return [kind.name for kind in KINDS.values() if kind.may_see is not None]


def unseen(member: Member, refs: Iterable[Ref]) -> dict[Ref, bool]:
    """The objects that the member may not see, each with whether it is gone."""
    wanted, found = set(refs), {}
    for name in narrowed():
        kind = KINDS[name]
        some = {ref for ref in wanted if ref.type == name}
        rows = rows_with(kind, member.workspace.pk, {ref.key for ref in some})
        there = {ref_of(kind, row): row for row in rows}
        for ref in some:
            if ref not in there:
                found[ref] = True
            elif kind.may_see is not None and not kind.may_see(member, there[ref]):
                found[ref] = False
    return found


def holder_of(member: Member, kind: Kind, record: Record) -> Ref | None:
    """The object that holds one of this kind with this record, if the member may see it."""
    holder, key = parent_of(kind), record.get("parent")
    ref = Ref(holder.name, str(key)) if holder and key is not None else None
    return None if ref is None or unseen(member, [ref]) else ref


def require_seen(member: Member, refs: Iterable[Ref]) -> None:
    """Raises `NotFound` for an object that the member may not see."""
    if unseen(member, refs):
        raise NotFound


def require_editable(member: Member, refs: Iterable[Ref]) -> None:
    """Raises `NotFound` for an object that the member may not see, and `Forbidden` for one that they may not change."""
    some = list(refs)
    require_seen(member, some)
    for ref in some:
        may_edit, rows = KINDS[ref.type].may_edit, rows_with(KINDS[ref.type], member.workspace.pk, [ref.key])
        if may_edit is not None and not all(may_edit(member, row) for row in rows):
            raise Forbidden
