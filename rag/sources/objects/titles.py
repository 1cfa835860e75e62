"""The titles of objects of all kinds that vectors named, in as few statements as they allow."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db import connection
from django.db.models import BigIntegerField, CharField, F, OuterRef, QuerySet, Subquery, TextField, Value
from django.db.models.functions import Cast

from graphs.models import Object
from graphs.objects.headers import ref_of, rows_named, rows_of, title_of
from graphs.objects.kinds import KINDS, Kind
from graphs.objects.refs import Ref
from graphs.site.access import Member
from rag.embeddings.vector_search import Near
from rag.sources.objects.texts import as_text

Titles = dict[int, tuple[tuple[Ref, str], ...]]
#: No words were looked for in what vectors found.
_NO_WORDS = Cast(Value("{}"), ArrayField(TextField()))
_SAYING = "SELECT * FROM ({told}) AS told WHERE told_header IS NOT NULL OR told_words <> ARRAY[]::text[]"


@dataclass(frozen=True, slots=True)
class Found:
    """`titles` are those of what vectors named, by the numbers of headers."""

    titles: Titles
    worded: Sequence["Worded"]


@dataclass(frozen=True, slots=True)
class Worded:
    """An object that has words of a question, in the forms in which it has them."""

    ref: Ref
    title: str
    forms: tuple[str, ...]


def titles_of(member: Member, nearest: Sequence[Near], worded: Sequence[QuerySet[Any, Any]] = ()) -> Found:
    """Names and titles of objects that the member may see, and which of the rows `worded` have words of a question.

    One statement is for these rows and all kinds whose titles the database tells, two are for each other kind.
    """
    numbers: defaultdict[str, list[int]] = defaultdict(list)
    for each in nearest:
        numbers[each.type].append(each.id)
    told = [_told(member, KINDS[name], some) for name, some in numbers.items() if _is_told(KINDS[name])]
    titles: Titles = {}
    having: list[Worded] = []
    for name, header, key, title, forms in _rows([*told, *worded]):
        if header is None:
            having.append(Worded(Ref(name, key), title or key, tuple(forms)))
        else:
            titles[header] = ((Ref(name, key), title or key),)
    for name, some in numbers.items():
        if not _is_told(KINDS[name]):
            titles |= _read(member, KINDS[name], some)
    return Found(titles, having)


def worded(kind: Kind, rows: QuerySet[Any], words: Any) -> QuerySet[Any, Any]:
    """Rows of a kind with those words of a question that `words` finds in each, as `titles_of` takes them."""
    key = F("key") if issubclass(kind.model, Object) else F("pk")
    return _columns(rows, kind, key, Value(None, BigIntegerField()), words)


def _rows(told: Sequence[QuerySet[Any, Any]]) -> list[tuple[Any, ...]]:
    """Of rows that were looked through for words those that have some, beside all others."""
    if not told:
        return []
    one = told[0].union(*told[1:], all=True) if len(told) > 1 else told[0]
    sql, values = one.query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(_SAYING.format(told=sql), values)
        return cursor.fetchall()


def _is_told(kind: Kind) -> bool:
    """Whether a column has the title, and everybody may see it."""
    return kind.may_see is None and kind.called is None


def _told(member: Member, kind: Kind, numbers: Sequence[int]) -> QuerySet[Any, Any]:
    rows = rows_of(kind, member.workspace.pk).order_by()
    if issubclass(kind.model, Object):
        key, header, rows = F("key"), F("pk"), rows.filter(pk__in=numbers)
    else:
        named = Object.objects.filter(pk__in=numbers, workspace=member.workspace, type=kind.name)
        primary_key = kind.model._meta.pk
        keys = named.annotate(told_key=Cast("key", type(primary_key)(**_options(primary_key)))).values("told_key")
        own = Cast(OuterRef("pk"), TextField())
        key, header = F("pk"), Subquery(named.filter(key=own).values("pk")[:1])  # type: ignore[assignment]
        rows = rows.filter(pk__in=keys)
    return _columns(rows, kind, key, header, _NO_WORDS)


def _columns(rows: QuerySet[Any], kind: Kind, key: Any, header: Any, words: Any) -> QuerySet[Any, Any]:
    told = {
        "told_kind": Value(kind.name),
        "told_header": header,
        "told_key": Cast(key, CharField()),
        "told_title": as_text(kind.field(kind.title)),
        "told_words": words,
    }
    return rows.annotate(**told).values_list(*told)


def _options(primary_key: Any) -> dict[str, Any]:
    return {"max_length": primary_key.max_length} if primary_key.max_length and primary_key.max_length > 32 else {}


def _read(member: Member, kind: Kind, numbers: Sequence[int]) -> Titles:
    headers = Object.objects.filter(workspace=member.workspace, type=kind.name, pk__in=numbers).values_list("key", "pk")
    known = dict(headers)
    rows = rows_named(member, kind, known)
    return {known[key]: ((ref_of(kind, row), title_of(kind, row)),) for key, row in rows.items()}
