"""What a change set's causes are, in words and with a link. Whoever gives causes explains them.

A cause is `kind:id`; the app whose kind it is registers an explainer when it is ready.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from graphs.site.access import Member


@dataclass(frozen=True, slots=True)
class Explanation:
    """`text` says what the cause is; `url` leads to it, for the one who asks, and is empty where they may not see it.

    `details` are more facts for programs, by camelCase names.
    """

    text: str
    url: str = ""
    details: Mapping[str, object] | None = None


#: Gets the member who asks and the ids of causes of one kind; leaves out those it does not know.
Explainer = Callable[[Member, Collection[str]], Mapping[str, Explanation]]

_explainers: dict[str, Explainer] = {}


def register(kind: str, explainer: Explainer) -> None:
    """Called once for each kind, by `AppConfig.ready`."""
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
