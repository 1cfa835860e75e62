"""Finding objects by words and by vectors, for somebody: what they may not see is as if it were absent."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Case, CharField, Func, IntegerField, Q, QuerySet, Value, When
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Cast, Concat, Length, Lower, Sign, StrIndex, Trim

from graphs.models import Object
from graphs.objects.headers import listed, ref_of, rows_named, searched_by, title_of
from graphs.objects.kinds import KINDS, Kind, of_objects
from graphs.objects.refs import Ref
from graphs.site.access import Member
from graphs.site.accounts import Account
from rag.embeddings.vector_search import MOST_CANDIDATES, Near
from rag.retrieval.by_vector import near
from rag.retrieval.fusion import fused
from rag.retrieval.naming import said
from rag.retrieval.ranking import best_first
from rag.sources.objects.collection import collection_of
from rag.sources.objects.texts import as_text, needles
from rag.texts.words import plain

#: Objects of one kind that words find, and objects of all kinds that vectors find; so many are looked at if `may_see`
#: hides some of them.
BY_WORDS = 10
BY_VECTOR = 10
#: Objects that vectors find elsewhere are named beside the one that a question is about.
RELATED = 5
#: No field is called so.
_COUNT = "words_found_by_search"


@dataclass(frozen=True, slots=True)
class Found:
    """Objects, best first, as kinds and rows; `more` are the kinds of which words find more than these."""

    objects: list[tuple[Kind, Any]]
    more: list[str]


def find(member: Member, kinds: Sequence[Kind], question: str, account: Account) -> Found:
    """The objects of these kinds that have words of the question, or whose vectors are like its own."""
    rows: dict[Ref, Any] = {}
    words: dict[Ref, float] = {}
    more = []
    for kind in kinds:
        some = list(_by_words(listed(member, kind), kind, question)[: BY_WORDS + 1])
        more += [kind.name] if len(some) > BY_WORDS else []
        for row in some[:BY_WORDS]:
            rows[ref_of(kind, row)] = row
            words[ref_of(kind, row)] = float(getattr(row, _COUNT))
    cosines = _by_vector(member, kinds, question, account, rows)
    named = said(question, ((ref, ref.key, title_of(KINDS[ref.type], row)) for ref, row in rows.items()))
    ranked = best_first(fused(words, cosines, named), named)
    return Found([(KINDS[ref.type], rows[ref]) for ref in ranked], more)


def nearest_objects(member: Member, question: str, account: Account, also: Sequence[int] = ()) -> list[Near]:
    """The objects of all kinds whose vectors are near the question's, best first; `also` are compared in any case."""
    kinds = of_objects()
    wanted = MOST_CANDIDATES if any(kind.may_see for kind in kinds) else BY_VECTOR + RELATED + len(also)
    most = min(wanted, MOST_CANDIDATES)
    types = [kind.name for kind in kinds]
    return near(collection_of(member.workspace.pk), types, question, account, most, also=also)


def parts(rows: Any, first: int) -> Iterator[Any]:
    """The `first` rows, then each time more than all before: who finds enough early reads no more."""
    start, end = 0, first
    while start < end:
        some = rows[start:end]
        yield some
        start, end = end, 2 * end + first if len(some) == end - start else end


def _by_words(rows: QuerySet[Any], kind: Kind, question: str) -> QuerySet[Any]:
    """The rows that have any of the needles: those whose title it says, the longest first, then those with the most."""
    wanted, count = Q(pk__in=()), Value(0, IntegerField())
    for some in needles(question):
        here = Q()
        for needle in some:
            here |= searched_by(kind, needle)
        wanted |= here
        count = count + Case(When(here, then=1), default=0)  # type: ignore[assignment]
    found = rows.filter(wanted).annotate(**{_COUNT: count})
    return found.order_by(_said(question, kind).desc(), f"-{_COUNT}", _title(kind), "pk")


def _said(question: str, kind: Kind) -> CombinedExpression:
    """How long the title of a row is if the question says it, else 0."""
    words = Func(Lower(_title(kind)), Value("-_.:/"), Value("     "), function="translate", output_field=CharField())
    place = StrIndex(Value(f" {plain(question)} "), Concat(Value(" "), words, Value(" ")))
    return Sign(place) * Length(Trim(words))


def _title(kind: Kind) -> Cast:
    return as_text(kind.field(kind.title))


def _by_vector(
    member: Member, kinds: Sequence[Kind], question: str, account: Account, rows: dict[Ref, Any]
) -> dict[Ref, float]:
    """The cosines of the objects whose vectors are nearest; their rows join `rows`."""
    types = [kind.name for kind in kinds]
    most = MOST_CANDIDATES if any(kind.may_see for kind in kinds) else BY_VECTOR
    nearest = near(collection_of(member.workspace.pk), types, question, account, most)
    found: dict[Ref, tuple[float, Any]] = {}
    for some in parts(nearest, BY_VECTOR):
        if len(found) >= BY_VECTOR:
            break
        cosines = {each.id: each.cosine for each in some}
        headers = Object.objects.filter(workspace=member.workspace, pk__in=cosines).values_list("type", "key", "pk")
        for kind in kinds:
            ids = {key: pk for type_, key, pk in headers if type_ == kind.name}
            for key, row in (rows_named(member, kind, ids) if ids else {}).items():
                found[Ref(kind.name, key)] = cosines[ids[key]], row
    best = sorted(found.items(), key=lambda each: -each[1][0])[:BY_VECTOR]
    for ref, (_, row) in best:
        rows.setdefault(ref, row)
    return {ref: cosine for ref, (cosine, _) in best}
