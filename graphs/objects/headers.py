"""Objects by their names, for a person: found, listed, and what they may do with them."""

from collections.abc import Iterable
from typing import Any

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Model, QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _

from graphs.models import Object
from graphs.objects.kinds import KINDS, Kind, is_object
from graphs.objects.model_rows import record_of, row_of
from graphs.objects.operations import Operation
from graphs.objects.refs import Ref
from graphs.objects.refusals import ChangeRefused
from graphs.site.access import Member, NotFound


def object_for(member: Member, ref: Ref) -> Object:
    """The object of the member's workspace with this name. Foreign and absent alike raise `NotFound`."""
    found = existing(member.workspace.pk, ref)
    if found is None or not may_see(member, found):
        raise NotFound
    return found


def existing(workspace_id: int, ref: Ref) -> Object | None:
    """The object with this name; it gets its header if nobody has spoken of it yet."""
    if not is_object(ref.type):
        return None
    kind = KINDS[ref.type]
    found = Object.objects.filter(workspace=workspace_id, type=ref.type, key=ref.key).first()
    if kind.rows is None:
        return found
    row = _rows_named(kind, workspace_id, ref.key).first()
    if row is None:
        return None
    return found or header_of(kind, workspace_id, row)


def header_of(kind: Kind, workspace_id: int, row: Model) -> Object:
    """The header of a row, made if there is none."""
    header, _new = Object.objects.get_or_create(workspace_id=workspace_id, type=kind.name, key=str(row.pk))
    return header


def listed(member: Member, kind: Kind, *, parent: str = "") -> QuerySet[Any]:
    """Rows of a kind in the member's workspace, those of one parent if it is named, in the order of their titles."""
    rows = (
        kind.rows(member.workspace.pk) if kind.rows else kind.model._default_manager.filter(workspace=member.workspace)
    )
    if parent and kind.parent:
        rows = rows.filter(**{f"{kind.parent}_id": parent})
    return rows.order_by(kind.field(kind.title).column, "pk")


def searched(rows: QuerySet[Any], kind: Kind, text: str) -> QuerySet[Any]:
    """Those of the rows in which a field contains the text."""
    wanted = models.Q()
    for field in kind.fields:
        if field.form in ("text", "code", "json"):
            wanted |= models.Q(**{f"{field.column}__icontains": text})
    return rows.filter(wanted)


def ref_of(kind: Kind, row: Model) -> Ref:
    """The name of a row."""
    return Ref(kind.name, row.key if isinstance(row, Object) else str(row.pk))


def title_of(kind: Kind, row: Model) -> str:
    """What people call a row."""
    return kind.name_of(record_of(kind, row)) or ref_of(kind, row).key


def parent_of(kind: Kind) -> Kind | None:
    """The kind of objects that hold objects of this one."""
    if not kind.parent:
        return None
    target = kind.model._meta.get_field(kind.parent).related_model
    return next((each for each in KINDS.values() if each.model is target and is_object(each.name)), None)


def children_of(kind: Kind) -> list[Kind]:
    """The kinds of objects that objects of this one hold."""
    return [each for each in KINDS.values() if each is not kind and parent_of(each) is kind]


def url_of(kind: Kind, row: Model) -> str:
    """The address of the object's page; "" if it has none."""
    if callable(kind.url):
        return kind.url(row)
    return reverse(kind.url, args=[ref_of(kind, row).key]) if kind.url else ""


def named(row: Any) -> Ref | None:
    """The name of an object, or of a row of a registered model; None for anything else."""
    if isinstance(row, Object):
        return Ref(row.type, row.key)
    kind = next((kind for kind in KINDS.values() if kind.store is not None and type(row) is kind.model), None)
    return ref_of(kind, row) if kind else None


def address_of(member: Member, ref: Ref) -> str:
    """The address of the page of an object of the member's workspace, by its name; "" if there is none."""
    kind = KINDS.get(ref.type)
    if kind is None or not kind.url:
        return ""
    if not callable(kind.url):
        return reverse(kind.url, args=[ref.key])
    try:
        return url_of(kind, row_of(object_for(member, ref)))
    except NotFound:
        return ""


def may_see(member: Member, of: Object) -> bool:
    """Whether a member of its workspace may see an object."""
    kind = KINDS[of.type]
    return kind.may_see is None or kind.may_see(member, row_of(of))


def may_edit(member: Member, of: Object) -> bool:
    """Whether a member may change an object."""
    kind = KINDS[of.type]
    allowed = member.role.may_edit and may_see(member, of)
    return allowed and (kind.may_edit is None or kind.may_edit(member, row_of(of)))


def require_may_edit_all(member: Member, operations: Iterable[Operation]) -> None:
    """Raises `ChangeRefused` for the first object that the operations change and the member may not.

    Who may change an object may change its parts: operations on parts are not looked at.
    """
    own = [operation.item for operation in operations if is_object(operation.item.type)]
    for ref in own:
        if KINDS[ref.type].may_see is None and KINDS[ref.type].may_edit is None:
            continue
        of = existing(member.workspace.pk, ref)
        if of is not None and not may_edit(member, of):
            raise ChangeRefused(_("{object} may not be changed by this person.").format(object=ref))


def _rows_named(kind: Kind, workspace_id: int, key: str) -> QuerySet[Any]:
    assert kind.rows is not None
    try:
        return kind.rows(workspace_id).filter(pk=kind.model._meta.pk.to_python(key))
    except ValidationError:
        return kind.model._default_manager.none()
