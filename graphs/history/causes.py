"""What a change set's causes (`noun:id`) are, in words and with a link. Each app explains its own."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from graphs.site.access import Member


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a cause is, in words. `url` is "" for who may not see it; `details` are for programs."""

    text: str
    url: str = ""
    details: Mapping[str, object] | None = None


#: Gets the member who asks and the ids of causes of one noun; leaves out those it does not know.
Explainer = Callable[[Member, Collection[str]], Mapping[str, Explanation]]

_explainers: dict[str, Explainer] = {}


def register(noun: str, explainer: Explainer) -> None:
    """Lets an explainer tell of causes of a noun, such as "proposal". `AppConfig.ready` calls it once for each."""
    _explainers[noun] = explainer


def explain(member: Member, causes: Iterable[str]) -> dict[str, Explanation]:
    """The explanations of all these causes that somebody can explain; each explainer is asked once."""
    by_noun: dict[str, set[str]] = {}
    for cause in causes:
        noun, _colon, id_ = cause.partition(":")
        by_noun.setdefault(noun, set()).add(id_)
    return {
        f"{noun}:{id_}": explanation
        for noun, ids in by_noun.items()
        if noun in _explainers
        for id_, explanation in _explainers[noun](member, ids).items()
    }
