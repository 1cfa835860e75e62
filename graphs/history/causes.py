"""What a change set's causes (`kind:id`) are, in words and with a link. Each app explains its own."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from graphs.site.access import Member


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a cause is, in words. `url` is "" for who may not see it; `details` are for programs."""

    text: str
    url: str = ""
    details: Mapping[str, object] | None = None


#: Gets the member who asks and the ids of causes of one kind; leaves out those it does not know.
Explainer = Callable[[Member, Collection[str]], Mapping[str, Explanation]]

_explainers: dict[str, Explainer] = {}


def register(kind: str, explainer: Explainer) -> None:
    """Lets an explainer tell of causes of a kind. `AppConfig.ready` calls it once for each kind."""
    _explainers[kind] = explainer


def explain(member: Member, causes: Iterable[str]) -> dict[str, Explanation]:
    """The explanations of all these causes that somebody can explain; each explainer is asked once."""
    by_kind: dict[str, set[str]] = {}
    for cause in causes:
        kind, _colon, id_ = cause.partition(":")
        by_kind.setdefault(kind, set()).add(id_)
    return {
        f"{kind}:{id_}": explanation
        for kind, ids in by_kind.items()
        if kind in _explainers
        for id_, explanation in _explainers[kind](member, ids).items()
    }
