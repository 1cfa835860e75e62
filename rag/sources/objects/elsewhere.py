"""Objects that a question may be about, further from its object than what that holds or stands beside."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.db.models import QuerySet

from graphs.objects.headers import children_of, listed, parent_of, path_to
from graphs.objects.kinds import Kind, of_objects
from graphs.objects.refs import Ref
from graphs.site.access import Member
from rag.embeddings.vector_search import Near
from rag.retrieval.fusion import fused
from rag.retrieval.naming import said
from rag.retrieval.ranking import best_first
from rag.sources.objects.family import MAX_HELD, Holder
from rag.sources.objects.relevant import MOST, weighed
from rag.sources.objects.search import BY_VECTOR, RELATED, parts
from rag.sources.objects.texts import forms_of, words_in, words_of
from rag.sources.objects.titles import titles_of, worded


def related(
    member: Member, question: str, nearest: Sequence[Near], own: Holder, holders: Sequence[Holder]
) -> dict[Ref, str]:
    """The titles of objects that words find below the object and beside it, and vectors anywhere, best first.

    One statement, two more for each kind whose rows have to be read to know who may see them.
    """
    forms = forms_of(question)
    titles: dict[Ref, str] = {}
    words: dict[Ref, tuple[str, ...]] = {}
    cosines: dict[Ref, float] = {}
    around = _around(member, own, holders) if forms else ()
    looked_through = [worded(kind, rows[:MAX_HELD], words_in(kind, forms)) for kind, rows in around]
    for some in parts(nearest, BY_VECTOR):
        found = titles_of(member, some, looked_through)
        looked_through = []
        for each in found.worded:
            titles[each.ref], words[each.ref] = each.title, words_of(each.forms, forms)
        for near in some:
            for ref, title in found.titles.get(near.id, ()):
                titles[ref], cosines[ref] = title, near.cosine
        if len(cosines) >= RELATED:
            break
    named = said(question, ((ref, ref.key, title) for ref, title in titles.items()))
    best = best_first(fused(weighed(words, len(words)), cosines, named), named)
    return {ref: titles[ref] for ref in best[: min(RELATED + len(words), MOST)]}


def _around(member: Member, own: Holder, holders: Sequence[Holder]) -> Iterator[tuple[Kind, QuerySet[Any]]]:
    """What lies below what the object holds, kind by kind, and what stands beside one that holds something.

    Where it holds nothing, what stands beside it is told as what others hold is.
    """
    for kind in of_objects():
        if path_to(kind, own.kind.name) and parent_of(kind) is not own.kind:
            yield kind, listed(member, kind, parent=own.header)
    above = next((each for each in holders if each.ref != own.ref), None)
    if above is not None and children_of(own.kind):
        yield own.kind, listed(member, own.kind, parent=above.header).exclude(pk=own.row.pk)
