"""Kinds and objects as the API answers with them."""

from collections.abc import Sequence
from typing import Any, Self

from django.db.models import Count, Model

from graphs.api.beginnings import beginnings
from graphs.models import Object
from graphs.objects.headers import (
    children_of,
    holder_of,
    listed,
    parent_of,
    ref_of,
    rows_of,
    title_of,
    url_of,
    whole,
)
from graphs.objects.kinds import Field, Form, Kind
from graphs.objects.model_values import record_of
from graphs.objects.new_keys import may_create
from graphs.objects.refs import ObjectName
from graphs.objects.streams import streams
from graphs.site.access import Member
from graphs.site.api.paging import PageShape
from graphs.site.shapes import AsItIs, Moment, Shape


class FieldShape(Shape):
    path: str
    label: str
    form: Form
    limit: int | None = None
    minor: bool
    fixed: bool = False

    @classmethod
    def of(cls, field: Field) -> Self:
        limit = {} if field.limit is None else {"limit": field.limit}
        fixed = {"fixed": True} if field.fixed else {}
        return cls(path=field.name, label=str(field.label), form=field.form, minor=field.minor, **limit, **fixed)


class KindShape(Shape):
    type: str
    label: str
    fields: AsItIs[list[FieldShape]]
    parents: list[str]
    children: list[str]
    may_create: bool
    may_edit: bool

    @classmethod
    def of(cls, member: Member, kind: Kind) -> Self:
        parent = parent_of(kind)
        return cls(
            type=kind.name,
            label=str(kind.label),
            fields=[FieldShape.of(field) for field in _shown(kind)],
            parents=[parent.name] if parent else [],
            children=[child.name for child in children_of(kind)],
            may_create=member.role.may_edit and may_create(kind),
            may_edit=member.role.may_edit,
        )


class KindPage(PageShape[KindShape]): ...


class _AnyObject(Shape):
    type: str
    id: str
    title: str
    fields: AsItIs[dict[str, Any]]
    version: int
    parent: ObjectName | None
    url: str | None
    updated_at: Moment | None
    untrusted_since: Moment | None


class ListedObject(_AnyObject):
    """`cut` names the fields of which only the beginning is here, as text; `parentTitle` says what holds it.

    `children` is how many it holds of each kind, where that is asked for.
    """

    cut: list[str]
    parent_title: str | None
    children: dict[str, int] | None = None

    @classmethod
    def of_rows(cls, member: Member, kind: Kind, rows: Sequence[Model], *, counted: bool = False) -> list[Self]:
        """Rows of a kind. One that nobody has spoken of yet is at its first version, and has no moment of change.

        What they hold is `counted` in a statement for each kind of that.
        """
        headers = _headers(member, kind, rows)
        children = _children(member, kind, rows) if counted else {}
        found = [(row, _values(member, kind, row, headers.get(ref_of(kind, row).key))) for row in rows]
        return [cls._of(kind, row, values, children.get(row.pk)) for row, values in found]

    @classmethod
    def _of(cls, kind: Kind, row: Model, values: dict[str, Any], children: dict[str, int] | None) -> Self:
        fields, cut = beginnings(values["fields"])
        holder = parent_of(kind)
        title = title_of(holder, getattr(row, kind.parent)) if holder and values["parent"] else None
        counts = {} if children is None else {"children": children}
        return cls(**{**values, "fields": fields}, cut=cut, parent_title=title, **counts)


class ObjectPage(PageShape[ListedObject]): ...


class ObjectShape(_AnyObject):
    children: dict[str, int]
    stream_id: str | None

    @classmethod
    def of(cls, member: Member, kind: Kind, of: Object, row: Model) -> Self:
        """One object. Those it holds are counted as far as the member may see them."""
        children = {child.name: listed(member, child, parent=of).count() for child in children_of(kind)}
        stream_id = streams.of([of]).get(of.pk)
        return cls(**_values(member, kind, row, whole(of)), children=children, stream_id=stream_id)


def _shown(kind: Kind) -> list[Field]:
    """The parent has a member of its own."""
    return [field for field in kind.fields if field.name != "parent"]


def _children(member: Member, kind: Kind, rows: Sequence[Model]) -> dict[Any, dict[str, int]]:
    """How many rows hold of each kind that everybody sees all of, by their primary keys."""
    found: dict[Any, dict[str, int]] = {row.pk: {} for row in rows}
    for child in (each for each in children_of(kind) if each.may_see is None):
        held = rows_of(child, member.workspace.pk).filter(**{f"{child.parent}__in": list(found)})
        counts = dict(held.order_by().values_list(child.parent).annotate(Count("pk")))
        for key, count in found.items():
            count[child.name] = counts.get(key, 0)
    return found


def _headers(member: Member, kind: Kind, rows: Sequence[Model]) -> dict[str, Object]:
    if issubclass(kind.model, Object):
        return {row.key: row for row in rows if isinstance(row, Object)}
    keys = [str(row.pk) for row in rows]
    of_kind = Object.objects.filter(workspace=member.workspace, type=kind.view_of or kind.name)
    return {each.key: each for each in of_kind.filter(key__in=keys)}


def _values(member: Member, kind: Kind, row: Model, header: Object | None) -> dict[str, Any]:
    record, ref = record_of(kind, row), ref_of(kind, row)
    parent = holder_of(member, kind, record)
    return {
        "type": ref.type,
        "id": ref.key,
        "title": kind.name_of(record) or ref.key,
        "fields": {field.name: record[field.name] for field in _shown(kind)},
        "version": header.version if header else 1,
        "parent": parent.to_json() if parent else None,
        "url": url_of(kind, row) or None,
        "updated_at": header.updated_at if header else None,
        "untrusted_since": header.untrusted_since if header else None,
    }
