"""What caused a change, as links between pages of the audit. Members get `graphs.history.causes`."""

from collections.abc import Callable, Iterable, Mapping

from django.utils.safestring import SafeString

#: Kind of a cause -> what makes a link of it, from the ids of all causes by kind.
_LINKS: dict[str, Callable[[Mapping[str, str]], SafeString]] = {}


def register(kind: str, link: Callable[[Mapping[str, str]], SafeString]) -> None:
    """Shows causes of this kind as this link from now on."""
    _LINKS[kind] = link


def links(causes: Iterable[str]) -> list[SafeString]:
    """A link for each cause that somebody can explain, in order."""
    parted = (cause.partition(":") for cause in causes)
    ids = {kind: id_ for kind, _colon, id_ in parted if id_}
    found = (_LINKS[kind](ids) for kind in ids if kind in _LINKS)
    return [link for link in found if link]
