"""The titles of objects of all kinds that vectors named, in as few statements as they allow."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from django.db.models import CharField, F, OuterRef, QuerySet, Subquery, TextField, Value
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Cast

from graphs.models import Object
from graphs.objects.headers import ref_of, rows_named, rows_of, title_of
from graphs.objects.kinds import KINDS, Field, Kind
from graphs.objects.refs import Ref
from graphs.site.access import Member
from rag.embeddings.vector_search import Near

Titles = dict[int, tuple[tuple[Ref, str], ...]]


def titles_of(member: Member, nearest: Sequence[Near]) -> Titles:
    """Names and titles of objects that the member may see, by the numbers of their headers.

    One statement is for all kinds whose titles the database tells, two are for each other kind.
    """
    numbers: defaultdict[str, list[int]] = defaultdict(list)
    for each in nearest:
        numbers[each.type].append(each.id)
    told = [_told(member, KINDS[name], some) for name, some in numbers.items() if _is_told(KINDS[name])]
    found: Titles = {}
    if told:
        rows = told[0].union(*told[1:], all=True) if len(told) > 1 else told[0]
        found = {header: ((Ref(name, key), title or key),) for name, header, key, title in rows}
    for name, some in numbers.items():
        if not _is_told(KINDS[name]):
            found |= _read(member, KINDS[name], some)
    return found


def as_text(field: Field) -> Cast:
    """The value of a field as text, within JSON as well."""
    *outer, last = [field.column, *field.inside]
    value: Any = last
    if outer:
        value = F(outer[0])
        for key in outer[1:]:
            value = KeyTransform(key, value)
        value = KeyTextTransform(last, value)
    return Cast(value, CharField())


def _is_told(kind: Kind) -> bool:
    """Whether a column has the title, and everybody may see it."""
    return kind.may_see is None and kind.called is None


def _told(member: Member, kind: Kind, numbers: Sequence[int]) -> QuerySet[Any, Any]:
    rows, title = rows_of(kind, member.workspace.pk).order_by(), as_text(kind.field(kind.title))
    if issubclass(kind.model, Object):
        key, header, rows = F("key"), F("pk"), rows.filter(pk__in=numbers)
    else:
        named = Object.objects.filter(pk__in=numbers, workspace=member.workspace, type=kind.name)
        primary_key = kind.model._meta.pk
        keys = named.annotate(told_key=Cast("key", type(primary_key)(**_options(primary_key)))).values("told_key")
        own = Cast(OuterRef("pk"), TextField())
        key, header = F("pk"), Subquery(named.filter(key=own).values("pk")[:1])  # type: ignore[assignment]
        rows = rows.filter(pk__in=keys)
    told = {
        "told_kind": Value(kind.name),
        "told_header": header,
        "told_title": title,
        "told_key": Cast(key, CharField()),
    }
    return rows.annotate(**told).values_list("told_kind", "told_header", "told_key", "told_title")


def _options(primary_key: Any) -> dict[str, Any]:
    return {"max_length": primary_key.max_length} if primary_key.max_length and primary_key.max_length > 32 else {}


def _read(member: Member, kind: Kind, numbers: Sequence[int]) -> Titles:
    headers = Object.objects.filter(workspace=member.workspace, type=kind.name, pk__in=numbers).values_list("key", "pk")
    known = dict(headers)
    rows = rows_named(member, kind, known)
    return {known[key]: ((ref_of(kind, row), title_of(kind, row)),) for key, row in rows.items()}
