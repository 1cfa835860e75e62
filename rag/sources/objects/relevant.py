"""Which of the objects that one holds matter for a question: those that it names, words, vectors, then the others."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from graphs.objects.refs import Ref
from rag.retrieval.fusion import fused
from rag.retrieval.naming import said
from rag.retrieval.ranking import best_first
from rag.sources.objects.family import Held
from rag.texts.words import rarity

#: Objects that are told beside the one that a question is about, and how many places those that it finds leave.
MOST = 20
LEFT = 5


def found(question: str, held: Sequence[Held], cosines: Mapping[int, float]) -> list[Held]:
    """Those that the question finds, best first: a word counts the more the fewer have it."""
    by_ref = {each.ref: each for each in held}
    words = weighed({each.ref: each.words for each in held if each.words}, len(held))
    near = {each.ref: cosines[each.header] for each in held if each.header in cosines}
    named = said(question, ((each.ref, each.ref.key, each.title) for each in held))
    return [by_ref[ref] for ref in best_first(fused(words, near, named), named)]


def weighed(words: Mapping[Ref, Sequence[str]], among: int) -> dict[Ref, float]:
    """What the words say that objects have, `among` so many that were looked through: the fewer have one, the more."""
    holding = Counter(word for some in words.values() for word in some)
    weights = {word: rarity(count, among) for word, count in holding.items()}
    return {ref: sum(weights[word] for word in some) for ref, some in words.items()}


def chosen(best: Sequence[Held], held: Sequence[Held], order: Callable[[Held], Any] | None) -> list[Held]:
    """At most `MOST`: those that were found, then the first of all others in an order that says their worth."""
    others = sorted(held, key=order) if order else held
    firsts = best if len(held) <= MOST else best[: MOST - LEFT]
    return list({each.ref: each for each in (*firsts, *others, *best)}.values())[:MOST]
